/** Half an hour of a software strap, recorded in the browser's module and uploaded to a real site over its network listener. */
import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extractEcgFeatures } from '../../../src-server/analytics/heart/index.ts';
import type { SignalPage } from '../../../src-server/signals/types.ts';
import { type SensorSite, startSensorSite } from '../../../src-server/testing/sensor-site.ts';
import { ecgSignal } from '../../../src-server/testing/synthetic-ecg.ts';
import { browserCodec } from './browser-codec.ts';
import { PolarDriver } from './polar/driver.ts';
import { recoverRecordings } from './recording/live-recording.ts';
import { SensorRecorder } from './recording/recorder.ts';
import type { RecordingStore } from './recording-store.ts';
import { openTestStore } from './testing/open-store.ts';
import { PolarStrap, type SentFrame } from './testing/polar-strap.ts';
import { VirtualTime } from './testing/virtual-time.ts';
import { browserTiming } from './timing.ts';
import { sendRecordings } from './upload.ts';

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

let at: SensorSite;
beforeAll(async () => {
  at = await startSensorSite(SERIAL);
});
afterAll(async () => await at?.close());

/** Deterministic noise in [0, 1). */
function noise(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
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
    store = await openTestStore();
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
    const sent = await sendRecordings({ store, call: at.call, timing: browserTiming, chunkBytes: 64 << 10 });
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
    const stored = await Promise.all(recordings.map((id) => at.read(id, channel)));
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
    const stored = await Promise.all(recordings.map((id) => at.read(id, 0)));
    const marks = stored.flatMap((file) => file.marks).map(({ reason }) => reason);
    expect(marks).toEqual(['LOST_BLOCK', 'LINK_LOST', 'LOST_BLOCK', 'SENSOR_RESTART', 'LINK_LOST']);
    const gaps: number[] = [];
    for (const { pages, times } of stored) {
      let next = 0;
      for (const page of pages.slice(0, -1)) {
        next += page.count;
        const stepMs = (times[next]! - times[next - 1]!) / 1000;
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

  /**
   * The data set's own reference is the real strap's RR series, laid on the signal to within 50 ms: it says which beats there are. Where
   * they are to 5 ms only the signal says, before it was cut into frames, lost in part and timed by a drifting clock.
   */
  it('has every heartbeat within 5 ms of where it was, and misses none but those that the gaps cut', async () => {
    const rateHz = 130.34 * (1 + 50e-6);
    const count = Math.floor(30 * 60 * rateHz);
    const sent = Int16Array.from({ length: count }, (_, i) => strap.ecgOf(i));
    const reference = beatsMs([{ channel: 0, startUs: 0, periodUs: 1e6 / rateHz, count, columns: [sent] }]);
    const tenMinutesMs = (ECG_COUNTS.length / rateHz) * 1000;
    const marked = BEATS.map((beat) => (beat / rateHz) * 1000);
    const firstTurn = reference.filter((ms) => ms < tenMinutesMs);
    expect(marked.filter((ms) => distanceMs(firstTurn, ms) < 150).length).toBeGreaterThan(0.99 * marked.length);
    const found: number[] = [];
    const edgesMs: number[] = [];
    for (const id of recordings) {
      const { pages } = await at.read(id, 0);
      found.push(...beatsMs(pages, startMs));
      for (const { startUs, periodUs, count: samples } of pages) {
        edgesMs.push(startUs / 1000 - startMs, (startUs + samples * periodUs) / 1000 - startMs);
      }
    }
    const gaps = edgesMs
      .slice(2)
      .flatMap((ms, i) => (i % 2 === 0 && ms - edgesMs[i + 1]! > 12 ? [[edgesMs[i + 1]!, ms]] : []));
    expect(found.length).toBeGreaterThan(2200);
    expect(found.filter((ms) => distanceMs(reference, ms) > 5)).toEqual([]);
    const recorded = reference.filter(
      (ms) =>
        ms > edgesMs[0]! + 60 &&
        ms < edgesMs.at(-1)! - 60 &&
        !gaps.some(([from, to]) => ms > from! - 60 && ms < to! + 60),
    );
    expect(recorded.filter((ms) => distanceMs(found, ms) > 5)).toEqual([]);
  });
});

const distanceMs = (sortedMs: readonly number[], ms: number): number =>
  sortedMs.reduce((least, at) => Math.min(least, Math.abs(at - ms)), Number.POSITIVE_INFINITY);

/** R peaks as every metric of the site uses them, milliseconds after `originMs`. */
function beatsMs(pages: readonly SignalPage[], originMs = 0): number[] {
  const chunks = pages.map(({ startUs, periodUs, count, columns }) => ({
    startUs,
    periodUs,
    count,
    columns: [Int16Array.from(columns[0]!)],
  }));
  return extractEcgFeatures(ecgSignal(chunks), -1, 1e16).flatMap(({ beats }) =>
    Array.from(beats.timesUs, (us) => us / 1000 - originMs),
  );
}

describe('a page that was killed', () => {
  it('has its recording finished from what was stored, up to the last seconds', async () => {
    const time = new VirtualTime(Date.now() - 3 * MINUTE);
    const strap = new PolarStrap('Polar H10 ABCD1234', time, { ecg: ECG_COUNTS });
    const store = await openTestStore();
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
    expect(await sendRecordings({ store, call: at.call, timing: browserTiming })).toBeNull();
    expect(await store.list()).toEqual([]);
  });
});
