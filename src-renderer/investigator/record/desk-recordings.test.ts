/** Who sees and sends what a desk recorded: through sign-outs, covers, refusals and closed windows. */
import 'fake-indexeddb/auto';
import { deleteDB, type IDBPDatabase, openDB } from 'idb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryStorage, stubPage } from '../../phone/testing/fake-page.ts';
import { RECORDING_STORES } from '../../shared/sensors/idb-recording-store.ts';
import { HeartRateStrap } from '../../shared/sensors/testing/heart-rate-strap.ts';
import { VirtualTime } from '../../shared/sensors/testing/virtual-time.ts';
import type { UploadCall } from '../../shared/sensors/upload.ts';
import { createStore } from '../../shared/store.ts';
import { DeskRecordings } from './desk-recordings.ts';

const NAME = 'desk-test';
const SENSOR = { serial: 'S1', displayName: 'Strap', hardwareId: 'HRM' };
const ANNA = { user: { id: 'anna' }, accessToken: 'a1' };
const BEN = { user: { id: 'ben' }, accessToken: 'b1' };

let database: IDBPDatabase;
let session: ReturnType<typeof createStore<typeof ANNA | null>>;
let opened: DeskRecordings[];
let time: VirtualTime;
/** Announcements that the site has seen: who, and where. */
let announced: { user: string; path: string }[];
let answer: { status: number; code: string; permanent?: boolean } | 'unreachable' | 'ok';
let isKept: boolean;

const call =
  (authorization: () => string): UploadCall =>
  async ({ method, path, headers }) => {
    const user = atob(authorization().replace('Basic ', '')).split(':')[0] ?? '';
    if (answer === 'unreachable') throw new TypeError('unreachable');
    const reply = (status: number, more: Record<string, string>, body: Record<string, unknown> | null) => ({
      status,
      header: (name: string) => more[name] ?? null,
      body,
    });
    if (method === 'GET') return reply(200, {}, { state: 'STORED', storedRecordingId: 'stored' });
    announced.push({ user, path });
    if (answer !== 'ok') return reply(answer.status, {}, { message: 'no', ...answer });
    return reply(201, { location: `/api/v1${path}/u1`, 'upload-offset': headers['upload-length'] ?? '' }, null);
  };

async function open(): Promise<DeskRecordings> {
  database = await openDB(NAME, 1, {
    upgrade(made) {
      for (const { name, keyPath } of RECORDING_STORES) made.createObjectStore(name, { keyPath: keyPath as string });
    },
  });
  const recordings = new DeskRecordings(database, {
    session,
    keepPage: () => {
      isKept = true;
      return () => {
        isKept = false;
      };
    },
    asksBeforeClosing: true,
    timing: time,
    call,
  });
  opened.push(recordings);
  await recordings.begin();
  return recordings;
}

const until = (what: () => unknown) => vi.waitFor(() => expect(what()).toBeTruthy(), { timeout: 3000, interval: 5 });

/** Records for a minute. */
async function record(recordings: DeskRecordings, subjectId = 'sub1'): Promise<void> {
  const strap = new HeartRateStrap('Strap S1', time, () => 840);
  await recordings.start(strap, SENSOR, { studyId: 'study', subjectId });
  await time.advanceTo(time.monotonicMs() + 60_000);
}

async function finish(recordings: DeskRecordings): Promise<void> {
  const stopped = recordings.stop('S1');
  await time.advanceTo(time.monotonicMs() + 10_000);
  await stopped;
}

beforeEach(() => {
  stubPage(new MemoryStorage());
  session = createStore<typeof ANNA | null>(ANNA);
  opened = [];
  announced = [];
  answer = 'ok';
  isKept = false;
  time = new VirtualTime(Date.UTC(2026, 3, 1, 9));
});
afterEach(async () => {
  for (const recordings of opened) await recordings.close();
  await deleteDB(NAME);
  vi.unstubAllGlobals();
});

it('sends a finished recording for its subject in the name of its user, and keeps nothing of it', async () => {
  const recordings = await open();
  await record(recordings);
  expect(recordings.state.get().live).toMatchObject([{ serial: 'S1', place: { userId: 'anna', subjectId: 'sub1' } }]);
  expect(isKept).toBe(true);
  await finish(recordings);
  expect(announced).toEqual([{ user: 'anna', path: '/studies/study/subjects/sub1/uploads' }]);
  expect(recordings.state.get()).toMatchObject({ live: [], waiting: [], delivered: [{ storedRecordingId: 'stored' }] });
  expect(isKept).toBe(false);
  expect(await database.count('frames')).toBe(0);
});

it('ends with a sign-out, and is neither seen nor sent by another user', async () => {
  const recordings = await open();
  await record(recordings);
  session.set(null);
  await time.advanceTo(time.monotonicMs() + 10_000);
  await until(() => !isKept);
  expect(announced).toEqual([]);
  session.set(BEN);
  await recordings.send();
  expect(recordings.state.get()).toMatchObject({ live: [], waiting: [], delivered: [] });
  expect(announced).toEqual([]);
  session.set(ANNA);
  await until(() => recordings.state.get().delivered.length === 1);
  expect(announced).toEqual([{ user: 'anna', path: '/studies/study/subjects/sub1/uploads' }]);
});

it('continues behind the cover of an ended session, and is sent after the sign-in', async () => {
  const recordings = await open();
  await record(recordings);
  session.set({ ...ANNA, accessToken: '' });
  await time.advanceTo(time.monotonicMs() + 60_000);
  expect(recordings.state.get().live[0]?.status.phase).toBe('RECORDING');
  await finish(recordings);
  expect(announced).toEqual([]);
  expect(recordings.state.get().waiting).toHaveLength(1);
  session.set({ ...ANNA, accessToken: 'a2' });
  await until(() => recordings.state.get().delivered.length === 1);
});

it('finishes what a closed window left growing, and says so', async () => {
  const before = await open();
  await record(before);
  // A killed page runs no code of its own: its store is there, its timers are not.
  database.close();
  answer = 'unreachable';
  await before.close().catch(() => undefined);
  const recordings = await open();
  const [row] = recordings.state.get().waiting;
  expect(row).toMatchObject({ state: 'FINISHED', serial: 'S1' });
  expect(recordings.state.get().recoveredIds).toEqual([row?.recordingId]);
});

it('says why it waits: an unreachable site stops a round, a lost right does not', async () => {
  answer = 'unreachable';
  const recordings = await open();
  await record(recordings);
  await finish(recordings);
  await record(recordings, 'sub2');
  await finish(recordings);
  const [first, second] = recordings.state.get().waiting.map(({ recordingId }) => recordingId);
  expect(recordings.state.get().delays).toEqual({ [first!]: 'UNREACHABLE' });
  answer = { status: 403, code: 'FORBIDDEN' };
  await recordings.send();
  expect(recordings.state.get().delays).toEqual({ [first!]: 'FORBIDDEN', [second!]: 'FORBIDDEN' });
  expect(recordings.state.get().waiting).toHaveLength(2);
});

it('keeps what the site refuses, until somebody sends it again or deletes it', async () => {
  answer = { status: 403, code: 'SENSOR_NOT_SERVED', permanent: true };
  const recordings = await open();
  await record(recordings);
  await finish(recordings);
  await record(recordings);
  await finish(recordings);
  const [first, second] = recordings.state.get().waiting;
  expect([first, second]).toMatchObject([{ state: 'REFUSED', code: 'SENSOR_NOT_SERVED' }, { state: 'REFUSED' }]);
  const before = announced.length;
  await recordings.send();
  expect(announced).toHaveLength(before);
  answer = 'ok';
  await recordings.retry(first!.recordingId);
  await recordings.remove(second!.recordingId);
  expect(recordings.state.get()).toMatchObject({
    waiting: [],
    delivered: [{ row: { recordingId: first!.recordingId } }],
  });
  expect(await database.count('recordings')).toBe(0);
});

it('removes what is of an erased person', async () => {
  answer = { status: 403, code: 'SUBJECT_ERASED' };
  const recordings = await open();
  await record(recordings);
  await finish(recordings);
  expect(await database.count('recordings')).toBe(0);
  expect(recordings.state.get().delivered).toEqual([]);
});
