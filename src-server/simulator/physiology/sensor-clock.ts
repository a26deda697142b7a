import type { SecondsSpan } from './day-plan.ts';
import type { Random } from './random.ts';

/** Where the pages of one channel lie in time. */
export interface PageSpan {
  startUs: number;
  periodUs: number;
  count: number;
}

/**
 * The clock of one sensor. Its crystal is off by a fixed share (real sensors of one session gave 245.3 and 251.8 Hz at
 * nominal 250 Hz) and wanders by some parts per million with temperature; both channels of a sensor share it.
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
   * Lays pages of about a minute over `[startUs, stopUs)` without touching the gaps. Page starts are whole
   * microseconds with a few of jitter, rarely late by up to 1.2 sample periods, and never overlap.
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
