import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../durations.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { makeUploadFile, type TestFileOptions } from '../../testing/upload-site.ts';
import { PinMismatch, Refusal } from '../device/connection.ts';
import { FaultPlan } from '../device/fault-plan.ts';
import { parseFaults } from '../device/faults.ts';
import { type HubOptions, SimulatedHub } from './hub.ts';

const SENSOR = 'SN-0001';
const UDID = 'AA:BB:CC:00:00:77';
const QUICK = { firstMs: 5, longestMs: 40 };

let test: TestLanSite;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-hub-'));
  test = await startTestLanSite();
  const { store } = test.site.folder;
  const { accountId, studyId, userId, subjectIds } = test.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: UDID }, change);
  await store.equipment.register({ accountId, id: 'SN-IDLE', type: 'SENSOR' }, change);
  const atTs = now() - 48 * HOUR_MS;
  await store.equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0] ?? '', atTs }, change);
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

const now = () => Date.now() + test.clock.aheadMs;
const openHub = (serial: string, options: Partial<HubOptions> = {}) =>
  SimulatedHub.open({ folder: join(folder, serial), serial, clock: now, backOff: QUICK, ...options });

async function paired(serial: string, options: Partial<HubOptions> = {}, faultClock = 0): Promise<SimulatedHub> {
  const hub = await openHub(serial, { clock: () => now() + faultClock, ...options });
  const { id, link } = await test.startPairing();
  await hub.pair({ link }, { onCheckCode: (checkCode) => confirm(id, checkCode), collectEveryMs: 5 });
  return hub;
}

async function confirm(pairingId: string, checkCode: string): Promise<void> {
  await test.client.call('confirmPairing', { params: { pairingId }, body: { checkCode } });
}

let hoursBack = 40;
/** Recordings of one sensor must not overlap, so each begins in a different hour. */
async function makeFile(options: TestFileOptions = {}): Promise<{ path: string; sha256: string; id: string }> {
  hoursBack -= 1;
  const made = await makeUploadFile(folder, { startUs: (now() - hoursBack * HOUR_MS) * 1000, udid: UDID, ...options });
  const path = join(folder, `${made.recordingId}.sig`);
  await writeFile(path, made.bytes);
  return { path, id: made.recordingId, sha256: createHash('sha256').update(made.bytes).digest('hex') };
}

function storedSha256(id: string): string {
  const path = join(test.site.folder.signalsDir, `${id}.sig`);
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

describe('a simulated hub', () => {
  it('pairs by a typed code, keeps its credential, and sends nothing to a server with another key', async () => {
    const hub = await openHub('HUB-TYPED');
    const { id, code } = await test.startPairing(test.place.subjectIds[0]);
    const codes: string[] = [];
    const status = await hub.pair(
      { url: test.lanUrl, code: code.toLowerCase().replace('-', ' ') },
      {
        onCheckCode: async (checkCode) => {
          codes.push(checkCode, (await test.getPairing(id)).checkCode ?? '');
          await confirm(id, checkCode);
        },
        collectEveryMs: 5,
      },
    );
    expect(codes[0]).toBe(codes[1]);
    expect(status.device).toMatchObject({ serial: 'HUB-TYPED', subjectId: test.place.subjectIds[0] });
    hub.close();
    const again = await openHub('HUB-TYPED');
    expect(again.isPaired).toBe(true);
    expect((await again.assignments())[0]?.sensors[0]).toMatchObject({ serial: SENSOR, udid: UDID });
    again.close();

    const stolen = await openHub('HUB-OTHER-KEY');
    const offered = await test.startPairing();
    const wrongKey = offered.link.replace(/&f=[^&]*/, `&f=${Buffer.alloc(32, 7).toString('base64url')}`);
    await expect(stolen.pair({ link: wrongKey }, { onCheckCode: () => undefined })).rejects.toThrow(PinMismatch);
  });

  it('sets its clock when it differs too much from the site, and then pairs', async () => {
    let aheadMs = 20 * 60_000;
    const hub = await openHub('HUB-CLOCK', { clock: () => now() + aheadMs });
    const { id, link } = await test.startPairing();
    const onCheckCode = (checkCode: string) => confirm(id, checkCode);
    await expect(hub.pair({ link }, { onCheckCode })).rejects.toMatchObject({ code: 'PAIRING_CLOCK' });
    await hub.pair(
      { link },
      {
        onCheckCode,
        onWrongClock: (siteAheadMs) => {
          aheadMs += siteAheadMs;
          return true;
        },
        collectEveryMs: 5,
      },
    );
    expect(Math.abs(aheadMs)).toBeLessThan(60_000);
    hub.close();
  });

  it('delivers a recording despite cuts, duplicates, reordering and flipped bits, and deletes it only then', async () => {
    const faults = parseFaults(['cut=1000', 'cut=400000', 'cut=900001', 'duplicate', 'reorder', 'flip']);
    const hub = await paired('HUB-FAULTS', { disturb: new FaultPlan(faults).disturb });
    const file = await makeFile({ seconds: 3600 });
    const held = await hub.takeRecording(file.path, SENSOR);
    expect(held.sha256).toBe(file.sha256);
    const own = join(folder, 'HUB-FAULTS', 'recordings', `${file.id}.sig`);
    expect(existsSync(own)).toBe(true);
    expect(await hub.sendAll()).toMatchObject([{ recordingId: file.id, state: 'DELIVERED', siteState: 'STORED' }]);
    expect(hub.recordings).toEqual([]);
    expect(existsSync(own)).toBe(false);
    expect(storedSha256(file.id)).toBe(file.sha256);
    expect(hub.sentBytes).toBeGreaterThan(held.sizeBytes);
    hub.close();
  });

  it('resumes an upload after the hub or the site was switched off in the middle', async () => {
    const stop = new AbortController();
    const hub = await paired('HUB-OFF', {
      disturb: ({ offset }) => {
        if (offset > 0) stop.abort();
        return {};
      },
    });
    const file = await makeFile({ seconds: 7200 });
    const { sizeBytes } = await hub.takeRecording(file.path, SENSOR);
    await expect(hub.sendAll({ signal: stop.signal })).rejects.toThrow('abort');
    const sentBefore = hub.sentBytes;
    expect(sentBefore).toBeLessThan(sizeBytes * 2);
    hub.close();
    const again = await openHub('HUB-OFF');
    expect(again.recordings.map(({ recordingId }) => recordingId)).toEqual([file.id]);
    await again.sendAll();
    expect(again.sentBytes).toBeLessThan(sizeBytes);
    expect(storedSha256(file.id)).toBe(file.sha256);
    again.close();
  });

  it('remembers a permanent refusal and does not retry', async () => {
    const hub = await paired('HUB-REFUSED');
    const file = await makeFile();
    await hub.takeRecording(file.path, 'SN-IDLE');
    expect(await hub.sendAll()).toMatchObject([{ state: 'REFUSED', code: 'SENSOR_UNASSIGNED' }]);
    hub.close();
    const again = await openHub('HUB-REFUSED');
    expect(again.recordings[0]?.refused?.code).toBe('SENSOR_UNASSIGNED');
    expect(await again.sendAll()).toEqual([]);
    expect(await again.reportManifest()).toMatchObject([{ action: 'KEEP', code: 'SENSOR_UNASSIGNED' }]);
    expect(again.recordings).toHaveLength(1);

    const { store } = test.site.folder;
    const { studyId, subjectIds, userId } = test.place;
    const held = { studyId, subjectId: subjectIds[1] ?? '', atTs: now() - 48 * HOUR_MS };
    await store.equipment.assign('SN-IDLE', held, { actor: { type: 'USER', id: userId } });
    expect(await again.reportManifest()).toMatchObject([{ action: 'SEND' }]);
    expect(await again.sendAll()).toMatchObject([{ state: 'DELIVERED' }]);
    again.close();
  });

  it('reports faults and clock readings once, and stops after its removal', async () => {
    const hub = await paired('HUB-CONTACT');
    const faultTs = now() - HOUR_MS;
    await hub.noteFault({
      faultTs,
      faultClass: 'FLAT_BATTERY',
      faultType: 'LINK_HUB_SENSOR_FAULT',
      faultFlag: 'BATTERY_DEPLETED',
      udid: UDID,
    });
    await hub.noteClock({ udid: UDID, sensorUs: faultTs * 1000, hostUs: faultTs * 1000 + 250, roundTripUs: 900 });
    const report = { batteryPercent: 64, sensors: [{ udid: UDID, batteryPercent: 31, firmwareId: '2.1' }] };
    await hub.contact(report);
    await hub.contact(report);
    const { equipment } = test.site.folder.store;
    expect(await equipment.get('HUB-CONTACT')).toMatchObject({ batteryPercent: 64 });
    expect(await equipment.get(SENSOR)).toMatchObject({ batteryPercent: 31, firmwareId: '2.1' });
    const { studyId, subjectIds } = test.place;
    const held = await test.client.call('listEquipment', { params: { studyId, subjectId: subjectIds[0] ?? '' } });
    expect(JSON.stringify(held).match(/BATTERY_DEPLETED/g)).toHaveLength(1);

    const file = await makeFile();
    await hub.takeRecording(file.path, SENSOR);
    const { accountId } = test.place;
    const devices = await test.client.call('listDevices', { params: { accountId } });
    const deviceId = devices.items.find(({ serial }) => serial === 'HUB-CONTACT')?.id ?? '';
    await test.client.call('revokeDevice', { params: { accountId, deviceId }, query: {} });
    await expect(hub.sendAll()).rejects.toMatchObject({ code: 'DEVICE_REVOKED' });
    await expect(hub.sendAll()).rejects.toBeInstanceOf(Refusal);
    expect(hub.recordings).toHaveLength(1);
    hub.close();
  });
});
