import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Bonjour, type Service } from 'bonjour-service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { openTls, pinnedCall, type TestDevice } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { announce } from '../discovery.ts';
import { readCertificate } from '../identity/certificate.ts';

/** Short enough for a test, long enough for the TLS handshake of a legitimate caller on a busy computer. */
const LIMITS = { headTimeoutMs: 2000, checkIntervalMs: 50, keepAliveMs: 5000, periodMs: 500, minimumBytes: 100 };

let test: TestLanSite;
let hub: TestDevice;
let addresses = ['127.0.0.1'];
beforeAll(async () => {
  test = await startTestLanSite({ addresses: () => addresses });
  hub = await test.pairDevice();
});
afterAll(() => test.close());

const ask = (path: string, more: { headers?: Record<string, string>; method?: string; body?: unknown } = {}) =>
  pinnedCall(test.lanUrl, [test.site.lan.fingerprint!], { path, ...more });
const deskAuthorization = async () => {
  const { userId, accessToken } = test.client.credentials!;
  return { authorization: `Basic ${btoa(`${userId}:${accessToken}`)}` };
};
/** Resolves once the peer has closed the socket, with or without a reset. `once` of node:events would reject on a reset. */
const ended = async (socket: Socket) => {
  socket.on('error', () => undefined).resume();
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
};

describe('on the local network', () => {
  it('the desk is unreachable until an administrator opens it, and again after it is closed', async () => {
    const headers = await deskAuthorization();
    const paths = ['/api/v1/site', '/api/v1/status', '/v1/status', '/docs', '/api/v1/openapi.json'];
    for (const path of paths) {
      const answer = await ask(path, { headers });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'FORBIDDEN']);
    }
    const body = { email: 'admin@example.org', password: 'correct horse 1' };
    expect((await ask('/api/v1/users/login/email', { body })).status).toBe(403);
    expect((await ask('/api/v1/device/hello')).status).toBe(200);

    await test.client.call('updateSiteSettings', { body: { lan: { deskOpen: true } } });
    for (const path of paths) expect([path, (await ask(path, { headers })).status]).toEqual([path, 200]);
    expect((await ask('/api/v1/users/login/email', { body })).body.user.email).toBe(body.email);
    await test.client.call('updateSiteSettings', { body: { lan: { deskOpen: false } } });
    expect((await ask('/api/v1/site', { headers })).status).toBe(403);
  });

  it("a user's token grants nothing of the devices, a device's token nothing of the desk", async () => {
    expect((await ask('/api/v1/device/status', { headers: await deskAuthorization() })).status).toBe(401);
    const onLoopback = await fetch(`${test.site.url}/api/v1/site`, {
      headers: { authorization: `Bearer ${hub.token}` },
    });
    expect(onLoopback.status).toBe(401);
  });

  it("refuses another site's token with its own code", async () => {
    const other = await startTestLanSite();
    try {
      const stranger = await other.pairDevice();
      const token = stranger.token;
      const answer = await ask('/api/v1/device/status', { headers: { authorization: `Bearer ${token}` } });
      expect([answer.status, answer.body.code]).toEqual([401, 'DEVICE_WRONG_SITE']);
      await expect(pinnedCall(other.lanUrl, hub.pins, { path: '/api/v1/device/hello' })).rejects.toThrow(
        /PIN_MISMATCH/,
      );
    } finally {
      await other.close();
    }
  });

  it('a foreign Host is refused (DNS rebinding), and a write from a page of another origin', async () => {
    for (const host of ['evil.example', '192.0.2.99', 'outpost.evil.local:8481']) {
      const { status, body } = await ask('/api/v1/device/hello', { headers: { host } });
      expect([host, status, body.code]).toEqual([host, 403, 'FORBIDDEN']);
    }
    const { name } = await test.client.call('getNetwork', {});
    for (const host of [name!, `${name}:8481`, '127.0.0.1'])
      expect((await ask('/api/v1/device/hello', { headers: { host } })).status).toBe(200);
    const call = { body: { nonce: 'A'.repeat(43) } };
    const path = '/api/v1/device/pairings/x/nonce';
    const foreign = await ask(path, { ...call, headers: { origin: 'https://evil.example' } });
    expect([foreign.status, foreign.body.message]).toEqual([403, expect.stringContaining('other origins')]);
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
    expect((await ask(path, call)).body.code).toBe('PAIRING_CODE_WRONG');
  });

  it('a body that is too large is refused in words', async () => {
    const body = { clockTs: Date.now(), firmwareId: 'x'.repeat(1_100_000) };
    const authorization = `Bearer ${hub.token}`;
    const answer = await ask('/api/v1/device/contact', { body, headers: { authorization } });
    expect([answer.status, answer.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it('TLS below 1.2 and plain HTTP get nothing', async () => {
    const port = Number(new URL(test.lanUrl).port);
    const old = connectTls({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    });
    const [failure] = (await once(old, 'error')) as [NodeJS.ErrnoException];
    expect(failure.code ?? failure.message).toMatch(/ERR_SSL|ECONNRESET|EPROTO/);
    const plain = connectTcp(port, '127.0.0.1');
    let text = '';
    plain.on('data', (part: Buffer) => {
      text += part.toString('latin1');
    });
    plain.write('GET /api/v1/device/hello HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await ended(plain);
    expect(text).not.toContain('HTTP/1.1 200');
  });
});

describe('who holds connections open', () => {
  it('is cut: silent before TLS, silent after it, dripping a head, a body, or the body of a request that was refused; others are answered meanwhile', async () => {
    const impatient = await startTestLanSite({ limits: LIMITS });
    const { port, host } = new URL(impatient.lanUrl);
    const cut: Promise<void>[] = [];
    const dripping: Socket[] = [];
    const post = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n{`;
    cut.push(ended(connectTcp(Number(port), '127.0.0.1')));
    const beginnings = [
      undefined,
      `GET /api/v1/device/hello HTTP/1.1\r\nHost: ${host}\r\nX-Drip: `,
      post('/api/v1/device/pairings'),
      post('/api/v1/device/contact'),
    ];
    for (const beginning of beginnings) {
      const socket = await openTls(impatient.lanUrl);
      cut.push(ended(socket));
      if (beginning === undefined) continue;
      socket.write(beginning);
      dripping.push(socket);
    }
    const drip = setInterval(() => {
      for (const socket of dripping) if (socket.writable) socket.write(' ');
    }, 50);
    try {
      let isOver = false;
      const all = Promise.all(cut).then(() => {
        isOver = true;
      });
      let answered = 0;
      while (!isOver) {
        // A busy computer may miss the handshake deadline, so retry as a device would.
        const status = await pinnedCall(impatient.lanUrl, [impatient.site.lan.fingerprint!], {
          path: '/api/v1/device/hello',
        }).then(
          (answer) => answer.status,
          () => undefined,
        );
        if (status !== undefined) expect(status).toBe(200);
        if (status === 200) answered += 1;
        await sleep(20);
      }
      await all;
      expect(answered).toBeGreaterThan(1);
    } finally {
      clearInterval(drip);
      await impatient.close();
    }
  });

  it('from one address has 32 connections and no more', async () => {
    const port = Number(new URL(test.lanUrl).port);
    const sockets = Array.from({ length: 40 }, () => connectTcp(port, '127.0.0.1'));
    const cut = new Set<Socket>();
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.once('close', () => cut.add(socket));
      socket.resume();
    }
    while (cut.size < 8) await sleep(10);
    for (const socket of sockets) socket.destroy();
    while ((await ask('/api/v1/device/hello').catch(() => undefined))?.status !== 200) await sleep(20);
  });
});

describe('addresses and keys', () => {
  it('new addresses are followed: certificate and answers name them, the pin stays', async () => {
    const pin = test.site.lan.fingerprint;
    addresses = ['192.168.2.77', 'fd00::77', '127.0.0.1'];
    await test.site.lan.refresh();
    const socket = await openTls(test.lanUrl);
    const { hosts, fingerprint } = readCertificate(socket.getPeerX509Certificate()!.toString());
    expect(hosts).toEqual(expect.arrayContaining(['192.168.2.77', 'fd00::77', '127.0.0.1']));
    expect(fingerprint).toBe(pin);
    socket.destroy();
    const { addresses: told } = await hub.call('/device/status');
    expect(told.map((url: string) => new URL(url).hostname)).toEqual(['192.168.2.77', '[fd00::77]', '127.0.0.1']);
    expect((await ask('/api/v1/device/hello', { headers: { host: '[fd00::77]:8481' } })).status).toBe(200);
    addresses = ['127.0.0.1'];
    await test.site.lan.refresh();
    expect((await ask('/api/v1/device/hello', { headers: { host: '192.168.2.77' } })).status).toBe(403);
  });

  it('announces a new key before it takes over; devices that know it continue without pairing', async () => {
    const deaf = await test.pairDevice({ serial: 'HUB-DEAF' });
    const [old] = hub.pins;
    const fromTs = Date.now() + test.clock.aheadMs + 14 * DAY_MS;
    const pins = await test.client.call('replaceKey', { body: { fromTs, reason: 'The computer was lent out.' } });
    expect(pins).toMatchObject({ fingerprint: old, next: { fromTs } });
    const told = (await hub.call('/device/contact', { clockTs: Date.now() + test.clock.aheadMs })).pins;
    hub.pins = [told.fingerprint, told.next.fingerprint];
    test.clock.aheadMs += 14 * DAY_MS + 1000;
    await test.site.lan.refresh();
    expect(test.site.lan.fingerprint).toBe(told.next.fingerprint);
    expect((await hub.call('/device/status')).pins).toMatchObject({
      fingerprint: told.next.fingerprint,
      previous: { fingerprint: old },
    });
    await expect(deaf.call('/device/status')).rejects.toThrow(/PIN_MISMATCH/);
    const log = await test.site.folder.store.audit.list({ entityId: 'lan.key' });
    expect(log[0]).toMatchObject({ action: 'lan.key', reason: 'The computer was lent out.' });
  });
});

describe('discovery', () => {
  it('is found by another computer where the network carries multicast, and fails in silence where it does not', async () => {
    const problems: unknown[] = [];
    const siteId = '01990000-0000-7000-8000-00000000beef';
    const parts = { siteName: 'Clinic', siteId, host: 'clinic.local', port: 8481, fingerprint: 'ab'.repeat(32) };
    const announcement = announce({ ...parts, onProblem: (problem) => problems.push(problem) });
    const seeker = new Bonjour({}, (problem: unknown) => problems.push(problem));
    const found = await new Promise<Service | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), 2000);
      seeker.find({ type: 'outpost' }, (service) => {
        if (service.txt?.site !== siteId) return;
        clearTimeout(timer);
        resolve(service);
      });
    });
    await announcement.end();
    seeker.destroy();
    if (found) {
      expect(found).toMatchObject({ port: 8481, txt: { site: siteId, pin: 'abababababababab' } });
      expect(announcement.isFailed).toBe(false);
    } else process.stderr.write('This machine carries no multicast: discovery was not seen to work.\n');
  });
});
