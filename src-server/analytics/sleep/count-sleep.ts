/**
 * Sleep by activity counts per minute, as ActiLife scores it: Sadeh et al. 1994 (Sleep 17:201) and Cole et al. 1992 (Sleep 15:461),
 * both on the counts of the vertical axis. Neither looks for a time in bed: a still sensor is asleep at any hour.
 */

/** Minutes on both sides of one that either score depends on. */
export const COUNT_SLEEP_REACH = 5;

/** ActiLife caps counts so that those of its devices match those of the publication. */
const MOST_COUNTS = 300;
const SADEH_NATURAL = { from: 50, below: 100 };
const SADEH_THRESHOLD = -4;

/** Weights of the four minutes before, the minute itself, and the two after. */
const COLE_KRIPKE_WEIGHTS = [106, 54, 58, 76, 230, 74, 67];
const COLE_KRIPKE_BEFORE = 4;
const COLE_KRIPKE_SCALE = 0.001;

/** Counts that are unknown, or lie beyond the ends, are taken for zero, as in ActiLife. */
const countsAt =
  (counts: ArrayLike<number>) =>
  (i: number): number =>
    i >= 0 && i < counts.length && counts[i]! > 0 ? counts[i]! : 0;

/** 1 asleep, 0 awake, of each minute. @param counts of the vertical axis per minute */
export function sadehSleep(counts: ArrayLike<number>): Uint8Array {
  const known = countsAt(counts);
  const at = (i: number): number => Math.min(MOST_COUNTS, known(i));
  return Uint8Array.from({ length: counts.length }, (_, i) => {
    let sum = 0;
    let natural = 0;
    for (let k = i - 5; k <= i + 5; k++) {
      sum += at(k);
      if (at(k) >= SADEH_NATURAL.from && at(k) < SADEH_NATURAL.below) natural++;
    }
    let before = 0;
    for (let k = i - 5; k <= i; k++) before += at(k);
    let squares = 0;
    for (let k = i - 5; k <= i; k++) squares += (at(k) - before / 6) ** 2;
    const score =
      7.601 - 0.065 * (sum / 11) - 1.08 * natural - 0.056 * Math.sqrt(squares / 5) - 0.703 * Math.log(at(i) + 1);
    return score > SADEH_THRESHOLD ? 1 : 0;
  });
}

/** 1 asleep, 0 awake, of each minute. @param counts of the vertical axis per minute */
export function coleKripkeSleep(counts: ArrayLike<number>): Uint8Array {
  const known = countsAt(counts);
  const at = (i: number): number => Math.min(MOST_COUNTS, known(i) / 100);
  return Uint8Array.from({ length: counts.length }, (_, i) => {
    const score = COLE_KRIPKE_WEIGHTS.reduce((sum, weight, k) => sum + weight * at(i + k - COLE_KRIPKE_BEFORE), 0);
    return COLE_KRIPKE_SCALE * score < 1 ? 1 : 0;
  });
}
