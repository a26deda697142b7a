import { SLEEP_EPOCH_MODEL } from './epoch-model.ts';

/** Epochs of the moving mean on each side: counts of ten minutes tell rest from a pause. */
const REACH_EPOCHS = 10;
/** Falling asleep takes a healthy adult 10 to 20 minutes; the chance of being awake decays with this constant. */
const SETTLING_EPOCHS = 15;

/** Values per epoch that the model weighs: log counts, their mean over ten minutes, and how fresh the time in bed is. */
export function sleepEpochFeatures(counts: ArrayLike<number>, epochIndex?: ArrayLike<number>): Float64Array[] {
  const n = counts.length;
  const level = new Float64Array(n);
  const around = new Float64Array(n);
  const settling = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    level[i] = Math.log1p(Math.max(0, counts[i]!));
    settling[i] = Math.exp(-(epochIndex?.[i] ?? i) / SETTLING_EPOCHS);
  }
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = i - REACH_EPOCHS; j <= i + REACH_EPOCHS; j++) sum += level[Math.max(0, Math.min(n - 1, j))]!;
    around[i] = sum / (2 * REACH_EPOCHS + 1);
  }
  return [level, around, settling];
}

/**
 * Sleep (1) or wake (0) per 30 s epoch of one stay in bed, from activity counts that are smoothed over about ten minutes,
 * as of a wrist device. A logistic rule in the way of Cole et al. 1992 (Sleep 15:461), with the time since going to bed.
 *
 * @param counts activity counts per epoch, from lights out to getting up
 * @param epochIndex number of each epoch since lights out, when some are missing
 */
export function scoreSleepEpochs(counts: ArrayLike<number>, epochIndex?: ArrayLike<number>): Uint8Array {
  const features = sleepEpochFeatures(counts, epochIndex);
  const asleep = new Uint8Array(counts.length);
  const { intercept, weights, wakeProbability } = SLEEP_EPOCH_MODEL;
  for (let i = 0; i < asleep.length; i++) {
    let score = intercept;
    for (let k = 0; k < weights.length; k++) score += weights[k]! * features[k]![i]!;
    asleep[i] = 1 / (1 + Math.exp(-score)) > wakeProbability ? 0 : 1;
  }
  return asleep;
}
