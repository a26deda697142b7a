import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { fingerprintOfSpki } from '../identity/certificate.ts';

const NAME = 'outpost.clinic.example';

let test: TestLanSite;
const logged: string[] = [];
const dir = mkdtempSync(join(tmpdir(), 'outpost-certificates-'));
beforeAll(async () => {
  test = await startTestLanSite({ addresses: () => ['127.0.0.1', '203.0.113.9'] }, undefined, undefined, {
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
  });
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const extensions = (text: string) => {
    writeFileSync(join(dir, 'x.cnf'), text);
    return ['-extfile', 'x.cnf', '-days', '60'];
  };
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Clinic CA',
    '-days',
    '90',
  );
  openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'own.key', '-out', 'own.csr', '-subj', '/CN=own');
  openssl(
    'x509',
    '-req',
    '-in',
    'own.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-out',
    'own.pem',
    ...extensions(`subjectAltName=DNS:${NAME}\n`),
  );
  openssl(
    'pkcs12',
    '-export',
    '-legacy',
    '-in',
    'own.pem',
    '-inkey',
    'own.key',
    '-certfile',
    'ca.pem',
    '-passout',
    'pass:s3cret word',
    '-out',
    'own.p12',
  );
});
afterAll(async () => {
  await test.close();
  rmSync(dir, { recursive: true, force: true });
});

const port = () => Number(new URL(test.lanUrl).port);
const read = (name: string) => readFileSync(join(dir, name));

interface Answer {
  status: number;
  type: string;
  body: Buffer;
}

/** Calls as a browser does that trusts `ca`: chain and name are checked. */
function call(
  path: string,
  {
    ca,
    servername,
    method = 'GET',
    headers = {},
  }: { ca: string; servername?: string; method?: string; headers?: Record<string, string> },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const host = servername === undefined ? {} : { host: `${servername}:${port()}` };
    const options = {
      host: '127.0.0.1',
      port: port(),
      path,
      method,
      ca,
      agent: false as const,
      headers: { ...host, ...headers },
    };
    const sent = request({ ...options, ...(servername !== undefined && { servername }) }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          body: Buffer.concat(parts),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Pin of the key that is served to a client that asks for a name, or for none. */
function servedPin(servername?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port: port(), rejectUnauthorized: false, ...(servername !== undefined && { servername }) },
      () => {
        resolve(fingerprintOfSpki(socket.getPeerX509Certificate()!.publicKey.export({ type: 'spki', format: 'der' })));
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

/** The root, as a person gets it who dismisses the warning. */
async function downloadRoot(): Promise<X509Certificate> {
  const answer = await fetch(`${test.site.url}/phone/trust/authority.crt`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-x509-ca-cert']);
  return new X509Certificate(Buffer.from(await answer.arrayBuffer()));
}

describe('the authority of a site', () => {
  it('is offered on the closed local network, and makes a client accept the addresses of the site', async () => {
    const root = await downloadRoot();
    const ca = root.toString();
    const { authority, current, uncovered, trustPages } = await test.client.call('getCertificates');
    expect(authority).toMatchObject({
      state: 'READY',
      fingerprint: createHash('sha256').update(root.raw).digest('hex'),
    });
    expect(current).toMatchObject({ isSigned: true, hosts: ['127.0.0.1', 'test-clinic.local', 'localhost'] });
    expect(uncovered).toEqual(['203.0.113.9']);
    expect(trustPages.map(({ url }) => url)).toEqual([`${test.lanUrl}/phone/trust`]);
    expect(trustPages[0]?.qrSvg).toContain('<svg');

    const english = await call('/phone/trust', { ca, headers: { 'accept-language': 'en-GB' } });
    const japanese = await call('/phone/trust?lang=ja', { ca, servername: 'test-clinic.local' });
    expect([english.status, japanese.status, english.type]).toEqual([200, 200, 'text/html; charset=utf-8']);
    const shown = (authority.fingerprint ?? '').toUpperCase().match(/../g)?.join(' ');
    expect(
      english.body
        .toString()
        .match(/<pre[^>]*>([^<]*)/)?.[1]
        ?.replaceAll('\n', ' '),
    ).toBe(shown);
    expect(japanese.body.toString()).toContain('lang="ja"');
    const onLan = await call('/phone/trust/authority.crt', { ca });
    expect(onLan.body.equals(root.raw)).toBe(true);
    expect((await call('/site/network', { ca })).status).toBe(403);
    await expect(call('/phone/trust', { ca: read('ca.pem').toString() })).rejects.toThrow(/local issuer certificate/);
    await expect(call('/phone/trust', { ca, servername: 'bank.example' })).rejects.toThrow(/Hostname/);
  });

  it('is offered as a profile for iPhones that holds the same certificate', async () => {
    const root = await downloadRoot();
    const answer = await call('/phone/trust/authority.mobileconfig', { ca: root.toString() });
    expect([answer.status, answer.type]).toEqual([200, 'application/x-apple-aspen-config']);
    const plist = JSON.parse(
      execFileSync(
        'python3',
        [
          '-c',
          'import plistlib,sys,json,base64; print(json.dumps(plistlib.loads(sys.stdin.buffer.read()), default=lambda b: base64.b64encode(b).decode()))',
        ],
        { input: answer.body, encoding: 'utf8' },
      ),
    );
    expect(plist).toMatchObject({
      PayloadType: 'Configuration',
      PayloadRemovalDisallowed: false,
      PayloadContent: [{ PayloadType: 'com.apple.security.root', PayloadContent: root.raw.toString('base64') }],
    });
  });

  it('notes phones that proved their trust, the newest first', async () => {
    const ca = (await downloadRoot()).toString();
    const agents = { 'user-agent': 'Mozilla/5.0 (Linux; Android 16; Pixel 9)' };
    expect((await call('/phone/trust/seen', { ca, method: 'POST', headers: agents })).status).toBe(204);
    expect((await call('/phone/trust/seen', { ca, method: 'GET' })).status).not.toBe(204);
    const { trustedCalls } = await test.client.call('getCertificates');
    expect(trustedCalls).toEqual([{ address: '127.0.0.1', system: 'ANDROID', ts: expect.any(Number) }]);
  });

  it('is replaced with a reason: another root, the same pin; the old root is not accepted any more', async () => {
    const old = await downloadRoot();
    const pin = test.site.lan.fingerprint;
    await test.client.call('replaceAuthority', { body: { reason: 'A backup was stolen.' } });
    const root = await downloadRoot();
    expect([root.raw.equals(old.raw), await servedPin()]).toEqual([false, pin]);
    expect((await call('/phone/trust', { ca: root.toString() })).status).toBe(200);
    await expect(call('/phone/trust', { ca: old.toString() })).rejects.toThrow();
    const [entry] = await test.site.folder.store.audit.list({ entityId: 'lan.authority' });
    expect(entry).toMatchObject({ action: 'lan.certificate', reason: 'A backup was stolen.' });
    await test.restart();
    expect((await downloadRoot()).raw.equals(root.raw)).toBe(true);
  });
});

describe("the clinic's own certificate", () => {
  it('is served for its name only; pins, addresses and names of mDNS keep the key of the site', async () => {
    const hub = await test.pairDevice();
    const pin = test.site.lan.fingerprint;
    const given = { certificate: `${read('own.pem')}`, privateKey: `${read('own.key')}` };
    await expect(test.client.call('setOwnCertificate', { body: given })).rejects.toMatchObject({
      code: 'CERTIFICATE_CHAIN',
    });
    const pkcs12 = read('own.p12').toString('base64');
    await expect(test.client.call('setOwnCertificate', { body: { pkcs12, password: 'x' } })).rejects.toMatchObject({
      code: 'CERTIFICATE_PASSWORD',
    });
    await expect(test.client.call('setOwnCertificate', { body: { pkcs12, ...given } })).rejects.toMatchObject({
      status: 400,
    });
    expect((await test.client.call('getCertificates')).own).toBeUndefined();

    const state = await test.client.call('setOwnCertificate', { body: { pkcs12, password: 's3cret word' } });
    expect(state.own).toMatchObject({
      hostName: NAME,
      url: `https://${NAME}:${port()}`,
      // The name leads nowhere here.
      warnings: [{ code: 'CERTIFICATE_NOT_REACHED' }],
    });
    expect(await test.client.call('getNetwork')).toMatchObject({
      ownUrl: `https://${NAME}:${port()}`,
      urls: test.site.lan.urls,
    });
    const ca = `${read('ca.pem')}`;
    expect((await call('/phone/trust', { ca, servername: NAME })).status).toBe(200);
    expect(await servedPin(NAME)).not.toBe(pin);
    expect([await servedPin(), await servedPin('test-clinic.local'), await servedPin('x.example')]).toEqual([
      pin,
      pin,
      pin,
    ]);
    expect((await hub.call('/device/status')).addresses.join()).not.toContain(NAME);

    await test.restart();
    expect((await call('/phone/trust', { ca, servername: NAME })).status).toBe(200);
    expect(await servedPin()).toBe(pin);
  });

  it('never shows its key: not in answers, the audit trail or the database', async () => {
    const secret = `${read('own.key')}`.split('\n')[3]!;
    const state = JSON.stringify(await test.client.call('getCertificates'));
    const trail = JSON.stringify(await test.site.folder.store.audit.list({ limit: 200 }));
    expect(trail).toContain('lan.ownCertificate');
    expect(trail).toContain(NAME);
    const database = readFileSync(test.site.folder.store.path).toString('latin1');
    expect(logged.length).toBeGreaterThan(0);
    for (const text of [state, trail, database, logged.join()]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('PRIVATE KEY');
    }
  });

  it('is announced on Today 30 days before its end, and can be removed', async () => {
    const { accountId } = test.place;
    const reasons = async () =>
      (await test.client.call('listAttention', { params: { accountId } })).items
        .filter(({ reason }) => reason === 'CERTIFICATE_ENDS')
        .map(({ evidence }) => [evidence.code, evidence.detail]);
    expect(await reasons()).toEqual([]);
    test.clock.aheadMs = 31 * DAY_MS;
    await test.restart();
    expect(await reasons()).toEqual([['ENDS_SOON', NAME]]);
    test.clock.aheadMs = 61 * DAY_MS;
    await test.restart();
    expect(await reasons()).toEqual([['ENDED', NAME]]);
    await test.client.call('removeOwnCertificate');
    expect(await reasons()).toEqual([]);
    expect([await servedPin(NAME), (await test.client.call('getCertificates')).own]).toEqual([
      test.site.lan.fingerprint,
      undefined,
    ]);
    expect(await test.site.folder.store.settings.get('lan.ownCertificate')).toBeNull();
    test.clock.aheadMs = 0;
    await test.restart();
  });

  it('has no place while the site does not listen', async () => {
    const isOn = { isOn: true, port: Math.max(1024, port()) };
    await test.client.call('updateNetwork', { body: { ...isOn, isOn: false } });
    await expect(test.client.call('getCertificates')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await fetch(`${test.site.url}/phone/trust/authority.crt`)).status).toBe(404);
    await test.client.call('updateNetwork', { body: isOn });
  });
});
