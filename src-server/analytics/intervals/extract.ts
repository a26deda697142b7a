/**
 * Beats of a recording that holds no signal but the intervals between beats: RR intervals of a strap, pulse intervals of an
 * optical sensor. One sample is one beat; its time and its interval say whether a beat is missing before it.
 */
import { BEAT_AFTER_GAP, BEAT_ARTEFACT, BEAT_ECTOPIC, BEAT_KIND_MASK } from '../heart/beats.ts';
import { type EcgPiece, joinEcgPieces, PIECE_BEATS } from '../heart/index.ts';
import { ectopicBeats } from '../heart/rhythm.ts';
import { bodySiteOf } from '../motion/body-site.ts';
import type { BodySite, IntervalFeatures, SignalChunk, SignalInput, SignalSource } from '../types.ts';
import { prematureByPause, unfitBeats } from './sinus-rhythm.ts';
import { wrongIntervals } from './wrong-intervals.ts';

/**
 * An interval follows the beat before if it begins this close to it: the 5 ms of the recording format, and what the correction of
 * a clock changes within an interval.
 */
const FOLLOWS_US = 10_000;
/** A longer gap starts a new segment, so that a gap of years takes no memory. */
const SEGMENT_GAP_US = 3600e6;
/** As of an ECG: see hrv/intervals.ts, which leaves others out. */
const SHORTEST_MS = 250;
const LONGEST_MS = 4000;
/** Error of a pulse interval, as the device estimates it, above which it was moved or is loose (Polar's own scale). */
const MOST_ERROR_MS = 30;
/** The rhythm rules look some hundred beats around: so many on both sides of a piece make its result that of the whole. */
const CONTEXT_BEATS = 1 << 10;

/** Whether analytics can use a channel as beat intervals. */
export const isIntervalType = (type: string): type is IntervalFeatures['source'] => type === 'RR' || type === 'PPI';

/** Beats of one segment that are held, with the beat at which the first interval of each chain begins. */
interface Held {
  startSecond: number;
  timesUs: number[];
  /** Interval that ends at the beat, ms; NaN at the first beat of a chain. */
  intervalsMs: number[];
  /** 1 where the device doubts the interval itself. */
  doubted: number[];
  /** Beats and seconds that were handed over. */
  doneBeats: number;
  doneSecond: number;
}

/** Stage 1 of one channel of intervals, page by page: memory does not grow with the recording. */
export class IntervalExtractor {
  readonly site: BodySite;
  readonly #scale: readonly number[];
  readonly #offset: readonly number[];
  readonly #isPulse: boolean;
  readonly #span: { startUs: number; stopUs: number };
  readonly #take: (piece: EcgPiece) => void;
  readonly #pieceBeats: number;
  #held: Held | null = null;

  /** @param take receives the pieces in order of time; none for a channel without a usable scale */
  constructor(
    source: SignalSource,
    startUs: number,
    stopUs: number,
    take: (piece: EcgPiece) => void,
    pieceBeats = PIECE_BEATS,
  ) {
    this.site = bodySiteOf(source.location);
    this.#scale = source.scale;
    this.#offset = source.offset;
    this.#isPulse = source.type === 'PPI';
    this.#span = { startUs, stopUs };
    this.#take = take;
    this.#pieceBeats = pieceBeats;
  }

  add({ startUs, periodUs, count, columns, timeResidualsUs }: SignalChunk): void {
    const [scale = Number.NaN, errorScale = 0] = this.#scale;
    const [offset = 0, errorOffset = 0] = this.#offset;
    if (!Number.isFinite(scale) || scale === 0) return;
    for (let i = 0; i < count; i++) {
      const timeUs = Math.floor(startUs + i * periodUs + 0.5) + (timeResidualsUs?.[i] ?? 0);
      const ms = 1000 * (columns[0]![i]! * scale + offset);
      // A damaged scale makes intervals of years, whose seconds would take all memory.
      if (!(ms > 0) || 1000 * ms > SEGMENT_GAP_US) continue;
      if (timeUs < this.#span.startUs || timeUs >= this.#span.stopUs) continue;
      const errorMs = columns[1] ? 1000 * (columns[1][i]! * errorScale + errorOffset) : 0;
      this.#addBeat(timeUs, ms, errorMs > MOST_ERROR_MS ? 1 : 0);
    }
  }

  finish(): void {
    if (this.#held) this.#hand(this.#held, this.#held.timesUs.length);
    this.#held = null;
  }

  #addBeat(timeUs: number, ms: number, doubted: number): void {
    let held = this.#held;
    const lastUs = held?.timesUs.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (timeUs <= lastUs) return;
    const beginsUs = timeUs - 1000 * ms;
    if (held && beginsUs - lastUs > SEGMENT_GAP_US) {
      this.#hand(held, held.timesUs.length);
      held = null;
    }
    const startSecond = Math.floor(beginsUs / 1e6);
    held ??= { startSecond, timesUs: [], intervalsMs: [], doubted: [], doneBeats: 0, doneSecond: startSecond };
    this.#held = held;
    if (Math.abs(beginsUs - lastUs) <= FOLLOWS_US) push(held, timeUs, ms, doubted);
    else {
      // An interval that begins before the last beat overlaps what is known: only its end is a beat.
      if (beginsUs > lastUs) push(held, beginsUs, Number.NaN, 0);
      push(held, timeUs, beginsUs > lastUs ? ms : Number.NaN, doubted);
    }
    const stop = held.timesUs.length - CONTEXT_BEATS;
    if (stop - held.doneBeats < this.#pieceBeats) return;
    this.#hand(held, stop);
    const dropped = Math.max(0, stop - CONTEXT_BEATS);
    for (const list of [held.timesUs, held.intervalsMs, held.doubted]) list.splice(0, dropped);
    held.doneBeats -= dropped;
  }

  /** Hands over the beats up to `stop`, and the seconds that they decide; all seconds with the last beat. */
  #hand(held: Held, stop: number): void {
    const { startSecond, doneBeats, doneSecond } = held;
    const isLast = stop === held.timesUs.length;
    const timesUs = Float64Array.from(held.timesUs);
    const intervalsMs = Float64Array.from(held.intervalsMs);
    const kinds = kindsOf(timesUs, intervalsMs, held.doubted, this.#isPulse);
    const secondOf = (beat: number): number => Math.floor(timesUs[beat]! / 1e6);
    const stopSecond = isLast ? secondOf(stop - 1) + 1 : Math.max(doneSecond, secondOf(stop));
    const count = stopSecond - doneSecond;
    const quality = new Uint8Array(count);
    const contact = new Uint8Array(count);
    // The interval of the first beat after `stop` may cover seconds of this piece.
    for (let i = Math.max(1, doneBeats); i < Math.min(timesUs.length, stop + 1); i++) {
      if (Number.isNaN(intervalsMs[i]!)) continue;
      const isUsed = isUsable(kinds, intervalsMs, i);
      for (let second = secondOf(i - 1); second <= secondOf(i); second++) {
        const row = second - doneSecond;
        if (row < 0 || row >= count) continue;
        contact[row] = 1;
        if (isUsed) quality[row] = 100;
      }
    }
    held.doneBeats = stop;
    held.doneSecond = stopSecond;
    this.#take({
      startSecond,
      firstRow: doneSecond - startSecond,
      count,
      beats: {
        timesUs: timesUs.slice(doneBeats, stop),
        kinds: kinds.slice(doneBeats, stop),
        amplitudesV: new Float32Array(stop - doneBeats).fill(Number.NaN),
        intervalsMs: intervalsMs.slice(doneBeats, stop),
      },
      columns: { quality, contact, unresolved: new Uint8Array(count) },
      isLast,
    });
  }
}

function push(held: Held, timeUs: number, ms: number, doubted: number): void {
  held.timesUs.push(timeUs);
  held.intervalsMs.push(ms);
  held.doubted.push(doubted);
}

const isArtefact = (kinds: Uint8Array, i: number): boolean => (kinds[i]! & BEAT_KIND_MASK) === BEAT_ARTEFACT;

function isUsable(kinds: Uint8Array, intervalsMs: Float64Array, i: number): boolean {
  const ms = intervalsMs[i]!;
  if (ms < SHORTEST_MS || ms > LONGEST_MS || kinds[i]! & BEAT_AFTER_GAP) return false;
  return !isArtefact(kinds, i) && !isArtefact(kinds, i - 1);
}

/** Kinds of beats: no interval ends after a gap or where a beat was missed; doubted and extra beats are artefacts. */
function kindsOf(
  timesUs: Float64Array,
  intervalsMs: Float64Array,
  doubted: readonly number[],
  isPulse: boolean,
): Uint8Array {
  const n = timesUs.length;
  const kinds = new Uint8Array(n);
  const { extra, missed } = wrongIntervals(intervalsMs, prematureByPause(intervalsMs));
  // Beats without artefacts, so that the interval around one is that of its neighbours.
  const real: number[] = [];
  const realUs: number[] = [];
  const afterGap: number[] = [];
  let gap = 0;
  for (let i = 0; i < n; i++) {
    const ms = intervalsMs[i]!;
    if (Number.isNaN(ms) || missed[i] || ms > LONGEST_MS) {
      kinds[i] = BEAT_AFTER_GAP;
      gap = 1;
    }
    if (doubted[i] || extra[i] || ms < SHORTEST_MS) {
      kinds[i]! |= BEAT_ARTEFACT;
      continue;
    }
    real.push(i);
    realUs.push(timesUs[i]!);
    afterGap.push(gap);
    gap = 0;
  }
  // A pulse wave comes late after a weak beat, so its timing shows no ectopic beats; its variability is not used.
  if (isPulse) return kinds;
  const interval = Float64Array.from(realUs, (us, k) => (k > 0 && !afterGap[k] ? us - realUs[k - 1]! : Number.NaN));
  const ectopic = ectopicBeats({ timesUs: realUs, afterGap, ectopicShape: prematureByPause(interval) });
  const isUnfit = unfitBeats(interval, ectopic);
  for (const [k, i] of real.entries()) if (isUnfit[k]) kinds[i] = (kinds[i]! & BEAT_AFTER_GAP) | BEAT_ECTOPIC;
  return kinds;
}

/** Joins the pieces of one channel to whole segments. */
export const joinIntervalPieces = (
  source: IntervalFeatures['source'],
  site: BodySite,
  pieces: readonly EcgPiece[],
): IntervalFeatures[] =>
  joinEcgPieces(site, pieces).map(({ beats, seconds }) => ({ kind: 'intervals', source, site, beats, seconds }));

/**
 * Stage 1 of one channel of intervals: one element per segment without a gap of an hour.
 *
 * @param startUs first instant to use, epoch microseconds
 * @param stopUs end of the span to use, exclusive
 */
export function extractIntervalFeatures(
  input: SignalInput,
  source: IntervalFeatures['source'],
  startUs: number,
  stopUs: number,
): IntervalFeatures[] {
  const pieces: EcgPiece[] = [];
  const extractor = new IntervalExtractor(input, startUs, stopUs, (piece) => pieces.push(piece));
  for (const chunk of input.chunks) extractor.add(chunk);
  extractor.finish();
  return joinIntervalPieces(source, extractor.site, pieces);
}
