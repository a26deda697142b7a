import { describe, expect, it } from 'vitest';
import type { MotionSpan } from '../motion/index.ts';
import type { SleepResult } from '../sleep/index.ts';
import { correctSleep } from './sleep.ts';
import { overrideWear } from './wear.ts';

const START = 1_800_000_000;
const ms = (second: number): number => (START + second) * 1000;
const COUNT = 100;
const motion = {
  count: COUNT,
  startSecond: START,
  recorded: new Uint8Array(COUNT).fill(1, 0, 95),
  lyingRollDegrees: new Float32Array(COUNT).fill(0),
} as unknown as MotionSpan;

/** Asleep from 20 to 60 and awake in between from 40 to 45. */
function slept(): SleepResult {
  const asleep = new Uint8Array(COUNT).fill(1, 20, 60).fill(0, 40, 45);
  return { asleep, sleepingPosture: asleep.slice(), periods: [{ onsetMs: ms(20), wakeMs: ms(60) }] };
}

const spansOf = ({ asleep }: SleepResult): [number, number][] => {
  const spans: [number, number][] = [];
  for (let i = 0; i < COUNT; i++) {
    if (!asleep[i]) continue;
    if (spans.at(-1)?.[1] === i) spans.at(-1)![1] = i + 1;
    else spans.push([i, i + 1]);
  }
  return spans;
};

describe('sleep as a person says', () => {
  const edit = (isAsleep: boolean, from: number, to: number) => ({ isAsleep, startMs: ms(from), stopMs: ms(to) });
  it.each([
    [
      'begins earlier and ends later, and stays awake within',
      [edit(true, 10, 70)],
      [
        [10, 40],
        [45, 70],
      ],
      [[10, 70]],
    ],
    [
      'begins later',
      [edit(true, 30, 60)],
      [
        [30, 40],
        [45, 60],
      ],
      [[30, 60]],
    ],
    [
      'is only what was recorded',
      [edit(true, 90, 99)],
      [
        [20, 40],
        [45, 60],
        [90, 95],
      ],
      [
        [20, 60],
        [90, 99],
      ],
    ],
    [
      'is awake for a while without being two sleeps',
      [edit(false, 50, 55)],
      [
        [20, 40],
        [45, 50],
        [55, 60],
      ],
      [[20, 60]],
    ],
    [
      'is trimmed at its beginning and end',
      [edit(false, 15, 25), edit(false, 58, 80)],
      [
        [25, 40],
        [45, 58],
      ],
      [[25, 58]],
    ],
    ['is none', [edit(false, 0, 100)], [], []],
    ['follows the last edit', [edit(false, 0, 100), edit(true, 30, 35)], [[30, 35]], [[30, 35]]],
  ])('%s', (_name, edits, spans, periods) => {
    const sleep = slept();
    correctSleep(sleep, motion, START, edits);
    expect(spansOf(sleep)).toEqual(spans);
    expect(sleep.periods.map(({ onsetMs, wakeMs }) => [onsetMs / 1000 - START, wakeMs / 1000 - START])).toEqual(
      periods,
    );
    for (let i = 0; i < COUNT; i++) expect(Boolean(sleep.sleepingPosture[i])).toBe(Boolean(sleep.asleep[i]));
  });
});

it('wear follows the last edit', () => {
  const wear = Uint8Array.of(1, 1, 1, 2, 0, 0);
  overrideWear(wear, START, [
    { startSecond: START - 5, stopSecond: START + 4, isWorn: false },
    { startSecond: START + 3, stopSecond: START + 99, isWorn: true },
  ]);
  expect([...wear]).toEqual([0, 0, 0, 1, 1, 1]);
});
