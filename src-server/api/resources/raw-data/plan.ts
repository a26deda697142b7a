/**
 * Finds the end of a page of raw data. A page holds whole milliseconds and the next one starts one millisecond later, so nothing
 * is lost or duplicated between pages. Rows are counted from the index of the signal files alone; nothing is decoded.
 */

/** One segment of evenly spaced samples, as in the index of a signal file. */
interface SampleSpan {
  startUs: number;
  periodUs: number;
  count: number;
}

export interface ChannelSpans {
  /** Ascending, without overlap. */
  spans: readonly SampleSpan[];
  /** Numbers per row: the time and each dimension. */
  cellsPerRow: number;
}

const MAX_ROWS = 200_000;
/** Longest form of a double in JSON is 24 characters with its comma; this keeps a page below 64 MiB. */
const MAX_CELLS = 2_500_000;
/** Margin for rounding of times at the edges of segments. */
const SLACK_ROWS = 8;

/** Index of the first sample whose time is at or after `us`; 0 to `count`. */
function samplesBefore(span: SampleSpan, us: number): number {
  return Math.min(span.count, Math.max(0, Math.ceil((us - span.startUs) / span.periodUs)));
}

/** Rows of one channel from `fromMs` to any later ms, by binary search over its spans. */
class RowCounter {
  readonly cellsPerRow: number;
  readonly #spans: readonly SampleSpan[];
  /** Rows of all spans before each span, from the beginning. */
  readonly #before: Float64Array;
  readonly #start: number;

  constructor(channel: ChannelSpans, fromMs: number) {
    this.cellsPerRow = channel.cellsPerRow;
    this.#spans = channel.spans;
    this.#before = new Float64Array(channel.spans.length + 1);
    for (const [i, span] of channel.spans.entries()) this.#before[i + 1] = this.#before[i]! + span.count;
    this.#start = this.#rowsBefore(fromMs * 1000);
  }

  rowsThrough(ms: number): number {
    return Math.max(0, this.#rowsBefore((ms + 1) * 1000) - this.#start);
  }

  #rowsBefore(us: number): number {
    let low = 0;
    let high = this.#spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#spans[middle]!.startUs < us) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return 0;
    return this.#before[low - 1]! + samplesBefore(this.#spans[low - 1]!, us);
  }
}

/** The last millisecond of the page that starts at `fromMs`: `toMs` when all of it fits, never less than `fromMs`. */
export function lastMsOfPage(
  channels: readonly ChannelSpans[],
  fromMs: number,
  toMs: number,
  maxRows: number = MAX_ROWS,
): number {
  const counters = channels.map((channel) => new RowCounter(channel, fromMs));
  const rowBudget = maxRows - SLACK_ROWS * channels.length;
  const fits = (ms: number): boolean => {
    let rows = 0;
    let cells = 0;
    for (const counter of counters) {
      const more = counter.rowsThrough(ms);
      rows += more;
      cells += more * counter.cellsPerRow;
    }
    return rows <= rowBudget && cells <= MAX_CELLS;
  };
  if (fits(toMs)) return toMs;
  let low = fromMs;
  let high = toMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
