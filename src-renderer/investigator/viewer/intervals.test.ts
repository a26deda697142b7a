import { expect, it } from 'vitest';
import type { RawDataPage, Recording, RecordingOverview } from '../../../src-server/api/contract/index.ts';
import { ViewerModel } from './data/model.ts';
import { segmentOf } from './data/samples.ts';
import { tachogramPlace, usedIntervals } from './drawing/tachogram.ts';

/** A page of raw data of beats with the given intervals, ms; a `gap` before a beat is time that no interval covers. */
function pageOf(beats: readonly { ms: number; gap?: number }[], startMs = 1_700_000_000_000): RawDataPage {
  const times: number[] = [];
  let atMs = startMs;
  for (const { ms, gap = 0 } of beats) {
    atMs += ms + gap;
    times.push(atMs * 1000);
  }
  const channel = { type: 'RR', dimensions: ['rr'], times, values: { rr: beats.map(({ ms }) => ms / 1000) } };
  return { channels: [channel] } as unknown as RawDataPage;
}

it('splits beat intervals where one does not begin at the beat before, and nowhere else', () => {
  const slow = [{ ms: 2400 }, { ms: 2600 }, { ms: 2500 }];
  const [channel] = segmentOf(pageOf([...slow, { ms: 800, gap: 900 }, { ms: 810 }]), () => 1);
  expect(channel?.runs.map(({ timesMs }) => timesMs.length)).toEqual([3, 2]);
  expect([...channel!.runs[0]!.values[0]!]).toEqual([2400, 2600, 2500]);
});

it('takes an interval as used when both of its beats are', () => {
  const beat = (ms: number, use: 'USED' | 'EARLY_OR_ODD' | 'DOUBTFUL', isAfterBreak = false) => ({
    timeUs: ms * 1000,
    use,
    isAfterBreak,
  });
  const isUsed = usedIntervals([
    beat(0, 'USED', true),
    beat(800, 'USED'),
    beat(1300, 'EARLY_OR_ODD'),
    beat(2400, 'USED'),
    beat(3200, 'USED'),
    beat(9000, 'USED', true),
  ]);
  expect([800, 1300, 2400, 3200, 9000].map((ms) => isUsed(ms + 0.6))).toEqual([true, false, false, true, false]);
  // Its beats have not arrived.
  expect(isUsed(20_000)).toBe(true);
});

const recording = {
  ...{ id: 'r', studyId: 's', subjectId: 'u', udid: 'AA', recordingStartTs: 0, recordingStopTs: 600_000 },
  physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE' },
} as unknown as Recording;
const channel = {
  ...{ type: 'RR', dimensions: ['rr'], unit: 's', nominalRateHz: 1, startTs: 0, binMs: 1000, gaps: [] },
  sampleCounts: [1, 1, 1, 1],
  minima: { rr: [0.7, 0.72, null, 0.9] },
  maxima: { rr: [0.7, 0.75, null, 1.1] },
};
const overview = { startTs: 0, stopTs: 600_000, channels: [channel] } as unknown as RecordingOverview;

it('scales a tachogram by the intervals of the whole recording', () => {
  const model = new ViewerModel(recording, overview, undefined);
  const lane = {
    id: 'l',
    sensor: model.sensor,
    channel: model.sensor.channels[0]!,
    name: '',
    isElectric: false,
    heightPx: 150,
  };
  const place = tachogramPlace(lane, 40);
  const y = (ms: number) => place.zeroPx - ms * place.pxPerUnit;
  expect(y(1100)).toBeGreaterThan(40);
  expect(y(700)).toBeLessThan(190);
  expect(y(700) - y(1100)).toBeGreaterThan(100);
});
