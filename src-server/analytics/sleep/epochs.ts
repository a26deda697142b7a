/** Sleep/wake scoring of 30 s epochs from activity counts of a wrist device. */
import { SLEEP_EPOCH_MODEL } from './epoch-model.ts';

/** Epochs of the moving mean on each side: counts over ten minutes separate rest from a pause. */
const REACH_EPOCHS = 10;
/** Time constant of falling asleep, which takes a healthy adult 10 to 20 minutes. */
const SETTLING_EPOCHS = 15;

/** Model features per epoch: log counts, their mean over ten minutes, and the decay since lights out. */
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
 * Returns sleep (1) or wake (0) per 30 s epoch of one stay in bed. Logistic regression on counts smoothed over about ten minutes,
 * in the manner of Cole et al. 1992 (Sleep 15:461), and on the time since lights out.
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
