/** What phones and straps brought to a site leaves no byte in de-identified exports, and none at all once the subject is erased. */
import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HeartRateDriver } from '../../../src-renderer/shared/sensors/heart-rate/driver.ts';
import { PolarDriver } from '../../../src-renderer/shared/sensors/polar/driver.ts';
import { HeartRateStrap } from '../../../src-renderer/shared/sensors/testing/heart-rate-strap.ts';
import { openTestStore } from '../../../src-renderer/shared/sensors/testing/open-store.ts';
import { PolarStrap } from '../../../src-renderer/shared/sensors/testing/polar-strap.ts';
import { VirtualTime } from '../../../src-renderer/shared/sensors/testing/virtual-time.ts';
import { browserTiming } from '../../../src-renderer/shared/sensors/timing.ts';
import { sendRecordings } from '../../../src-renderer/shared/sensors/upload.ts';
import type { Routes } from '../../api/contract/index.ts';
import type { BodyInputOf } from '../../api/contract/route.ts';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { findPerson, type Person } from '../../testing/person.ts';
import { leaksIn } from '../../testing/planted-site.ts';
import { readHyparquet } from '../../testing/read-parquet.ts';
import { recordSensor } from '../../testing/sensor-recording.ts';
import { uploadCall } from '../../testing/sensor-site.ts';
import { seededRandom } from '../../testing/synthetic-ecg.ts';
import { testJpeg } from '../../testing/test-jpeg.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';
import { allJobsEnd } from '../../testing/test-site.ts';
import { zipContents } from '../../testing/zip-contents.ts';

const CHANGE = { actor: { type: 'SYSTEM' } } as const;
let site: TestPhoneSite;
let gone: Sent;
let stays: Sent;

interface Sent {
  phone: TestPhone;
  person: Person;
}

/** Everything that a phone can bring of a subject, under words that nothing else in the site has. */
async function bring(index: number, tag: string): Promise<Sent> {
  const phone = await site.signIn(index);
  const { store } = site;
  const { accountId } = site.place;
  const offsetMs = 3_481_907 + 1000 * index;
  phone.clockAheadMs = -offsetMs;
  const clock = { offsetMs, uncertaintyMs: 30, state: 'MEASURED' };
  const startTs = phone.now() - 40 * MINUTE_MS;
  const [range, choice] = site.walk.questions;
  const report = phone.report({
    startTs,
    clock,
    answers: [
      { questionId: range?.id, skipped: true },
      { questionId: choice?.id, value: 'Calm' },
    ],
  });
  const picture = testJpeg({ sizeBytes: 3000, fill: 0x61 + index });
  const image = { id: randomUUID(), mimeType: 'image/jpeg', base64: picture.toString('base64') };
  const problem = { kind: 'SKIN', sensorSerial: `strap-${tag}` };
  const message = { id: randomUUID(), body: `red${tag}red`, createdTs: startTs, clock, problem, images: [image] };
  await phone.sync({ batteryPercent: 43, reports: [report], messages: [message] });
  await store.session.db
    .updateTable('deviceCredential')
    .set({ lastAddress: `10.77.66.5${index}` })
    .where('id', '=', phone.credentialId)
    .execute();
  const recordingIds = await recordStraps(phone, accountId, tag, index);
  return {
    phone,
    person: {
      ...phone.place,
      words: {
        report: report.id,
        message: message.id,
        body: message.body,
        problemSensor: problem.sensorSerial,
        offset: String(offsetMs),
        phoneId: phone.phoneId,
        credential: phone.credentialId,
        address: `10.77.66.5${index}`,
        deviceName: `Polar H10 ${tag}`,
        ...Object.fromEntries(recordingIds.map((id, i) => [`recording ${i}`, id])),
      },
      bytes: { picture: picture.subarray(600, 700), ...(await signalBytes(recordingIds)) },
      recordingIds,
      phone: { id: phone.credentialId, secret: phone.token },
      sensorId: '',
    },
  };
}

/** From the first channel of each file: the acceleration is the same for all straps. */
async function signalBytes(recordingIds: readonly string[]): Promise<Record<string, Buffer>> {
  const { signalsDir } = site.lan.site.folder;
  const bytes: Record<string, Buffer> = {};
  for (const [i, id] of recordingIds.entries()) {
    const file = await readFile(join(signalsDir, `${id}.sig`));
    bytes[`signal ${i}`] = file.subarray(file.length >> 2, (file.length >> 2) + 24);
  }
  return bytes;
}

/** Two minutes of a strap with a signal and of one with intervals alone, recorded and sent as a phone does. */
async function recordStraps(phone: TestPhone, accountId: string, tag: string, index: number): Promise<string[]> {
  const { equipment } = site.store;
  const random = seededRandom(index + 1);
  const time = new VirtualTime(Date.now() - (20 + index) * HOUR_MS);
  const store = await openTestStore();
  // Noise: no two straps send the same bytes.
  const ecg = Int16Array.from({ length: 5000 }, () => Math.floor(9000 * random()));
  const straps = [
    [`E-${tag}`, new PolarStrap(`Polar H10 ${tag}`, time, { ecg }), new PolarDriver()],
    [`R-${tag}`, new HeartRateStrap(`HRM ${tag}`, time, () => 700 + Math.floor(200 * random())), new HeartRateDriver()],
  ] as const;
  for (const [serial, strap, driver] of straps) {
    await equipment.register({ accountId, id: serial, type: 'SENSOR' }, CHANGE);
    await equipment.assign(serial, { ...phone.place, atTs: Date.now() - 48 * HOUR_MS }, CHANGE);
    const sensor = { serial, hardwareId: strap.name, displayName: strap.name };
    const { stop } = recordSensor(strap, driver, store, time, sensor);
    await time.advanceTo(time.monotonicMs() + 2 * MINUTE_MS);
    await stop();
  }
  const ids = (await store.list()).map(({ recordingId }) => recordingId);
  const sent = await sendRecordings({
    store,
    timing: browserTiming,
    call: uploadCall(({ path, ...more }) => phone.call(path, more)),
  });
  expect(sent).toBeNull();
  expect(await store.list()).toEqual([]);
  return ids;
}

beforeAll(async () => {
  site = await startTestPhoneSite();
  gone = await bring(0, 'Quandary');
  stays = await bring(1, 'Remainer');
  await allJobsEnd(site.client);
}, 60_000);
afterAll(async () => await site.close());

async function studyExport(body: BodyInputOf<Routes['requestStudyExport']>): Promise<Map<string, Buffer>> {
  const params = { studyId: site.place.studyId };
  const { id } = await site.client.call('requestStudyExport', { params, body });
  await allJobsEnd(site.client);
  const { href } = await site.client.call('getStudyExportFile', { params: { ...params, exportId: id } });
  return await zipContents(Buffer.from(await (await fetch(href)).arrayBuffer()));
}

/** What a Parquet file says: its pages are compressed, so that no byte of it would be found. */
async function rowsOf(packed: Buffer): Promise<Buffer> {
  const path = join(site.place.dir, '..', `${randomUUID()}.parquet`);
  await writeFile(path, packed);
  const { rows, facts } = await readHyparquet(path);
  const text = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return Buffer.from(JSON.stringify([facts, rows.slice(0, 500)], (_key, value) => text(value)));
}

it.each(['ARCHIVE', 'BIDS', 'PARQUET'] as const)(
  'gives no date, name, serial, address or id away in a de-identified export: %s',
  async (format) => {
    const members = await studyExport({ format, deidentified: true });
    expect(members.size).toBeGreaterThan(2);
    for (const [path, packed] of members) {
      const content = path.endsWith('.parquet') ? await rowsOf(packed) : packed;
      for (const { person } of [gone, stays]) {
        const { offset: _, ...words } = person.words;
        for (const [name, word] of Object.entries({ ...words, token: person.phone.secret })) {
          expect(content.includes(word), `${name} in ${path}`).toBe(false);
        }
        for (const tag of ['Quandary', 'Remainer']) expect(content.includes(tag), `${tag} in ${path}`).toBe(false);
        expect(content.includes(person.bytes.picture!), `a picture in ${path}`).toBe(false);
      }
      if (/\.(csv|tsv|json|md|txt|parquet)$/.test(path)) expect(leaksIn(String(content)), path).toEqual([]);
    }
  },
);

it('is in the site before, in every place that is searched, and not after the erasure; others stay whole', async () => {
  await site.client.call('requestSubjectExport', { params: gone.phone.place });
  await studyExport({ format: 'ARCHIVE' });
  const dir = site.place.dir;
  const placesOf = async ({ person }: Sent) => (await findPerson(person, dir)).map((place) => place.split(' in ')[0]!);
  const named = async (sent: Sent) => (await placesOf(sent)).map((place) => place.replace(', indexed,', ''));
  // The search has its own copy of what is written.
  expect(await placesOf(gone)).toContain('body, indexed,');
  const names = ({ person }: Sent) => [...Object.keys(person.words), ...Object.keys(person.bytes)];
  expect(new Set(await named(gone))).toEqual(new Set(names(gone)));
  await site.erase(gone.phone.place);
  expect(await findPerson(gone.person, dir)).toEqual([]);
  expect(new Set(await named(stays))).toEqual(new Set(names(stays)));
  const answer = await gone.phone.post('/phone/sync', gone.phone.batch({}));
  expect(answer.status).toBe(403);
  // A phone that still asks and reports leaves nothing new of the erased subject.
  expect(await findPerson(gone.person, dir)).toEqual([]);
}, 60_000);
