/**
 * The clock of a Movesense log: milliseconds since the sensor woke, which wrap after 49.7 days and begin again with a restart. A reading of
 * UTC ties them to the world; without one a person says when the recording began.
 */
import { isBeyondClocks } from '../units.ts';

const WRAP_MS = 2 ** 32;
const HOUR_MS = 3600e3;
/** Less is a notification that came late. */
const RESTART_MS = 1000;
const EARLIEST_US = Date.UTC(2010, 0, 1) * 1000;

/** Follows the counter of one stream. */
export class StreamCounter {
  #lastMs = Number.NEGATIVE_INFINITY;
  #wrapsMs = 0;
  /** How often the sensor restarted. */
  era = 0;

  /** Milliseconds of the era without wraps; null for a stamp that is not later than the one before. */
  take(stampMs: number): number | null {
    let ms = stampMs + this.#wrapsMs;
    if (ms < this.#lastMs - RESTART_MS) {
      const isWrap = this.#lastMs - this.#wrapsMs > WRAP_MS - HOUR_MS && stampMs < HOUR_MS;
      if (isWrap) {
        this.#wrapsMs += WRAP_MS;
        ms += WRAP_MS;
      } else {
        this.era++;
        this.#wrapsMs = 0;
        ms = stampMs;
      }
    } else if (ms <= this.#lastMs) return null;
    this.#lastMs = ms;
    return ms;
  }
}

interface Era {
  firstMs: number;
  lastMs: number;
  readings: { relativeMs: number; utcUs: number }[];
}

/** Collects what is known of each era, in the order of the file. */
export class LogClock {
  readonly #eras: Era[] = [];
  readonly #grouped = new StreamCounter();

  see(era: number, ms: number): void {
    const known = this.#era(era);
    known.firstMs = Math.min(known.firstMs, ms);
    known.lastMs = Math.max(known.lastMs, ms);
  }

  /** A reading that begins an era stands before its samples; readings that a log lists apart have an order of their own. */
  read(relativeMs: number, utcUs: number, isGrouped: boolean): void {
    if (!(relativeMs >= 0 && utcUs >= EARLIEST_US) || isBeyondClocks(utcUs)) return;
    if (isGrouped) {
      this.#grouped.take(relativeMs);
      this.#era(this.#grouped.era).readings.push({ relativeMs, utcUs });
      return;
    }
    const last = Math.max(0, this.#eras.length - 1);
    const { lastMs } = this.#era(last);
    this.#era(relativeMs < lastMs - RESTART_MS ? last + 1 : last).readings.push({ relativeMs, utcUs });
  }

  #era(index: number): Era {
    while (this.#eras.length <= index) {
      this.#eras.push({
        firstMs: Number.POSITIVE_INFINITY,
        lastMs: Number.NEGATIVE_INFINITY,
        readings: [],
      });
    }
    return this.#eras[index]!;
  }

  /** Readings of the first era, or of none. */
  get isTied(): boolean {
    return (this.#eras[0]?.readings.length ?? 0) > 0;
  }

  /**
   * Microseconds to add to the counter of each era.
   *
   * @param startUs of the first sample, where the log has no reading of its first era
   */
  offsetsUs(startUs: number | undefined, notes: string[]): number[] {
    const offsets: number[] = [];
    let endUs = Number.NEGATIVE_INFINITY;
    let untied = 0;
    for (const [index, { firstMs, lastMs, readings }] of this.#eras.entries()) {
      const [first] = readings;
      const tiedUs = first && first.utcUs - first.relativeMs * 1000;
      let offsetUs: number;
      if (tiedUs !== undefined && !(tiedUs + firstMs * 1000 < endUs)) offsetUs = tiedUs;
      else if (index === 0) offsetUs = startUs! - firstMs * 1000;
      else {
        // It woke after the last sample: its counter says how long ago at least.
        offsetUs = endUs;
        untied++;
      }
      offsets.push(offsetUs);
      if (Number.isFinite(lastMs)) endUs = offsetUs + lastMs * 1000;
    }
    if (this.#eras.length > 1) notes.push(`The sensor restarted ${this.#eras.length - 1} times inside the log.`);
    if (untied > 0) {
      notes.push(
        'The log does not say for how long the sensor was off. Samples after a restart were placed as early as their counter allows, and may be later.',
      );
    }
    return offsets;
  }

  /** When the log begins, at its first sample or reading; null for a log of neither. */
  beginUs(offsetsUs: readonly number[]): number | null {
    const [first] = this.#eras;
    if (!first) return null;
    const beginMs = Math.min(first.firstMs, first.readings[0]?.relativeMs ?? Number.POSITIVE_INFINITY);
    return beginMs * 1000 + offsetsUs[0]!;
  }

  /** All readings, by the times that samples get. */
  syncPoints(offsetsUs: readonly number[]): { sensorUs: number; hostUs: number }[] {
    return this.#eras.flatMap(({ readings }, index) =>
      readings.map(({ relativeMs, utcUs }) => ({ sensorUs: relativeMs * 1000 + offsetsUs[index]!, hostUs: utcUs })),
    );
  }
}
