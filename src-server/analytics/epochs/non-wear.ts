/**
 * When a wrist or waist sensor was not worn, by published rules: van Hees et al. 2013 on acceleration, Choi et al. 2011 and Troiano et
 * al. 2008 on counts per minute. A time without samples is not known to be worn, whatever the rule.
 */
import { QUARTER_VALUES } from './extract.ts';

/**
 * van Hees et al. 2013 (PLoS ONE 8:e61691): windows of 60 minutes, moved by 15, with two of three axes within both limits. All of such a
 * window is off, as in GGIR since 2.9-2 (nonwear_approach "2023"); the publication marked the 15 minutes in its middle.
 */
const WINDOW_QUARTERS = 4;
const STILL_SD_G = 0.013;
const STILL_RANGE_G = 0.05;
const LEAST_STILL_AXES = 2;

/**
 * Marks quarters of an hour in which a sensor was off (1).
 *
 * @param quarters of the epoch pieces: `QUARTER_VALUES` each, zeros where there are no samples
 */
export function vanHeesOff(quarters: Float32Array): Uint8Array {
  const count = quarters.length / QUARTER_VALUES;
  const off = new Uint8Array(count);
  for (let from = 0; from + WINDOW_QUARTERS <= count; from++) {
    let samples = 0;
    for (let q = from; q < from + WINDOW_QUARTERS; q++) samples += quarters[q * QUARTER_VALUES] ?? 0;
    // A window of which more than half is missing shows nothing.
    let present = 0;
    for (let q = from; q < from + WINDOW_QUARTERS; q++) if (quarters[q * QUARTER_VALUES]! > 0) present++;
    if (present * 2 <= WINDOW_QUARTERS) continue;
    let still = 0;
    for (let axis = 0; axis < 3; axis++) {
      let sum = 0;
      let squares = 0;
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let q = from; q < from + WINDOW_QUARTERS; q++) {
        const at = q * QUARTER_VALUES;
        const n = quarters[at]!;
        if (n === 0) continue;
        const mean = quarters[at + 1 + 4 * axis]!;
        const sd = quarters[at + 2 + 4 * axis]!;
        sum += n * mean;
        squares += n * (mean * mean + sd * sd);
        low = Math.min(low, quarters[at + 3 + 4 * axis]!);
        high = Math.max(high, quarters[at + 4 + 4 * axis]!);
      }
      const variance = squares / samples - (sum / samples) ** 2;
      if (variance < STILL_SD_G * STILL_SD_G && high - low < STILL_RANGE_G) still++;
    }
    if (still >= LEAST_STILL_AXES) off.fill(1, from, from + WINDOW_QUARTERS);
  }
  return off;
}

/** Choi et al. 2011 (Med Sci Sports Exerc 43:357): 90 minutes of zeros, with spikes of up to 2 minutes amid 30 zero minutes. */
const CHOI = { leastMinutes: 90, longestSpike: 2, quietMinutes: 30 };

/** Stretches of minutes [start, stop) that Choi's rule calls non-wear. NaN, where nothing is known, ends a stretch. */
export function choiNonWear(counts: ArrayLike<number>): [number, number][] {
  const n = counts.length;
  const isZero = (i: number): boolean => counts[i] === 0;
  const quietAround = (start: number, stop: number): boolean => {
    const before = Math.max(0, start - CHOI.quietMinutes);
    const after = Math.min(n, stop + CHOI.quietMinutes);
    for (let i = before; i < start; i++) if (!isZero(i)) return false;
    for (let i = stop; i < after; i++) if (!isZero(i)) return false;
    return true;
  };
  const quiet = new Uint8Array(n);
  for (let i = 0; i < n; i++) quiet[i] = isZero(i) ? 1 : 0;
  for (let start = 0; start < n; ) {
    if (isZero(start)) {
      start++;
      continue;
    }
    let stop = start;
    while (stop < n && !isZero(stop)) stop++;
    const isKnown = !Array.from({ length: stop - start }, (_, i) => counts[start + i]!).some(Number.isNaN);
    if (isKnown && stop - start <= CHOI.longestSpike && start > 0 && stop < n && quietAround(start, stop))
      quiet.fill(1, start, stop);
    start = stop;
  }
  return stretches(quiet, CHOI.leastMinutes);
}

function stretches(marks: Uint8Array, least: number): [number, number][] {
  const found: [number, number][] = [];
  for (let start = 0; start < marks.length; ) {
    let stop = start;
    while (stop < marks.length && marks[stop] === 1) stop++;
    if (stop - start >= least) found.push([start, stop]);
    start = Math.max(stop, start + 1);
  }
  return found;
}

/** Troiano et al. 2008 (Med Sci Sports Exerc 40:181): 60 minutes of zeros, with up to 2 minutes of counts from 1 to 100. */
const TROIANO = { leastMinutes: 60, longestSpike: 2, spikeStop: 100 };

/**
 * Stretches of minutes [start, stop) that Troiano's rule calls non-wear: a stretch begins with a zero and ends before a minute above
 * 100 counts, or before the third minute in a row with counts. NaN ends a stretch.
 */
export function troianoNonWear(counts: ArrayLike<number>): [number, number][] {
  const found: [number, number][] = [];
  for (let start = 0; start < counts.length; ) {
    if (counts[start] !== 0) {
      start++;
      continue;
    }
    let stop = start;
    let spikes = 0;
    let next = start;
    for (; next < counts.length; next++) {
      const value = counts[next]!;
      if (value === 0) {
        spikes = 0;
        stop = next + 1;
        continue;
      }
      if (!(value <= TROIANO.spikeStop)) break;
      if (++spikes > TROIANO.longestSpike) break;
    }
    if (stop - start >= TROIANO.leastMinutes) found.push([start, stop]);
    start = stop;
  }
  return found;
}
