/** Half an hour of a software strap, recorded in the browser's module and uploaded to a real site over its network listener. */
import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openDB } from 'idb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectQrs } from '../../../src-server/analytics/heart/detect.ts';
import { ecgBlocks, timeOf } from '../../../src-server/analytics/heart/segments.ts';
import { openSignalFile, sampleTimesUs } from '../../../src-server/signals/index.ts';
import type { SignalMark, SignalPage } from '../../../src-server/signals/types.ts';
import { Connection } from '../../../src-server/simulator/device/connection.ts';
import { startTestLanSite, type TestLanSite } from '../../../src-server/testing/test-lan-site.ts';
import { browserCodec } from './browser-codec.ts';
import { idbRecordingStore, RECORDING_STORES } from './idb-recording-store.ts';
import { PolarDriver } from './polar/driver.ts';
import { recoverRecordings } from './recording/live-recording.ts';
import { SensorRecorder } from './recording/recorder.ts';
import type { RecordingStore } from './recording-store.ts';
import { PolarStrap, type SentFrame } from './testing/polar-strap.ts';
import { VirtualTime } from './testing/virtual-time.ts';
import { browserTiming } from './timing.ts';
import { sendRecordings, type UploadCall } from './upload.ts';

const SERIAL = 'H10-ABCD1234';
const MINUTE = 60_000;
const ECG = 0;
const ACC = 2;
const DATA = '../../../../shared/data/ecg';
const BEATS = (
  JSON.parse(readFileSync(join(import.meta.dirname, `${DATA}/polar-h10.json`), 'utf8')) as { beats: number[] }
).beats;
const ECG_COUNTS = new Int16Array(
  new Uint8Array(gunzipSync(readFileSync(join(import.meta.dirname, `${DATA}/polar-h10.i16.gz`)))).buffer,
);

let site: TestLanSite;
let phone: Connection;
beforeAll(async () => {
  site = await startTestLanSite();
  const { store } = site.site.folder;
  const { accountId, studyId, userId, subjectIds } = site.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  const subjectId = subjectIds[0] ?? '';
  await store.equipment.register({ accountId, id: SERIAL, type: 'SENSOR' }, change);
  await store.equipment.assign(SERIAL, { studyId, subjectId, atTs: Date.now() - 24 * 60 * MINUTE }, change);
  const { token } = await site.client.call('createSubjectToken', { params: { studyId, subjectId } });
  const calls = new Connection({ urls: [site.lanUrl], pins: [site.site.lan.fingerprint ?? ''] });
  const signedIn = await calls.json<{ token: string }>('/phone/sign-in', { token, phoneId: randomUUID() });
  calls.close();
  phone = new Connection({ urls: [site.lanUrl], pins: [site.site.lan.fingerprint ?? ''], token: signedIn.token });
  await phone.json('/device/status');
});
afterAll(async () => {
  phone?.close();
  await site?.close();
});

async function openStore(name: string): Promise<RecordingStore> {
  const database = await openDB(name, 1, {
    upgrade: (opened) => {
      for (const { name: store, keyPath } of RECORDING_STORES) {
        opened.createObjectStore(store, { keyPath: keyPath as string | string[] });
      }
    },
  });
  return idbRecordingStore(database);
}

const call: UploadCall = async ({ method, path, headers, body }) => {
  const bytes = body && new Uint8Array(await body.arrayBuffer());
  const answer = await phone.send({ method, path, headers, ...(bytes && { bytes }) });
  return {
    status: answer.status,
    header: (name) => answer.headers[name] ?? null,
    body: (answer.body as Record<string, unknown> | undefined) ?? null,
  };
};

/** Deterministic noise in [0, 1). */
function noise(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Stored {
  pages: SignalPage[];
  times: number[];
  counts: number[][];
}

async function readStored(recordingId: string, channel: number): Promise<Stored & { marks: SignalMark[] }> {
  const file = await openSignalFile(join(site.site.folder.signalsDir, `${recordingId}.sig`));
  const pages = [...file.pages(channel)].map((page) => ({ ...page, columns: page.columns.map((c) => c.slice()) }));
  const marks = (await file.marks()).filter((mark) => mark.channel === channel);
  await file.close();
  return {
    pages,
    marks,
    times: pages.flatMap((page) => [...sampleTimesUs(page)]),
    counts: pages.flatMap((page) => Array.from({ length: page.count }, (_, i) => page.columns.map((c) => c[i]!))),
  };
}

describe('half an hour of a strap that fails in every way', () => {
  const startMs = Date.now() - 31 * MINUTE;
  const time = new VirtualTime(startMs);
  const random = noise();
  let strap: PolarStrap;
  let store: RecordingStore;
  let delivered: (stream: number) => SentFrame[];
  let recordings: string[];
  const RESTART_MS = 16 * MINUTE;

  beforeAll(async () => {
    strap = new PolarStrap('Polar H10 ABCD1234', time, {
      ecg: ECG_COUNTS,
      driftPpm: 50,
      // A floor of 2 ms, mostly some 40 ms more, now and then nearly a second.
      delayMs: () => 2 - 40 * Math.log(1 - random()) + (random() < 0.01 ? 800 * random() : 0),
      fate: (stream, number) => {
        if (stream !== ECG) return number % 500 === 250 ? 'DROP' : 'SEND';
        if (number === 200 || (number >= 1000 && number < 1003)) return 'DROP';
        if (number === 500) return 'TWICE';
        return number === 700 ? 'AFTER_NEXT' : 'SEND';
      },
    });
    store = await openStore('half-an-hour');
    const recorder = new SensorRecorder({
      device: strap,
      driver: new PolarDriver(),
      sensor: {
        serial: SERIAL,
        displayName: 'Strap',
        hardwareId: 'Polar H10',
        physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
        sensorConfig: { sensingType: 'MPU_ANALOG' },
      },
      store,
      codec: browserCodec,
      timing: time,
      newId: randomUUID,
    });
    recorder.start();
    await time.advanceTo(9 * MINUTE);
    strap.isReachable = false;
    strap.drop();
    await time.advanceTo(9 * MINUTE + 20_000);
    strap.isReachable = true;
    await time.advanceTo(RESTART_MS);
    strap.restart();
    await time.advanceTo(22 * MINUTE);
    strap.isDeaf = true;
    await time.advanceTo(22 * MINUTE + 15_000);
    strap.isDeaf = false;
    await time.advanceTo(30 * MINUTE);
    const stopped = recorder.stop();
    await time.advanceTo(30 * MINUTE + 10_000);
    await stopped;
    delivered = (stream) =>
      strap.sent
        .filter((frame) => frame.stream === stream && frame.fate === 'DELIVERED')
        .sort((a, b) => a.first - b.first);
    recordings = (await store.list()).map(({ recordingId }) => recordingId);
    expect(recorder.status).toMatchObject({ phase: 'STOPPED', batteryPercent: 100, unreadableFrames: 0 });
    const sent = await sendRecordings({ store, call, timing: browserTiming, chunkBytes: 64 << 10 });
    expect(sent).toBeNull();
  }, 180_000);

  it('speaks to the strap with the bytes of the capture', () => {
    expect(strap.commands.slice(0, 4)).toEqual([
      '01 00',
      '02 00 00 01 82 00 01 01 0e 00',
      '01 02',
      '02 02 00 01 32 00 01 01 10 00 02 01 08 00',
    ]);
    expect(strap.commands.slice(-2)).toEqual(['03 00', '03 02']);
  });

  it('leaves nothing on the phone once the site has it, in two files around the restart of the clock', async () => {
    expect(await store.list()).toEqual([]);
    expect(recordings).toHaveLength(2);
    for (const recordingId of recordings) {
      expect(await store.frames(recordingId)).toEqual([]);
      expect(await store.blocks(recordingId)).toEqual([]);
    }
  });

  it.each([
    ['electrocardiogram', ECG, 0],
    ['acceleration', ACC, 1],
  ] as const)('stores at the site exactly the samples of the %s that arrived', async (_name, stream, channel) => {
    const stored = await Promise.all(recordings.map((id) => readStored(id, channel)));
    const counts = stored.flatMap((file) => file.counts);
    const samples = delivered(stream).flatMap(({ first, count }) => Array.from({ length: count }, (_, i) => first + i));
    expect(samples.length).toBeGreaterThan(28.5 * 60 * (stream === ECG ? 130 : 51));
    expect(counts).toEqual(samples.map((i) => (stream === ECG ? [strap.ecgOf(i)] : strap.accOf(i))));
    const times = stored.flatMap((file) => file.times);
    const errorsMs = times.map((us, i) => us / 1000 - startMs - strap.sampleTimeMs(stream, samples[i]!));
    const worstMs = errorsMs.reduce((worst, ms) => (Math.abs(ms) > Math.abs(worst) ? ms : worst), 0);
    expect(Math.abs(worstMs)).toBeLessThan(5);
  });

  it('ends pages where samples are missing, and nowhere else, and says why', async () => {
    const stored = await Promise.all(recordings.map((id) => readStored(id, 0)));
    const marks = stored.flatMap((file) => file.marks).map(({ reason }) => reason);
    expect(marks).toEqual(['LOST_BLOCK', 'LINK_LOST', 'LOST_BLOCK', 'SENSOR_RESTART', 'LINK_LOST']);
    const gaps: number[] = [];
    for (const { pages, times } of stored) {
      let at = 0;
      for (const page of pages.slice(0, -1)) {
        at += page.count;
        const stepMs = (times[at]! - times[at - 1]!) / 1000;
        if (stepMs > 12) gaps.push(stepMs);
      }
    }
    const frames = delivered(ECG);
    const missing = frames
      .slice(1)
      .map((frame, i) => ({ samples: frame.first - (frames[i]!.first + frames[i]!.count), at: frame.first }))
      .filter(({ samples }) => samples > 0)
      .map(({ samples, at }) => ({ ms: ((samples + 1) * 1000) / 130.34, atMs: strap.sampleTimeMs(ECG, at) }));
    // The one of the restart lies between the two files.
    const inside = missing.filter(({ atMs }) => atMs < RESTART_MS || atMs > RESTART_MS + 30_000);
    expect(gaps).toHaveLength(inside.length);
    gaps.forEach((ms, i) => {
      expect(Math.abs(ms - inside[i]!.ms)).toBeLessThan(10);
    });
  });

  it('has the heartbeats within 5 ms of where they were', async () => {
    const truth = { columns: Float32Array.from(ECG_COUNTS), rateHz: 130.34 };
    const reference = beatsOf(
      [{ startUs: 0, periodUs: 1e6 / truth.rateHz, columns: [ECG_COUNTS], count: ECG_COUNTS.length }],
      0,
      (ECG_COUNTS.length / truth.rateHz) * 1e6,
    ).map((us) => (us / 1e6) * truth.rateHz);
    // The detector's beats are those of the data set.
    const found = BEATS.filter((beat) => reference.some((at) => Math.abs(at - beat) < 0.15 * 130));
    expect(found.length / BEATS.length).toBeGreaterThan(0.99);
    const errorsMs: number[] = [];
    for (const id of recordings) {
      const { pages } = await readStored(id, 0);
      const chunks = pages.map(({ startUs, periodUs, count, columns }) => ({
        startUs,
        periodUs,
        count,
        columns: [Int16Array.from(columns[0]!)],
      }));
      for (const us of beatsOf(chunks, chunks[0]!.startUs, chunks.at(-1)!.startUs + 70e6)) {
        // In which turn of the repeated ten minutes, and where in it.
        const sample = (us / 1000 - startMs) / (1000 / (130.34 * (1 + 50e-6)));
        const turn = Math.floor(sample / ECG_COUNTS.length) * ECG_COUNTS.length;
        const nearest = reference.reduce(
          (best, at) => (Math.abs(at + turn - sample) < Math.abs(best - sample) ? at + turn : best),
          Number.POSITIVE_INFINITY,
        );
        errorsMs.push(((sample - nearest) * 1000) / 130.34);
      }
    }
    expect(errorsMs.length).toBeGreaterThan(2200);
    const within = errorsMs.filter((ms) => Math.abs(ms) <= 5).length / errorsMs.length;
    expect(within).toBeGreaterThan(0.99);
  });
});

function beatsOf(
  chunks: { startUs: number; periodUs: number; columns: Int16Array[]; count: number }[],
  startUs: number,
  stopUs: number,
): number[] {
  const input = { chunks } as unknown as Parameters<typeof ecgBlocks>[0];
  const beats: number[] = [];
  for (const block of ecgBlocks(input, startUs, stopUs)) {
    for (const position of detectQrs(block).positions) {
      const us = timeOf(block, position);
      if (beats.length === 0 || us - beats.at(-1)! > 150_000) beats.push(us);
    }
  }
  return beats;
}

describe('a page that was killed', () => {
  it('has its recording finished from what was stored, up to the last seconds', async () => {
    const time = new VirtualTime(Date.now() - 3 * MINUTE);
    const strap = new PolarStrap('Polar H10 ABCD1234', time, { ecg: ECG_COUNTS });
    const store = await openStore('killed');
    const recorder = new SensorRecorder({
      device: strap,
      driver: new PolarDriver(),
      sensor: {
        serial: SERIAL,
        displayName: 'Strap',
        hardwareId: 'Polar H10',
        physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
        sensorConfig: {},
      },
      store,
      codec: browserCodec,
      timing: time,
      newId: randomUUID,
    });
    recorder.start();
    await time.advanceTo(2 * MINUTE);
    // From here on, nothing of the page runs.
    await recoverRecordings(store, browserCodec);
    const [row] = await store.list();
    expect(row?.state).toBe('FINISHED');
    expect((row!.file!.stopUs - row!.file!.startUs) / 1e6).toBeGreaterThan(112);
    expect(await sendRecordings({ store, call, timing: browserTiming })).toBeNull();
    expect(await store.list()).toEqual([]);
  });
});
