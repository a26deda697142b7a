/** Joins the beats of all ECG segments of one wearer in order of time, a piece of each at a time. */
import { BEAT_ARTEFACT, BEAT_KIND_MASK } from '../analytics/index.ts';
import type { BeatSegment } from '../analytics/stored-features.ts';

/** Beats of two ECG channels that are closer than this are the same beat. */
const SAME_BEAT_MS = 150;
const PIECE_BEATS = 1 << 14;

/** The beats of one segment that are not joined yet. */
class Source {
  readonly #pieces: ReturnType<BeatSegment['pieces']>;
  #times = new Float64Array(0);
  #at = 0;
  /** Time of the next beat, epoch milliseconds; infinite at the end. */
  nextMs = Number.NEGATIVE_INFINITY;

  constructor(segment: BeatSegment) {
    this.#pieces = segment.pieces();
    this.advance();
  }

  advance(): void {
    while (this.#at === this.#times.length) {
      const { done, value } = this.#pieces.next();
      if (done) {
        this.nextMs = Number.POSITIVE_INFINITY;
        return;
      }
      const { timesUs, kinds } = value;
      this.#times = timesUs.filter((_us, i) => (kinds[i]! & BEAT_KIND_MASK) !== BEAT_ARTEFACT);
      this.#at = 0;
    }
    this.nextMs = Math.round(this.#times[this.#at++]! / 1000);
  }
}

/**
 * Yields the times of all beats in epoch milliseconds, ascending, in pieces, without those classified as artefacts. Where there are
 * several segments, a beat that two of them hold is yielded once.
 */
export function* joinBeats(segments: readonly BeatSegment[]): Generator<Float64Array> {
  const waiting = segments.toSorted((a, b) => b.startSecond - a.startSecond);
  const open: Source[] = [];
  let piece = new Float64Array(PIECE_BEATS);
  let count = 0;
  let beforeMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    let first: Source | undefined;
    for (const source of open) if (first === undefined || source.nextMs < first.nextMs) first = source;
    const nextMs = first?.nextMs ?? Number.POSITIVE_INFINITY;
    const opening = waiting.at(-1);
    if (opening && opening.startSecond * 1000 <= nextMs) {
      waiting.pop();
      open.push(new Source(opening));
    } else if (first === undefined) break;
    else if (nextMs === Number.POSITIVE_INFINITY) open.splice(open.indexOf(first), 1);
    else {
      if (segments.length === 1 || nextMs - beforeMs > SAME_BEAT_MS) piece[count++] = nextMs;
      beforeMs = nextMs;
      first.advance();
      if (count === PIECE_BEATS) {
        yield piece;
        piece = new Float64Array(PIECE_BEATS);
        count = 0;
      }
    }
  }
  if (count > 0) yield piece.subarray(0, count);
}
