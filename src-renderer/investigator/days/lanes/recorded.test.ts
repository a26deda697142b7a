import { expect, it } from 'vitest';
import type { CoverageDay } from '../../../../src-server/api/contract/index.ts';
import { pathLanes, sensorPaths } from './path-lanes.ts';
import { recordedSpans, withUnwornTime } from './recorded.ts';

const recording = (id: string, startMs: number, stopMs: number) => ({
  id,
  recordingStartTs: startMs,
  recordingStopTs: stopMs,
});
const span = (startMs: number, stopMs: number) => ({ startMs, stopMs });

it('counts time as recorded where any channel has samples', () => {
  const breaks = [{ recordingId: 'a', channels: [[span(20, 40)], [span(30, 50), span(90, 95)]] }];
  expect(recordedSpans([recording('a', 0, 100), recording('b', 200, 300)], breaks)).toEqual([
    span(0, 30),
    span(40, 100),
    span(200, 300),
  ]);
});

it('selects the recordings that run while nothing is worn', () => {
  const wear = [
    { ...span(0, 50), value: 'worn' as const },
    { ...span(50, 60), value: 'notWorn' as const },
  ];
  expect(withUnwornTime([recording('a', 0, 50), recording('b', 40, 70)], wear).map(({ id }) => id)).toEqual(['b']);
});

it('joins a recording across midnight, and shows the furthest stage where two recordings overlap', () => {
  const state = (value: 'ON_HUB' | 'ANALYSED', startTs: number, stopTs: number) => ({
    ...{ state: value, recordings: 1, seconds: 1, sizeBytes: 1 },
    spans: [{ startTs, stopTs }],
  });
  const day = (date: string, states: ReturnType<typeof state>[]): CoverageDay => ({
    ...{ date, startTs: 0, stopTs: 1 },
    sensors: [{ sensorId: 'S1', displayName: 'Chest', isAssigned: true, states }],
  });
  const paths = sensorPaths([
    day('1', [state('ON_HUB', 50, 100)]),
    day('2', [state('ON_HUB', 100, 140), state('ANALYSED', 120, 200)]),
  ]);
  expect(paths[0]!.bands).toEqual([
    { ...span(50, 120), value: 'ON_HUB' },
    { ...span(120, 200), value: 'ANALYSED' },
  ]);
  const words = (key: string) => key;
  const [lane] = pathLanes(paths, span(0, 300), words as never);
  expect([60, 130, 250].map((ms) => lane?.read(ms))).toEqual([
    'coverage.states.ON_HUB',
    'coverage.states.ANALYSED',
    'coverage.none',
  ]);
  expect(pathLanes(paths, span(121, 300), words as never)).toEqual([]);
});
