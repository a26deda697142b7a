/**
 * The sleep period of a wrist without a diary: the heuristic on the distribution of change in z-angle (HDCZA, van Hees et al. 2018, Sci
 * Rep 8:12975), and within it sustained inactivity (van Hees et al. 2015, PLoS ONE 10:e0142533).
 */

const EPOCHS_PER_MINUTE = 12;
/** Rolling median of the angle's changes over five minutes. */
const MEDIAN_EPOCHS = 5 * EPOCHS_PER_MINUTE;
const QUANTILE = 0.1;
const FACTOR = 15;
const LOWEST_THRESHOLD = 0.13;
const HIGHEST_THRESHOLD = 0.5;
/** Blocks of no movement last 30 minutes; gaps of up to 60 minutes between them are part of the period. */
const LEAST_BLOCK_EPOCHS = 30 * EPOCHS_PER_MINUTE;
const LONGEST_GAP_EPOCHS = 60 * EPOCHS_PER_MINUTE;
/** Sustained inactivity: no change of the angle above 5 degrees for more than 5 minutes. */
const TURN_DEGREES = 5;
const INACTIVE_EPOCHS = 5 * EPOCHS_PER_MINUTE;
/** With less of the span known, its distribution of movement is not that of a day and a night. */
const LEAST_KNOWN = 1 / 3;

/** Epochs [start, stop). */
export interface EpochSpan {
  start: number;
  stop: number;
}

/**
 * The median of the changes of the angle over the five minutes around each epoch, by an ordered copy of them. Towards the ends the
 * window shrinks to what there is.
 */
function rollingMedianOfChanges(angle: Float32Array): Float32Array {
  const n = angle.length;
  const out = new Float32Array(n);
  const changes = MEDIAN_EPOCHS - 1;
  const sorted = new Float32Array(changes);
  let count = 0;
  const insert = (value: number): void => {
    let at = count++;
    while (at > 0 && sorted[at - 1]! > value) {
      sorted[at] = sorted[at - 1]!;
      at--;
    }
    sorted[at] = value;
  };
  const remove = (value: number): void => {
    let at = 0;
    while (sorted[at] !== value) at++;
    count--;
    for (; at < count; at++) sorted[at] = sorted[at + 1]!;
  };
  const change = new Float32Array(Math.max(0, n - 1));
  for (let i = 0; i < change.length; i++) change[i] = Math.abs(angle[i + 1]! - angle[i]!);
  // Of an even window the centre is the earlier of its two middle epochs.
  const half = MEDIAN_EPOCHS / 2;
  let stop = 0;
  for (let i = 0; i < n; i++) {
    const start = i + half - changes;
    if (start > 0) remove(change[start - 1]!);
    for (; stop < Math.min(change.length, i + half); stop++) insert(change[stop]!);
    out[i] = count % 2 === 1 ? sorted[count >> 1]! : (sorted[(count >> 1) - 1]! + sorted[count >> 1]!) / 2;
  }
  return out;
}

/** The quantile of values by linear interpolation. */
function quantileOf(values: Float32Array, q: number): number {
  const sorted = values.slice().sort();
  const position = (sorted.length - 1) * q;
  const low = Math.floor(position);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (position - low);
}

/**
 * The sleep period time window of a span of about a day: its longest run of blocks without movement. Epochs that are unknown or not
 * worn count as movement; between them the angle is that of the last known epoch. Null without a block of 30 minutes.
 *
 * @param angle degrees per epoch of five seconds; NaN where unknown
 * @param worn 1 where the sensor was worn
 */
export function sleepPeriodWindow(angle: Float32Array, worn: Uint8Array): EpochSpan | null {
  const n = angle.length;
  const filled = new Float32Array(n);
  let last = angle.find((value) => !Number.isNaN(value)) ?? 0;
  let known = 0;
  for (let i = 0; i < n; i++) {
    const value = angle[i]!;
    if (!Number.isNaN(value)) {
      last = value;
      if (worn[i] === 1) known++;
    }
    filled[i] = last;
  }
  if (n < 2 * MEDIAN_EPOCHS || known < LEAST_KNOWN * n) return null;
  const median = rollingMedianOfChanges(filled);
  const wornMedian = median.filter((_, i) => worn[i] === 1 && !Number.isNaN(angle[i]!));
  const threshold = Math.min(HIGHEST_THRESHOLD, Math.max(LOWEST_THRESHOLD, FACTOR * quantileOf(wornMedian, QUANTILE)));
  const blocks: EpochSpan[] = [];
  for (let start = 0; start < n; ) {
    let stop = start;
    while (stop < n && median[stop]! < threshold && worn[stop] === 1 && !Number.isNaN(angle[stop]!)) stop++;
    if (stop - start > LEAST_BLOCK_EPOCHS) {
      const before = blocks.at(-1);
      if (before !== undefined && start - before.stop < LONGEST_GAP_EPOCHS) before.stop = stop;
      else blocks.push({ start, stop });
    }
    start = Math.max(stop, start + 1);
  }
  let longest: EpochSpan | null = null;
  for (const block of blocks) {
    if (longest === null || block.stop - block.start > longest.stop - longest.start) longest = block;
  }
  return longest;
}

/** Stretches of sustained inactivity, between changes of the angle of more than 5 degrees. An unknown or unworn epoch ends one. */
export function sustainedInactivity(angle: Float32Array, worn: Uint8Array): EpochSpan[] {
  const found: EpochSpan[] = [];
  const n = angle.length;
  const isKnown = (i: number): boolean => worn[i] === 1 && !Number.isNaN(angle[i]!);
  for (let start = 0; start < n; ) {
    if (!isKnown(start)) {
      start++;
      continue;
    }
    let stop = start + 1;
    while (stop < n && isKnown(stop) && Math.abs(angle[stop]! - angle[stop - 1]!) <= TURN_DEGREES) stop++;
    if (stop - start > INACTIVE_EPOCHS) found.push({ start, stop });
    start = stop;
  }
  return found;
}

/**
 * Sleep of a wrist: the stretches of sustained inactivity that share time with the sleep period window, each whole as in GGIR, and the
 * period from the first to the last of them.
 */
export function wristSleep(angle: Float32Array, worn: Uint8Array): { period: EpochSpan; bouts: EpochSpan[] } | null {
  const window = sleepPeriodWindow(angle, worn);
  if (window === null) return null;
  const bouts = sustainedInactivity(angle, worn).filter(
    ({ start, stop }) => start < window.stop && stop > window.start,
  );
  if (bouts.length === 0) return null;
  return { period: { start: bouts[0]!.start, stop: bouts.at(-1)!.stop }, bouts };
}
