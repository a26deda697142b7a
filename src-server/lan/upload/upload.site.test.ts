import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { quarantinePath, uploadPaths } from '../../files/inbox.ts';
import { type WorkerCallOptions, WorkerPool } from '../../jobs/workers/pool.ts';
import type { WorkerTasks } from '../../jobs/workers/tasks.ts';
import { clockPath, openSignalFile, overviewPath, verifySignalFile } from '../../signals/index.ts';
import { Random } from '../../simulator/physiology/random.ts';
import { smallDisk } from '../../testing/small-disk.ts';
import { WORKER_ENTRY } from '../../testing/test-engine.ts';
import { TEST_NOW } from '../../testing/test-store.ts';
import { checksumOf, newRecordingId } from '../../testing/upload-client.ts';
import { makeUploadFile, openUploadSite, SENSOR, SENSOR_UDID, type UploadSite } from '../../testing/upload-site.ts';
import { PartialFile } from './partial-file.ts';

const workers = new WorkerPool({ entry: WORKER_ENTRY });
afterAll(() => workers.close());

/** Checks for real, and returns the first two outcomes together. */
class TwinChecks extends WorkerPool {
  readonly #both = Promise.withResolvers<void>();
  #ended = 0;

  override async run<T extends keyof WorkerTasks>(
    name: T,
    input: WorkerTasks[T]['input'],
    options?: WorkerCallOptions,
  ): Promise<WorkerTasks[T]['output']> {
    const output = await super.run(name, input, options);
    this.#ended += 1;
    if (this.#ended === 2) this.#both.resolve();
    await this.#both.promise;
    return output;
  }
}

/** Checks for real, but holds the first check until it is released, and counts the most at one time. */
class HeldCheck extends WorkerPool {
  readonly begun = Promise.withResolvers<void>();
  readonly held = Promise.withResolvers<void>();
  mostAtOnce = 0;
  #running = 0;

  override async run<T extends keyof WorkerTasks>(
    name: T,
    input: WorkerTasks[T]['input'],
    options?: WorkerCallOptions,
  ): Promise<WorkerTasks[T]['output']> {
    this.#running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
    this.begun.resolve();
    await this.held.promise;
    return await super.run(name, input, options).finally(() => {
      this.#running -= 1;
    });
  }
}

let site: UploadSite;
beforeEach(async () => {
  site = await openUploadSite({ analyses: false, workers });
});
afterEach(async () => {
  const { problems } = site;
  await site.close();
  expect(problems).toEqual([]);
});

const file = (options: Parameters<typeof makeUploadFile>[1] = {}) => makeUploadFile(site.folder, options);
/** Poll instead of awaiting the job: when no request awaits a check, its job may not be queued yet. */
const POLL = { timeout: 20_000 };
const stored = () => site.store.recordings.listForSubject(site.study.subjectId);

async function* toStream(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

describe('an upload', () => {
  it('becomes a recording of its subject, byte for byte, with an event and an analysis', async () => {
    await site.close();
    site = await openUploadSite({ workers });
    const source = await file();
    const device = site.device();
    const created = await device.announce(source);
    expect(created).toMatchObject({
      status: 201,
      headers: { 'upload-offset': '0', 'outpost-upload-state': 'RECEIVING' },
    });
    const location = created.headers.location ?? '';
    expect(location).toMatch(/^\/api\/v1\/device\/uploads\/[0-9a-f-]{36}$/);
    const half = Math.floor(source.bytes.length / 2);
    expect(await device.patch(location, 0, source.bytes.subarray(0, half), { checksum: true })).toMatchObject({
      status: 204,
      headers: { 'upload-offset': String(half) },
    });
    expect(await device.head(location)).toMatchObject({
      status: 200,
      headers: { 'upload-offset': String(half), 'upload-length': String(source.bytes.length) },
    });
    const last = await device.patch(location, half, source.bytes.subarray(half), { checksum: true });
    expect(last).toMatchObject({
      status: 204,
      headers: { 'outpost-upload-state': 'STORED', 'outpost-recording': source.recordingId },
    });
    const [recording] = await stored();
    expect(recording).toMatchObject({ id: source.recordingId, startUs: source.startUs, fileState: 'PRESENT' });
    expect(readFileSync(join(site.signalsDir, `${source.recordingId}.sig`)).equals(source.bytes)).toBe(true);
    expect(existsSync(join(site.signalsDir, `${source.recordingId}.overview`))).toBe(true);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
    await site.queue.whenIdle();
    expect((await stored())[0]!.dataState).toBe('ANALYSED');
    const events = await site.store.events.list(site.study.studyId, 0, Number.MAX_SAFE_INTEGER);
    expect(events.filter(({ action }) => action === 'RECORDING_UPLOADED')).toMatchObject([
      { referenceId: source.recordingId },
    ]);
  });
});

describe('an upload of a site whose database was found damaged', () => {
  it('gets no more bytes from that moment on, and those of a request that had begun are not acknowledged', async () => {
    const source = await file();
    const device = site.device();
    const location = (await device.announce(source)).headers.location!;
    const third = Math.floor(source.bytes.length / 3);
    const first = await device.patch(location, 0, source.bytes.subarray(0, third), { checksum: true });
    expect(first.status).toBe(204);
    const id = location.split('/').at(-1)!;
    const path = uploadPaths(site.inboxDir, id).data;
    const begun = async function* () {
      yield source.bytes.subarray(third, 2 * third);
      site.store.refuseWrites(new OutpostError('SITE_CORRUPT', 'The database of this site is damaged.'));
    };
    const appending = site.receiver.append(id, begun(), { offset: third, isComplete: () => true });
    await expect(appending).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
    const before = statSync(path);
    const next = source.bytes.subarray(2 * third);
    expect(await device.patch(location, 2 * third, next, { checksum: true })).toMatchObject({
      status: 503,
      body: { code: 'SITE_CORRUPT' },
    });
    expect([statSync(path).size, statSync(path).mtimeMs]).toEqual([before.size, before.mtimeMs]);
    // What was acknowledged before is still there.
    expect(readFileSync(path).subarray(0, third).equals(source.bytes.subarray(0, third))).toBe(true);
  });
});

describe('a sensor that was registered without its address', () => {
  const serial = 'SN-NOMAC';
  beforeEach(async () => {
    const { accountId, studyId, subjectId, byUser } = site.study;
    await site.store.equipment.register({ accountId, id: serial, type: 'SENSOR', displayName: 'Chest' }, byUser);
    await site.store.equipment.assign(serial, { studyId, subjectId, atTs: TEST_NOW - 48 * HOUR_MS }, byUser);
  });

  it('has the recordings that its hub names its serial with, and learns its address from the first', async () => {
    await site.device().upload({ ...(await file({ udid: 'aa-bb-cc-00-00-99' })), sensor: serial });
    expect(await stored()).toMatchObject([{ equipmentId: serial }]);
    const sensor = await site.store.equipment.require(serial);
    expect(sensor).toMatchObject({ udid: 'aa-bb-cc-00-00-99' });
    expect(sensor.lastContactTs).toBeGreaterThan(0);
    expect(sensor.lastContactTs).toBeLessThanOrEqual(TEST_NOW);
    expect(await site.store.equipment.findByUdid('AA:BB:CC:00:00:99')).toMatchObject({ id: serial });
  });

  it('has a recording whose file names no sensor at all', async () => {
    await site.device().upload({ ...(await file({ udid: '' })), sensor: serial });
    expect(await stored()).toMatchObject([{ equipmentId: serial, udid: '' }]);
    expect((await site.store.equipment.require(serial)).udid).toBeUndefined();
    const span = { fromTs: 0, toTs: TEST_NOW, subjectId: site.study.subjectId };
    expect(await site.store.dataPaths.list(site.study.studyId, span)).toMatchObject([{ sensorId: serial }]);
  });

  it('does not get a recording of the address of another registered sensor', async () => {
    const answer = await site.device().upload({ ...(await file({ udid: SENSOR_UDID.toLowerCase() })), sensor: serial });
    expect(answer.body).toMatchObject({ state: 'QUARANTINED' });
    expect((await site.store.equipment.require(serial)).udid).toBeUndefined();
  });
});

describe('the same file again', () => {
  it('is the same recording, repeatedly, from any device, and concurrently', async () => {
    const source = await file({ seconds: 300 });
    const options = { chunkBytes: 16_384, checksums: true };
    const answers = await Promise.all([
      site.device('hub-1', options).upload(source),
      site.device('hub-1', options).upload(source),
      site.device('hub-2', options).upload(source),
    ]);
    for (const answer of answers) {
      expect(answer.body).toMatchObject({ state: 'STORED', storedRecordingId: source.recordingId });
    }
    const again = await site.device().announce(source);
    expect(again).toMatchObject({
      status: 201,
      headers: {
        'upload-offset': String(source.bytes.length),
        'outpost-upload-state': 'STORED',
        'outpost-recording': source.recordingId,
      },
    });
    expect(await stored()).toHaveLength(1);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
  });

  it('is stored once when the checks of two deliveries end at the same moment', async () => {
    await site.close();
    const twins = new TwinChecks({ entry: WORKER_ENTRY });
    site = await openUploadSite({ analyses: false, workers: twins });
    const source = await file({ seconds: 30 });
    const answers = await Promise.all(['hub-1', 'hub-2'].map((name) => site.device(name).upload(source)));
    for (const answer of answers) {
      expect(answer.body).toMatchObject({ state: 'STORED', storedRecordingId: source.recordingId });
    }
    expect(await stored()).toHaveLength(1);
    const path = join(site.signalsDir, `${source.recordingId}.sig`);
    expect(readFileSync(path).equals(source.bytes)).toBe(true);
    expect(existsSync(overviewPath(path))).toBe(true);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
    await twins.close();
  });

  it('resumes after the device has lost its state', async () => {
    const source = await file({ seconds: 120 });
    const device = site.device();
    const first = await device.announce(source);
    await device.patch(first.headers.location ?? '', 0, source.bytes.subarray(0, 5000));
    expect(await device.announce(source)).toMatchObject({
      headers: { location: first.headers.location, 'upload-offset': '5000' },
    });
  });
});

describe('offsets', () => {
  it('of late and duplicate requests are answered with 409 and the right one, and change nothing', async () => {
    const source = await file({ seconds: 120 });
    const device = site.device();
    const location = (await device.announce(source)).headers.location ?? '';
    const pieces = [0, 1, 2].map((i) => source.bytes.subarray(i * 4000, (i + 1) * 4000));
    expect((await device.patch(location, 0, pieces[0]!)).status).toBe(204);
    for (const [offset, piece] of [
      [0, pieces[0]!],
      [8000, pieces[2]!],
      [0, pieces[1]!],
    ] as const) {
      expect(await device.patch(location, offset, piece)).toMatchObject({
        status: 409,
        headers: { 'upload-offset': '4000' },
        body: { code: 'UPLOAD_OFFSET', offset: 4000, permanent: false },
      });
    }
    expect((await device.patch(location, 4000, source.bytes.subarray(4000))).headers['outpost-upload-state']).toBe(
      'STORED',
    );
  });

  it('stay where they were after a flipped bit: 460, and the right bytes are taken then', async () => {
    const source = await file({ seconds: 120 });
    const device = site.device();
    const location = (await device.announce(source)).headers.location ?? '';
    const piece = Buffer.from(source.bytes.subarray(0, 20_000));
    const checksum = { 'upload-checksum': checksumOf(piece) };
    piece[777]! ^= 4;
    expect(await device.patch(location, 0, piece, { headers: checksum })).toMatchObject({
      status: 460,
      headers: { 'upload-offset': '0' },
      body: { code: 'CHECKSUM_MISMATCH', permanent: false, offset: 0 },
    });
    expect((await device.head(location)).headers['upload-offset']).toBe('0');
    expect(await device.patch(location, 0, source.bytes, { checksum: true })).toMatchObject({ status: 204 });
  });
});

describe('two connections', () => {
  it('never mix: the later one pre-empts the earlier one and continues at the safe offset', async () => {
    const source = await file({ seconds: 600 });
    const device = site.device();
    const location = (await device.announce(source)).headers.location ?? '';
    const ghost = connect(Number(new URL(site.url).port), '127.0.0.1');
    ghost.write(
      `PATCH ${location} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: hub-1\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
        `Content-Type: application/offset+octet-stream\r\nContent-Length: ${source.bytes.length}\r\n\r\n`,
    );
    ghost.write(source.bytes.subarray(0, 30_000));
    await sleep(50);
    // The stale connection holds the upload and sends nothing more; none of its bytes are durable yet.
    expect((await device.head(location)).headers['upload-offset']).toBe('0');
    const answer = await device.patch(location, 0, source.bytes.subarray(0, 100));
    const offset = Number(answer.headers['upload-offset']);
    expect([100, 30_000]).toContain(offset);
    ghost.write(source.bytes.subarray(30_000, 60_000));
    const last = await device.patch(location, offset, source.bytes.subarray(offset));
    expect(last.headers['outpost-upload-state']).toBe('STORED');
    ghost.destroy();
    expect(readFileSync(join(site.signalsDir, `${source.recordingId}.sig`)).equals(source.bytes)).toBe(true);
  });
});

describe('connections cut anywhere', () => {
  it('end with exactly one correct recording', async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    process.stderr.write(`seed ${seed}\n`);
    const random = new Random(seed);
    for (const checksums of [true, false]) {
      const source = await file({ seconds: 300, startUs: (TEST_NOW - (checksums ? 6 : 5) * HOUR_MS) * 1000 });
      const cutAfter = (bytes: number) =>
        random.uniform() < 0.5 ? 1 + Math.floor(random.uniform() * (bytes - 1)) : undefined;
      const device = site.device('hub-1', { chunkBytes: 20_000, checksums });
      const answer = await device.upload(source, { cutAfter });
      expect(answer.body).toMatchObject({ state: 'STORED' });
      expect(readFileSync(join(site.signalsDir, `${source.recordingId}.sig`)).equals(source.bytes)).toBe(true);
    }
    expect(await stored()).toHaveLength(2);
  });
});

describe('what is safe after a power cut', () => {
  it('is what the journal confirms: a torn tail is cut and the upload completes', async () => {
    const source = await file({ seconds: 300 });
    const device = site.device();
    const location = (await device.announce(source)).headers.location ?? '';
    const id = location.split('/').at(-1)!;
    const { data } = uploadPaths(site.inboxDir, id);
    await device.patch(location, 0, source.bytes.subarray(0, 20_000));
    await device.patch(location, 20_000, source.bytes.subarray(20_000, 40_000));
    await site.restartReceiver();
    // The tail of the last chunk never reached the disk, and further bytes were never acknowledged.
    const bytes = readFileSync(data);
    bytes.fill(0, 30_000, 31_000);
    writeFileSync(data, Buffer.concat([bytes, Buffer.alloc(5000, 9)]));
    expect((await device.head(location)).headers['upload-offset']).toBe('20000');
    const last = await device.patch(location, 20_000, source.bytes.subarray(20_000), { checksum: true });
    expect(last.headers['outpost-upload-state']).toBe('STORED');
  });

  it('is complete when all bytes were: the start checks what was received', async () => {
    const source = await file({ seconds: 120 });
    const device = site.device();
    const location = (await device.announce(source)).headers.location ?? '';
    const half = source.bytes.length >> 1;
    await device.patch(location, 0, source.bytes.subarray(0, half));
    const upload = await site.receiver.find(site.identity(), location.split('/').at(-1)!);
    await site.receiver.append(upload.id, toStream(source.bytes.subarray(half)), {
      offset: half,
      isComplete: () => true,
    });
    await site.restartReceiver();
    await device.head(location);
    await expect.poll(async () => (await device.state(location)).body.state, POLL).toBe('STORED');
  });
});

describe('an unfinished upload', () => {
  it('does not expire when its device returns before the next sweep', async () => {
    const source = await file({ seconds: 120 });
    const device = site.device();
    const location = (await device.announce(source)).headers.location ?? '';
    await device.patch(location, 0, source.bytes.subarray(0, 5000));
    // A week and a day later, before the next sweep.
    site.clock.now += 8 * 86_400_000;
    expect(await device.announce(source)).toMatchObject({ headers: { location, 'upload-offset': '5000' } });
    await site.receiver.expire();
    const last = await device.patch(location, 5000, source.bytes.subarray(5000));
    expect(last.headers['outpost-upload-state']).toBe('STORED');
  });

  it('given up by the device, or expired, leaves nothing', async () => {
    const device = site.device();
    const first = (await device.announce(await file({ seconds: 60 }))).headers.location ?? '';
    expect((await device.request('DELETE', first)).status).toBe(204);
    expect(await device.head(first)).toMatchObject({ status: 410 });
    const second = (await device.announce(await file({ seconds: 61 }))).headers.location ?? '';
    site.clock.now += 8 * 86_400_000;
    await site.receiver.expire();
    expect((await device.state(second)).body).toMatchObject({ state: 'EXPIRED' });
    expect((await device.patch(second, 0, Buffer.alloc(10))).status).toBe(410);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
  });

  it('that differs from its announcement is sent again, and permanently refused the third time', async () => {
    const source = await file({ seconds: 60 });
    const device = site.device();
    const wrong = Buffer.from(source.bytes);
    wrong[wrong.length - 40]! ^= 1;
    const location = (await device.announce(source)).headers.location ?? '';
    for (const permanent of [false, false, true]) {
      expect(await device.patch(location, 0, wrong)).toMatchObject({
        status: 460,
        body: { code: 'FILE_HASH_MISMATCH', permanent },
      });
    }
    expect((await device.announce(source)).body).toMatchObject({ code: 'FILE_HASH_MISMATCH', permanent: true });
    expect(await stored()).toEqual([]);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
  });
});

describe('refusals', () => {
  const refused = async (metadata: Record<string, string>, code: string, status: number) => {
    const answer = await site.device().announce({ ...(await file({ seconds: 60 })), metadata });
    expect(answer).toMatchObject({ status, body: { code, permanent: true } });
  };

  it('happen before any byte is sent, with a code, and are stored', async () => {
    await refused({ sensor: 'SN-9999' }, 'SENSOR_UNKNOWN', 403);
    await refused({ size: String(11e9) }, 'UPLOAD_TOO_LARGE', 413);
    await refused({ formatVersion: '2' }, 'FORMAT_TOO_NEW', 415);
    await refused({ sha256: 'abc' }, 'UPLOAD_METADATA', 400);
    await refused({ recordingId: '../../etc/passwd' }, 'UPLOAD_METADATA', 400);
    const { accountId, byUser } = site.study;
    await site.store.equipment.register({ accountId, id: 'SN-0002', type: 'SENSOR' }, byUser);
    await refused({ sensor: 'SN-0002' }, 'SENSOR_UNASSIGNED', 403);
    await refused({ sensor: 'hub-1' }, 'SENSOR_UNKNOWN', 403);
    const kept = await site.store.uploads.list({ accountId, states: ['REFUSED'] });
    expect(kept.map(({ code }) => code).sort()).toEqual([
      'FORMAT_TOO_NEW',
      'SENSOR_UNASSIGNED',
      'SENSOR_UNKNOWN',
      'SENSOR_UNKNOWN',
      'UPLOAD_TOO_LARGE',
    ]);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
  });

  it('of an erased person are final, by content, by id and by who wore the sensor, and leave no row', async () => {
    const { studyId, subjectId, byUser } = site.study;
    const source = await file({ seconds: 60 });
    expect((await site.device().upload(source)).body).toMatchObject({ state: 'STORED' });
    const { displayName } = await site.store.subjects.require(subjectId);
    const reason = { ...byUser, reason: 'Asked for in writing' };
    const { id } = await site.store.erasures.order({ studyId, subjectId, confirmation: displayName }, reason);
    await site.store.erasures.eraseRows(id);
    const later = await file({ seconds: 120 });
    for (const again of [source, { ...source, recordingId: newRecordingId() }, later]) {
      const { body } = await site.device().announce(again);
      expect(body).toMatchObject({ code: 'SUBJECT_ERASED', permanent: true });
    }
    expect(await site.store.uploads.list({})).toEqual([]);
    // The next wearer's recordings are theirs.
    const next = await site.store.subjects.create(studyId, { displayName: 'Next', timezone: 'UTC' }, byUser);
    await site.store.equipment.assign(SENSOR, { studyId, subjectId: next.id, atTs: TEST_NOW - 48 * 3_600_000 }, byUser);
    expect((await site.device().upload(later)).body).toMatchObject({ state: 'STORED' });
  });

  it('of a complete study end once it is reopened', async () => {
    const { studyId, byUser } = site.study;
    await site.store.studies.move(studyId, 'start', byUser);
    await site.store.studies.move(studyId, 'stop', byUser);
    const source = await file({ seconds: 60 });
    expect((await site.device().announce(source)).body).toMatchObject({ code: 'STUDY_COMPLETE', permanent: true });
    await site.store.studies.move(studyId, 'reopen', { ...byUser, reason: 'A hub was found.' });
    expect((await site.device().upload(source)).body).toMatchObject({ state: 'STORED' });
  });

  it('of a locked study are held, complete or not, and can be accepted once it is unlocked', async () => {
    const { studyId, subjectId, byUser } = site.study;
    const reason = { ...byUser, reason: 'Database lock' };
    const signer = (await site.store.users.get(byUser.actor.id!))!;
    await site.store.studies.move(studyId, 'start', byUser);
    await site.store.studies.move(studyId, 'stop', byUser);
    await site.store.studyLocks.lock(studyId, signer, reason);
    const source = await file({ seconds: 60 });
    const held = (await site.device().upload(source)).body;
    expect(held).toMatchObject({ state: 'QUARANTINED', code: 'STUDY_LOCKED' });
    expect(await site.store.recordings.listForSubject(subjectId)).toEqual([]);
    await site.store.studyLocks.unlock(studyId, reason);
    const bytes = readFileSync(join(site.inboxDir, 'quarantine', readdirSync(join(site.inboxDir, 'quarantine'))[0]!));
    expect(bytes.equals(source.bytes)).toBe(true);
  });

  it('of files that are not recordings happen at the first bytes, of damaged ones after the check', async () => {
    const zip = { ...(await file({ seconds: 60 })), bytes: Buffer.from('PK\x03\x04 is not a recording'.repeat(10)) };
    expect((await site.device().upload(zip)).body).toMatchObject({ code: 'UNSUPPORTED_FORMAT', permanent: true });
    const whole = await file({ seconds: 300 });
    const bytes = Buffer.from(whole.bytes);
    bytes[bytes.length >> 1]! ^= 16;
    expect((await site.device().upload({ ...whole, bytes })).body).toMatchObject({
      code: 'FILE_DAMAGED',
      permanent: true,
    });
    const cut = { ...whole, bytes: whole.bytes.subarray(0, whole.bytes.length - 10) };
    expect((await site.device().upload(cut)).body).toMatchObject({ code: 'FILE_DAMAGED', permanent: true });
    const renamed = { ...whole, recordingId: newRecordingId() };
    expect((await site.device().upload(renamed)).body).toMatchObject({ code: 'FILE_DAMAGED', permanent: true });
    expect(await stored()).toEqual([]);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
  });

  it('hide an upload from other devices, and paths in its id', async () => {
    const location = (await site.device().announce(await file({ seconds: 60 }))).headers.location ?? '';
    const other = site.device('hub-2');
    expect((await other.head(location)).status).toBe(410);
    expect((await other.patch(location, 0, Buffer.alloc(9))).body).toMatchObject({ code: 'UPLOAD_GONE' });
    for (const path of ['..%2f..%2fsite.db', '%2e%2e', 'x%00y', '..', 'a/b']) {
      expect((await site.device().head(`/api/v1/device/uploads/${path}`)).status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('quarantine', () => {
  it('holds a file with impossible times until a person decides, and audits the decision', async () => {
    const source = await file({ seconds: 60, startUs: (TEST_NOW + 40 * HOUR_MS) * 1000 });
    const answer = await site.device().upload(source);
    expect(answer.body).toMatchObject({ state: 'QUARANTINED', code: 'IN_FUTURE' });
    const id = String(answer.body.id);
    expect(readFileSync(quarantinePath(site.inboxDir, id)).equals(source.bytes)).toBe(true);
    expect(await stored()).toEqual([]);
    // The device need not send the same file again, and a restart of the site leaves it in quarantine.
    expect((await site.device().announce(source)).headers['outpost-upload-state']).toBe('QUARANTINED');
    const { studyId, subjectId, byUser } = site.study;
    const decision = {
      decidedBy: site.study.userId,
      decisionReason: 'The clock was a year ahead.',
      studyId,
      subjectId,
    };
    await site.store.uploads.move(id, ['QUARANTINED'], { state: 'RECEIVED', ...decision }, byUser);
    await site.restartReceiver();
    await expect.poll(async () => (await stored()).map(({ id }) => id), POLL).toEqual([source.recordingId]);
    expect(existsSync(quarantinePath(site.inboxDir, id))).toBe(false);
  });

  it('holds an overlap with another recording of the sensor, and a sensor that nobody held then', async () => {
    expect((await site.device().upload(await file({ seconds: 600 }))).body.state).toBe('STORED');
    const overlap = await file({ seconds: 600, startUs: (TEST_NOW - 6 * HOUR_MS + 5 * MINUTE_MS) * 1000 });
    expect((await site.device().upload(overlap)).body).toMatchObject({ state: 'QUARANTINED', code: 'OVERLAP' });
    const early = await file({ seconds: 60, startUs: (TEST_NOW - 100 * HOUR_MS) * 1000 });
    expect((await site.device().upload(early)).body).toMatchObject({ state: 'QUARANTINED', code: 'NOT_ASSIGNED' });
  });
});

describe('a clock that is off', () => {
  it('is corrected on every read; the file keeps the times of the sensor', async () => {
    const startUs = (TEST_NOW - 6 * HOUR_MS) * 1000;
    const offsetUs = 90_000_000;
    const syncPoints: [number, number][] = [
      [startUs, startUs + offsetUs],
      [startUs + 3_600_000_000, startUs + offsetUs + 3_600_000_000 + 360_000],
    ];
    const source = { ...(await file({ seconds: 900 })), syncPoints };
    expect((await site.device().upload(source)).body.state).toBe('STORED');
    const [recording] = await stored();
    expect(recording!.startUs).toBe(startUs + offsetUs);
    expect(recording!.stopUs).toBeCloseTo(startUs + offsetUs + 899_996_000 * 1.0001, -2);
    const path = join(site.signalsDir, `${recording!.id}.sig`);
    expect(readFileSync(path).equals(source.bytes)).toBe(true);
    const signals = await openSignalFile(path);
    const slices = await signals.read(0, recording!.startUs, recording!.startUs + 1_000_000);
    expect(slices[0]).toMatchObject({ startUs: startUs + offsetUs, count: 250 });
    expect(slices[0]!.periodUs).toBeCloseTo(4000.4, 4);
    await signals.close();
    expect(await verifySignalFile(path, recording!.sha256)).toMatchObject({
      problems: [],
      startUs: recording!.startUs,
    });
    expect(await site.store.clocks.correctionOf(recording!.id)).toMatchObject({
      sensorStartUs: startUs,
      startOffsetUs: offsetUs,
      leftOut: 0,
    });
    const bytes = readFileSync(clockPath(path), 'utf8');
    writeFileSync(clockPath(path), bytes.replace('1772', '1773'));
    await expect(openSignalFile(path)).rejects.toMatchObject({ code: 'SIGNAL_FILE_DAMAGED' });
  });
});

describe('two jobs of one upload, as after a restart', () => {
  it('check its file one after the other, and the recording has its corrected times', async () => {
    await site.close();
    const held = new HeldCheck({ entry: WORKER_ENTRY });
    site = await openUploadSite({ analyses: false, workers: held });
    const startUs = (TEST_NOW - 6 * HOUR_MS) * 1000;
    const source = { ...(await file()), syncPoints: [[startUs, startUs + 2_000_000]] as [number, number][] };
    const sent = site.device().upload(source);
    await held.begun.promise;
    const [upload] = await site.store.uploads.list({ states: ['RECEIVED'] });
    const second = await site.queue.enqueue('receive', { uploadId: upload!.id, deviceId: upload!.deviceId });
    await expect.poll(async () => (await site.queue.get(second.id))?.state).toBe('running');
    // Enough turns for its handler to reach the check.
    for (let i = 0; i < 50; i++) await new Promise(setImmediate);
    held.held.resolve();
    expect((await sent).body).toMatchObject({ state: 'STORED' });
    expect(await site.queue.whenEnded(second.id)).toMatchObject({ state: 'done', result: { state: 'STORED' } });
    expect(held.mostAtOnce).toBe(1);
    expect((await stored()).map((recording) => recording.startUs)).toEqual([startUs + 2_000_000]);
    await held.close();
  });
});

describe('a full disk', () => {
  it('stops an upload with 507, keeps safe bytes, and resumes once there is room', async (context) => {
    const disk = await smallDisk();
    if (!disk) {
      context.skip();
      return;
    }
    const paths = { data: join(disk.path, 'file.part'), journal: join(disk.path, 'file.journal') };
    try {
      await PartialFile.create(paths);
      const partial = await PartialFile.open(paths);
      const piece = Buffer.alloc(2 << 20, 1);
      const send = (offset: number) => partial.append(toStream(piece), { offset, isComplete: () => true });
      expect(await send(0)).toBe(piece.length);
      disk.fill();
      for (let turn = 0; turn < 3; turn++) {
        await expect(send(piece.length)).rejects.toMatchObject({ code: 'DISK_FULL' });
        expect(partial.offset).toBe(piece.length);
        expect(statSync(paths.data).size).toBe(piece.length);
      }
      disk.free();
      expect(await send(piece.length)).toBe(2 * piece.length);
      await partial.close();
      const again = await PartialFile.open(paths);
      expect(again.offset).toBe(2 * piece.length);
      await again.close();
    } finally {
      await disk.remove();
    }
  });
});
