/** Every failure on every device path reports its code, whether to retry, and the authentication scheme. */
import { randomUUID } from 'node:crypto';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../api/contract/index.ts';
import type { RouteContract } from '../../api/contract/route.ts';
import { createApi } from '../../api/create-api.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { answerClientErrors } from '../../api/framework/guards.ts';
import { SYSTEM } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { DiskBudget } from '../../files/disk-budget.ts';
import type { Store } from '../../services/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { deviceToken } from '../device-identity.ts';
import { RefusedAttempts } from '../refused-attempts.ts';
import { UploadReceiver } from '../upload/receiver.ts';
import { tusHandler } from '../upload/tus-handler.ts';

interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  body: Record<string, unknown>;
}

interface Call {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** A device call: one of the API contract, or a tus call of the uploads. */
interface Target {
  name: string;
  method: string;
  path: string;
  isUpload: boolean;
  needsToken: boolean;
  takesJson: boolean;
  bodyLimitBytes?: number | undefined;
}

let api: TestApi;
let server: Server;
let url: string;
let uploadId: string;
let hub: { id: string; authorization: string };
let phone: { id: string; authorization: string };
/** While set, every query throws it. */
let failure: unknown;

const UPLOADS = '/device/uploads';
/** First bytes of a recording: a chunk without them is permanently refused. */
const MAGIC = Buffer.from([0x89, 0x4f, 0x53, 0x49, 0x47, 0x0d, 0x0a, 0x1a]);

const bytes32 = Buffer.alloc(32).toString('base64url');
const BODIES: Record<string, () => object> = {
  callPairing: () => ({
    protocolVersion: 1,
    commitment: bytes32,
    proof: bytes32,
    clockTs: api.clock.now(),
    device: { kind: 'HUB', serial: 'HUB-9', displayName: 'Hub' },
  }),
  revealPairingNonce: () => ({ nonce: bytes32 }),
  collectCredential: () => ({ nonce: bytes32 }),
  syncPhone: () => ({ clockTs: api.clock.now() }),
  signInPhone: () => ({ token: 'ABCDEFGHJKLMNPQRSTUV', phoneId: randomUUID() }),
};

const contractTargets: Target[] = Object.entries(routes as Record<string, RouteContract>)
  .filter(([, { path }]) => /^\/(device|phone)(\/|$)/.test(path))
  .map(([name, { method, path, access, body, bodyLimitBytes }]) => ({
    name,
    method,
    path: path.replace(/\{\w+\}/g, randomUUID()),
    isUpload: false,
    needsToken: access === 'device',
    takesJson: body !== undefined,
    bodyLimitBytes,
  }));

const uploadTarget = (method: string, path: string): Target => ({
  name: `${method} ${path}`,
  method,
  path,
  isUpload: true,
  needsToken: true,
  takesJson: false,
});
const uploadTargets = [
  uploadTarget('POST', UPLOADS),
  ...['HEAD', 'GET', 'PATCH', 'DELETE'].map((method) => uploadTarget(method, `${UPLOADS}/{id}`)),
];
const targets = [...contractTargets, ...uploadTargets];

const tokenOf = ({ path }: Target) => (path.startsWith('/phone') ? phone : hub).authorization;

/** Returns a valid call: headers and body. */
function soundCall(target: Target): Call {
  const headers: Record<string, string> = {
    ...(target.needsToken && { authorization: tokenOf(target) }),
    ...(target.isUpload && { 'tus-resumable': '1.0.0' }),
    ...(target.method === 'PATCH' && { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }),
  };
  const body = target.takesJson ? JSON.stringify(BODIES[target.name]?.() ?? {}) : undefined;
  if (body !== undefined) headers['content-type'] = 'application/json';
  return {
    method: target.method,
    path: target.path.replace('{id}', uploadId),
    headers,
    ...(body !== undefined && { body }),
  };
}

async function send(call: Call): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const sent = httpRequest(
      new URL(`/api/v1${call.path}`, url),
      { method: call.method, headers: { ...call.headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => {
          const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
          resolve({ status: response.statusCode ?? 0, headers: response.headers as Answer['headers'], body });
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(call.body);
  });
}

/** Expects the failure that upload.md, section 6 specifies. */
function expectFailure(answer: Answer, expected: { status: number; code: string; permanent?: boolean }, name: string) {
  const { status, headers, body } = answer;
  expect({ name, status, code: headers['outpost-code'] }).toEqual({
    name,
    status: expected.status,
    code: expected.code,
  });
  expect(headers['outpost-permanent'], name).toMatch(/^(true|false)$/);
  if (expected.permanent !== undefined) expect(headers['outpost-permanent'], name).toBe(String(expected.permanent));
  if (status === 401) expect(headers['www-authenticate'], name).toMatch(/^Bearer realm="Outpost devices"/);
  else expect(headers['www-authenticate'], name).toBeUndefined();
  if (Object.keys(body).length === 0) return;
  expect(body.code, name).toBe(headers['outpost-code']);
  expect(String(body.permanent), name).toBe(headers['outpost-permanent']);
  expect(body.message, name).toMatch(/^[A-Z`].{10,}\.$/s);
  expect(body.requestId, name).toBe(headers['x-request-id']);
  const retryAfter = headers['retry-after'];
  expect(body.retryAfterSeconds, name).toBe(retryAfter === undefined ? undefined : Number(retryAfter));
}

/** Wraps a store part so that every query throws {@link failure} while it is set. */
function failing<T extends object>(part: T): T {
  return new Proxy(part, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member === 'function') {
        return (...values: unknown[]): unknown => {
          if (failure !== undefined) throw failure;
          return Reflect.apply(member, target, values) as unknown;
        };
      }
      return typeof member === 'object' && member !== null ? failing(member) : member;
    },
  });
}

beforeAll(async () => {
  api = await startTestApi();
  const { deps, store, clock, jobs } = api;
  const refused = new RefusedAttempts({ store, clock: clock.now, onProblem: () => undefined });
  const receiver = new UploadReceiver({
    store,
    inboxDir: deps.inboxDir,
    signalsDir: deps.signalsDir,
    disk: new DiskBudget(deps.inboxDir),
    clock: clock.now,
    jobs,
    refused,
    onProblem: (problem) => api.problems.push(problem),
  });
  await receiver.start();
  const all: ApiDeps = { ...deps, store: failing<Store>(store), lan: failing(deps.lan) };
  const authenticateDevice: ApiDeps['authenticateDevice'] = async (header, address) => {
    if (failure !== undefined) throw failure;
    return await deps.authenticateDevice(header, address);
  };
  server = createServer(createApi({ ...all, authenticateDevice, uploads: tusHandler(receiver, clock.now) }));
  answerClientErrors(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  hub = await api.addDevice('HUB', 'HUB-1');
  phone = await api.addDevice('PHONE', randomUUID(), api.subjectIds[0]);
  const { accountId, studyId } = api;
  await store.equipment.register({ accountId, id: 'SN-1', type: 'SENSOR' }, SYSTEM);
  const subjectId = api.subjectIds[0] ?? '';
  await store.equipment.assign('SN-1', { studyId, subjectId, atTs: 1 }, SYSTEM);
  const device = await deps.authenticateDevice(hub.authorization, '127.0.0.1');
  const announced = { recordingId: randomUUID(), sensorId: 'SN-1', sha256: 'a'.repeat(64), formatVersion: 1 };
  const startUs = clock.now() * 1000;
  uploadId = (await receiver.begin(device, { ...announced, startUs, syncPoints: [] }, 1000)).id;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.close();
});

it('knows every call of the interface that devices make', () => {
  expect(contractTargets.length).toBeGreaterThanOrEqual(14);
  expect(targets.filter(({ needsToken }) => !needsToken).map(({ name }) => name)).toEqual([
    'deviceHello',
    'callPairing',
    'revealPairingNonce',
    'collectCredential',
    'signInPhone',
  ]);
});

describe.each(targets.filter(({ needsToken }) => needsToken))('$name', (target) => {
  const withToken = (authorization?: string): Call => {
    const { authorization: _, ...headers } = soundCall(target).headers ?? {};
    return { ...soundCall(target), headers: { ...headers, ...(authorization && { authorization }) } };
  };
  const REFUSED: [string, () => Promise<string | undefined>, string][] = [
    ['no token', async () => undefined, 'UNAUTHORIZED'],
    ['the credentials of a user', async () => api.authorization, 'UNAUTHORIZED'],
    ['an unknown token', async () => `Bearer ${deviceToken(api.siteId, randomUUID(), 'x'.repeat(43))}`, 'UNAUTHORIZED'],
    [
      'a token of another site',
      async () => `Bearer ${deviceToken(randomUUID(), randomUUID(), 'x'.repeat(43))}`,
      'DEVICE_WRONG_SITE',
    ],
    [
      'a revoked token',
      async () => {
        const gone = await api.addDevice('HUB', `HUB-${randomUUID()}`);
        await api.store.devices.revoke(gone.id, SYSTEM);
        return gone.authorization;
      },
      'DEVICE_REVOKED',
    ],
  ];
  it.each(REFUSED)('refuses %s', async (name, token, code) => {
    const answer = await send(withToken(await token()));
    expectFailure(answer, { status: 401, code, permanent: false }, name);
    expect(answer.headers['www-authenticate']?.includes('error="invalid_token"')).toBe(name !== 'no token');
  });

  it('is distinguished by HEAD', async () => {
    if (target.method !== 'GET') return;
    const answer = await send({
      ...withToken(`Bearer ${deviceToken(randomUUID(), randomUUID(), 'x'.repeat(43))}`),
      method: 'HEAD',
    });
    expectFailure(answer, { status: 401, code: 'DEVICE_WRONG_SITE', permanent: false }, 'HEAD');
  });
});

describe.each(targets)('$name', (target) => {
  it('does not take another method', async () => {
    const answer = await send({ ...soundCall(target), method: 'PUT' });
    expectFailure(answer, { status: 405, code: 'METHOD_NOT_ALLOWED', permanent: !target.isUpload }, 'PUT');
    expect(answer.headers.allow).toContain(target.method);
  });

  it('does not answer under a foreign host name', async () => {
    const call = soundCall(target);
    const answer = await send({ ...call, headers: { ...call.headers, host: 'rebound.example' } });
    expectFailure(answer, { status: 403, code: 'FORBIDDEN', permanent: false }, 'host');
  });

  const FAILURES: [string, unknown, { status: number; code: string; retryAfter?: string }][] = [
    ['a bug', new Error('a bug'), { status: 500, code: 'INTERNAL', retryAfter: '30' }],
    [
      'a damaged file',
      new OutpostError('SIGNAL_FILE_DAMAGED', 'The file is damaged. Restore it.'),
      { status: 500, code: 'SIGNAL_FILE_DAMAGED' },
    ],
    [
      'a read-only disk',
      Object.assign(new Error('ro'), { code: 'EROFS' }),
      { status: 503, code: 'SITE_READ_ONLY', retryAfter: '30' },
    ],
    [
      'a full disk',
      Object.assign(new Error('full'), { code: 'ENOSPC' }),
      { status: 507, code: 'DISK_FULL', retryAfter: '30' },
    ],
    [
      'a throttle',
      new OutpostError('THROTTLED', 'Too many attempts came. Wait a moment.', { details: { retryAfterSeconds: 7 } }),
      { status: 429, code: 'THROTTLED', retryAfter: '7' },
    ],
  ];
  it.each(FAILURES)('reports %s', async (name, thrown, { status, code, retryAfter }) => {
    failure = thrown;
    try {
      const answer = await send(soundCall(target));
      expectFailure(answer, { status, code, permanent: false }, name);
      if (retryAfter !== undefined) expect(answer.headers['retry-after']).toBe(retryAfter);
    } finally {
      failure = undefined;
    }
  });
});

describe.each(targets.filter(({ takesJson }) => takesJson))('the body of $name', (target) => {
  const BODIES_REFUSED: [string, Partial<Call>, number, string][] = [
    ['broken JSON', { body: '{"a":' }, 400, 'INVALID_JSON'],
    ['a list', { body: '[]' }, 400, 'INVALID_JSON'],
    [
      'a body that breaks the schema',
      { body: '{"messages":1,"reports":1,"ids":1,"recordings":1,"nonce":1}' },
      400,
      'INVALID_INPUT',
    ],
    ['plain text', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a body that is too large',
      { body: JSON.stringify({ a: 'x'.repeat(target.bodyLimitBytes ?? 1 << 20) }) },
      413,
      'BODY_TOO_LARGE',
    ],
  ];
  it.each(BODIES_REFUSED)('refuses %s', async (name, change, status, code) => {
    const call = soundCall(target);
    const answer = await send({ ...call, ...change, headers: { ...call.headers, ...change.headers } });
    expectFailure(answer, { status, code, permanent: true }, name);
  });
});

describe('an address that is nothing', () => {
  it.each(['/device', '/device/nothing', '/phone', '/phone/nothing/more'])('%s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const answer = await send({ method, path, headers: { authorization: hub.authorization } });
      expectFailure(answer, { status: 404, code: 'NOT_FOUND', permanent: false }, `${method} ${path}`);
    }
  });
});

describe('headers of tus that are wrong', () => {
  const announce = (headers: Record<string, string>): Call => ({
    method: 'POST',
    path: UPLOADS,
    headers: { authorization: hub.authorization, 'tus-resumable': '1.0.0', ...headers },
  });
  const piece = (headers: Record<string, string>): Call => ({
    method: 'PATCH',
    path: `${UPLOADS}/${uploadId}`,
    headers: {
      authorization: hub.authorization,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      ...headers,
    },
  });
  const text = (value: string) => Buffer.from(value).toString('base64');
  const sound = () =>
    Object.entries({
      recordingId: randomUUID(),
      sensor: 'SN-1',
      sha256: 'b'.repeat(64),
      formatVersion: '1',
      startUs: String(api.clock.now() * 1000),
    }).map(([name, value]) => `${name} ${text(value)}`);
  const metadata = (change: Record<string, string> = {}) =>
    [
      ...sound().filter((pair) => !(pair.split(' ', 1)[0]! in change)),
      ...Object.entries(change).map(([name, value]) => `${name} ${text(value)}`),
    ].join(',');
  const WRONG: [string, () => Call, { status: number; code: string; permanent: boolean }][] = [
    [
      'no Tus-Resumable',
      () => ({ ...announce({}), headers: { authorization: hub.authorization } }),
      { status: 412, code: 'INVALID_INPUT', permanent: false },
    ],
    [
      'another version',
      () => announce({ 'tus-resumable': '0.2.2' }),
      { status: 412, code: 'INVALID_INPUT', permanent: false },
    ],
    [
      'no Upload-Length',
      () => announce({ 'upload-metadata': metadata() }),
      { status: 400, code: 'INVALID_INPUT', permanent: false },
    ],
    [
      'a length that is not a number',
      () => announce({ 'upload-length': '1e3', 'upload-metadata': metadata() }),
      { status: 400, code: 'INVALID_INPUT', permanent: false },
    ],
    [
      'a negative length',
      () => announce({ 'upload-length': '-1', 'upload-metadata': metadata() }),
      { status: 400, code: 'INVALID_INPUT', permanent: false },
    ],
    [
      'a deferred length',
      () => announce({ 'upload-defer-length': '1', 'upload-metadata': metadata() }),
      { status: 501, code: 'INVALID_INPUT', permanent: false },
    ],
    [
      'concatenation',
      () => announce({ 'upload-length': '9', 'upload-concat': 'partial', 'upload-metadata': metadata() }),
      { status: 501, code: 'INVALID_INPUT', permanent: false },
    ],
    [
      'no metadata',
      () => announce({ 'upload-length': '9' }),
      { status: 400, code: 'UPLOAD_METADATA', permanent: true },
    ],
    [
      'metadata without pairs',
      () => announce({ 'upload-length': '9', 'upload-metadata': '%%%,' }),
      { status: 400, code: 'UPLOAD_METADATA', permanent: true },
    ],
    [
      'an invalid hash',
      () => announce({ 'upload-length': '9', 'upload-metadata': metadata({ sha256: 'x' }) }),
      { status: 400, code: 'UPLOAD_METADATA', permanent: true },
    ],
    [
      'a file that is too large',
      () => announce({ 'upload-length': '10000000001', 'upload-metadata': metadata() }),
      { status: 413, code: 'UPLOAD_TOO_LARGE', permanent: true },
    ],
    [
      'an empty file',
      () => announce({ 'upload-length': '0', 'upload-metadata': metadata() }),
      { status: 400, code: 'FILE_EMPTY', permanent: true },
    ],
    [
      'a newer format',
      () => announce({ 'upload-length': '9', 'upload-metadata': metadata({ formatVersion: '2' }) }),
      { status: 415, code: 'FORMAT_TOO_NEW', permanent: true },
    ],
    [
      'a sensor that is not registered',
      () => announce({ 'upload-length': '9', 'upload-metadata': metadata({ sensor: 'SN-404' }) }),
      { status: 403, code: 'SENSOR_UNKNOWN', permanent: true },
    ],
    [
      'a chunk of another type',
      () => piece({ 'content-type': 'application/octet-stream' }),
      { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', permanent: false },
    ],
    [
      'an offset that is not a number',
      () => piece({ 'upload-offset': '0x1' }),
      { status: 400, code: 'INVALID_INPUT', permanent: false },
    ],
    ['another offset', () => piece({ 'upload-offset': '7' }), { status: 409, code: 'UPLOAD_OFFSET', permanent: false }],
    [
      'an invalid checksum',
      () => piece({ 'upload-checksum': 'md5 abc' }),
      { status: 400, code: 'INVALID_INPUT', permanent: false },
    ],
    [
      'a checksum of other bytes',
      () => ({ ...piece({ 'upload-checksum': `sha256 ${Buffer.alloc(32).toString('base64')}` }), body: 'abc' }),
      { status: 460, code: 'CHECKSUM_MISMATCH', permanent: false },
    ],
    [
      'a chunk that is too long',
      () => ({ ...piece({}), body: Buffer.concat([MAGIC, Buffer.alloc(993)]) }),
      { status: 413, code: 'UPLOAD_TOO_LARGE', permanent: false },
    ],
    [
      'an unknown upload',
      () => ({ ...piece({}), path: `${UPLOADS}/${randomUUID()}` }),
      { status: 410, code: 'UPLOAD_GONE', permanent: false },
    ],
    [
      'an invalid upload id',
      () => ({ ...piece({}), path: `${UPLOADS}/not-an-id` }),
      { status: 404, code: 'UPLOAD_GONE', permanent: false },
    ],
  ];
  it.each(WRONG)('%s', async (name, call, expected) => {
    expectFailure(await send(call()), expected, name);
  });

  it('names its version of tus with every 412', async () => {
    const answer = await send(announce({ 'tus-resumable': '0.2.2' }));
    expect(answer.headers['tus-version']).toBe('1.0.0');
  });
});

it.each([
  ['a request that is not HTTP', 'NONSENSE\r\n\r\n', '400'],
  [
    'headers that are too long',
    `GET /api/v1/device/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    '431',
  ],
])('answers %s before any path is known', async (_name, request, status) => {
  const { port } = server.address() as AddressInfo;
  const received = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', reject).on('close', () => resolve(text));
  });
  expect(received.split(' ')[1]).toBe(status);
  expect(received).toContain('Outpost-Code: INVALID_INPUT');
  expect(received).toContain('Outpost-Permanent: false');
});
