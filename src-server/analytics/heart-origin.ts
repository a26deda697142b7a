/** What the heart rate of a day comes from. */
import { HEART_SOURCES, type SecondColumns } from './types.ts';

const RR = HEART_SOURCES.indexOf('RR');

/** Intervals between beats that end in a second, used or not. Those left out altogether are in no sum. */
const intervalsIn = ({ rrExcluded, rrCount }: SecondColumns, i: number): number =>
  Math.max(rrCount[i]!, rrExcluded?.[i] ?? 0);

/** RR intervals that a device without an ECG reported in a second. */
export const reportedIntervals = (columns: SecondColumns, i: number): number =>
  columns.heartSource?.[i] === RR ? intervalsIn(columns, i) : 0;

/** What the heart rate of a day comes from, and how many beat intervals were left out of variability. */
export class HeartSums {
  readonly #ms = HEART_SOURCES.map(() => 0);
  #intervals = 0;
  #leftOut = 0;

  add(columns: SecondColumns, i: number): void {
    const { heartSource, rrExcluded, rrSumMs } = columns;
    if (!heartSource || !rrExcluded) return;
    const source = heartSource[i]!;
    this.#ms[source]! += rrSumMs[i]!;
    if (HEART_SOURCES[source] === 'PPI') return;
    this.#intervals += intervalsIn(columns, i);
    this.#leftOut += rrExcluded[i]!;
  }

  /** Nothing on a day with an ECG alone. */
  found(): Record<string, number> {
    const [, ecg = 0, rr = 0, ppi = 0] = this.#ms.map((ms) => Math.round(ms / 1000));
    if (rr + ppi === 0) return {};
    const seconds = { HEART_ECG: ecg, HEART_PPI: ppi, HEART_RR: rr };
    return {
      ...Object.fromEntries(Object.entries(seconds).filter(([, value]) => value > 0)),
      ...(ecg + rr > 0 && { BEAT_INTERVALS: this.#intervals, BEAT_INTERVALS_LEFT_OUT: this.#leftOut }),
    };
  }
}
