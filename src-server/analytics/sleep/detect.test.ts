import { describe, expect, it } from 'vitest';
import { type Episode, syntheticMotion, UPSIDE_DOWN } from '../../testing/synthetic-motion.ts';
import { extractMotionFeatures } from '../motion/features.ts';
import { fuseMotion } from '../motion/fuse.ts';
import { LYING_POSTURES } from '../types.ts';
import { detectSleep } from './detect.ts';

const START = 1_700_000_000;
const HOUR = 3600;

function motionOf(episodes: Episode[], sites: ('chest' | 'thigh')[] = ['chest', 'thigh'], mounting?: number[][]) {
  const sensors = sites.map((site) => extractMotionFeatures(syntheticMotion({ site, episodes, mounting }), 0, 4e15));
  const count = episodes.reduce((sum, episode) => sum + episode.seconds, 0);
  return fuseMotion(START, count, sensors, [], []);
}

const EVENING: Episode[] = [
  { doing: 'walk', seconds: 600 },
  { doing: 'sit', seconds: 1200 },
];
const NIGHT: Episode[] = [
  { doing: 'lieBack', seconds: 2 * HOUR },
  { doing: 'lieLeft', seconds: HOUR },
  { doing: 'walk', seconds: 240 },
  { doing: 'lieRight', seconds: HOUR },
  { doing: 'lieChest', seconds: HOUR },
];
const MORNING: Episode[] = [{ doing: 'walk', seconds: 600 }];
const BED = 1800;
const UP = BED + 5 * HOUR + 240;

describe('a night', () => {
  const motion = motionOf([...EVENING, ...NIGHT, ...MORNING]);
  const sleep = detectSleep({ motion });

  it('is one period from lying down to getting up, including a walk at night', () => {
    expect(sleep.periods).toHaveLength(1);
    expect(Math.abs(sleep.periods[0]!.onsetMs / 1000 - START - BED)).toBeLessThan(30);
    expect(Math.abs(sleep.periods[0]!.wakeMs / 1000 - START - UP)).toBeLessThan(30);
    const asleep = sleep.asleep.reduce((sum, value) => sum + value, 0);
    expect(Math.abs(asleep - 5 * HOUR)).toBeLessThan(120);
    expect(sleep.asleep[BED + 3 * HOUR + 120]).toBe(0);
  });

  it('has four postures', () => {
    const at = (hours: number, extra = 0): string | null =>
      LYING_POSTURES[sleep.sleepingPosture[Math.round(BED + hours * HOUR + extra)]!]!;
    expect(at(1)).toBe('LYING_BACK');
    expect(at(2.5)).toBe('LYING_LEFT');
    expect(at(3.5, 240)).toBe('LYING_RIGHT');
    expect(at(4.5, 240)).toBe('LYING_CHEST');
    expect(sleep.sleepingPosture[600]).toBe(0);
  });

  it('is the same with the sensors upside down', () => {
    const turned = detectSleep({
      motion: motionOf([...EVENING, ...NIGHT, ...MORNING], ['chest', 'thigh'], UPSIDE_DOWN),
    });
    expect(turned.periods).toHaveLength(1);
    expect(turned.sleepingPosture[BED + HOUR]).toBe(sleep.sleepingPosture[BED + HOUR]);
    expect(turned.sleepingPosture[BED + 2.5 * HOUR]).toBe(sleep.sleepingPosture[BED + 2.5 * HOUR]);
  });

  it('is found with a thigh sensor alone, without a posture', () => {
    const alone = detectSleep({ motion: motionOf([...EVENING, ...NIGHT, ...MORNING], ['thigh']) });
    expect(alone.periods).toHaveLength(1);
    expect(alone.sleepingPosture.every((value) => value === 0)).toBe(true);
  });
});

describe('naps', () => {
  const nap: Episode[] = [...EVENING, { doing: 'lieBack', seconds: HOUR }, ...MORNING];
  const motion = motionOf(nap);
  const heart = (during: number): Float32Array =>
    Float32Array.from({ length: motion.count }, (_, i) => (i >= BED && i < BED + HOUR ? during : 65));

  it('count when the heart slows, or when there is no ECG', () => {
    expect(detectSleep({ motion }).periods).toHaveLength(1);
    expect(detectSleep({ motion, heartRate: heart(55) }).periods).toHaveLength(1);
  });

  it('do not count while the heart beats as in waking rest', () => {
    expect(detectSleep({ motion, heartRate: heart(70) }).periods).toHaveLength(0);
  });
});

it('begins sleep when the heart rate has fallen from waking rest, not on lying down', () => {
  const motion = motionOf([...EVENING, { doing: 'lieBack', seconds: 4 * HOUR }, ...MORNING]);
  const awakeInBed = 1500;
  const heartRate = Float32Array.from({ length: motion.count }, (_, i) => (i < BED + awakeInBed ? 66 : 52));
  const period = detectSleep({ motion, heartRate }).periods[0]!;
  expect(Math.abs(period.onsetMs / 1000 - START - BED - awakeInBed)).toBeLessThan(300);
  const unknown = detectSleep({ motion }).periods[0]!;
  expect(unknown.onsetMs).toBeLessThan(period.onsetMs);
});

describe('no sleep', () => {
  it('where nobody lies', () => {
    const awake = motionOf([...EVENING, { doing: 'sit', seconds: 5 * HOUR }, ...MORNING]);
    expect(detectSleep({ motion: awake }).periods).toHaveLength(0);
  });

  it('in a rest of ten minutes', () => {
    const rest = motionOf([...EVENING, { doing: 'lieBack', seconds: 660 }, ...MORNING]);
    expect(detectSleep({ motion: rest }).periods).toHaveLength(0);
  });

  it('during a day at a desk with a thigh sensor alone, which cannot distinguish lying on the back from sitting', () => {
    const desk: Episode[] = Array.from({ length: 5 }, () => [
      { doing: 'sit' as const, seconds: 2 * HOUR },
      { doing: 'walk' as const, seconds: 300 },
    ]).flat();
    const motion = motionOf([{ doing: 'walk', seconds: 600 }, ...desk], ['thigh']);
    expect(detectSleep({ motion }).asleep.every((value) => value === 0)).toBe(true);
  });

  it('during an evening on the sofa before a night, with a thigh sensor alone', () => {
    const motion = motionOf(
      [
        { doing: 'walk', seconds: 600 },
        { doing: 'sit', seconds: 2 * HOUR },
        { doing: 'walk', seconds: 300 },
        { doing: 'lieBack', seconds: 2 * HOUR },
        { doing: 'lieLeft', seconds: 2 * HOUR },
        { doing: 'lieBack', seconds: HOUR },
        ...MORNING,
      ],
      ['thigh'],
    );
    const { asleep, periods } = detectSleep({ motion });
    expect(periods).toHaveLength(1);
    expect(Math.abs(periods[0]!.onsetMs / 1000 - START - 900 - 2 * HOUR)).toBeLessThan(60);
    expect(Math.abs(asleep.reduce((sum, value) => sum + value, 0) - 5 * HOUR)).toBeLessThan(120);
  });

  it('where no sensor is worn or the span is empty', () => {
    const off = motionOf([...EVENING, { doing: 'off', seconds: 5 * HOUR }, ...MORNING]);
    expect(detectSleep({ motion: off }).asleep.every((value) => value === 0)).toBe(true);
    expect(detectSleep({ motion: fuseMotion(START, 0, [], [], []) }).periods).toEqual([]);
  });
});
