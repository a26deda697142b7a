import { expect, it } from 'vitest';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { coverageOf } from './coverage.ts';

const recording = (udid: string, start: string, stop: string) =>
  ({ udid, recordingStartTs: Date.parse(start), recordingStopTs: Date.parse(stop) }) as Recording;

it('counts time covered by two sensors once, and days by their local start', () => {
  const coverage = coverageOf(
    [
      recording('a', '2026-03-03T22:00:00Z', '2026-03-04T02:00:00Z'),
      recording('b', '2026-03-03T23:00:00Z', '2026-03-04T03:00:00Z'),
      recording('a', '2026-03-04T10:00:00Z', '2026-03-04T11:00:00Z'),
    ],
    'Asia/Tokyo',
  );
  expect(coverage).toEqual({
    recordings: 3,
    sensors: 2,
    days: 1,
    coveredSeconds: 6 * 3600,
    lastStopMs: Date.parse('2026-03-04T11:00:00Z'),
  });
  expect(coverageOf([], 'UTC')).toMatchObject({ recordings: 0, lastStopMs: undefined });
});
