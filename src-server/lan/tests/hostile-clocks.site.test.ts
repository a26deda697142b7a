/** A hub and a phone that lie about clocks: what 10,000 readings of theirs can move, whose, and how far. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import type { TestDevice } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { TestDevice as UploadDevice } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID, type TestFileOptions } from '../../testing/upload-site.ts';

let test: TestLanSite;
let folder: string;
/** The hub of the first subject, who held the sensor until it was handed over, and the devices of the second, who holds it now. */
let honest: TestDevice;
let hub: TestDevice;
let phone: TestDevice;
const now = Date.now();
const HANDED_OVER_TS = now - 100 * HOUR_MS;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-hostile-'));
  test = await startTestLanSite();
  const { accountId, studyId, subjectIds } = test.place;
  const { store } = test.site.folder;
  const change = { actor: { type: 'USER', id: test.place.userId } } as const;
  await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change);
  const [first, second] = subjectIds as [string, string];
  await store.equipment.assign(SENSOR, { studyId, subjectId: first, atTs: now - 40 * DAY_MS }, change);
  honest = await test.pairDevice({ serial: 'HUB-A' }, first);
  await store.equipment.unassign(SENSOR, { subjectId: first, atTs: HANDED_OVER_TS }, change);
  await store.equipment.assign(SENSOR, { studyId, subjectId: second, atTs: HANDED_OVER_TS }, change);
  hub = await test.pairDevice({ serial: 'HUB-B' }, second);
  phone = await test.pairDevice({ kind: 'PHONE', serial: 'PHONE-B' }, second);
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

async function deliver(device: TestDevice, startTs: number, options: TestFileOptions = {}) {
  const file = await makeUploadFile(folder, { startUs: startTs * 1000, seconds: 60, ...options });
  const sender = new UploadDevice({ url: test.site.url, authorization: `Bearer ${device.token}` });
  await sender.upload(file);
  const { store } = test.site.folder;
  const [upload] = await store.uploads.list({ accountId: test.place.accountId, recordingIds: [file.recordingId] });
  const row = await store.recordings.get(file.recordingId);
  return { file, upload: upload!, row };
}

const report = async (device: TestDevice, clockReadings: object[]) =>
  (await device.call('/device/contact', { clockTs: Date.now(), clockReadings })) as { refused?: { code: string }[] };
const reading = (sensorTs: number, hostTs: number) => ({
  ...{ udid: SENSOR_UDID, sensorUs: Math.round(sensorTs * 1000), hostUs: Math.round(hostTs * 1000) },
  roundTripUs: 1,
});

/** A generator with a seed, so that a failure can be repeated. */
function randomOf(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a phone that moves its own recording', () => {
  it('into the time of the former holder has it held for a person, and adds nothing to that subject', async () => {
    // The reading itself is from the time of the present holder; what precedes it is not.
    const sensorTs = now - 5 * HOUR_MS;
    const syncPoints = [{ sensorUs: sensorTs * 1000, hostUs: (HANDED_OVER_TS + MINUTE_MS) * 1000 }];
    const { row, upload } = await deliver(phone, now - 10 * HOUR_MS, { syncPoints });
    expect(row).toBeUndefined();
    expect(upload).toMatchObject({ state: expect.stringMatching(/QUARANTINED|REFUSED/), code: 'SENSOR_NOT_SERVED' });
  });
});

describe('10,000 hostile readings', () => {
  it('of a hub and a phone move nothing of another subject, and their own only as far as a reading says', async () => {
    const seed = Date.now() % 1_000_000;
    const random = randomOf(seed);
    const before = await deliver(honest, HANDED_OVER_TS - 30 * HOUR_MS);
    const offsets: number[] = [];
    for (let call = 0; call < 10; call++) {
      for (const device of [hub, phone]) {
        const lies = Array.from({ length: 500 }, () => {
          const hostTs = now - random() * 30 * DAY_MS;
          const offsetMs = (random() - 0.5) * 2 * 30 * DAY_MS * random() ** 3;
          offsets.push(offsetMs);
          return reading(hostTs - offsetMs, hostTs);
        });
        await report(device, lies);
      }
    }
    expect(offsets).toHaveLength(10_000);
    const after = await deliver(honest, HANDED_OVER_TS - 20 * HOUR_MS);
    for (const { file, row } of [before, after]) {
      const stored = await test.site.folder.store.recordings.require(file.recordingId);
      expect([stored.startUs, row?.subjectId], `seed ${seed}`).toEqual([file.startUs, test.place.subjectIds[0]]);
    }
    const { file, row, upload } = await deliver(hub, now - 20 * HOUR_MS);
    // Stored for the subject of the hub, or held for a person.
    expect(['STORED', 'QUARANTINED'], `seed ${seed}`).toContain(upload.state);
    if (row) {
      expect(row.subjectId).toBe(test.place.subjectIds[1]);
      const movedMs = (row.startUs - file.startUs) / 1000;
      const [least, most] = [Math.min(...offsets), Math.max(...offsets)];
      expect(movedMs, `seed ${seed}`).toBeGreaterThanOrEqual(least - MINUTE_MS);
      expect(movedMs, `seed ${seed}`).toBeLessThanOrEqual(most + MINUTE_MS);
      expect(row.stopUs / 1000).toBeLessThanOrEqual(Date.now() + 15 * MINUTE_MS);
      const clock = await test.site.folder.store.clocks.correctionOf(row.id);
      expect(clock?.sensorStartUs ?? file.startUs).toBe(file.startUs);
    }
  });
});
