import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

function send(path: string, init: RequestInit = {}) {
  return fetch(api.url + path, { ...init, headers: { authorization: api.authorization, ...init.headers } });
}

async function expectError(response: Response, status: number, code?: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const body = await response.json();
  expect(body).toMatchObject({ message: expect.stringMatching(/^[A-Z`].+\.$/), code: code ?? expect.any(String) });
  expect(body.requestId).toBe(response.headers.get('x-request-id'));
}

/** Sends bytes as they are and returns everything that comes back. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
}

describe('requests of existing clients', () => {
  const studies = () => `/api/v1/accounts/${api.accountId}/studies`;

  it.each(['text/json', 'text/csv', 'application/xml'])('accept a GET without a body as %s', async (contentType) => {
    expect((await send(studies(), { headers: { 'content-type': contentType } })).status).toBe(200);
  });

  it('are answered 200, never 304, with If-Modified-Since: 0', async () => {
    const response = await send(studies(), { headers: { 'if-modified-since': '0', 'if-none-match': '*' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('accept a DELETE with the body {}', async () => {
    const { id } = await api.client.call('createUser', {
      body: {
        email: 'gone@example.org',
        user: {
          accountId: api.accountId,
          email: 'gone@example.org',
          firstName: 'A',
          lastName: 'B',
          locale: 'en_US',
          timezone: 'US/Eastern',
        },
      },
    });
    const init = { method: 'DELETE', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await send(`/api/v1/accounts/${api.accountId}/users/${id}`, init)).status).toBe(204);
  });

  it('may use HEAD', async () => {
    const response = await send(studies(), { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});

describe('bodies', () => {
  const post = (body: BodyInit, contentType = 'application/json') =>
    send(`/api/v1/studies/${api.studyId}/subjects`, { method: 'POST', body, headers: { 'content-type': contentType } });

  it('rejects invalid UTF-8, broken JSON and values that are not objects', async () => {
    await expectError(await post(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), 400, 'INVALID_JSON');
    for (const text of ['{', '[]', 'null', '"text"', '5', '']) await expectError(await post(text), 400, 'INVALID_JSON');
  });

  it('rejects a lone surrogate, which cannot be stored', async () => {
    for (const text of ['{"displayName":"\\ud800"}', '{"a":[{"\\uDFFF":1}]}', '{"a":"\\udc00\\ud83e"}'])
      await expectError(await post(text), 400, 'INVALID_JSON');
    const body = '{"displayName":"\\ud83e\\udd86","timezone":"US/Eastern"}';
    expect((await post(body)).status).toBe(201);
  });

  it('rejects deeply nested JSON and 1 MB with an error message', async () => {
    await expectError(await post(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), 400, 'INVALID_JSON');
    await expectError(await post(`{"a":"${'x'.repeat(1024 * 1024)}"}`), 413, 'BODY_TOO_LARGE');
  });

  it.each(['application/x-www-form-urlencoded', 'application/xml', 'text/plain'])('rejects %s', async (contentType) => {
    await expectError(await post('displayName=a', contentType), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('ignores unknown members', async () => {
    const body = JSON.stringify({ displayName: 'Extra members', timezone: 'US/Eastern', favouriteColour: 'green' });
    expect((await post(body)).status).toBe(201);
  });
});

describe('addresses', () => {
  it('answers JSON for anything unknown below /api and /v1', async () => {
    for (const path of [
      '/api',
      '/api/v1',
      '/api/v1/nothing',
      '/v1/nothing/here',
      '/api/v2/studies',
      '/api/v1/%E0%A4%A',
    ]) {
      const response = await send(path);
      expect(response.status, path).toBeGreaterThanOrEqual(400);
      await expectError(response, response.status);
    }
  });

  it('answers 405 with Allow for another method', async () => {
    const response = await send('/api/v1/users/login/email', { method: 'PUT' });
    await expectError(response, 405, 'METHOD_NOT_ALLOWED');
    expect(response.headers.get('allow')).toBe('POST');
    await expectError(await send(`/v1/studies/${api.studyId}/subjects`, { method: 'DELETE' }), 405);
  });

  it('serves its own description', async () => {
    const document = await api.client.call('getOpenApi');
    expect(document).toMatchObject({ openapi: '3.1.0' });
  });
});

describe('protection of the server', () => {
  const withHeaders = (headers: Record<string, string>) =>
    new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
      httpRequest(`${api.url}/api/v1/status`, { headers }, (response) => {
        response.resume();
        resolve({ status: response.statusCode!, headers: response.headers });
      })
        .on('error', reject)
        .end();
    });

  it('rejects a foreign Host', async () => {
    expect((await withHeaders({ host: 'evil.example.org' })).status).toBe(403);
    expect((await withHeaders({ host: 'localhost:80' })).status).toBe(200);
    expect((await withHeaders({ host: '[::1]:80' })).status).toBe(200);
  });

  it('sends no CORS header to a foreign Origin', async () => {
    const { headers } = await withHeaders({ origin: 'https://evil.example.org' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('rejects writes from a page of another origin', async () => {
    const logIn = (origin: string) =>
      send('/api/v1/users/login/email', {
        method: 'POST',
        headers: { origin, 'content-type': 'text/json' },
        body: JSON.stringify({ email: api.admin.email, password: api.admin.password }),
      });
    for (const origin of ['https://evil.example.org', 'null']) await expectError(await logIn(origin), 403, 'FORBIDDEN');
    expect((await logIn(api.url)).status).toBe(200);
  });

  it('answers malformed HTTP with 400 in JSON', async () => {
    const answer = await sendRaw('GET / HTTP/9.9 nonsense\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'INVALID_INPUT' });
    expect((await send('/api/v1/status')).status).toBe(200);
  });

  it('keeps secrets out of the log', async () => {
    const client = await api.signIn();
    await client.call('logout');
    const log = api.logLines.join('\n');
    expect(log).toContain('/api/v1/users/login/email');
    expect(log).not.toContain(client.credentials!.accessToken);
    expect(log).not.toContain(api.admin.password);
    expect(log.toLowerCase()).not.toContain('basic ');
  });
});
