/** The daily metrics of epochs: intensity, counts, the hours of most and least activity, and how they were found. */

import type { DailyMetrics, EpochSeconds, SecondColumns } from '../types.ts';
import { INTENSITIES } from './cut-points.ts';
import type { EpochDetails, EpochMethod } from './types.ts';

/** Recorded and worn hours of a day for its most and least active hours, as of a valid day. */
export const LEAST_RHYTHM_HOURS = 16;
const M10_MINUTES = 600;
const L5_MINUTES = 300;
/** Part of the minutes of such hours that must be known. */
const LEAST_KNOWN = 2 / 3;
/** Seconds of a minute for its value to count. */
const LEAST_MINUTE_SECONDS = 30;

const code = (name: (typeof INTENSITIES)[number]): number => INTENSITIES.indexOf(name);

type Counts = 'countsX' | 'countsY' | 'countsZ';

/** Accumulates one local day, second by second. */
export class DayEpochs {
  readonly #startMs: number;
  readonly #seconds = new Uint32Array(INTENSITIES.length);
  #enmo = 0;
  #mad = 0;
  #known = 0;
  readonly #counts: Record<Counts, number> = { countsX: 0, countsY: 0, countsZ: 0 };
  #vm3 = 0;
  #countSeconds = 0;
  readonly #minuteCounts: Record<Counts, number> = { countsX: 0, countsY: 0, countsZ: 0 };
  #minute = -1;
  /** Sum and seconds of ENMO per minute of the day. */
  readonly #minuteSums: Float64Array;
  readonly #minuteSeconds: Uint8Array;
  #notWorn = 0;
  /** Of the window that holds most of the day. */
  #details: EpochDetails | null = null;
  readonly #secondsOf = new Map<EpochDetails, number>();

  constructor(startMs: number, stopMs: number) {
    this.#startMs = startMs;
    const minutes = Math.ceil((stopMs - startMs) / 60_000);
    this.#minuteSums = new Float64Array(minutes);
    this.#minuteSeconds = new Uint8Array(minutes);
  }

  /** Adds a recorded second of a window. */
  add({ epochs, worn }: SecondColumns, i: number, ms: number): void {
    if (!epochs) return;
    const minute = Math.floor((ms - this.#startMs) / 60_000);
    if (minute !== this.#minute) this.#closeMinute(minute);
    if (worn[i] === 0) this.#notWorn++;
    this.#seconds[epochs.intensity[i]!]!++;
    this.#addAcceleration(epochs, i, minute);
    if (Number.isNaN(epochs.countsX[i])) return;
    for (const axis of ['countsX', 'countsY', 'countsZ'] as const) this.#minuteCounts[axis] += epochs[axis][i]!;
    this.#countSeconds++;
  }

  #addAcceleration(epochs: EpochSeconds, i: number, minute: number): void {
    if (Number.isNaN(epochs.enmo[i])) return;
    this.#enmo += epochs.enmo[i]!;
    this.#mad += epochs.mad[i]!;
    this.#known++;
    this.#minuteSums[minute]! += epochs.enmo[i]!;
    this.#minuteSeconds[minute]!++;
    this.#secondsOf.set(epochs.details, (this.#secondsOf.get(epochs.details) ?? 0) + 1);
  }

  /** Whether the day has any epoch. */
  get hasAny(): boolean {
    return this.#known > 0;
  }

  /** The method of the window that holds most of the day; undefined before `write`, and without any epoch. */
  get method(): EpochMethod | undefined {
    if (this.#details === null) return undefined;
    const { site, cutPoints, nonWear, calibration } = this.#details;
    return { site, cutPoints, nonWear, calibration };
  }

  write(metrics: DailyMetrics['metrics'], night: EpochSeconds | undefined): void {
    if (night?.details.sleepRegularity != null) metrics.SLEEPING_REGULARITY = night.details.sleepRegularity;
    if (!this.hasAny) return;
    this.#closeMinute(-1);
    let most = 0;
    for (const [details, seconds] of this.#secondsOf) {
      if (seconds > most) this.#details = details;
      most = Math.max(most, seconds);
    }
    metrics.SENSOR_NON_WEAR_DURATION = this.#notWorn;
    metrics.ACCELERATION_AVG_ENMO = this.#enmo / this.#known;
    metrics.ACCELERATION_AVG_MAD = this.#mad / this.#known;
    this.#writeIntensity(metrics);
    if (this.#countSeconds > 0) {
      metrics.COUNTS_X = this.#counts.countsX;
      metrics.COUNTS_Y = this.#counts.countsY;
      metrics.COUNTS_Z = this.#counts.countsZ;
      metrics.COUNTS_VM3 = this.#vm3;
    }
    this.#writeRhythm(metrics);
    writeDetails(metrics, this.#details!);
  }

  #writeIntensity(metrics: DailyMetrics['metrics']): void {
    const seconds = this.#seconds;
    const known = seconds.reduce((sum, one) => sum + one, 0) - seconds[0]!;
    if (known === 0) return;
    const tellsLight = seconds[code('BELOW_MODERATE')] === 0;
    const tellsVigorous = seconds[code('MVPA')] === 0;
    if (tellsLight) {
      metrics.INTENSITY_SEDENTARY_DURATION = seconds[code('SEDENTARY')]!;
      metrics.INTENSITY_LIGHT_DURATION = seconds[code('LIGHT')]!;
    }
    if (tellsVigorous) {
      metrics.INTENSITY_MODERATE_DURATION = seconds[code('MODERATE')]!;
      metrics.INTENSITY_VIGOROUS_DURATION = seconds[code('VIGOROUS')]!;
    }
    metrics.INTENSITY_MVPA_DURATION = seconds[code('MODERATE')]! + seconds[code('VIGOROUS')]! + seconds[code('MVPA')]!;
  }

  #writeRhythm(metrics: DailyMetrics['metrics']): void {
    if (this.#known < LEAST_RHYTHM_HOURS * 3600) return;
    const most = this.#hours(M10_MINUTES, 1);
    const least = this.#hours(L5_MINUTES, -1);
    if (most === null || least === null) return;
    metrics.RHYTHM_M10_ENMO = most.mean;
    metrics.RHYTHM_M10_TS = most.startMs;
    metrics.RHYTHM_L5_ENMO = least.mean;
    metrics.RHYTHM_L5_TS = least.startMs;
    if (most.mean + least.mean > 0)
      metrics.RHYTHM_RELATIVE_AMPLITUDE = (most.mean - least.mean) / (most.mean + least.mean);
  }

  /** The consecutive minutes with the highest (sign 1) or lowest (-1) mean; the earliest of equal ones. */
  #hours(minutes: number, sign: 1 | -1): { mean: number; startMs: number } | null {
    const values = Float64Array.from(this.#minuteSums, (sum, i) =>
      this.#minuteSeconds[i]! >= LEAST_MINUTE_SECONDS ? sum / this.#minuteSeconds[i]! : Number.NaN,
    );
    let best: { mean: number; startMs: number } | null = null;
    for (let start = 0; start + minutes <= values.length; start++) {
      let sum = 0;
      let n = 0;
      for (let i = start; i < start + minutes; i++) {
        if (Number.isNaN(values[i])) continue;
        sum += values[i]!;
        n++;
      }
      if (n < LEAST_KNOWN * minutes) continue;
      const mean = sum / n;
      if (best === null || sign * mean > sign * best.mean) best = { mean, startMs: this.#startMs + start * 60_000 };
    }
    return best;
  }

  #closeMinute(next: number): void {
    const { countsX, countsY, countsZ } = this.#minuteCounts;
    this.#vm3 += Math.hypot(countsX, countsY, countsZ);
    for (const axis of ['countsX', 'countsY', 'countsZ'] as const) {
      this.#counts[axis] += this.#minuteCounts[axis];
      this.#minuteCounts[axis] = 0;
    }
    this.#minute = next;
  }
}

const AXES = ['X', 'Y', 'Z'] as const;

function writeDetails(metrics: DailyMetrics['metrics'], details: EpochDetails): void {
  const { calibration, interdailyStability, intradailyVariability } = details;
  if (interdailyStability !== null) metrics.RHYTHM_INTERDAILY_STABILITY = interdailyStability;
  if (intradailyVariability !== null) metrics.RHYTHM_INTRADAILY_VARIABILITY = intradailyVariability;
  metrics.CALIBRATION_WINDOWS = calibration.windows;
  if (calibration.errorBeforeG !== null) metrics.CALIBRATION_ERROR_BEFORE = 1000 * calibration.errorBeforeG;
  if (calibration.fault !== null) return;
  metrics.CALIBRATION_ERROR_AFTER = 1000 * calibration.errorAfterG!;
  for (const [index, axis] of AXES.entries()) {
    metrics[`CALIBRATION_GAIN_${axis}`] = calibration.gain[index]!;
    metrics[`CALIBRATION_OFFSET_${axis}`] = 1000 * calibration.offsetG[index]!;
  }
}
