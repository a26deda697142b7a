import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS } from '../../../durations.ts';
import { startTestApi, type TestApi } from '../../../testing/test-api.ts';

const SLOT_US = 600_000_000;
const UDID = 'AA:BB:CC:00:00:01';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const count = async () =>
  (await api.store.clockReadings.listForSensor(UDID, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).length;

it('keeps at most 15,000 readings of one clock by one credential, and deletes old ones', async () => {
  const { id: credentialId } = await api.addDevice('HUB', 'hub-flood');
  const nowUs = api.clock.now() * 1000;
  const at = (i: number) => ({
    ...{ credentialId, clock: 'SENSOR' as const, udid: UDID, roundTripUs: 1 },
    ...{ clockUs: nowUs - i * SLOT_US, hostUs: nowUs - i * SLOT_US },
  });
  await api.store.clockReadings.add([at(0)]);
  // As 14,989 more calls of `add` would, in one statement.
  const db = new Database(api.store.path);
  db.prepare(
    `WITH RECURSIVE slot (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM slot WHERE i < 14989)
     INSERT INTO clockReading (sourceId, hostUs, clockUs, roundTripUs, receivedTs)
     SELECT sourceId, hostUs - i * ${SLOT_US}, clockUs - i * ${SLOT_US}, 1, receivedTs FROM clockReading, slot`,
  ).run();
  db.close();
  await api.store.clockReadings.add(Array.from({ length: 50 }, (_, i) => at(14_990 + i)));
  expect(await count()).toBe(15_000);
  // A better reading of a slot that is stored still replaces it.
  await api.store.clockReadings.add([{ ...at(0), clockUs: nowUs + 5, roundTripUs: 0 }]);
  const [latest] = (await api.store.clockReadings.listForSensor(UDID, nowUs, nowUs)).slice(-1);
  expect(latest?.clockUs).toBe(nowUs + 5);
  const beforeUs = nowUs - 50 * DAY_MS * 1000;
  await api.store.clockReadings.deleteBefore(beforeUs);
  expect(await count()).toBeLessThanOrEqual(50 * 144 + 1);
  expect(await api.store.clockReadings.listForSensor(UDID, 0, beforeUs - 1)).toEqual([]);
});
