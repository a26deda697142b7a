/** Movesense, straps of Polar that refuse, and what goes wrong; the files are read by the reader of the site. */
import 'fake-indexeddb/auto';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { sampleTimesUs } from '../../../src-server/signals/index.ts';
import { fileOfOnly, filesOf, recordSensor } from '../../../src-server/testing/sensor-recording.ts';
import { temporaryFolder } from '../../../src-server/testing/signal-fixtures.ts';
import { DEVICE_REQUEST } from './bluetooth/gatt.ts';
import { browserCodec } from './browser-codec.ts';
import type { SensorDriver } from './driver.ts';
import { HeartRateDriver } from './heart-rate/driver.ts';
import { MovesenseDriver } from './movesense/driver.ts';
import { PolarDriver } from './polar/driver.ts';
import { SensorProblem } from './problem.ts';
import { fakeBluetooth } from './testing/fake-device.ts';
import { HeartRateStrap } from './testing/heart-rate-strap.ts';
import { FakeMovesense } from './testing/movesense.ts';
import { openTestStore } from './testing/open-store.ts';
import { PolarStrap } from './testing/polar-strap.ts';
import { VirtualTime } from './testing/virtual-time.ts';
import { sendRecordings, type UploadCall } from './upload.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const MINUTE = 60_000;
const START_MS = Date.UTC(2026, 3, 1, 9);

describe('a Movesense', () => {
  it('is recorded over the wrap of its 32-bit clock without a gap', async () => {
    const time = new VirtualTime(START_MS);
    const sensor = new FakeMovesense('Movesense 123', time, 2 ** 32 - 90_000);
    const store = await openTestStore();
    const { stop } = recordSensor(sensor, new MovesenseDriver(), store, time);
    await time.advanceTo(4 * MINUTE);
    await stop();
    const { pages, marks } = await fileOfOnly(store, folder.path);
    const samples = sensor.sent.filter(({ reference }) => reference === 1).reduce((sum, { count }) => sum + count, 0);
    const counts = pages.flatMap(({ columns }) => [...columns[0]!]);
    expect(samples).toBeGreaterThan(200 * 235);
    expect(counts).toEqual(Array.from({ length: samples }, (_, i) => sensor.ecgOf(i)));
    expect(marks).toEqual([]);
    const times = pages.flatMap((page) => [...sampleTimesUs(page)]);
    const stepsMs = times.slice(1).map((us, i) => (us - times[i]!) / 1000);
    expect(Math.min(...stepsMs.slice(0, 40_000))).toBeGreaterThan(4.5);
    expect(Math.max(...stepsMs.slice(0, 40_000))).toBeLessThan(5.5);
  });
});

describe('a Polar strap', () => {
  const ecg = Int16Array.from({ length: 1000 }, (_, i) => Math.round(500 * Math.sin(i / 9)));

  it('over a link that carries too few bytes is refused with a sentence, again and again, and records once it carries more', async () => {
    const time = new VirtualTime(START_MS);
    const options = { ecg, mtu: 23 };
    const strap = new PolarStrap('Polar H10 A', time, options);
    const store = await openTestStore();
    const { statuses, stop } = recordSensor(strap, new PolarDriver(), store, time);
    await time.advanceTo(MINUTE);
    expect(statuses.some(({ problem }) => problem?.code === 'POLAR_STATUS_10')).toBe(true);
    expect(strap.connections).toBeGreaterThan(3);
    options.mtu = 100;
    await time.advanceTo(4 * MINUTE);
    expect(statuses.at(-1)).toMatchObject({ phase: 'RECORDING', problem: undefined });
    await stop();
    // Frames are shorter then: their length is read, not assumed.
    expect((await fileOfOnly(store, folder.path)).pages[0]!.count).toBeGreaterThan(1000);
  });

  it('that another program holds is tried for as long as it takes', async () => {
    const time = new VirtualTime(START_MS);
    const strap = new PolarStrap('Polar H10 A', time, { ecg });
    strap.isReachable = false;
    const store = await openTestStore();
    const { recorder, stop } = recordSensor(strap, new PolarDriver(), store, time);
    await time.advanceTo(120 * MINUTE);
    expect(recorder.status).toMatchObject({ phase: 'RECONNECTING', problem: { code: 'CONNECT_FAILED' } });
    strap.isReachable = true;
    await time.advanceTo(121 * MINUTE);
    expect(recorder.status.phase).toBe('RECORDING');
    await stop();
    expect(await store.list()).toHaveLength(1);
  });

  it('without skin contact records nothing, and leaves nothing behind', async () => {
    const time = new VirtualTime(START_MS);
    const strap = new PolarStrap('Polar H10 A', time, { ecg });
    strap.hasContact = false;
    const store = await openTestStore();
    const { recorder, stop } = recordSensor(strap, new PolarDriver(), store, time);
    await time.advanceTo(2 * MINUTE);
    expect(recorder.status.silentSinceMs ?? recorder.status.recordedMs).toBe(0);
    await stop();
    expect(await store.list()).toEqual([]);
  });

  it('is cut into files of half an hour that join without a sample lost or doubled', async () => {
    const time = new VirtualTime(START_MS);
    const strap = new PolarStrap('Polar H10 A', time, { ecg });
    const store = await openTestStore();
    const { stop } = recordSensor(strap, new PolarDriver(), store, time);
    await time.advanceTo(70 * MINUTE);
    await stop();
    const rows = await store.list();
    expect(rows).toHaveLength(3);
    const counts: number[] = [];
    for (const { recordingId } of rows) {
      for (const { bytes } of await store.blocks(recordingId)) {
        const head = browserCodec.readBlockHead(bytes, 0)!;
        const page = head.kind === 1 && head.channel === 0 && browserCodec.decodePage(head, bytes.subarray(64), 1, 32);
        if (page) counts.push(...page.columns[0]!);
      }
    }
    const sent = strap.sent.filter(({ stream, fate }) => stream === 0 && fate === 'DELIVERED');
    expect(counts).toEqual(
      sent.flatMap(({ first, count }) => Array.from({ length: count }, (_, i) => strap.ecgOf(first + i))),
    );
    for (let i = 1; i < rows.length; i++) {
      const stepUs = rows[i]!.file!.startUs - rows[i - 1]!.file!.stopUs;
      // The channels do not end together; the site bears an overlap of 2 s.
      expect(stepUs).toBeGreaterThan(-800_000);
      expect(stepUs).toBeLessThan(600_000);
    }
  });

  it('keeps what arrives while the store is full, and stores it once there is room', async () => {
    const time = new VirtualTime(START_MS);
    const strap = new PolarStrap('Polar H10 A', time, { ecg });
    const store = await openTestStore();
    const full = vi.spyOn(store, 'addFrames').mockRejectedValue(new DOMException('Full', 'QuotaExceededError'));
    const { recorder, stop } = recordSensor(strap, new PolarDriver(), store, time);
    await time.advanceTo(MINUTE);
    expect(recorder.status.problem).toEqual({ code: 'STORE_FULL' });
    full.mockRestore();
    await time.advanceTo(2 * MINUTE);
    expect(recorder.status.problem).toBeUndefined();
    await stop();
    const frames = strap.sent.filter(({ stream, fate }) => stream === 0 && fate === 'DELIVERED');
    const stored = (await fileOfOnly(store, folder.path)).pages.reduce((sum, { count }) => sum + count, 0);
    expect(stored).toBe(frames.reduce((sum, { count }) => sum + count, 0));
  });
});

describe('the clock of the phone or computer', () => {
  const HOUR = 60 * MINUTE;
  const ecg = [1, 2, 3];
  const heart = () => 840;

  it.each([5 * HOUR, -5 * HOUR])('set by %i ms in mid-recording moves no file', async (setByMs) => {
    const time = new VirtualTime(START_MS);
    const strap = new PolarStrap('Polar H10 A', time, { ecg });
    const store = await openTestStore();
    const { stop } = recordSensor(strap, new PolarDriver(), store, time, {}, () => -time.wallShiftMs);
    await time.advanceTo(10 * MINUTE);
    time.wallShiftMs = setByMs;
    await time.advanceTo(45 * MINUTE);
    await stop();
    const files = (await filesOf(store, folder.path)).map((file) => ({
      ...file,
      trueMs: file.row.file!.startUs / 1000 + file.row.clockOffsetMs! - START_MS,
    }));
    files.sort((a, b) => a.trueMs - b.trueMs);
    expect(files.map(({ row }) => row.clockOffsetMs)).toEqual([0, -setByMs, -setByMs]);
    const fromMinutes = files.map(({ trueMs }) => Math.round(trueMs / MINUTE));
    expect(fromMinutes).toEqual([0, 10, 40]);
    // No more than the frame in which it was noticed.
    const sent = strap.sent.filter(({ stream, fate }) => stream === 0 && fate === 'DELIVERED');
    const stored = files.flatMap(({ pages }) => pages).reduce((sum, { count }) => sum + count, 0);
    expect(stored).toBe(sent.reduce((sum, { count }) => sum + count, 0));
    expect(files[0]!.marks.filter(({ channel }) => channel === 0).map(({ reason }) => reason)).toEqual(['LOST_BLOCK']);
  });

  it('corrected by less begins no new file, and later files allow for it', async () => {
    const time = new VirtualTime(START_MS);
    const strap = new HeartRateStrap('HRM 1', time, heart);
    const store = await openTestStore();
    const { stop } = recordSensor(strap, new HeartRateDriver(), store, time, {}, () => -time.wallShiftMs);
    await time.advanceTo(10 * MINUTE);
    time.wallShiftMs = 1500;
    await time.advanceTo(40 * MINUTE);
    await stop();
    const rows = (await store.list()).toSorted((a, b) => a.createdTs - b.createdTs);
    expect(rows).toHaveLength(2);
    expect(rows.map(({ clockOffsetMs }) => clockOffsetMs)).toEqual([0, 0]);
  });

  it('that stood still in a sleep places no beat of a strap too early', async () => {
    const time = new VirtualTime(START_MS);
    const strap = new HeartRateStrap('HRM 1', time, heart);
    const store = await openTestStore();
    const { stop } = recordSensor(strap, new HeartRateDriver(), store, time);
    await time.advanceTo(5 * MINUTE);
    // The monotonic clock does not know of it.
    time.wallShiftMs = 20 * MINUTE;
    await time.advanceTo(10 * MINUTE);
    await stop();
    const [before, after] = (await filesOf(store, folder.path)).toSorted((a, b) => a.row.createdTs - b.row.createdTs);
    expect(before!.marks.map(({ reason }) => reason)).toEqual(['LOST_BLOCK']);
    const [first] = after!.pages.flatMap((page) => [...sampleTimesUs(page)]);
    const last = before!.pages.flatMap((page) => [...sampleTimesUs(page)]).at(-1)!;
    expect(Math.round((last / 1000 - START_MS) / 5000)).toBe((5 * MINUTE) / 5000);
    expect(Math.round((first! / 1000 - START_MS) / 5000)).toBe((25 * MINUTE) / 5000);
  });
});

describe('a problem that trying again cannot solve', () => {
  it('ends the attempts with its reason until a person stops', async () => {
    const time = new VirtualTime(START_MS);
    const store = await openTestStore();
    const device = new FakeMovesense('Movesense 123', time, 0);
    const { recorder, stop } = recordSensor(device, new HeartRateDriver(), store, time);
    await time.advanceTo(10 * MINUTE);
    expect(device.connections).toBe(1);
    expect(recorder.status).toMatchObject({ phase: 'FAILED', problem: { code: 'NO_HEART_RATE' } });
    await stop();
    expect(recorder.status.phase).toBe('STOPPED');
    expect(await store.list()).toEqual([]);
  });

  it('finishes at once what was recorded before it', async () => {
    const time = new VirtualTime(START_MS);
    const store = await openTestStore();
    const strap = new HeartRateStrap('HRM 1', time, () => 840);
    const real = new HeartRateDriver();
    let isGone = false;
    const driver: SensorDriver = {
      kind: 'HEART_RATE',
      start: (session, timing, events) => {
        if (isGone) throw new SensorProblem('NO_HEART_RATE', 'Gone.', true);
        return real.start(session, timing, events);
      },
      stop: () => real.stop(),
    };
    const { recorder, stop } = recordSensor(strap, driver, store, time);
    await time.advanceTo(2 * MINUTE);
    isGone = true;
    strap.drop();
    await time.advanceTo(2 * MINUTE + 10_000);
    expect(recorder.status).toMatchObject({ phase: 'FAILED', problem: { code: 'NO_HEART_RATE' }, hasContact: null });
    expect(recorder.status.silentSinceMs).toBeUndefined();
    expect(await store.list()).toMatchObject([{ state: 'FINISHED' }]);
    await stop();
    expect(await store.list()).toHaveLength(1);
  });
});

it('asks the browser for every service that a driver touches, and never for a serial number', async () => {
  const time = new VirtualTime(START_MS);
  const strap = new PolarStrap('Polar H10 A', time, { ecg: [0] });
  const bluetooth = fakeBluetooth(strap);
  await bluetooth.requestDevice(DEVICE_REQUEST);
  const store = await openTestStore();
  const { recorder, stop } = recordSensor(strap, new PolarDriver(), store, time);
  await time.advanceTo(10_000);
  expect(recorder.status).toMatchObject({ phase: 'RECORDING', batteryPercent: 100 });
  await stop();
});

describe('an upload', () => {
  it('keeps the recording when the site is away, refuses it or knows the phone no more, and wipes it for an erased person', async () => {
    const time = new VirtualTime(START_MS);
    const store = await openTestStore();
    const strap = new PolarStrap('Polar H10 A', time, { ecg: [1, 2, 3] });
    const { stop } = recordSensor(strap, new PolarDriver(), store, time);
    await time.advanceTo(MINUTE);
    await stop();
    const answer =
      (status: number, code: string, permanent: boolean): UploadCall =>
      async () => ({
        status,
        header: () => null,
        body: { code, permanent, message: 'No.' },
      });
    const send = (call: UploadCall) => sendRecordings({ store, call, timing: time });
    expect(await send(() => Promise.reject(new TypeError('Failed to fetch')))).toMatchObject({ state: 'LATER' });
    expect(await send(answer(401, 'DEVICE_REVOKED', false))).toMatchObject({ state: 'LATER', code: 'DEVICE_REVOKED' });
    expect(await send(answer(507, 'DISK_FULL', false))).toMatchObject({ state: 'LATER', code: 'DISK_FULL' });
    expect((await store.list())[0]?.state).toBe('FINISHED');
    await send(answer(403, 'SENSOR_UNASSIGNED', true));
    expect((await store.list())[0]).toMatchObject({ state: 'REFUSED', code: 'SENSOR_UNASSIGNED', message: 'No.' });
    const [row] = await store.list();
    await store.update(row!.recordingId, { state: 'FINISHED' });
    await send(answer(403, 'SUBJECT_ERASED', true));
    expect(await store.list()).toEqual([]);
  });

  it('states the clock by which the recording was made, though the phone was set since', async () => {
    const time = new VirtualTime(START_MS);
    const store = await openTestStore();
    const strap = new PolarStrap('Polar H10 A', time, { ecg: [1, 2, 3] });
    const { stop } = recordSensor(strap, new PolarDriver(), store, time);
    await time.advanceTo(MINUTE);
    await stop();
    const [row] = await store.list();
    await store.update(row!.recordingId, { clockOffsetMs: -3_600_000 });
    time.wallShiftMs = 10 * 3_600_000;
    let metadata = '';
    await sendRecordings({
      store,
      timing: time,
      clockOffsetMs: () => -11 * 3_600_000,
      call: async ({ headers }) => {
        metadata = headers['upload-metadata'] ?? '';
        throw new Error('Enough.');
      },
    });
    const clockTs = Number(atob(/clockTs ([^,]+)/.exec(metadata)?.[1] ?? ''));
    expect(clockTs).toBe(Math.round(START_MS + time.monotonicMs()));
  });
});
