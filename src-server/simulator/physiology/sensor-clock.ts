import type { SecondsSpan } from './day-plan.ts';
import type { Random } from './random.ts';

/** A sample as a 16-bit count that saturates at the rails. */
export function toCount(value: number): number {
  const rounded = Math.round(value);
  return rounded > 32767 ? 32767 : Math.max(rounded, -32767);
}

/** The time of one page of a channel. */
export interface PageSpan {
  startUs: number;
  periodUs: number;
  count: number;
}

/**
 * The sampling clock of one sensor. Its crystal is off by a fixed ratio (real sensors of one session gave 245.3 and 251.8 Hz at
 * nominal 250 Hz) and drifts by a few parts per million with temperature; all channels of a sensor share it.
 */
export class SensorClock {
  /** True rate over nominal rate. */
  readonly rateRatio: number;
  readonly #random: Random;

  constructor(random: Random, rateRatio = random.range(0.981, 1.008)) {
    this.rateRatio = rateRatio;
    this.#random = random;
  }

  /**
   * Covers `[startUs, stopUs)` outside the gaps with pages of about a minute. Page starts are whole microseconds with a few
   * microseconds of jitter, rarely late by up to 1.2 sample periods, and pages never overlap.
   *
   * @param gaps absolute microseconds, ascending
   */
  *pages(
    channel: string,
    startUs: number,
    stopUs: number,
    nominalRateHz: number,
    gaps: SecondsSpan[],
  ): Generator<PageSpan> {
    const random = this.#random.fork(`pages ${channel}`);
    const samplesPerPage = Math.round(60 * nominalRateHz);
    let cursor = startUs;
    let gap = 0;
    while (cursor < stopUs) {
      while (gap < gaps.length && gaps[gap]!.stop <= cursor) gap++;
      if (gap < gaps.length && gaps[gap]!.start <= cursor) {
        cursor = gaps[gap]!.stop;
        continue;
      }
      const periodUs = (1e6 / nominalRateHz / this.rateRatio) * (1 + 3e-6 * random.fastNormal());
      const limit = Math.min(stopUs, gap < gaps.length ? gaps[gap]!.start : stopUs);
      const startOfPage =
        Math.ceil(cursor) +
        random.integer(0, 3) +
        (random.chance(0.01) ? Math.round(periodUs * random.range(0.2, 1.2)) : 0);
      const count = Math.min(samplesPerPage, Math.floor((limit - startOfPage) / periodUs));
      if (count <= 0) {
        cursor = limit;
        continue;
      }
      yield { startUs: startOfPage, periodUs, count };
      cursor = startOfPage + count * periodUs;
    }
  }
}
