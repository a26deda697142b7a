import { describe, expect, it } from 'vitest';
import {
  ASKEW,
  type Episode,
  type SensorOptions,
  syntheticMotion,
  UPRIGHT,
  UPSIDE_DOWN,
  WALKING_STEP_HZ,
} from '../../testing/synthetic-motion.ts';
import { ACTIVITIES, type CalibrationLabel, type EcgFeatures, LEAN_FORWARDS, LEAN_SIDES } from '../types.ts';
import { extractMotionFeatures } from './features.ts';
import { fuseMotion } from './fuse.ts';
import { dot, orient } from './orientation.ts';

const START = 1_700_000_000;
const features = (options: SensorOptions) => extractMotionFeatures(syntheticMotion(options), 0, 4e15);

const DAY: Episode[] = [
  { doing: 'stand', seconds: 60 },
  { doing: 'walk', seconds: 120 },
  { doing: 'sit', seconds: 120 },
  { doing: 'run', seconds: 60 },
  { doing: 'stand', seconds: 60 },
  { doing: 'lieBack', seconds: 120 },
  { doing: 'walk', seconds: 60 },
];
const SECONDS = DAY.reduce((sum, episode) => sum + episode.seconds, 0);
const TRUTH: Partial<Record<Episode['doing'], string>> = {
  stand: 'RESTING:STANDING',
  walk: 'MOVING:WALKING',
  sit: 'RESTING:SITTING',
  run: 'MOVING:RUNNING',
  lieBack: 'RESTING:LYING',
};

/** Share of the seconds of the day whose activity equals the simulated one. */
function agreement(activity: Uint8Array, truth: Partial<Record<Episode['doing'], string>> = TRUTH): number {
  let right = 0;
  let i = 0;
  for (const { doing, seconds } of DAY) {
    for (let end = i + seconds; i < end; i++) if (ACTIVITIES[activity[i]!] === truth[doing]) right++;
  }
  return right / SECONDS;
}

const contactEcg = (count: number, contact: number): EcgFeatures => ({
  kind: 'ecg',
  site: 'chest',
  beats: { timesUs: new Float64Array(0), kinds: new Uint8Array(0), amplitudesV: new Float32Array(0) },
  seconds: {
    startSecond: START,
    count,
    columns: {
      quality: new Uint8Array(count).fill(100 * contact),
      contact: new Uint8Array(count).fill(contact),
      unresolved: new Uint8Array(count),
    },
  },
});

describe('activity', () => {
  for (const [name, mounting] of [
    ['upright', UPRIGHT],
    ['upside down', UPSIDE_DOWN],
    ['askew', ASKEW],
  ] as const) {
    it(`comes from chest and thigh worn ${name}, without calibration`, () => {
      const chest = features({ site: 'chest', episodes: DAY, mounting });
      const thigh = features({ site: 'thigh', episodes: DAY, mounting });
      expect(agreement(fuseMotion(START, SECONDS, [chest, thigh], [], []).activity)).toBeGreaterThan(0.95);
    });
  }

  it.each([0.93, 1.1])('tolerates a sensor that reads %s g at rest', (gain) => {
    const chest = features({ site: 'chest', episodes: DAY, gain });
    const thigh = features({ site: 'thigh', episodes: DAY, gain });
    expect(agreement(fuseMotion(START, SECONDS, [chest, thigh], [], []).activity)).toBeGreaterThan(0.95);
  });

  it('classifies lying on the back as sitting with a thigh sensor alone', () => {
    const { activity } = fuseMotion(START, SECONDS, [features({ site: 'thigh', episodes: DAY })], [], []);
    expect(agreement(activity, { ...TRUTH, lieBack: 'RESTING:SITTING' })).toBeGreaterThan(0.95);
  });

  it('classifies standing as sitting with a trunk sensor alone', () => {
    const { activity } = fuseMotion(START, SECONDS, [features({ site: 'chest', episodes: DAY })], [], []);
    expect(agreement(activity, { ...TRUTH, stand: 'RESTING:SITTING' })).toBeGreaterThan(0.95);
  });

  it('reports no posture where nothing shows the vertical', () => {
    const episodes: Episode[] = [{ doing: 'lieLeft', seconds: 600 }];
    const span = fuseMotion(START, 600, [features({ site: 'chest', episodes })], [], []);
    expect(span.worn.every((value) => value === 1)).toBe(true);
    expect(span.activity.every((value) => value === 0)).toBe(true);
    expect(span.leanForwardDegrees.every((value) => Number.isNaN(value))).toBe(true);
  });

  /** Somebody who stands and then lies on the left side: nothing but a label shows the vertical. */
  function lyingWith(labels: CalibrationLabel[]): string | null {
    const episodes: Episode[] = [
      { doing: 'stand', seconds: 30 },
      { doing: 'lieLeft', seconds: 600 },
    ];
    const span = fuseMotion(START, 630, [features({ site: 'chest', episodes, mounting: ASKEW })], [], labels);
    return ACTIVITIES[span.activity[300]!]!;
  }
  const standing = (fromSecond: number, toSecond: number): CalibrationLabel => ({
    startMs: (START + fromSecond) * 1000,
    stopMs: (START + toSecond) * 1000,
    posture: 'STANDING',
  });

  it('takes the vertical from a calibration label with five whole seconds of rest, no fewer', () => {
    expect(lyingWith([standing(0, 30)])).toBe('RESTING:LYING');
    expect(lyingWith([standing(4.5, 10)])).toBe('RESTING:LYING');
    expect(lyingWith([standing(4.5, 9.9)])).toBeNull();
    expect(lyingWith([standing(4, 7), standing(20, 22)])).toBe('RESTING:LYING');
  });

  it('takes the front of a thigh from a SITTING label where its habit shows none', () => {
    const episodes: Episode[] = [
      { doing: 'stand', seconds: 30 },
      { doing: 'sit', seconds: 15 },
      { doing: 'lieRight', seconds: 600 },
    ];
    const sitting: CalibrationLabel = { startMs: (START + 31) * 1000, stopMs: (START + 44) * 1000, posture: 'SITTING' };
    const orientationOf = (labels: CalibrationLabel[]) =>
      orient(features({ site: 'thigh', episodes, mounting: ASKEW }), 'thigh', labels);
    // Of the body's front, left and up, in the sensor's axes: see ASKEW.
    const front = ASKEW.map((row) => row[0]!) as [number, number, number];
    expect(dot(orientationOf([standing(0, 30), sitting])!.front, front)).toBeGreaterThan(0.99);
    expect(dot(orientationOf([standing(0, 30)])!.front, front)).toBeLessThan(0.5);
  });
});

describe('posture', () => {
  it('gives lean angles at rest and roll while lying', () => {
    const span = fuseMotion(
      START,
      SECONDS,
      [features({ site: 'chest', episodes: DAY }), features({ site: 'thigh', episodes: DAY })],
      [],
      [],
    );
    const standing = 30;
    expect(Math.abs(span.leanForwardDegrees[standing]!)).toBeLessThan(4);
    expect(LEAN_SIDES[span.leanSide[standing]!]).toBe('NEUTRAL');
    const sitting = 240;
    expect(span.leanForwardDegrees[sitting]).toBeCloseTo(-9.8, 0);
    expect(LEAN_FORWARDS[span.leanForward[sitting]!]).toMatch(/NEUTRAL|RECLINING/);
    expect(Number.isNaN(span.leanForwardDegrees[120])).toBe(true);
    expect(Math.abs(span.lyingRollDegrees[460]!)).toBeLessThan(10);
  });
});

describe('steps and counts', () => {
  const chest = features({ site: 'chest', episodes: DAY });
  const thigh = features({ site: 'thigh', episodes: DAY });

  it('counts each step once with two sensors', () => {
    const { steps, stepsUs } = fuseMotion(START, SECONDS, [chest, thigh], [], []);
    const total = steps.reduce((sum, value) => sum + value, 0);
    expect(total).toBe(stepsUs.length);
    expect(Math.abs(total - (180 * WALKING_STEP_HZ + 60 * 2.7))).toBeLessThan(25);
    expect(steps.subarray(190, 290).every((value) => value === 0)).toBe(true);
  });

  it('does not depend on the start of the span', () => {
    const whole = fuseMotion(START, SECONDS, [chest, thigh], [], []);
    const before = fuseMotion(START - 100, SECONDS + 200, [chest, thigh], [], []);
    expect(before.activity.subarray(100, 100 + SECONDS)).toEqual(whole.activity);
    expect(before.steps.subarray(100, 100 + SECONDS)).toEqual(whole.steps);
    expect(before.recorded.subarray(0, 100).every((value) => value === 0)).toBe(true);
    expect(before.counts.subarray(0, 100).every((value) => Number.isNaN(value))).toBe(true);
  });

  it('is deterministic', () => {
    expect(fuseMotion(START, SECONDS, [chest, thigh], [], [])).toEqual(
      fuseMotion(START, SECONDS, [chest, thigh], [], []),
    );
  });

  it('handles an empty span and no sensors', () => {
    expect(fuseMotion(START, 0, [chest], [], []).activity).toHaveLength(0);
    expect(fuseMotion(START, 10, [], [], []).worn).toEqual(new Uint8Array(10));
  });
});

describe('wear', () => {
  const off: Episode[] = [
    { doing: 'walk', seconds: 300 },
    { doing: 'off', seconds: 3 * 3600 },
    { doing: 'walk', seconds: 300 },
  ];
  const count = 3 * 3600 + 600;
  const worn = (span: { worn: Uint8Array }): number => span.worn.reduce((sum, value) => sum + value, 0);

  it('recognises sensors that lie on a table', () => {
    const span = fuseMotion(
      START,
      count,
      [features({ site: 'chest', episodes: off }), features({ site: 'thigh', episodes: off })],
      [],
      [],
    );
    expect(span.worn[150]).toBe(1);
    expect(span.worn[2 * 3600]).toBe(0);
    expect(worn(span)).toBeLessThan(600 + 2 * 900);
    expect(span.activity[2 * 3600]).toBe(0);
    expect(span.counts[2 * 3600]).toBeNaN();
    expect(span.recorded[2 * 3600]).toBe(1);
  });

  it('counts a still sleeper who breathes as wearing the sensor', () => {
    const episodes: Episode[] = [
      { doing: 'walk', seconds: 300 },
      { doing: 'lieBack', seconds: 3 * 3600 },
    ];
    const span = fuseMotion(START, 3 * 3600 + 300, [features({ site: 'chest', episodes })], [], []);
    expect(worn(span)).toBe(3 * 3600 + 300);
  });

  it('counts a sensor as worn when its ECG shows a heartbeat', () => {
    const chest = features({ site: 'chest', episodes: off });
    expect(worn(fuseMotion(START, count, [chest], [contactEcg(count, 1)], []))).toBe(count);
    expect(fuseMotion(START, count, [chest], [contactEcg(count, 0)], []).worn[2 * 3600]).toBe(0);
  });

  it('recognises a patch that is off for twenty minutes, even if its electrodes pick up noise', () => {
    const short: Episode[] = [
      { doing: 'walk', seconds: 900 },
      { doing: 'off', seconds: 1200 },
      { doing: 'walk', seconds: 900 },
    ];
    const chest = features({ site: 'chest', episodes: short });
    const ecg = contactEcg(3000, 1);
    expect(worn(fuseMotion(START, 3000, [chest], [ecg], []))).toBe(3000);
    ecg.seconds.columns.quality.fill(5, 900, 2100);
    const { worn: found } = fuseMotion(START, 3000, [chest], [ecg], []);
    expect([...found.subarray(0, 840), ...found.subarray(2160)]).not.toContain(0);
    expect(found.subarray(960, 2040)).not.toContain(1);
  });

  it('detects wear from an ECG alone', () => {
    expect(worn(fuseMotion(START, 100, [], [contactEcg(100, 1)], []))).toBe(100);
    expect(worn(fuseMotion(START, 100, [], [contactEcg(100, 0)], []))).toBe(0);
  });
});
