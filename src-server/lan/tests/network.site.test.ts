import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { startSite } from '../../site/server.ts';
import { openTls, pinnedCall } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { signIn } from '../../testing/test-site.ts';
import { TestDevice as UploadingDevice } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from '../../testing/upload-site.ts';
import { makeCertificate, newPrivateKey } from '../identity/certificate.ts';
import { tryAddress } from '../self-check.ts';

const HELLO = { path: '/api/v1/device/hello' };

let test: TestLanSite;
let addresses = ['127.0.0.1'];
const cleanUps: (() => unknown)[] = [];
beforeAll(async () => {
  test = await startTestLanSite({ addresses: () => addresses });
});
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  await test.close();
});

const urlOf = (port: number) => `https://127.0.0.1:${port}`;
const hello = (port: number) =>
  pinnedCall(urlOf(port), [test.site.lan.fingerprint!], HELLO).then(
    ({ status }) => status,
    (error: NodeJS.ErrnoException) => error.code,
  );
const portNow = () => Number(new URL(test.site.lan.urls[0]!).port);

/** A port that another program uses, and one that is free again. */
async function takenAndFree(): Promise<{ taken: number; free: number }> {
  const servers = [createServer(), createServer()];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const [taken, free] = servers.map((server) => (server.address() as AddressInfo).port);
  servers[1]?.close();
  cleanUps.push(() => servers[0]?.close());
  return { taken: taken!, free: free! };
}

describe('the port for devices', () => {
  it('moves without losing devices that know the old one, unless another program uses it; audited and persistent', async () => {
    const before = portNow();
    const { taken, free } = await takenAndFree();
    await expect(test.client.call('updateNetwork', { body: { isOn: true, port: taken } })).rejects.toMatchObject({
      code: 'PORT_TAKEN',
    });
    expect(await test.client.call('getNetwork')).toMatchObject({ state: 'listening', port: before });
    await expect(test.client.call('updateNetwork', { body: { isOn: true, port: 80 } })).rejects.toMatchObject({
      status: 400,
    });

    const hub = await test.pairDevice();
    const moved = await test.client.call('updateNetwork', { body: { isOn: true, port: free } });
    expect(moved).toMatchObject({ port: free, urls: [urlOf(free)], configured: { isOn: true, port: free } });
    expect([await hello(before), await hello(free)]).toEqual([200, 200]);
    expect((await hub.call('/device/status')).addresses).toEqual([urlOf(free)]);

    const back = await test.client.call('updateNetwork', { body: { isOn: true, port: before } });
    expect(back.urls).toEqual([urlOf(before)]);
    await test.client.call('updateNetwork', { body: { isOn: true, port: free } });
    const [entry] = await test.site.folder.store.audit.list({ entityId: 'lan.listener' });
    expect(entry).toMatchObject({ actor: { type: 'USER' }, action: 'setting.set' });

    await test.site.close();
    const lan = { host: '127.0.0.1', addresses: () => addresses, discovery: false };
    test.site = await startSite({ dir: test.place.dir, port: 0, lan });
    test.client = await signIn(test.site.url);
    expect([portNow(), await hello(free)]).toEqual([free, 200]);
    expect(await hello(before)).toBe('ECONNREFUSED');
  });

  it('closes and reopens; an upload resumes; a closed port stays closed at the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outpost-network-'));
    cleanUps.push(() => rmSync(folder, { recursive: true }));
    const port = portNow();
    const { accountId, studyId, subjectIds } = test.place;
    const { store } = test.site.folder;
    const change = { actor: { type: 'USER', id: test.place.userId } } as const;
    await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change);
    const atTs = Date.now() - 48 * HOUR_MS;
    await store.equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0]!, atTs }, change);
    test.lanUrl = urlOf(port);
    const { token } = await test.pairDevice({ serial: 'HUB-SENDS' });
    const greeted = await openTls(urlOf(port));
    const ca = greeted.getPeerX509Certificate()!.toString();
    greeted.destroy();
    const sender = new UploadingDevice({ url: urlOf(port), authorization: `Bearer ${token}`, ca });
    const file = await makeUploadFile(folder, { startUs: (Date.now() - DAY_MS) * 1000, seconds: 60 });
    const { headers } = await sender.announce(file);
    const location = headers.location!;
    const half = Math.floor(file.bytes.length / 2);
    expect((await sender.patch(location, 0, file.bytes.subarray(0, half))).headers['upload-offset']).toBe(String(half));

    await test.client.call('updateNetwork', { body: { isOn: false, port } });
    expect(await hello(port)).toBe('ECONNREFUSED');
    expect(await test.client.call('getNetwork')).toMatchObject({ state: 'off', urls: [], isAllowed: true });
    await expect(test.startPairing()).rejects.toMatchObject({ status: 409 });

    await test.client.call('updateNetwork', { body: { isOn: true, port } });
    expect((await sender.head(location)).headers['upload-offset']).toBe(String(half));
    expect((await sender.patch(location, half, file.bytes.subarray(half))).status).toBe(204);

    await test.client.call('updateNetwork', { body: { isOn: false, port } });
    await test.restart();
    expect(test.site.lan.urls).toEqual([]);
    await test.client.call('updateNetwork', { body: { isOn: true, port } });
    expect(await hello(port)).toBe(200);
  });

  it('cannot be opened from the desk when the site was started without it: the settings count from the next start', async () => {
    const other = await startTestLanSite();
    await other.site.close();
    const site = await startSite({ dir: other.place.dir, port: 0 });
    try {
      const client = await signIn(site.url);
      const port = portNow();
      const answer = await client.call('updateNetwork', { body: { isOn: true, port } });
      expect(answer).toMatchObject({ state: 'off', isAllowed: false, configured: { isOn: true, port } });
    } finally {
      await site.close();
      await other.place.remove();
    }
  });
});

describe('the check', () => {
  it('calls each address and tells who called last from elsewhere', async () => {
    addresses = ['127.0.0.1', '127.0.0.9'];
    await test.site.lan.refresh();
    const first = await test.client.call('checkNetwork');
    expect(first.addresses.map(({ url, result }) => [new URL(url).hostname, result])).toEqual([
      ['127.0.0.1', 'reached'],
      ['127.0.0.9', 'refused'],
    ]);
    expect(first.lastCall).toBeUndefined();
    const stranger = connect({ port: portNow(), host: '127.0.0.1', localAddress: '127.0.0.2' });
    await once(stranger, 'connect');
    await expect
      .poll(async () => (await test.client.call('checkNetwork')).lastCall?.address, { timeout: 20_000 })
      .toBe('127.0.0.2');
    stranger.destroy();
    expect((await test.client.call('getNetwork')).lastCall).toMatchObject({ address: '127.0.0.2' });
    addresses = ['127.0.0.1'];
    await test.site.lan.refresh();
  });

  it('tells a port that is closed from one that another program or another site has', async () => {
    const pins = [test.site.lan.fingerprint!];
    const { free } = await takenAndFree();
    expect(await tryAddress(urlOf(portNow()), pins)).toBe('reached');
    expect(await tryAddress(urlOf(free), pins)).toBe('refused');
    const key = newPrivateKey();
    const cert = await makeCertificate({ privateKeyPem: key, commonName: 'x', hosts: ['x'], nowMs: Date.now() });
    const silent = createServer((socket) => socket.on('error', () => undefined).end('220 mail\r\n'));
    for (const server of [createTlsServer({ key, cert }), silent]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      expect(await tryAddress(urlOf((server.address() as AddressInfo).port), pins)).toBe('other');
      server.close();
    }
  });
});
