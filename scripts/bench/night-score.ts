/**
 * Scores the sleep detector on nights with polysomnography. These nights only have wrist counts per epoch, while the
 * detector takes per-second posture and movement of the trunk. Each epoch with counts above a threshold therefore becomes
 * seconds of movement, and the whole night counts as lying: time in bed is given, as it would be by a trunk sensor.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MotionSpan } from '../../src-server/analytics/motion/index.ts';
import { detectSleep, STIR_G } from '../../src-server/analytics/sleep/index.ts';
import { ACTIVITIES } from '../../src-server/analytics/types.ts';
import { kappa } from '../models/logistic.ts';

const EPOCH_SECONDS = 30;
const LYING = ACTIVITIES.indexOf('RESTING:LYING');
/** Counts above which an epoch contains movement: the middle of the range without effect (2 to 12 give kappa 0.36 to 0.39). */
const STIRRING_COUNTS = 5;

interface CountedNight {
  counts: number[];
  wake: number[];
  epochIndex?: number[];
}

function readCountedNights(folder: string): CountedNight[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('sleepaccel-'))
    .sort()
    .map((name) => {
      const night = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        counts: number[];
        stage: string[];
        epochIndex?: number[];
      };
      return { ...night, wake: night.stage.map((stage) => (stage === 'W' ? 1 : 0)) };
    });
}

/** Converts a night to the input of the detector. Missing epochs become still seconds and are not scored. */
function asSpan({ counts, epochIndex }: CountedNight): MotionSpan {
  const last = epochIndex?.at(-1) ?? counts.length - 1;
  const count = (last + 1) * EPOCH_SECONDS;
  const zeros = (): Uint8Array => new Uint8Array(count);
  const none = (): Float32Array => new Float32Array(count).fill(Number.NaN);
  const movement = new Float32Array(count);
  counts.forEach((value, i) => {
    const start = (epochIndex?.[i] ?? i) * EPOCH_SECONDS;
    if (value >= STIRRING_COUNTS) movement.fill(2 * STIR_G, start, start + EPOCH_SECONDS);
  });
  return {
    startSecond: 0,
    count,
    recorded: zeros().fill(1),
    worn: zeros().fill(1),
    activity: zeros().fill(LYING),
    steps: zeros(),
    stepsUs: new Float64Array(0),
    counts: none(),
    leanSide: zeros(),
    leanForward: zeros(),
    leanSideDegrees: none(),
    leanForwardDegrees: none(),
    lyingRollDegrees: none(),
    bodyKnown: zeros().fill(1),
    trunkKnown: zeros().fill(1),
    movement,
    turnDegrees: new Float32Array(count),
  };
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the mean kappa of sleep and wake in bed, and the mean errors of sleep onset and time asleep in minutes. */
export function scoreNights(folder: string): { kappa: number; onsetMinutes: number; asleepMinutes: number } {
  const kappas: number[] = [];
  const onsets: number[] = [];
  const durations: number[] = [];
  for (const night of readCountedNights(folder)) {
    const secondOf = (epoch: number): number => (night.epochIndex?.[epoch] ?? epoch) * EPOCH_SECONDS;
    const { asleep, periods } = detectSleep({ motion: asSpan(night) });
    const found = night.counts.map((_count, epoch) => (asleep[secondOf(epoch) + EPOCH_SECONDS / 2] ? 0 : 1));
    kappas.push(kappa(night.wake, found));
    if (periods.length > 0) onsets.push(Math.abs(periods[0]!.onsetMs / 1000 - secondOf(night.wake.indexOf(0))) / 60);
    const epochs = (values: number[]): number => values.filter((wake) => wake === 0).length;
    durations.push((Math.abs(epochs(found) - epochs(night.wake)) * EPOCH_SECONDS) / 60);
  }
  return { kappa: mean(kappas), onsetMinutes: mean(onsets), asleepMinutes: mean(durations) };
}
