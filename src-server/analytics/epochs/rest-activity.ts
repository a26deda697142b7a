/**
 * The rhythm of rest and activity without a model (Witting et al. 1990, Biol Psychiatry 27:563; Van Someren et al. 1999, Chronobiol
 * Int 16:505), and the regularity of sleep (Phillips et al. 2017, Sci Rep 7:3216).
 */

import { correctSleep, type SleepEdit } from '../corrections/sleep.ts';
import type { SleepResult } from '../sleep/detect.ts';
import { wristSleep } from '../sleep/hdcza.ts';
import { EPOCH_SECONDS } from './extract.ts';
import type { EpochRows, EpochSource } from './types.ts';

/** Percent of an epoch that samples must cover for it to count. */
export const LEAST_COVERAGE = 90;
const HOUR_EPOCHS = 3600 / EPOCH_SECONDS;
const DAY_EPOCHS = 24 * HOUR_EPOCHS;
/** Interdaily stability compares days: two are too few to tell habit from chance. */
const LEAST_HOURS = 72;
/** Part of both nights' epochs that must be known for their regularity. */
const LEAST_KNOWN = 2 / 3;

/** Whether each of some epochs of a recording is covered, and the sensor was worn: 1 or 0. */
type WornIn = (rows: EpochRows) => Uint8Array;

/** Mean ENMO of the hours of a recording, g; NaN where less than half of an hour is known. */
function hourlyEnmo(source: EpochSource, wornIn: WornIn): Float64Array {
  const firstHour = Math.floor(source.firstEpoch / HOUR_EPOCHS);
  const hours = new Float64Array(Math.max(0, Math.ceil(source.stopEpoch / HOUR_EPOCHS) - firstHour)).fill(Number.NaN);
  // A day at a time: a long recording takes little memory.
  for (let from = 0; from < hours.length; from += 24) {
    const fromEpoch = (firstHour + from) * HOUR_EPOCHS;
    const rows = source.read(fromEpoch, fromEpoch + DAY_EPOCHS);
    const known = wornIn(rows);
    for (let hour = 0; hour < 24 && from + hour < hours.length; hour++) {
      let sum = 0;
      let n = 0;
      for (let i = hour * HOUR_EPOCHS; i < (hour + 1) * HOUR_EPOCHS; i++) {
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

/**
 * Interdaily stability and intradaily variability of hourly values, which begin at any hour; NaN where unknown. Each hour of the day
 * weighs by the number of its values, so that stability stays within 0 and 1 where hours are missing; with whole days it is that of
 * the publication.
 */
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
  const between = byHour.reduce((total, hour) => total + hour.n * (hour.sum / hour.n - mean) ** 2, 0);
  return { stability: between / spread, variability: (n * changes) / (pairs * spread) };
}

const known = new WeakMap<EpochSource, Map<string, HourlyRhythm>>();

/**
 * The rhythm of a whole recording; remembered, as every window of it asks.
 *
 * @param key of what `wornIn` depends on
 */
export function rhythmOf(source: EpochSource, wornIn: WornIn, key: string): HourlyRhythm {
  const byKey = known.get(source) ?? new Map<string, HourlyRhythm>();
  known.set(source, byKey);
  const before = byKey.get(key);
  if (before) return before;
  const rhythm = rhythmOfHours(hourlyEnmo(source, wornIn));
  byKey.set(key, rhythm);
  return rhythm;
}

/** 1 asleep, 0 awake, per epoch of a span: as found, with what people said. */
function sleepOf(rows: EpochRows, worn: Uint8Array, edits: readonly SleepEdit[]): Uint8Array {
  const count = rows.count * EPOCH_SECONDS;
  const startSecond = rows.firstEpoch * EPOCH_SECONDS;
  const sleep: SleepResult = { asleep: new Uint8Array(count), sleepingPosture: new Uint8Array(count), periods: [] };
  const found = wristSleep(rows.angle, worn);
  if (found) {
    for (const { start, stop } of found.bouts) sleep.asleep.fill(1, start * EPOCH_SECONDS, stop * EPOCH_SECONDS);
    const ms = (epoch: number): number => 1000 * (startSecond + epoch * EPOCH_SECONDS);
    sleep.periods.push({ onsetMs: ms(found.period.start), wakeMs: ms(found.period.stop) });
  }
  const recorded = new Uint8Array(count);
  for (let i = 0; i < count; i++) if (rows.coverage[Math.floor(i / EPOCH_SECONDS)]! > 0) recorded[i] = 1;
  correctSleep(
    sleep,
    { count, recorded, lyingRollDegrees: new Float32Array(count).fill(Number.NaN) },
    startSecond,
    edits,
  );
  // What most of an epoch is: its middle second.
  return rows.coverage.map((_, i) => sleep.asleep[i * EPOCH_SECONDS + (EPOCH_SECONDS >> 1)]!);
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
export function sleepRegularity(
  source: EpochSource,
  fromEpoch: number,
  toEpoch: number,
  wornIn: WornIn,
  edits: readonly SleepEdit[],
): number | null {
  if (source.firstEpoch > fromEpoch - DAY_EPOCHS / 3) return null;
  const rows = source.read(fromEpoch, toEpoch);
  const earlier = source.read(fromEpoch - DAY_EPOCHS, toEpoch - DAY_EPOCHS);
  const isKnown = wornIn(rows);
  const wasKnown = wornIn(earlier);
  return regularityOf(sleepOf(rows, isKnown, edits), sleepOf(earlier, wasKnown, edits), isKnown, wasKnown);
}
