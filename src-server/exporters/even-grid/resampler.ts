/**
 * Resamples one channel to a uniform grid. Waveforms use band-limited interpolation, a 16-tap sinc under a Kaiser window (Smith
 * JO, Digital Audio Resampling, 2002): linear interpolation would reduce a QRS complex by up to a tenth, by an amount that
 * varies as clock drift moves the grid across the samples. All other signals (heart rate, states, temperature) take the value
 * of the nearest sample.
 *
 * Positions are rounded to 1/256 of the sample spacing, at most 8 us at 250 Hz. A position on a sample takes its count
 * unchanged.
 */
import { type SignalFile, sampleTimesUs } from '../../signals/index.ts';
import type { SampleArray, SignalChannel } from '../../signals/types.ts';
import { type CountLimits, checkWidth } from './count-limits.ts';
import type { GridChannel, Run } from './grid.ts';

const PHASES = 256;
const HALF_TAPS = 8;
const TAPS = HALF_TAPS * 2;
const KAISER_BETA = 8;
const WAVEFORMS = ['ECG', 'EMG', 'ACCEL', 'GYRO'];

/** Modified Bessel function of the first kind, order zero. */
function bessel0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** Weights of the samples from 7 before to 8 after, for each phase between two samples. They sum to one. */
function makeKernel(): Float64Array {
  const kernel = new Float64Array(PHASES * TAPS);
  for (let phase = 0; phase < PHASES; phase++) {
    let sum = 0;
    for (let tap = 0; tap < TAPS; tap++) {
      const x = tap - (HALF_TAPS - 1) - phase / PHASES;
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
      const window = bessel0(KAISER_BETA * Math.sqrt(Math.max(0, 1 - (x / HALF_TAPS) ** 2))) / bessel0(KAISER_BETA);
      kernel[phase * TAPS + tap] = sinc * window;
      sum += sinc * window;
    }
    for (let tap = 0; tap < TAPS; tap++) kernel[phase * TAPS + tap]! /= sum;
  }
  return kernel;
}

let sharedKernel: Float64Array | undefined;

/**
 * The fill count of gaps: the one nearest to a physical zero, or the least count when zero is out of range. A flat line at 0 mV,
 * or 0 g in all three axes (which no resting sensor shows), cannot be mistaken for a beat or a posture and does not expand a
 * viewer's scale. Gap annotations cover all filled samples.
 */
export function fillerCount(channel: SignalChannel, dimension: number, limits: CountLimits): number {
  const zero = Math.round(-channel.offset[dimension]! / channel.scale[dimension]!);
  return zero >= limits.least && zero <= limits.most ? zero + 0 : limits.least;
}

/** Reads one channel once, in order; keeps one page and a few samples around it in memory. */
export class Resampler {
  readonly #pages: Iterator<{ times: Float64Array; columns: SampleArray[] }>;
  readonly #grid: GridChannel;
  readonly #startUs: number;
  readonly #isWaveform: boolean;
  readonly #fillers: readonly number[];
  readonly #limits: CountLimits;
  readonly #kernel: Float64Array;
  /** Samples from `#base` on. */
  #times = new Float64Array(4096);
  #columns: Int32Array[];
  #base = 0;
  #loaded = 0;
  #run = 0;
  /** Last sample at or before the current position. */
  #at = 0;

  /**
   * @param limits least and greatest count of the file format; the least one also fills gaps when zero is out of range
   * @param filler fills gaps instead, for formats with a count that means "no sample"
   */
  constructor(file: SignalFile, grid: GridChannel, startUs: number, limits: CountLimits, filler?: number) {
    const channel = file.header.channels[grid.channel]!;
    this.#pages = timedPages(file, grid.channel);
    this.#grid = grid;
    this.#startUs = startUs;
    this.#limits = limits;
    this.#isWaveform = WAVEFORMS.includes(channel.type.replace(/_\d+$/, ''));
    this.#fillers = channel.dimensions.map((_, d) => filler ?? fillerCount(channel, d, limits));
    this.#columns = channel.dimensions.map(() => new Int32Array(4096));
    sharedKernel ??= makeKernel();
    this.#kernel = sharedKernel;
  }

  /** Samples read so far. */
  get doneSamples(): number {
    return this.#base + this.#loaded;
  }

  /** Writes the counts of one record to `targets`, an array per dimension. Records must be requested in ascending order. */
  fill(record: number, targets: readonly Int32Array[]): void {
    const { samplesPerRecord, periodUs, runs } = this.#grid;
    const first = record * samplesPerRecord;
    for (let i = 0; i < samplesPerRecord; i++) {
      const place = first + i;
      while (this.#run < runs.length && place >= runs[this.#run]!.stopPlace) this.#run++;
      const run = runs[this.#run];
      if (run === undefined || place < run.firstPlace || !this.#settle(run, this.#startUs + place * periodUs)) {
        for (let d = 0; d < targets.length; d++) targets[d]![i] = this.#fillers[d]!;
      } else this.#take(run, this.#startUs + place * periodUs, targets, i);
    }
  }

  /** Moves to the last sample of the run at or before the time; false when the run's samples could not be read. */
  #settle(run: Run, timeUs: number): boolean {
    if (this.#at < run.firstSample) this.#at = run.firstSample;
    while (this.#at + 1 < run.stopSample && this.#load(this.#at + 1)) {
      if (this.#times[this.#at + 1 - this.#base]! > timeUs) break;
      this.#at++;
    }
    this.#load(Math.min(run.stopSample - 1, this.#at + HALF_TAPS));
    return this.#load(this.#at);
  }

  #take(run: Run, timeUs: number, targets: readonly Int32Array[], row: number): void {
    const last = Math.min(run.stopSample, this.#base + this.#loaded) - 1;
    let at = this.#at;
    let phase = 0;
    if (at < last) {
      const fromUs = this.#times[at - this.#base]!;
      const spacingUs = this.#times[at + 1 - this.#base]! - fromUs;
      if (spacingUs > 0) phase = Math.round((Math.max(0, timeUs - fromUs) / spacingUs) * PHASES);
      if (phase >= PHASES || (!this.#isWaveform && phase * 2 >= PHASES)) {
        at++;
        phase = 0;
      } else if (!this.#isWaveform) phase = 0;
    }
    for (let d = 0; d < targets.length; d++) {
      const column = this.#columns[d]!;
      if (phase === 0) {
        targets[d]![row] = column[at - this.#base]!;
        continue;
      }
      let sum = 0;
      for (let tap = 0; tap < TAPS; tap++) {
        const sample = at + tap - (HALF_TAPS - 1);
        const within = Math.min(Math.max(sample, run.firstSample), last);
        sum += this.#kernel[phase * TAPS + tap]! * column[within - this.#base]!;
      }
      const { least, most } = this.#limits;
      targets[d]![row] = Math.min(Math.max(Math.round(sum), least), most);
    }
  }

  /** Loads pages until a sample is in memory, and drops samples that are no longer needed. */
  #load(sample: number): boolean {
    while (sample >= this.#base + this.#loaded) {
      const next = this.#pages.next();
      if (next.done) return false;
      checkWidth(next.value.columns, this.#limits);
      this.#append(next.value.times, next.value.columns);
    }
    return true;
  }

  #append(times: Float64Array, columns: readonly SampleArray[]): void {
    const dropped = Math.min(this.#loaded, Math.max(0, this.#at - HALF_TAPS - this.#base));
    const remaining = this.#loaded - dropped;
    const needed = remaining + times.length;
    const grow = <T extends Float64Array | Int32Array>(array: T): T => {
      if (needed <= array.length) {
        array.copyWithin(0, dropped, this.#loaded);
        return array;
      }
      const larger = new (array.constructor as new (length: number) => T)(needed * 2);
      larger.set(array.subarray(dropped, this.#loaded));
      return larger;
    };
    this.#times = grow(this.#times);
    this.#columns = this.#columns.map(grow);
    this.#times.set(times, remaining);
    for (let d = 0; d < columns.length; d++) this.#columns[d]!.set(columns[d]!, remaining);
    this.#base += dropped;
    this.#loaded = needed;
  }
}

function* timedPages(file: SignalFile, channel: number): Generator<{ times: Float64Array; columns: SampleArray[] }> {
  for (const page of file.pages(channel)) yield { times: sampleTimesUs(page), columns: page.columns };
}
