/** Refusals over the real TLS listener: their codes and messages, and what staff see of them. */

import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Refusal } from '../../api/contract/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { Connection } from '../../simulator/device/connection.ts';
import { makePageBomb } from '../../testing/page-bomb.ts';
import { makeTestCertificate } from '../../testing/test-certificate.ts';
import { openTls, pinnedCall, TestDevice } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { type Answer, TestDevice as Uploader, type UploadFile } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from '../../testing/upload-site.ts';

let test: TestLanSite;
let hub: TestDevice;
let hubId: string;
let folder: string;
let uploader: Uploader;

const now = () => Date.now() + test.clock.aheadMs;
const params = () => ({ accountId: test.place.accountId });

/** The hub of this serial number, as the desk lists it. */
async function deviceOf(serial: string): Promise<{ id: string }> {
  const { items } = await test.client.call('listDevices', { params: params() });
  const found = items.find((item) => item.serial === serial);
  if (!found) throw new Error(`There is no ${serial}.`);
  return found;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-refusals-'));
  test = await startTestLanSite();
  hub = await test.pairDevice({ serial: 'HUB-0001' });
  hubId = (await deviceOf('HUB-0001')).id;
  const { client, place } = test;
  await client.call('registerEquipment', { params: params(), body: { id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID } });
  await test.site.folder.store.equipment.assign(
    SENSOR,
    { studyId: place.studyId, subjectId: place.subjectIds[0] ?? '', atTs: now() - 10 * DAY_MS },
    { actor: { type: 'USER', id: place.userId } },
  );
  const socket = await openTls(test.lanUrl);
  const ca = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  uploader = new Uploader({ url: test.lanUrl, authorization: `Bearer ${hub.token}`, ca });
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

let hoursBack = 200;
/** Each file covers its own hour, because recordings of one sensor must not overlap. */
function makeFile(): Promise<UploadFile> {
  hoursBack -= 1;
  return makeUploadFile(folder, { startUs: (now() - hoursBack * HOUR_MS) * 1000, seconds: 10 });
}

const refusals = async (code: string): Promise<Refusal[]> =>
  (await test.client.call('listRefusals', { params: params() })).items.filter((item) => item.code === code);

/** Audit entries about refusals with this code and their details, newest first. */
async function audited(code: string): Promise<Record<string, unknown>[]> {
  const query = { entityType: 'refusal' };
  const { items } = await test.client.call('listAccountAudit', { params: params(), query });
  return items
    .map(({ action, changes }) => ({ action, ...Object.fromEntries(changes.map((one) => [one.field, one.new])) }))
    .filter((entry) => 'code' in entry && entry.code === code);
}

const withToken = (token: string) =>
  pinnedCall(test.lanUrl, hub.pins, {
    path: '/api/v1/device/status',
    token,
    headers: { authorization: `Bearer ${token}` },
  });

const nothingKept = () => expect(readdirSync(join(test.site.folder.inboxDir, 'uploads'))).toEqual([]);

describe('a computer that is not the site', () => {
  it("receives not one byte of a request: the device's client reports the mismatch", async () => {
    let requests = 0;
    const stranger = createTlsServer(await makeTestCertificate(), (_request, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const device = new Connection({ urls: [url], pins: [...hub.pins], token: hub.token });
    try {
      await expect(device.json('/device/status')).rejects.toThrow(
        /^Another computer answers at the address of the site \(key [0-9a-f]{16}\)\. Nothing was sent to it\.$/,
      );
      expect(requests).toBe(0);
    } finally {
      device.close();
      stranger.close();
    }
  });
});

describe('a token', () => {
  it('that is unknown, or combines one device with the secret of another, is refused and reported to staff', async () => {
    const other = await test.pairDevice({ serial: 'HUB-0002' });
    const [opd, site, id] = hub.token.split('.');
    const mixed = [opd, site, id, other.token.split('.')[3]].join('.');
    for (const token of [
      mixed,
      [opd, site, '019b0000-0000-7000-8000-000000000001', 'x'.repeat(43)].join('.'),
      'opd1.x',
    ]) {
      const { status, body } = await withToken(token);
      expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect(await refusals('UNAUTHORIZED')).toMatchObject([{ kind: 'TOKEN', address: '127.0.0.1', attempts: 3 }]);
    expect(await audited('UNAUTHORIZED')).toMatchObject([
      { action: 'refusal.token', address: '127.0.0.1', message: expect.stringContaining('not known here') },
    ]);
    expect((await withToken(hub.token)).status).toBe(200);
  });

  it('of a device that was revoked names the device', async () => {
    const lost = await test.pairDevice({ serial: 'HUB-LOST' });
    const { id } = await deviceOf('HUB-LOST');
    await test.client.call('revokeDevice', { params: { ...params(), deviceId: id }, query: { reason: 'Lost.' } });
    const { status, body } = await withToken(lost.token);
    expect([status, body.code]).toEqual([401, 'DEVICE_REVOKED']);
    expect(body.message).toBe(
      'This device was removed from the site. Its data is not lost: pair it again to continue.',
    );
    const file = await makeFile();
    const sender = new Uploader({ ...uploader.options, authorization: `Bearer ${lost.token}` });
    expect(await sender.announce(file)).toMatchObject({ status: 401, body: { code: 'DEVICE_REVOKED' } });
    expect(await refusals('DEVICE_REVOKED')).toMatchObject([
      { deviceId: id, displayName: 'Device HUB-LOST', serial: 'HUB-LOST', attempts: 2 },
    ]);
    expect(await audited('DEVICE_REVOKED')).toMatchObject([{ action: 'refusal.token', serial: 'HUB-LOST' }]);
  });

  it('of another site is refused with its own code and counted separately', async () => {
    const other = await startTestLanSite();
    try {
      const { token } = await other.pairDevice();
      const { status, body } = await withToken(token);
      expect([status, body.code]).toEqual([401, 'DEVICE_WRONG_SITE']);
      expect(body.message).toMatch(/^This device is paired with another site\. Pair it with this one, or connect it/);
      expect(await audited('DEVICE_WRONG_SITE')).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it('guessed hundreds of times makes one audit entry at once and one with the count after a day', async () => {
    const before = (await audited('UNAUTHORIZED')).length;
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 15 }, (_, i) => withToken(`opd1.guess.${round}.${i}`)));
    }
    expect((await refusals('UNAUTHORIZED'))[0]?.attempts).toBeGreaterThanOrEqual(300);
    expect(await audited('UNAUTHORIZED')).toHaveLength(before);
    test.clock.aheadMs += DAY_MS + 1;
    await withToken('opd1.guess.again');
    const [first, counted] = await audited('UNAUTHORIZED');
    expect(first).toMatchObject({ attempts: 1 });
    expect(Number(counted?.attempts)).toBeGreaterThanOrEqual(300);
    expect((await refusals('UNAUTHORIZED')).map(({ attempts }) => attempts > 1)).toEqual([false, true]);
  });
});

describe('an old QR code', () => {
  it('is refused by its reason, and the audit names the pairing and who tried', async () => {
    const scan = (serial: string, link: string) => new TestDevice({ serial, clock: now }).scan(link);
    const used = await test.startPairing();
    await scan('HUB-A', used.link);
    await expect(scan('HUB-B', used.link)).rejects.toThrow(
      'PAIRING_USED: This pairing code was used already. Ask at the desk for a new one.',
    );
    const cancelled = await test.startPairing();
    await test.client.call('cancelPairing', { params: { pairingId: cancelled.id } });
    await expect(scan('HUB-C', cancelled.link)).rejects.toThrow(
      'PAIRING_CANCELLED: The desk cancelled this pairing. Ask at the desk for a new code.',
    );
    const late = await test.startPairing();
    test.clock.aheadMs += 11 * MINUTE_MS;
    for (let turn = 0; turn < 7; turn++) {
      await expect(scan('HUB-D', late.link)).rejects.toThrow(
        'PAIRING_EXPIRED: This pairing code has expired. Ask at the desk for a new one.',
      );
    }
    for (const [code, pairingId, serial, attempts] of [
      ['PAIRING_USED', used.id, 'HUB-B', 1],
      ['PAIRING_CANCELLED', cancelled.id, 'HUB-C', 1],
      ['PAIRING_EXPIRED', late.id, 'HUB-D', 7],
    ] as const) {
      expect(await refusals(code)).toMatchObject([{ kind: 'PAIRING', pairingId, serial, attempts }]);
      expect(await audited(code)).toMatchObject([{ action: 'refusal.pairing', serial, address: '127.0.0.1' }]);
    }
  });
});

describe('a sign-in token of a phone', () => {
  it('that is wrong is reported to staff with the address', async () => {
    const body = { token: 'AAAA-BBBB-CCCC-DDDD', phoneId: '01990000-0000-4000-8000-000000000001' };
    const answer = await pinnedCall(test.lanUrl, hub.pins, { path: '/api/v1/phone/sign-in', body });
    expect([answer.status, answer.body.code]).toEqual([401, 'LOGIN_FAILED']);
    expect(await refusals('LOGIN_FAILED')).toMatchObject([{ kind: 'SIGN_IN', address: '127.0.0.1', attempts: 1 }]);
    expect(await audited('LOGIN_FAILED')).toMatchObject([{ action: 'refusal.sign-in' }]);
  });
});

describe('names that are paths or misleading', () => {
  const UUID = '01990000-0000-4000-8000-000000000001';
  const TRICKS = [
    '../../site.db',
    '..\\..\\site.db',
    '/etc/passwd',
    'C:\\site.db',
    `${UUID}/..`,
    `${UUID}\0`,
    '\0',
    UUID.replace('0', '\uff10'),
    `\u202e${UUID}`,
    `${UUID}\u200b`,
    UUID.toUpperCase().replace('8000', 'A000'),
    `${UUID}${UUID.repeat(40)}`,
    '%2e%2e%2fsite.db',
  ];

  it('as id of a recording are refused, kept nowhere, and shown to staff once a day', async () => {
    const file = await makeFile();
    for (const recordingId of TRICKS) {
      const answer = await uploader.announce({ ...file, metadata: { recordingId } });
      expect([recordingId, answer.status, answer.body.code]).toEqual([recordingId, 400, 'UPLOAD_METADATA']);
      expect(answer.body).toMatchObject({
        permanent: true,
        message: 'Upload-Metadata: `recordingId` must be a UUID in lower case.',
      });
    }
    const [shown] = await refusals('UPLOAD_METADATA');
    expect(shown).toMatchObject({
      kind: 'UPLOAD',
      deviceId: hubId,
      displayName: 'Device HUB-0001',
      attempts: TRICKS.length,
    });
    expect(await audited('UPLOAD_METADATA')).toMatchObject([{ action: 'refusal.upload', attempts: 1 }]);
    nothingKept();
  });

  it('as serial number of a sensor belong to no sensor; a header that is too long is no request', async () => {
    const file = await makeFile();
    const sensor = '../../../etc/passwd';
    expect((await uploader.announce({ ...file, metadata: { sensor } })).body).toMatchObject({
      code: 'SENSOR_UNKNOWN',
      permanent: true,
      message: `The sensor ${sensor} is not registered at this site. Register it under Equipment, then send the recording again.`,
    });
    const { items } = await test.client.call('listUploads', { params: params(), query: { state: ['REFUSED'] } });
    expect(items).toMatchObject([{ sensorId: sensor, code: 'SENSOR_UNKNOWN' }]);
    const trail = await test.client.call('listAccountAudit', {
      params: params(),
      query: { entityType: 'upload', entityId: items[0]?.id ?? '' },
    });
    expect(trail.items).toMatchObject([{ action: 'upload.refused' }]);
    const overlong = { ...file, metadata: { sensor: 'S'.repeat(40_000) } };
    expect(await uploader.announce(overlong)).toMatchObject({ status: 431, body: { code: 'INVALID_INPUT' } });
    nothingKept();
  });

  it('as address of an upload lead nowhere', async () => {
    for (const path of [
      '..%2f..%2fsite.db',
      '%2e%2e/%2e%2e/site.json',
      'x%00y',
      '%c0%ae%c0%ae',
      '....//',
      '%ff',
      UUID,
    ]) {
      for (const method of ['HEAD', 'GET', 'DELETE']) {
        const answer = await uploader.request(method, `/api/v1/device/uploads/${path}`);
        expect([method, path, answer.status >= 400 && answer.status < 500]).toEqual([method, path, true]);
      }
    }
  });

  it('as serial number or name of a device that pairs are refused before the desk sees it, and are in the audit', async () => {
    const said =
      'The serial number of the device may contain only letters, digits, spaces and . _ : + # -, and must begin with a letter or digit.';
    const { id, link } = await test.startPairing();
    for (const serial of ['../../site.db', '/etc/passwd', '..', 'SN\x001', 'SN-\u202e1000', 'SN\n1', '\u200bSN-1']) {
      const attempt = new TestDevice({ serial, clock: now }).scan(link);
      await expect(attempt, JSON.stringify(serial)).rejects.toThrow(`INVALID_INPUT: ${said}`);
    }
    await expect(new TestDevice({ serial: 'S'.repeat(65), clock: now }).scan(link)).rejects.toThrow(
      'INVALID_INPUT: `device.serial` must have at most 64 characters.',
    );
    expect((await test.getPairing(id)).state).toBe('OFFERED');
    expect(await refusals('INVALID_INPUT')).toMatchObject([{ kind: 'PAIRING', pairingId: id, attempts: 7 }]);
    expect(await audited('INVALID_INPUT')).toMatchObject([{ action: 'refusal.pairing', message: said }]);
  });
});

describe('a size', () => {
  it('over 10 GB is permanently refused at the announcement, and staff see why', async () => {
    for (const size of ['10000000001', '9007199254740991']) {
      const answer = await uploader.announce({ ...(await makeFile()), metadata: { size } });
      expect([size, answer.status]).toEqual([size, 413]);
      expect(answer.body).toMatchObject({
        code: 'UPLOAD_TOO_LARGE',
        permanent: true,
        message: expect.stringMatching(/^The file has \d+ bytes\. The limit is 10000000000\.$/),
      });
    }
    const { items } = await test.client.call('listUploads', { params: params(), query: { state: ['REFUSED'] } });
    expect(items.filter(({ code }) => code === 'UPLOAD_TOO_LARGE')).toHaveLength(2);
    nothingKept();
  });

  it('of exactly 10 GB depends on the disk: accepted if there is room, else 507 to be retried', async () => {
    const { bavail, bsize, blocks } = statfsSync(test.site.folder.inboxDir);
    const freeBytes = bavail * bsize - Math.min(64 << 20, (blocks * bsize) / 20);
    const answer = await uploader.announce({ ...(await makeFile()), metadata: { size: '10000000000' } });
    if (freeBytes > 10.5e9) {
      expect(answer).toMatchObject({ status: 201, headers: { 'upload-offset': '0' } });
      expect((await uploader.request('DELETE', answer.headers.location ?? '')).status).toBe(204);
    } else if (freeBytes < 9.5e9) {
      expect(answer).toMatchObject({ status: 507, body: { code: 'DISK_FULL', permanent: false } });
      expect(answer.body.message).toBe(
        "The disk of the site's computer is full. Free some space; the device will try again.",
      );
      expect(await audited('DISK_FULL')).toHaveLength(1);
    }
    nothingKept();
  });
});

describe('a file whose pages would unpack to gigabytes', () => {
  it.each([
    ['many' as const, 'The file would decompress to more data than any sensor records.'],
    ['lying' as const, 'is damaged: 1000 samples are lost.'],
  ])('(%s) is refused as damaged, in bounded memory', async (kind, words) => {
    const startUs = (now() - 150 * HOUR_MS) * 1000;
    const bomb = await makePageBomb(kind, { sensor: SENSOR, udid: SENSOR_UDID, startUs });
    expect(bomb.bytes.length).toBeLessThan(1 << 20);
    const beforeBytes = process.memoryUsage.rss();
    let mostBytes = beforeBytes;
    const watch = setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
    }, 5);
    let answer: Answer;
    try {
      answer = await uploader.upload(bomb);
    } finally {
      clearInterval(watch);
    }
    expect(answer.body).toMatchObject({ code: 'FILE_DAMAGED', permanent: true });
    expect(String(answer.body.message)).toContain(words);
    expect(mostBytes - beforeBytes).toBeLessThan(256 << 20);
    const { items } = await test.client.call('listUploads', { params: params(), query: { state: ['REFUSED'] } });
    const refused = items.find(({ recordingId }) => recordingId === bomb.recordingId);
    const query = { entityType: 'upload', entityId: refused?.id ?? '' };
    const trail = await test.client.call('listAccountAudit', { params: params(), query });
    expect(trail.items.map(({ action }) => action)).toContain('upload.refused');
    while (readdirSync(join(test.site.folder.inboxDir, 'uploads')).length > 0) await sleep(20);
  });
});
