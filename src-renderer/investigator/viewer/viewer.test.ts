import { describe, expect, it } from 'vitest';
import type { Annotation, Beat, RawDataPage } from '../../../src-server/api/contract/index.ts';
import { HOUR_MS } from '../../../src-server/durations.ts';
import { ChunkCache } from './data/chunk-cache.ts';
import { applyFilter } from './data/filter.ts';
import { labelsCsv, labelsOf, neighbour } from './data/labels.ts';
import { intervalOf, marchTimes, rateAround, snapPoint, valueAt } from './data/measure.ts';
import { openingMs } from './data/opening.ts';
import { firstSegments, joinRuns, rawDataCall, SampleCache, segmentOf } from './data/samples.ts';
import { elapsedText, tickTimes } from './drawing/axis.ts';
import { autoGain, CSS_PX_PER_MM, gridOf, lengthAtSpeed, speedOf } from './drawing/grid.ts';
import { stripWindow } from './strips/strip-window.ts';
import { clampView, firstView, movedBy, parseGoTo, zoomedTo } from './view.ts';

const START = Date.UTC(2026, 2, 3, 14);
const EXTENT = { startMs: START, stopMs: START + 24 * HOUR_MS };
const ZONE = 'US/Eastern';

describe('a recording opens', () => {
  const channel = (type: string, extremes: (readonly [number, number] | null)[]) => ({
    type,
    dimensions: ['v'],
    unit: 'V',
    nominalRateHz: 250,
    startTs: START - 20_000,
    binMs: 60_000,
    sampleCounts: extremes.map((one) => (one ? 15_000 : 0)),
    minima: { v: extremes.map((one) => one?.[0] ?? null) },
    maxima: { v: extremes.map((one) => one?.[1] ?? null) },
    gaps: [],
  });
  const overview = (channels: ReturnType<typeof channel>[], readableFromTs?: number | null) => ({
    startTs: START,
    stopTs: EXTENT.stopMs,
    channels,
    ...(readableFromTs !== undefined && { readableFromTs }),
  });
  const [none, flat, beats] = [null, [0, 0], [-0.001, 0.002]] as const;

  it('where the analysis found it readable first, and at its start where it found nothing', () => {
    const channels = [channel('ECG', [none, none, beats, beats])];
    expect(openingMs(overview(channels, START + 7_000))).toBe(START + 7_000);
    expect(openingMs(overview(channels, null))).toBe(START);
  });

  it('where the first electric channel has more than a flat line, before it has been analysed', () => {
    const motion = channel('ACCEL', [beats, beats, beats, beats]);
    expect(openingMs(overview([motion, channel('ECG', [none, flat, beats, beats])]))).toBe(START - 20_000 + 180_000);
    // The last minute is the only one with a signal.
    expect(openingMs(overview([channel('ECG', [flat, flat, flat, beats])]))).toBe(START - 20_000 + 180_000);
    expect(openingMs(overview([motion, channel('ECG', [beats, beats, beats, beats])]))).toBe(START);
    expect(openingMs(overview([channel('ECG', [none, flat, none, none])]))).toBe(START);
    expect(openingMs(overview([motion]))).toBe(START);
    expect(openingMs(overview([]))).toBe(START);
  });

  it('around the time of its address all the same', () => {
    expect(firstView(EXTENT, START + HOUR_MS, START + 7_000).startMs).toBe(START + HOUR_MS - 5_000);
    expect(firstView(EXTENT, undefined, START + 7_000)).toEqual({ startMs: START + 7_000, lengthMs: 10_000 });
    expect(firstView(EXTENT, undefined, EXTENT.stopMs - 1_000).startMs).toBe(EXTENT.stopMs - 10_000);
  });
});

describe('the view of a recording', () => {
  it('stays within the recording and is at least half a second long', () => {
    expect(clampView({ startMs: START - 5000, lengthMs: 10_000 }, EXTENT)).toEqual({
      startMs: START,
      lengthMs: 10_000,
    });
    expect(clampView({ startMs: EXTENT.stopMs, lengthMs: 10_000 }, EXTENT).startMs).toBe(EXTENT.stopMs - 10_000);
    expect(clampView({ startMs: START, lengthMs: 1 }, EXTENT).lengthMs).toBe(500);
    expect(clampView({ startMs: START, lengthMs: 1e12 }, EXTENT)).toEqual({ startMs: START, lengthMs: 24 * HOUR_MS });
  });

  it('keeps the instant under the pointer while it zooms', () => {
    const view = { startMs: START + HOUR_MS, lengthMs: 10_000 };
    const around = view.startMs + 2500;
    const next = zoomedTo(view, EXTENT, around, 40_000);
    expect((around - next.startMs) / next.lengthMs).toBeCloseTo(0.25, 9);
    expect(movedBy(view, EXTENT, -2 * HOUR_MS).startMs).toBe(START);
  });

  it.each([
    ['10:05', START + HOUR_MS + 5 * 60_000],
    ['１０：０５', START + HOUR_MS + 5 * 60_000],
    ['10:05:30', START + HOUR_MS + 5.5 * 60_000],
    ['08:30', START + 23.5 * HOUR_MS],
    ['+30s', START + HOUR_MS + 30_000],
    ['-2m', START + HOUR_MS - 120_000],
    ['+1.5 h', START + 2.5 * HOUR_MS],
    ['2026-03-03T16:00:00Z', START + 2 * HOUR_MS],
    ['2026-03-03T10:00:00-05:00', START + HOUR_MS],
  ])('goes to %s', (text, expected) => {
    expect(parseGoTo(text, START + HOUR_MS, EXTENT, ZONE)).toBe(expected);
  });

  it.each(['', 'noon', '25:00', '10:61', '-2h', '2026-03-03T16:00:00', '2027-01-01T00:00:00Z'])(
    'rejects %j',
    (text) => {
      expect(parseGoTo(text, START + HOUR_MS, EXTENT, ZONE)).toBeNull();
    },
  );

  it('finds both occurrences of a repeated hour, one after the other', () => {
    const night = { startMs: Date.UTC(2026, 10, 1, 4), stopMs: Date.UTC(2026, 10, 1, 12) };
    const first = parseGoTo('01:30', night.startMs, night, ZONE);
    expect(first).toBe(Date.UTC(2026, 10, 1, 5, 30));
    expect(parseGoTo('01:30', (first ?? 0) + 1, night, ZONE)).toBe(Date.UTC(2026, 10, 1, 6, 30));
  });

  it('moves the context strip in steps, so that a small pan does not move it', () => {
    const view = { startMs: START + HOUR_MS, lengthMs: 10_000 };
    const first = stripWindow('context', view, EXTENT);
    expect(stripWindow('context', { ...view, startMs: view.startMs + 20_000 }, EXTENT)).toEqual(first);
    expect(first.startMs).toBeLessThanOrEqual(view.startMs);
    expect(first.stopMs).toBeGreaterThan(view.startMs + view.lengthMs);
    expect(stripWindow('whole', view, EXTENT)).toEqual(EXTENT);
  });
});

describe('paper', () => {
  it('is 40 ms and 0.1 mV a millimetre at 25 mm/s and 10 mm/mV', () => {
    const pxPerMs = (25 * CSS_PX_PER_MM) / 1000;
    expect(gridOf(pxPerMs, 10 * CSS_PX_PER_MM)).toEqual({ fineMs: 40, boldMs: 200, fineMv: 0.1, boldMv: 0.5 });
    expect(40 * pxPerMs).toBeCloseTo(CSS_PX_PER_MM, 9);
  });

  it('takes the next larger step before lines merge', () => {
    expect(gridOf(1000 / 60_000, 5)).toEqual({ fineMs: 1000, boldMs: 10_000, fineMv: 1, boldMv: 5 });
    for (const lengthMs of [500, 10_000, 60_000, HOUR_MS, 24 * HOUR_MS]) {
      const { fineMs, boldMs } = gridOf(1000 / lengthMs, 40);
      expect((fineMs * 1000) / lengthMs).toBeGreaterThan(3);
      expect(boldMs).toBeGreaterThanOrEqual(fineMs);
    }
  });

  it('recognises a standard speed, on a calibrated display too', () => {
    for (const pxPerMm of [CSS_PX_PER_MM, 5.1]) {
      const lengthMs = lengthAtSpeed(1000, 50, pxPerMm);
      expect(speedOf(1000, lengthMs, pxPerMm).standard).toBe(50);
      expect(speedOf(1000, lengthMs * 1.02, pxPerMm).standard).toBeUndefined();
    }
    expect(autoGain(-0.5, 1.5, 200, 4)).toBeCloseTo((0.8 * 200) / 4 / 2, 9);
  });

  it('labels round times, and carries 59.97 s over to the next minute', () => {
    expect(tickTimes({ startMs: 100, stopMs: 10_100 }, 1000, 90).times.slice(0, 2)).toEqual([1000, 2000]);
    expect(elapsedText(59_970, 1000)).toBe('+0:01:00');
    expect(elapsedText(3_725_040, 100)).toBe('+1:02:05.0');
  });
});

/** A square pulse of 1 mV and 1 s at 250 Hz, in volts as the interface returns it. */
function pulsePage(rateHz = 250): RawDataPage {
  const times = Array.from({ length: 3 * rateHz }, (_, i) => START * 1000 + Math.round((i * 1e6) / rateHz));
  const v = times.map((_, i) => (i >= rateHz && i < 2 * rateHz ? 0.001 : 0));
  const channel = { type: 'ECG', dimensions: ['v'], times, values: { v } };
  return { channels: [channel] } as unknown as RawDataPage;
}

describe('calipers', () => {
  const { runs } = segmentOf(pulsePage(), () => 250)[0]!;
  const valueMvAt = (ms: number) => valueAt(runs, 0, ms);

  it('measure a test pulse of 1 mV and 1 s as 1.00 mV and 1,000 ms', () => {
    const interval = intervalOf({ startMs: START + 998, stopMs: START + 1998 }, valueMvAt);
    expect(interval?.durationMs).toBe(1000);
    expect(interval?.perMinute).toBe(60);
    expect(intervalOf({ startMs: START + 1500, stopMs: START + 500 }, valueMvAt)?.differenceMv).toBeCloseTo(1, 6);
  });

  it('have no value where there is no sample', () => {
    expect(valueMvAt(START + 4000)).toBeUndefined();
    expect(intervalOf({ startMs: START, stopMs: START + 9000 }, valueMvAt)?.differenceMv).toBeUndefined();
    expect(intervalOf({ startMs: START, stopMs: null }, valueMvAt)).toBeNull();
  });

  it('repeat the interval over the strip, but not where the lines would be too dense', () => {
    expect(marchTimes({ startMs: 1000, durationMs: 400 }, 0, 2000)).toEqual([200, 600, 1000, 1400, 1800]);
    expect(marchTimes({ startMs: 0, durationMs: 1 }, 0, 10_000)).toEqual([]);
  });

  it('snap to a beat within reach, or else to the most extreme sample', () => {
    const beat = (ms: number, isAfterBreak = false): Beat => ({
      timeUs: (START + ms) * 1000,
      use: 'USED',
      isAfterBreak,
    });
    expect(snapPoint(START + 480, 50, [beat(100), beat(500)], runs)).toEqual({ ms: START + 500, to: 'beat' });
    expect(snapPoint(START + 1000, 8, [], runs)?.to).toBe('extreme');
    expect(snapPoint(START + 9000, 50, [], runs)).toBeNull();
    expect(rateAround([beat(0), beat(800)], START + 400)).toBeCloseTo(75, 9);
    expect(rateAround([beat(0), beat(800, true)], START + 400)).toBeUndefined();
    expect(rateAround([beat(0)], START + 400)).toBeUndefined();
  });
});

describe('samples', () => {
  it('are split at a gap and joined across the seam of two segments', () => {
    const page = pulsePage();
    const channel = page.channels[0]!;
    channel.times.splice(300, 50);
    channel.values.v!.splice(300, 50);
    const { runs } = segmentOf(page, () => 250)[0]!;
    expect(runs.map((run) => run.timesMs.length)).toEqual([300, 400]);
    const [first, second] = [runs[1]!.timesMs.subarray(0, 100), runs[1]!.timesMs.subarray(100)];
    const halves = [first, second].map((timesMs) => ({
      timesMs,
      values: [new Float32Array(timesMs.length)],
      periodMs: 4,
    }));
    expect(joinRuns([runs[0]!, ...halves]).map((run) => run.timesMs.length)).toEqual([300, 400]);
  });

  it('are prefetched in the direction of travel once the window itself is complete', async () => {
    const fetched: number[] = [];
    const cache = new SampleCache(
      async (index) => {
        fetched.push(index - START / 10_000);
        return [];
      },
      () => undefined,
    );
    const window = { startMs: START + 100_000, stopMs: START + 109_999 };
    cache.read(window, EXTENT, 1);
    expect(fetched).toEqual([10]);
    expect(cache.missing(window, EXTENT)).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve));
    cache.read(window, EXTENT, 1);
    expect(fetched).toEqual([10, 11, 12, 9]);
    expect(cache.missing(window, EXTENT)).toEqual([]);
  });

  it('are asked for ahead as the viewer asks when it opens', () => {
    const recording = { recordingStartTs: START + 4_000, recordingStopTs: EXTENT.stopMs };
    const first = START / 10_000;
    const readable = START + 24_000;
    expect(firstSegments(recording, undefined, START + 4_000)).toEqual([first, first + 1]);
    expect(firstSegments(recording, undefined, readable)).toEqual([first + 2, first + 3]);
    expect(firstSegments(recording, START + HOUR_MS, readable)).toEqual([first + 359, first + 360]);
    // Outside the recording the view moves into it.
    expect(firstSegments(recording, 0, readable)).toEqual([first, first + 1]);
    expect(rawDataCall({ studyId: 's', subjectId: 'p', udid: 'F0' }, first)).toEqual({
      params: { studyId: 's', subjectId: 'p' },
      query: { from: START, to: START + 9_999, deviceId: 'F0', tsMicros: true },
    });
  });

  it('are fetched once each, evicted beyond the capacity, and fetched after a failure only on retry', async () => {
    const fetched: number[] = [];
    let fails = false;
    const settled = () => new Promise((resolve) => setTimeout(resolve));
    const cache = new ChunkCache(
      async (index) => {
        fetched.push(index);
        if (fails) throw new Error('gone');
        return index;
      },
      2,
      () => undefined,
    );
    expect(cache.get(1)).toBeUndefined();
    expect(cache.get(1)).toBeUndefined();
    await settled();
    expect(cache.get(1)).toBe(1);
    cache.get(2);
    cache.get(3);
    await settled();
    expect(fetched).toEqual([1, 2, 3]);
    expect(cache.get(3)).toBe(3);
    fails = true;
    cache.get(1);
    await settled();
    cache.get(7);
    expect([cache.error?.message, fetched]).toEqual(['gone', [1, 2, 3, 1]]);
    fails = false;
    cache.retry();
    cache.get(7);
    await settled();
    expect([cache.error, cache.get(7)]).toEqual([null, 7]);
  });
});

describe('display filters', () => {
  const rateHz = 250;
  const tone = (hz: number) => Float32Array.from({ length: 5000 }, (_, i) => Math.sin((2 * Math.PI * hz * i) / rateHz));
  const power = (values: Float32Array) => {
    const middle = values.subarray(1500, 3500);
    return Math.sqrt((2 * middle.reduce((sum, value) => sum + value * value, 0)) / middle.length);
  };

  it.each([
    ['band', 10, 0.97, 1.01],
    ['band', 0.1, 0, 0.01],
    ['band', 100, 0, 0.06],
    ['band50', 50, 0, 0.02],
    ['band60', 60, 0, 0.02],
    ['band50', 10, 0.95, 1.01],
  ] as const)('%s passes %s Hz at %s to %s', (filter, hz, low, high) => {
    const gain = power(applyFilter(tone(hz), filter, rateHz));
    expect(gain).toBeGreaterThanOrEqual(low);
    expect(gain).toBeLessThanOrEqual(high);
  });

  it('have zero phase shift and do not change the samples themselves', () => {
    const pulse = new Float32Array(2000);
    pulse[1000] = 1;
    const out = applyFilter(pulse, 'band', rateHz);
    expect(out.indexOf(Math.max(...out))).toBe(1000);
    expect(pulse[1000]).toBe(1);
    expect(applyFilter(pulse, 'off', rateHz)).toBe(pulse);
  });
});

describe('labels', () => {
  const annotation = (id: string, startTs: number, more: Partial<Annotation> = {}): Annotation => ({
    id,
    studyId: 's',
    subjectId: 'u',
    authorId: 'a',
    createdTs: START,
    displayName: `Label "${id}"`,
    startTs,
    stopTs: startTs + 1000,
    ...more,
  });
  const items = labelsOf(
    [
      annotation('late', START + HOUR_MS),
      annotation('before', START - HOUR_MS),
      annotation('task', START + 5000, { event: { id: 't', type: 'activity', displayName: 'Walk' } }),
      annotation('system', START, { authorId: undefined }),
    ],
    EXTENT,
  );

  it('are those that overlap the recording, by start, each with its kind', () => {
    expect(items.map(({ id, kind }) => [id, kind])).toEqual([
      ['system', 'system'],
      ['task', 'activity'],
      ['late', 'label'],
    ]);
    expect(neighbour(items, START + 5000, 1)?.id).toBe('late');
    expect(neighbour(items, START + 5000, -1)?.id).toBe('system');
    expect(neighbour(items, START + HOUR_MS, 1)).toBeNull();
  });

  it('are written as CSV that a spreadsheet can read', () => {
    const [header, , , late] = labelsCsv(items).split('\n');
    expect(header!.split(',')).toHaveLength(9);
    expect(late).toContain('"Label ""late"""');
    expect(late).toContain(`"${START + HOUR_MS}","${START + HOUR_MS + 1000}","1000"`);
  });
});
