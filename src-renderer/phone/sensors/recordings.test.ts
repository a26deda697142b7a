/** Recordings among what waits on the phone: sent by the rounds of the model, refused, removed, wiped. */
import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { browserCodec } from '../../shared/sensors/browser-codec.ts';
import { HeartRateDriver } from '../../shared/sensors/heart-rate/driver.ts';
import { idbRecordingStore } from '../../shared/sensors/idb-recording-store.ts';
import { OWNER_GONE } from '../../shared/sensors/problem.ts';
import { SensorRecorder } from '../../shared/sensors/recording/recorder.ts';
import { HeartRateStrap } from '../../shared/sensors/testing/heart-rate-strap.ts';
import { VirtualTime } from '../../shared/sensors/testing/virtual-time.ts';
import type { UploadCall } from '../../shared/sensors/upload.ts';
import { StoredPhoneModel } from '../core/phone-model.ts';
import { type Database, deleteDatabase, openDatabase } from '../store/database.ts';
import type { Session } from '../store/records.ts';
import { MemoryStorage, stubPage } from '../testing/fake-page.ts';
import { FakeSite } from '../testing/fake-site.ts';
import { SensorHost } from './host.ts';
import { ownerOf } from './owner.ts';

const SENSOR = { serial: 'S1', displayName: 'Heart strap', hardwareId: 'HRM', location: 'MEDIAL_CHEST', side: 'NONE' };

let site: FakeSite;
let models: StoredPhoneModel[];
let database: Database;
/** Uploads that the site has, in the order in which they were completed. */
let delivered: string[];
let refusal: { code: string } | undefined;
let isReachable: boolean;

/** The uploads of a site: it takes everything, or refuses the announcement permanently. */
const uploadCall = (): UploadCall => {
  const known = new Map<string, { id: string; size: number; offset: number }>();
  return async ({ method, path, headers, body }) => {
    if (!isReachable) throw new TypeError('unreachable');
    const answer = (status: number, more: Record<string, string>, json: Record<string, unknown> | null = null) => ({
      status,
      header: (name: string) => more[name] ?? null,
      body: json,
    });
    if (method === 'POST') {
      if (refusal) return answer(403, {}, { ...refusal, permanent: true, message: 'no' });
      const [, encoded = ''] = /recordingId (\S+?)(,|$)/.exec(headers['upload-metadata'] ?? '') ?? [];
      const id = atob(encoded);
      if (!known.has(id)) known.set(id, { id, size: Number(headers['upload-length']), offset: 0 });
      return answer(201, { location: `/api/v1/device/uploads/${id}`, 'upload-offset': String(known.get(id)?.offset) });
    }
    const upload = known.get(path.split('/').at(-1) ?? '')!;
    if (method === 'PATCH') {
      upload.offset += body?.size ?? 0;
      return answer(204, { 'upload-offset': String(upload.offset) });
    }
    if (upload.offset === upload.size) delivered.push(upload.id);
    return answer(200, {}, { state: 'STORED' });
  };
};

async function open(): Promise<StoredPhoneModel> {
  const model = new StoredPhoneModel({
    calls: site.client,
    worker: {
      isTrusted: true,
      isReady: true,
      updateWaits: false,
      applyUpdate: () => undefined,
    },
    installOffer: { canInstall: false, install: async () => undefined },
    version: '1',
    uploadCall,
    onGone: () => undefined,
  });
  models.push(model);
  await model.start();
  return model;
}

beforeEach(async () => {
  models = [];
  delivered = [];
  refusal = undefined;
  isReachable = true;
  stubPage(new MemoryStorage());
  site = new FakeSite();
  site.sensors = [{ ...SENSOR, heldSinceTs: 0 } as FakeSite['sensors'][number]];
  database = await openDatabase();
});
afterEach(async () => {
  for (const model of models) model.close();
  database.close();
  await deleteDatabase();
  vi.unstubAllGlobals();
});

const until = (what: () => unknown) => vi.waitFor(() => expect(what()).toBeTruthy(), { timeout: 3000, interval: 5 });
const counts = async () =>
  await Promise.all((['recordings', 'frames', 'pages'] as const).map((name) => database.count(name)));

function recorderOf(session: Session) {
  const time = new VirtualTime(Date.UTC(2026, 3, 1, 9));
  const store = idbRecordingStore(database, ownerOf(session));
  const recorder = new SensorRecorder({
    device: new HeartRateStrap('HRM 1', time, () => 840),
    driver: new HeartRateDriver(),
    sensor: { ...SENSOR, physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE' }, sensorConfig: {} },
    store,
    codec: browserCodec,
    timing: time,
    newId: randomUUID,
  });
  return { time, store, recorder };
}

const sessionOf = async () => (await database.get('state', 'session')) as Session;

/** Records for a minute, without any model knowing of it. */
async function recorded(): Promise<string> {
  const { time, recorder } = recorderOf(await sessionOf());
  recorder.start();
  await time.advanceTo(60_000);
  const id = recorder.recordingId!;
  const stopped = recorder.stop();
  await time.advanceTo(70_000);
  await stopped;
  return id;
}

async function signedIn(): Promise<StoredPhoneModel> {
  const model = await open();
  await model.actions.signIn({ token: 'ABCDEFGHIJKLMNOPQRST' });
  return model;
}

it('shows a recording among what waits, and sends it after the next round although no screen of it is open', async () => {
  let model = await signedIn();
  isReachable = false;
  const id = await recorded();
  await model.actions.syncNow();
  model.close();
  model = await open();
  await until(() => model.snapshot().connection.state === 'ONLINE');
  const [item] = model.snapshot().waiting;
  expect(item).toMatchObject({
    id,
    kind: 'RECORDING',
    title: 'Heart strap',
    serial: 'S1',
    state: 'WAITING',
    sentBytes: 0,
  });
  expect(item?.totalBytes).toBeGreaterThan(100);
  expect(item?.createdTs).toBeGreaterThan(Date.UTC(2026, 3, 1, 9) + 50_000);
  isReachable = true;
  dispatchEvent(new Event('online'));
  await until(() => model.snapshot().waiting.length === 0);
  expect(delivered).toEqual([id]);
  expect(await counts()).toEqual([0, 0, 0]);
});

it('finishes what a killed page left, also while the site is away', async () => {
  const model = await signedIn();
  model.close();
  const { time, recorder } = recorderOf(await sessionOf());
  recorder.start();
  await time.advanceTo(30_000);
  site.nextFault = () => 'BEFORE';
  const again = await open();
  await until(() => again.snapshot().waiting[0]?.state === 'WAITING');
  expect(again.snapshot().waiting[0]?.totalBytes).toBeGreaterThan(100);
});

it('tells why the site refused one permanently, sends it again on request, and removes it', async () => {
  const model = await signedIn();
  refusal = { code: 'SENSOR_UNASSIGNED' };
  const id = await recorded();
  await model.actions.recordingsChanged();
  const refused = () => model.snapshot().waiting.find(({ state }) => state === 'REFUSED');
  await until(refused);
  expect(refused()).toMatchObject({ id, kind: 'RECORDING', code: 'SENSOR_UNASSIGNED' });
  await model.actions.sendAgain(id);
  await until(refused);
  await model.actions.removeRefused(id);
  expect(model.snapshot().waiting).toEqual([]);
  expect(await counts()).toEqual([0, 0, 0]);

  const second = await recorded();
  refusal = undefined;
  await expect(model.actions.removeRefused(second)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await model.actions.recordingsChanged();
  await until(() => delivered.includes(second));
});

it('ends a recorder with the sign-in that it began in: not a byte is written after a wipe', async () => {
  const model = await signedIn();
  const session = await sessionOf();
  const early = recorderOf(session);
  const late = recorderOf(session);
  late.recorder.start();
  await late.time.advanceTo(10_000);
  early.recorder.start();
  // Connected, with frames in memory alone: its first write is due after 3 s.
  await early.time.advanceTo(2500);
  expect(early.recorder.recordingId).not.toBeNull();
  await model.actions.signOut();
  expect(model.snapshot()).toMatchObject({ phase: 'WIPED', wipedUnsent: 1 });
  await model.actions.signIn({ token: 'SOMEBODYELSE' });
  await early.time.advanceTo(10_000);
  await late.time.advanceTo(20_000);
  expect([early.recorder.status.phase, late.recorder.status.phase]).toEqual(['STOPPED', 'STOPPED']);
  expect(await counts()).toEqual([0, 0, 0]);
  await expect(early.store.create({ recordingId: 'late' } as never)).rejects.toMatchObject({ code: OWNER_GONE });
  await expect(early.store.update('late', { state: 'FINISHED' })).rejects.toMatchObject({ code: OWNER_GONE });
  expect(await counts()).toEqual([0, 0, 0]);
});

it('stops what the page records when the phone is wiped, and counts what was not sent', async () => {
  const model = await signedIn();
  const time = new VirtualTime(Date.now());
  const host = new SensorHost(model, await openDatabase(), time);
  isReachable = false;
  await host.start(new HeartRateStrap('HRM S1', time, () => 840), 'S1');
  await time.advanceTo(10_000);
  await until(() => model.snapshot().waiting[0]?.state === 'RECORDING');
  site.nextFault = () => ({ status: 401, code: 'DEVICE_REVOKED' });
  await model.actions.syncNow();
  expect(model.snapshot()).toMatchObject({ phase: 'WIPED', wipedUnsent: 1, waiting: [] });
  await time.advanceTo(20_000);
  await until(() => host.state.get().live.length === 0);
  expect(await counts()).toEqual([0, 0, 0]);
});
