/**
 * The two clocks of a row: nanoseconds of the sensor, which alone are exact, and local time of the phone. The sensor's tell distances;
 * the phone's tell when the first sample was taken. A sensor that was off begins again in 2019, or its clock is set: then the phone's
 * clock says how long it was off.
 */
import type { GapReason } from '../../vocabulary/coverage.ts';
import { cellMicroseconds } from '../text/cell-time.ts';
import type { TableBatch } from '../text/table-reader.ts';
import type { RowClock } from '../text/timed-table.ts';

const NANOSECONDS = -3;
/** A sensor that keeps running does not drift this far from the phone between two rows; a row that does is damaged or a restart. */
const MOST_SLIP_US = 10e6;
const MOST_STOP_US = 86_400e6;

interface State {
  offsetUs: number;
  sensorUs: number;
  phoneUs: number;
}

export class PolarClock implements RowClock {
  #state: State | null = null;
  #saved: State | null = null;
  #savedRestarts = 0;
  readonly #restartsUs: number[] = [];
  /** Clock of the sensor at the first sample, as microseconds since 2000, and the phone's less that. */
  first: { sensorUs: number; offsetUs: number } | null = null;

  place(batch: TableBatch, times: Float64Array, from: number, to: number): void {
    const { high, low, form } = batch.columns[0]!;
    const sensorOf = (row: number): number =>
      batch.absent[0]![row] === 1 ? Number.NaN : cellMicroseconds(high[row]!, low[row]!, form[row]!, NANOSECONDS);
    for (let row = from; row < to; row++) {
      const sensorUs = sensorOf(row);
      const phoneUs = batch.clockUs[row]!;
      const next = row + 1 < batch.rows ? { sensorUs: sensorOf(row + 1), phoneUs: batch.clockUs[row + 1]! } : null;
      times[row] = this.#place({ sensorUs, phoneUs }, next);
    }
  }

  save(): void {
    this.#saved = this.#state;
    this.#savedRestarts = this.#restartsUs.length;
  }

  restore(): void {
    this.#state = this.#saved;
    this.#restartsUs.length = this.#savedRestarts;
  }

  reasonAt(timeUs: number): GapReason | undefined {
    return this.#restartsUs.includes(timeUs) ? 'SENSOR_RESTART' : undefined;
  }

  #place(now: Omit<State, 'offsetUs'>, next: Omit<State, 'offsetUs'> | null): number {
    if (Number.isNaN(now.sensorUs)) return Number.NaN;
    const state = this.#state;
    if (!state) {
      if (next && !isSteady(now, next)) return Number.NaN;
      const offsetUs = now.phoneUs - now.sensorUs;
      this.first ??= { sensorUs: now.sensorUs, offsetUs };
      this.#state = { offsetUs, ...now };
      return now.phoneUs;
    }
    let { offsetUs } = state;
    const sensorStep = now.sensorUs - state.sensorUs;
    const phoneStep = now.phoneUs - state.phoneUs;
    // A phone whose clock is set moves alone: the sensor's is followed.
    const isRunning = sensorStep > 0 && sensorStep < MOST_SLIP_US;
    if (!isRunning && Math.abs(sensorStep - phoneStep) > MOST_SLIP_US) {
      const isRestart = next !== null && isSteady(now, next) && phoneStep > 0 && phoneStep < MOST_STOP_US;
      if (!isRestart) return Number.NaN;
      this.#restartsUs.push(state.sensorUs + offsetUs);
      offsetUs = state.offsetUs + phoneStep - sensorStep;
    }
    this.#state = { offsetUs, ...now };
    return now.sensorUs + offsetUs;
  }
}

/** Whether two rows follow each other by both clocks. */
function isSteady(a: Omit<State, 'offsetUs'>, b: Omit<State, 'offsetUs'>): boolean {
  const sensorStep = b.sensorUs - a.sensorUs;
  const phoneStep = b.phoneUs - a.phoneUs;
  return sensorStep > 0 && Math.abs(sensorStep - phoneStep) < MOST_SLIP_US;
}

/** Times of the phone alone. */
export class PhoneClock implements RowClock {
  place(batch: TableBatch, times: Float64Array, from: number, to: number): void {
    for (let row = from; row < to; row++) times[row] = batch.clockUs[row]!;
  }

  save(): void {
    // Each row stands for itself.
  }

  restore(): void {
    // Nothing was kept.
  }
}
