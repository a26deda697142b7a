import { expect, it } from 'vitest';
import { followGaps, type LiveGap } from './live-gaps.ts';
import { SensorProblem } from './problem.ts';
import type { RecorderStatus } from './recording/recorder.ts';

const STATUS: RecorderStatus = {
  phase: 'RECORDING',
  hasContact: true,
  frames: 0,
  lostFrames: 0,
  unreadableFrames: 0,
  connections: 1,
  recordedMs: 0,
};

it('lists interruptions with their reason, from the loss of the link to the first connection after it', () => {
  const problem = new SensorProblem('CONNECT_FAILED', 'away');
  let gaps: readonly LiveGap[] = [];
  const steps: [number, Partial<RecorderStatus>][] = [
    [1, { phase: 'CONNECTING', hasContact: null }],
    [2, {}],
    [3, { phase: 'RECONNECTING', hasContact: null }],
    [4, { phase: 'RECONNECTING', hasContact: null, problem }],
    [5, { phase: 'RECONNECTING', hasContact: null, problem }],
    [6, {}],
    [7, { hasContact: false }],
    [8, { hasContact: false }],
    [9, {}],
    [10, { hasContact: false }],
    [11, { phase: 'RECONNECTING', hasContact: null }],
    [12, { phase: 'STOPPING' }],
  ];
  for (const [nowTs, change] of steps) gaps = followGaps(gaps, { ...STATUS, ...change }, nowTs);
  expect(gaps).toEqual([
    { reason: 'CONNECT_FAILED', fromTs: 3, toTs: 6 },
    { reason: 'NO_CONTACT', fromTs: 7, toTs: 9 },
    { reason: 'NO_CONTACT', fromTs: 10, toTs: 11 },
    { reason: 'LINK_LOST', fromTs: 11, toTs: 12 },
  ]);
});

it('keeps the newest of very many', () => {
  let gaps: readonly LiveGap[] = [];
  for (let i = 0; i < 1000; i++) gaps = followGaps(gaps, { ...STATUS, hasContact: i % 2 !== 0 }, i);
  expect(gaps).toHaveLength(200);
  expect(gaps.at(-1)).toEqual({ reason: 'NO_CONTACT', fromTs: 998, toTs: 999 });
});
