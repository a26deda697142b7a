/** What a page of another origin, or a foreign name that leads here (DNS rebinding), gets from the local network: nothing. */
import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../api/contract/index.ts';
import type { RouteContract } from '../../api/contract/route.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';

let test: TestPhoneSite;
let phone: TestPhone;
beforeAll(async () => {
  test = await startTestPhoneSite();
  phone = await test.signIn();
});
afterAll(() => test.close());

interface Answer {
  status: number;
  headers: Record<string, unknown>;
}

/** Without a token, as a foreign page calls. */
function ask(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const { hostname, port, host } = new URL(test.lan.lanUrl);
  return new Promise((resolve, reject) => {
    const call = request(
      { hostname, port, path, method, headers: { host, ...headers }, rejectUnauthorized: false, agent: false },
      (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      },
    );
    call.on('error', reject);
    call.end();
  });
}

const ID = '01970000-0000-7000-8000-000000000000';
const calls = (Object.values(routes) as RouteContract[])
  .filter(({ path, access }) => access === 'device' || /^\/(phone|device)\//.test(path))
  .map(({ method, path }) => [method, `/api/v1${path.replaceAll(/\{\w+\}/g, ID)}`] as const);
const PAGES = [
  ...['/phone', '/phone/', '/phone/sw.js', '/phone/manifest.webmanifest'],
  ...['/phone/trust', '/phone/trust/authority.crt', '/phone/trust/authority.mobileconfig'],
  ...['/phone/trust/style.css', '/phone/trust/script.js', '/phone/trust/worker.js'],
].map((path) => ['GET', path] as const);
const WRITES = [
  ['POST', '/phone/trust/seen'],
  ['POST', '/api/v1/device/uploads'],
] as const;
const ALL = [...calls, ...PAGES, ...WRITES];

const port = () => new URL(test.lan.lanUrl).port;
const mayRead = ({ headers }: Answer): boolean =>
  Object.keys(headers).some((name) => name.startsWith('access-control'));

describe('every call and page of the local network', () => {
  it('covers the calls of phones and devices', () => {
    expect(calls.length).toBeGreaterThan(15);
  });

  it('refuses a foreign Host, so that no foreign name leads here', async () => {
    const hosts = [
      ...['evil.example', `evil.example:${port()}`, `127.0.0.1.evil.example:${port()}`, `evil.example@127.0.0.1`],
      ...[
        `test-clinic.local.evil.example`,
        `test-clinic.local.:${port()}`,
        '0.0.0.0',
        '[::]',
        '2130706433',
        '192.168.7.7',
      ],
    ];
    for (const [method, path] of ALL) {
      const [host = ''] = hosts;
      expect([path, (await ask(method, path, { host })).status]).toEqual([path, 403]);
    }
    for (const host of hosts) {
      expect([host, (await ask('GET', '/phone/trust', { host })).status]).toEqual([host, 403]);
      expect([host, (await phone.call('/phone/today', { headers: { host } })).status]).toEqual([host, 403]);
    }
  });

  it('refuses writes of foreign pages, and lets none read an answer', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port()}` },
      // Another program of the same computer.
      { origin: 'https://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    ];
    for (const [method, path] of ALL) {
      for (const headers of foreign) {
        const answer = await ask(method, path, headers);
        if (method !== 'GET') expect([method, path, headers, answer.status]).toEqual([method, path, headers, 403]);
        expect(mayRead(answer)).toBe(false);
        expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
      }
      const preflight = await ask('OPTIONS', path, {
        ...{ origin: 'https://evil.example', 'access-control-request-method': method },
        'access-control-request-headers': 'authorization',
      });
      expect(mayRead(preflight)).toBe(false);
      expect(preflight.status).toBeGreaterThanOrEqual(400);
    }
    // A token does not help a foreign page.
    const written = await phone.post('/phone/sync', phone.batch({}), {
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
    });
    expect(written.status).toBe(403);
  });

  it('admits its own pages', async () => {
    const origin = test.lan.lanUrl;
    const own = { origin, 'sec-fetch-site': 'same-origin' };
    expect((await ask('POST', '/phone/trust/seen', own)).status).toBe(204);
    const headers = { 'content-type': 'application/json', ...own };
    expect((await phone.post('/phone/sync', phone.batch({}), { headers })).status).toBe(200);
    const named = { host: `Test-Clinic.local:${port()}`, origin: `https://test-clinic.local:${port()}` };
    expect((await ask('POST', '/phone/trust/seen', named)).status).toBe(204);
    // The address of a site that a camera's link opens from another program.
    expect(
      (await ask('GET', '/phone/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status,
    ).not.toBe(403);
  });

  it('refuses two Host headers, and one that the address of the request line contradicts', async () => {
    const { hostname, port: lanPort } = new URL(test.lan.lanUrl);
    const first = (head: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect({ host: hostname, port: Number(lanPort), rejectUnauthorized: false }, () => {
          socket.write(`${head}\r\nConnection: close\r\n\r\n`);
        });
        let text = '';
        socket.on('data', (bytes) => {
          text += bytes.toString('latin1');
        });
        socket.on('close', () => resolve(text.split('\r\n', 1)[0] ?? ''));
        socket.on('error', reject);
      });
    const own = `Host: ${hostname}:${lanPort}`;
    expect(await first(`GET /phone/trust HTTP/1.1\r\n${own}`)).toContain('200');
    expect(await first(`GET /phone/trust HTTP/1.1\r\nHost: evil.example\r\n${own}`)).toMatch(/ 40[03] /);
    expect(await first(`GET /phone/trust HTTP/1.1\r\n${own}\r\nHost: evil.example`)).toMatch(/ (200|400) /);
    expect(await first(`GET https://evil.example/phone/trust HTTP/1.1\r\n${own}`)).toMatch(/ 4\d\d /);
    expect(await first('GET /phone/trust HTTP/1.1')).toMatch(/ 40[03] /);
  });
});
