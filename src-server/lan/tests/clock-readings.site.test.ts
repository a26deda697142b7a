/** Clock readings that devices report over the network: which recordings they may shift, how far, and at what cost to others. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import type { TestDevice } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { TestDevice as UploadDevice } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID, type TestFileOptions } from '../../testing/upload-site.ts';

const OTHER_UDID = 'AA:BB:CC:00:00:78';

let test: TestLanSite;
let folder: string;
/** The second subject's phone; the sensor under attack belongs to the first subject. */
let phone: TestDevice;
let hub: TestDevice;
let clinic: TestDevice;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-clocks-'));
  test = await startTestLanSite();
  const { accountId, studyId, subjectIds } = test.place;
  const { store } = test.site.folder;
  const change = { actor: { type: 'USER', id: test.place.userId } } as const;
  const atTs = Date.now() - 400 * HOUR_MS;
  for (const [i, [id, udid]] of [
    [SENSOR, SENSOR_UDID],
    ['SN-0002', OTHER_UDID],
  ].entries()) {
    await store.equipment.register({ accountId, id: id!, type: 'SENSOR', udid: udid! }, change);
    await store.equipment.assign(id!, { studyId, subjectId: subjectIds[i]!, atTs }, change);
  }
  hub = await test.pairDevice({ serial: 'HUB-A' }, subjectIds[0]!);
  phone = await test.pairDevice({ kind: 'PHONE', serial: 'PHONE-B' }, subjectIds[1]!);
  clinic = await test.pairDevice({ serial: 'HUB-CLINIC' });
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

let hoursBack = 300;
/** Each file covers its own hour. */
const makeFile = (options: TestFileOptions = {}) => {
  hoursBack -= 2;
  return makeUploadFile(folder, { startUs: (Date.now() - hoursBack * HOUR_MS) * 1000, seconds: 60, ...options });
};

/** A recording of the first subject arrives through the hub. */
async function receive(options: TestFileOptions = {}) {
  const file = await makeFile(options);
  const device = new UploadDevice({ url: test.site.url, authorization: `Bearer ${hub.token}` });
  const { body } = await device.upload(file);
  expect(body).toMatchObject({ state: 'STORED' });
  return { file, row: await test.site.folder.store.recordings.require(file.recordingId) };
}

interface Reading {
  udid: string;
  sensorUs: number;
  hostUs: number;
  roundTripUs: number;
}
const report = async (device: TestDevice, clockReadings: Reading[], more: object = {}) =>
  (await device.call('/device/contact', { clockTs: Date.now(), clockReadings, ...more })) as {
    refused?: { udid: string; code: string }[];
  };

/** Returns readings around a recording, ten minutes apart, by a sensor clock that is `offMs` behind. */
function readings(startUs: number, count: number, offMs: number, udid = SENSOR_UDID): Reading[] {
  return Array.from({ length: count }, (_, i) => {
    const sensorUs = startUs - count * 300e6 + i * 601e6;
    return { udid, sensorUs, hostUs: sensorUs + offMs * 1000, roundTripUs: 1000 };
  });
}

const refusals = async () => {
  const entries = await test.site.folder.store.audit.list({ entityType: 'refusal', limit: 500 });
  return entries.filter(({ action }) => action === 'refusal.report');
};

describe("a phone's readings of another subject's sensor", () => {
  it('move no recording, are refused by sensor, and are one entry of the audit', async () => {
    const startUs = (Date.now() - (hoursBack - 2) * HOUR_MS) * 1000;
    const forged = readings(startUs, 50, -26 * HOUR_MS);
    for (let i = 0; i < 40; i++) {
      const answer = await report(phone, forged, { sensors: [{ udid: SENSOR_UDID, batteryPercent: 1 }] });
      expect(answer.refused).toEqual([expect.objectContaining({ udid: SENSOR_UDID, code: 'SENSOR_NOT_SERVED' })]);
    }
    const { file, row } = await receive({ startUs });
    expect(row.startUs).toBe(file.startUs);
    expect(await refusals()).toHaveLength(1);
    expect(await test.site.folder.store.clockReadings.listForSensor(SENSOR_UDID, 0, Number.MAX_SAFE_INTEGER)).toEqual(
      [],
    );
    expect((await test.site.folder.store.equipment.require(SENSOR)).batteryPercent).toBeUndefined();
  });

  it('that an earlier version stored count for nothing', async () => {
    const startUs = (Date.now() - (hoursBack - 2) * HOUR_MS) * 1000;
    const { store } = test.site.folder;
    const credentialId = (await store.devices.list(test.place.accountId)).find(
      ({ serial }) => serial === 'PHONE-B',
    )!.id;
    await store.clockReadings.add(
      readings(startUs, 50, -26 * HOUR_MS).map(({ sensorUs, ...reading }) => ({
        ...reading,
        credentialId,
        clock: 'SENSOR' as const,
        clockUs: sensorUs,
      })),
    );
    const { file, row } = await receive({ startUs });
    expect(row.startUs).toBe(file.startUs);
  });

  it('nor do its faults and manifests, and it cannot send a recording of that sensor', async () => {
    const file = await makeFile();
    const fault = { id: crypto.randomUUID(), faultTs: Date.now(), faultClass: 'FLAT_BATTERY', udid: SENSOR_UDID };
    const answer = await report(phone, [], { faults: [{ ...fault, faultType: 'SENSOR', faultFlag: 'X' }] });
    expect(answer).toMatchObject({ storedFaults: 0, refused: [{ code: 'SENSOR_NOT_SERVED' }] });
    const held = { recordingId: file.recordingId, sensor: SENSOR, place: 'SENSOR', sizeBytes: 9 };
    const times = { startTs: Math.floor(file.startUs / 1000), stopTs: Math.floor(file.startUs / 1000) + MINUTE_MS };
    const manifest = await phone.call('/device/manifest', { recordings: [{ ...held, ...times }] });
    expect(manifest.recordings).toEqual([{ recordingId: file.recordingId, action: 'KEEP', code: 'SENSOR_NOT_SERVED' }]);
    expect(await test.site.folder.store.heldRecordings.missing(test.place.accountId)).toEqual([]);
    const device = new UploadDevice({ url: test.site.url, authorization: `Bearer ${phone.token}` });
    for (let i = 0; i < 3; i++) {
      expect(await device.announce(await makeFile())).toMatchObject({
        status: 403,
        body: { code: 'SENSOR_NOT_SERVED', permanent: true },
      });
    }
    const { items } = await test.client.call('listUploads', {
      params: { accountId: test.place.accountId },
      query: { state: ['REFUSED'] },
    });
    expect(items).toEqual([]);
  });
});

describe('readings of a device that serves the sensor', () => {
  it('correct its clock, from the clinic too', async () => {
    for (const device of [clinic, hub]) {
      const startUs = (Date.now() - (hoursBack - 2) * HOUR_MS) * 1000;
      const answer = await report(device, readings(startUs, 4, 90_000));
      expect(answer.refused).toBeUndefined();
      const { row } = await receive({ startUs });
      expect(row.startUs).toBe(startUs + 90_000_000);
      hoursBack -= 2;
    }
  });

  it('are refused from the future and from long ago', async () => {
    const nowUs = Date.now() * 1000;
    for (const offMs of [30 * MINUTE_MS, -93 * DAY_MS]) {
      const reading = { udid: SENSOR_UDID, sensorUs: nowUs, hostUs: nowUs + offMs * 1000, roundTripUs: 1 };
      expect(await report(hub, [reading])).toMatchObject({ refused: [{ code: 'CLOCK_IMPLAUSIBLE' }] });
    }
  });

  it('do not outweigh those of the device that delivers the recording', async () => {
    const startUs = (Date.now() - (hoursBack - 2) * HOUR_MS) * 1000;
    await report(clinic, readings(startUs, 50, -2 * HOUR_MS));
    const syncPoints = Array.from({ length: 6 }, (_, i) => {
      const sensorUs = startUs + i * 10_000_000;
      return { sensorUs, hostUs: sensorUs + 250_000 };
    });
    const { row } = await receive({ startUs, syncPoints });
    expect(row.startUs).toBe(startUs + 250_000);
    const clock = await test.site.folder.store.clocks.correctionOf(row.id);
    // The sensor's own times are stored, so the correction can be reverted.
    expect(clock).toMatchObject({ sensorStartUs: startUs, startOffsetUs: 250_000 });
    hoursBack -= 2;
  });

  it('cannot have a recording end after it arrived', async () => {
    const startUs = (Date.now() - 2 * HOUR_MS) * 1000;
    const late = Array.from({ length: 9 }, (_, i) => {
      const hostUs = (Date.now() - i * 11 * MINUTE_MS) * 1000;
      return { udid: SENSOR_UDID, sensorUs: hostUs - 26 * HOUR_MS * 1000, hostUs, roundTripUs: 5 };
    });
    await report(hub, late);
    const { row } = await receive({ startUs });
    expect(row.startUs).toBe(startUs);
  });

  it('cost another upload nothing, however many there are', async () => {
    const spent = async () => {
      const before = performance.now();
      await receive();
      return performance.now() - before;
    };
    const fastest = async () => Math.min(await spent(), await spent(), await spent());
    const alone = await fastest();
    const { store } = test.site.folder;
    const nowUs = Date.now() * 1000;
    for (let call = 0; call < 40; call++) {
      // Closely spaced, no two alike.
      const many = Array.from({ length: 1000 }, (_, i) => {
        const hostUs = nowUs - (call * 1000 + i) * 26e6;
        return { udid: SENSOR_UDID, sensorUs: hostUs - ((i * 7919) % 40_000) * 1e6, hostUs, roundTripUs: 1000 };
      });
      expect((await report(hub, many)).refused).toBeUndefined();
    }
    const stored = await store.clockReadings.listForSensor(SENSOR_UDID, nowUs - 40_000 * 26e6, nowUs);
    // 40,000 readings over 12 days are thinned to one per ten minutes, plus those of earlier tests.
    expect(stored.length).toBeLessThan(2200);
    // A quadratic fit took a thousand times as long. The margin allows for a busy computer.
    expect((await fastest()) / alone).toBeLessThan(25);
  });
});
