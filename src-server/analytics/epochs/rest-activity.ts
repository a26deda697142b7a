/**
 * The rhythm of rest and activity without a model (Witting et al. 1990, Biol Psychiatry 27:563; Van Someren et al. 1999, Chronobiol
 * Int 16:505), and the regularity of sleep (Phillips et al. 2017, Sci Rep 7:3216).
 */

import { wristSleep } from '../sleep/hdcza.ts';
import { EPOCH_SECONDS, QUARTER_EPOCHS } from './extract.ts';
import { vanHeesOff } from './non-wear.ts';
import type { EpochRows, EpochSource } from './types.ts';

/** Percent of an epoch that samples must cover for it to count. */
export const LEAST_COVERAGE = 90;
const HOUR_EPOCHS = 3600 / EPOCH_SECONDS;
const DAY_EPOCHS = 24 * HOUR_EPOCHS;
/** Interdaily stability compares days: two are too few to tell habit from chance. */
const LEAST_HOURS = 72;
/** Part of both nights' epochs that must be known for their regularity. */
const LEAST_KNOWN = 2 / 3;

/** 1 where an epoch is covered and the sensor was worn, by acceleration alone. */
export function knownEpochs(rows: EpochRows): Uint8Array {
  const off = vanHeesOff(rows.quarters);
  const firstQuarter = Math.floor(rows.firstEpoch / QUARTER_EPOCHS);
  return rows.coverage.map((percent, i) => {
    const quarter = Math.floor((rows.firstEpoch + i) / QUARTER_EPOCHS) - firstQuarter;
    return percent >= LEAST_COVERAGE && off[quarter] === 0 ? 1 : 0;
  });
}

/** Mean ENMO of the hours of a recording, g; NaN where less than half of an hour is known. */
function hourlyEnmo(source: EpochSource): Float64Array {
  const firstHour = Math.floor(source.firstEpoch / HOUR_EPOCHS);
  const hours = new Float64Array(Math.max(0, Math.ceil(source.stopEpoch / HOUR_EPOCHS) - firstHour)).fill(Number.NaN);
  // A day at a time, with an hour on both sides for the windows of wear.
  for (let from = 0; from < hours.length; from += 24) {
    const fromEpoch = (firstHour + from) * HOUR_EPOCHS;
    const rows = source.read(fromEpoch - HOUR_EPOCHS, fromEpoch + DAY_EPOCHS + HOUR_EPOCHS);
    const known = knownEpochs(rows);
    for (let hour = 0; hour < 24 && from + hour < hours.length; hour++) {
      let sum = 0;
      let n = 0;
      for (let i = (hour + 1) * HOUR_EPOCHS; i < (hour + 2) * HOUR_EPOCHS; i++) {
        if (known[i] === 0) continue;
        sum += rows.enmo[i]!;
        n++;
      }
      if (n * 2 >= HOUR_EPOCHS) hours[from + hour] = sum / n;
    }
  }
  return hours;
}

export interface HourlyRhythm {
  stability: number | null;
  variability: number | null;
}

/** Interdaily stability and intradaily variability of hourly values, which begin at any hour; NaN where unknown. */
export function rhythmOfHours(hours: ArrayLike<number>): HourlyRhythm {
  const byHour = Array.from({ length: 24 }, () => ({ sum: 0, n: 0 }));
  let sum = 0;
  let n = 0;
  for (let i = 0; i < hours.length; i++) {
    const value = hours[i]!;
    if (Number.isNaN(value)) continue;
    byHour[i % 24]!.sum += value;
    byHour[i % 24]!.n++;
    sum += value;
    n++;
  }
  if (n < LEAST_HOURS || byHour.some((hour) => hour.n === 0)) return { stability: null, variability: null };
  const mean = sum / n;
  let spread = 0;
  let changes = 0;
  let pairs = 0;
  for (let i = 0; i < hours.length; i++) {
    if (Number.isNaN(hours[i])) continue;
    spread += (hours[i]! - mean) ** 2;
    if (i === 0 || Number.isNaN(hours[i - 1])) continue;
    changes += (hours[i]! - hours[i - 1]!) ** 2;
    pairs++;
  }
  if (spread === 0 || pairs === 0) return { stability: null, variability: null };
  const between = byHour.reduce((total, hour) => total + (hour.sum / hour.n - mean) ** 2, 0);
  return { stability: (n * between) / (24 * spread), variability: (n * changes) / (pairs * spread) };
}

const known = new WeakMap<EpochSource, HourlyRhythm>();

/** The rhythm of a whole recording; remembered, as every window of it asks. */
export function rhythmOf(source: EpochSource): HourlyRhythm {
  const before = known.get(source);
  if (before) return before;
  const rhythm = rhythmOfHours(hourlyEnmo(source));
  known.set(source, rhythm);
  return rhythm;
}

/** 1 asleep, 0 awake, per epoch of a span. */
function sleepOf(rows: EpochRows, worn: Uint8Array): Uint8Array {
  const asleep = new Uint8Array(rows.count);
  for (const { start, stop } of wristSleep(rows.angle, worn)?.bouts ?? []) asleep.fill(1, start, stop);
  return asleep;
}

/**
 * The Sleep Regularity Index of two series, one 24 hours after the other: 100 when all epochs agree, -100 when none does. Null with
 * too few epochs known in both.
 */
export function regularityOf(
  asleep: Uint8Array,
  before: Uint8Array,
  isKnown: Uint8Array,
  wasKnown: Uint8Array,
): number | null {
  let agree = 0;
  let n = 0;
  for (let i = 0; i < asleep.length; i++) {
    if (isKnown[i] === 0 || wasKnown[i] === 0) continue;
    if (asleep[i] === before[i]) agree++;
    n++;
  }
  return n >= LEAST_KNOWN * asleep.length && n > 0 ? (200 * agree) / n - 100 : null;
}

/** The regularity of the sleep in the epochs [fromEpoch, toEpoch) against that of 24 hours before, in the same recording. */
export function sleepRegularity(source: EpochSource, fromEpoch: number, toEpoch: number): number | null {
  if (source.firstEpoch > fromEpoch - DAY_EPOCHS / 3) return null;
  const rows = source.read(fromEpoch, toEpoch);
  const earlier = source.read(fromEpoch - DAY_EPOCHS, toEpoch - DAY_EPOCHS);
  const isKnown = knownEpochs(rows);
  const wasKnown = knownEpochs(earlier);
  return regularityOf(sleepOf(rows, isKnown), sleepOf(earlier, wasKnown), isKnown, wasKnown);
}
