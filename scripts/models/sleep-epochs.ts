/**
 * Fits the sleep/wake rule of `src-server/analytics/sleep/epochs.ts` to nights with polysomnography and writes its weights.
 * Run `node scripts/models/sleep-epochs.ts DATA_FOLDER` with the folder of the `sleepaccel-*.json` nights. Prints the kappa
 * of leave-one-subject-out cross-validation, which is the figure to quote.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleepEpochFeatures } from '../../src-server/analytics/sleep/epochs.ts';
import { fitLogistic, kappa } from './logistic.ts';

/** Probability of wake above which an epoch is wake; balances missed against false wake epochs in cross-validation. */
const WAKE_PROBABILITY = 0.3;

interface Night {
  rows: number[][];
  wake: number[];
}

export function readNights(folder: string): Night[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('sleepaccel-'))
    .sort()
    .map((name) => {
      const night = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        counts: number[];
        stage: string[];
        epochIndex?: number[];
      };
      const features = sleepEpochFeatures(night.counts, night.epochIndex);
      return {
        rows: night.counts.map((_, i) => features.map((column) => column[i]!)),
        wake: night.stage.map((stage) => (stage === 'W' ? 1 : 0)),
      };
    });
}

const score = (weights: number[], row: number[]): number =>
  1 / (1 + Math.exp(-row.reduce((sum, value, i) => sum + weights[i + 1]! * value, weights[0]!)));

/** Returns the mean kappa over the nights, each scored with the weights of the other nights. */
export function crossValidatedKappa(nights: Night[]): number {
  let sum = 0;
  for (const night of nights) {
    const others = nights.filter((other) => other !== night);
    const weights = fitLogistic(
      others.flatMap((other) => other.rows),
      others.flatMap((other) => other.wake),
    );
    sum += kappa(
      night.wake,
      night.rows.map((row) => (score(weights, row) > WAKE_PROBABILITY ? 1 : 0)),
    );
  }
  return sum / nights.length;
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Give the folder with the sleepaccel-*.json nights.');
  const nights = readNights(folder);
  const validatedKappa = crossValidatedKappa(nights).toFixed(3);
  const [intercept, ...weights] = fitLogistic(
    nights.flatMap((night) => night.rows),
    nights.flatMap((night) => night.wake),
  ).map((weight) => Number(weight.toPrecision(6)));
  writeFileSync(
    new URL('../../src-server/analytics/sleep/epoch-model.ts', import.meta.url),
    `/**
 * Made by \`scripts/models/sleep-epochs.ts\`, not edited by hand: logistic regression on ${nights.length} nights of PhysioNet sleep-accel
 * (Walch et al. 2019), kappa ${validatedKappa} with each night scored by weights of the other nights.
 */
export const SLEEP_EPOCH_MODEL = {
  intercept: ${intercept},
  weights: [${weights.join(', ')}],
  wakeProbability: ${WAKE_PROBABILITY},
};
`,
  );
  process.stdout.write(`kappa, leave one night out: ${validatedKappa}\n`);
}
