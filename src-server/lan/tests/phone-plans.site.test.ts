/** What a phone's calls cost on a large site, by SQLite's own plans: none reads a whole growing table. */
import { randomUUID } from 'node:crypto';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { fillDatabase } from '../../testing/full-database.ts';
import { findScans } from '../../testing/full-site/scans.ts';
import { testJpeg } from '../../testing/test-jpeg.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';

const meta = (facts: Record<string, string>): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
const ANNOUNCED = {
  'tus-resumable': '1.0.0',
  'upload-length': '1000',
  'content-length': '0',
  'upload-metadata': meta({
    recordingId: randomUUID(),
    sensor: 'STRAP-1',
    sha256: 'ab'.repeat(32),
    startUs: String(Date.UTC(2026, 0, 1) * 1000),
    formatVersion: '1',
  }),
};

let site: TestPhoneSite;
let phone: TestPhone;
const statements = new Map<string, string>();

beforeAll(async () => {
  site = await startTestPhoneSite();
  const { prepare } = BetterSqlite3.prototype;
  vi.spyOn(BetterSqlite3.prototype, 'prepare').mockImplementation(function (this: BetterSqlite3.Database, sql) {
    statements.set(sql, calling);
    return prepare.call(this, sql);
  });
  phone = await site.signIn();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await site.close();
});
/** The call that runs; jobs in the background may fall under any. */
let calling = 'sign in';

it('never scans a growing table', async () => {
  const { studyId, subjectId } = phone.place;
  const { accountId, userId } = site.place;
  const image = { id: randomUUID(), mimeType: 'image/jpeg', base64: testJpeg({ sizeBytes: 2000 }).toString('base64') };
  const problem = { kind: 'SENSOR_OFF', sensorSerial: 'STRAP-1' };
  const message = { id: randomUUID(), body: 'Red.', createdTs: phone.now() - HOUR_MS, problem, images: [image] };
  const report = phone.report({ startTs: phone.now() - 30 * MINUTE_MS });
  await site.store.messages.post({ studyId, subjectId, body: 'Hello' }, { actor: { type: 'USER', id: userId } });
  const [{ id: readId } = { id: '' }] = await site.store.messages.list(subjectId);
  for (let i = 0; i < 2; i++) {
    calling = `sync ${i}`;
    await phone.sync({ batteryPercent: 50, reports: [report], messages: [message], readIds: [readId] });
  }
  for (const path of ['program', 'tasks', 'today', 'sensors', 'messages', 'today?date=2026-01-01']) {
    calling = path;
    expect((await phone.call(`/phone/${path}`)).status, path).toBeLessThan(500);
  }
  calling = 'status';
  await phone.get('/device/status');
  calling = 'announcement of an upload';
  expect((await phone.call('/device/uploads', { method: 'POST', headers: ANNOUNCED })).status).toBeLessThan(500);
  calling = 'token';
  await site.client.call('createSubjectToken', { params: phone.place });
  calling = 'revocation';
  await site.client.call('revokeDevice', { params: { accountId, deviceId: phone.credentialId } });
  calling = 'revoked';
  await phone.post('/phone/sync', phone.batch({}));
  fillDatabase(site.store.path, { ...site.place, subjects: 300, days: 2, sensors: 2, fromTs: Date.now() - 3 * DAY_MS });
  const database = new BetterSqlite3(site.store.path);
  database.exec('ANALYZE');
  database.close();
  expect(statements.size).toBeGreaterThan(45);
  expect(findScans(site.store.path, statements)).toEqual([]);
});
