/**
 * Beat features of one ECG lead: beats with kind and amplitude, and signal quality and electrode contact per second.
 *
 * Method: band-pass energy detection with thresholds from both sides (Pan and Tompkins 1985, Hamilton 2002, Elgendi 2010),
 * R peaks to a fraction of a sample, beat kinds by QRS shape and by rhythm (Lipponen and Tarvainen 2019). Independent of
 * sampling rate (60 Hz and more), gain, offset and polarity; P waves are not needed.
 */

import { joinArrays } from '../join-arrays.ts';
import { bodySiteOf } from '../motion/body-site.ts';
import type { BeatSeries, BodySite, EcgFeatures, SignalChunk, SignalInput, SignalSource } from '../types.ts';
import { BeatBuffer } from './beat-buffer.ts';
import {
  BEAT_AFTER_GAP,
  BEAT_ARTEFACT,
  BEAT_ECTOPIC,
  BEAT_FAR_SHAPE,
  BEAT_KIND_MASK,
  BEAT_P_ABSENT,
  BEAT_P_MASK,
  BEAT_SUPRAVENTRICULAR,
  BEAT_VENTRICULAR,
  describeBeats,
} from './beats.ts';
import { detectQrs } from './detect.ts';
import {
  clearBeats,
  ORIGIN_SUPRAVENTRICULAR,
  ORIGIN_UNKNOWN,
  ORIGIN_VENTRICULAR,
  ORIGIN_VENTRICULAR_BY_SHAPE,
  originsOf,
} from './ectopy.ts';
import { withoutMains } from './mains.ts';
import { markPWaves } from './p-waves.ts';
import { doubtfulPauses, ectopicBeats } from './rhythm.ts';
import { type EcgBlock, EcgCutter, OVERLAP_SECONDS, timeOf } from './segments.ts';
import { HEART_SETTINGS, type HeartSettings } from './settings.ts';
import { outsideOf, unresolvedSpans } from './unresolved.ts';

export {
  BEAT_AFTER_GAP,
  BEAT_ARTEFACT,
  BEAT_ECTOPIC,
  BEAT_KIND_MASK,
  BEAT_NORMAL,
} from './beats.ts';

/** A longer gap starts a new segment, so that a gap of years takes no memory. */
const SEGMENT_GAP_SECONDS = 3600;
/** Two beats nearer than this are the same beat, detected in both of two overlapping blocks. */
const SAME_BEAT_US = 150_000;
/** Seconds after a beat for which its quality still stands. */
const BEAT_REACH_SECONDS = 2;
/** A longer segment is handed over in pieces of so many beats. */
export const PIECE_BEATS = 1 << 16;
/**
 * The rhythm rules look some hundred beats around, artefacts apart; so many on both sides of a piece make its result the same
 * as that of the whole.
 */
const CONTEXT_BEATS = 1 << 10;
/**
 * Half of a QRS complex. Where the signal begins or ends nearer than this to a peak, the R peak itself may be missing and the peak
 * be the rest of its complex: such a beat cannot be timed, and its cut shape would pass for an ectopic one.
 */
const HALF_QRS_SECONDS = 0.05;
/** A second with this part of its samples stuck is a lead off or a rail; beats within it are lost. */
const STUCK_PART = 0.25;

/** Bits of `kinds` by the origin of an ectopic beat. */
const ORIGIN_BITS = {
  [ORIGIN_UNKNOWN]: 0,
  [ORIGIN_VENTRICULAR]: BEAT_VENTRICULAR,
  [ORIGIN_VENTRICULAR_BY_SHAPE]: BEAT_VENTRICULAR | BEAT_FAR_SHAPE,
  [ORIGIN_SUPRAVENTRICULAR]: BEAT_SUPRAVENTRICULAR,
} as Record<number, number>;

/** The features of the next part of a segment: rows and beats follow those of the piece before. */
export interface EcgPiece {
  /** First second of the segment, and seconds of it in the pieces before. */
  startSecond: number;
  firstRow: number;
  count: number;
  beats: BeatSeries;
  columns: Record<'quality' | 'contact' | 'unresolved', Uint8Array>;
  /** Whether the segment ends with this piece. */
  isLast: boolean;
}

/** Stage 1 of one ECG channel (its first dimension), page by page: memory does not grow with the recording. */
export class EcgExtractor {
  readonly site: BodySite;
  readonly #cutter: EcgCutter;
  readonly #scale: number;
  readonly #settings: HeartSettings;
  readonly #pieceBeats: number;
  readonly #take: (piece: EcgPiece) => void;
  #segment: BeatBuffer | null = null;

  /**
   * @param startUs first instant to use, epoch microseconds
   * @param stopUs end of the span to use, exclusive
   * @param take receives the pieces in order of time; none for a lead without a usable scale or sampled below 60 Hz
   * @param settings thresholds other than the fixed ones, for benches
   * @param pieceBeats least beats of a piece that is not the last
   */
  constructor(
    source: SignalSource,
    startUs: number,
    stopUs: number,
    take: (piece: EcgPiece) => void,
    settings: HeartSettings = HEART_SETTINGS,
    pieceBeats = PIECE_BEATS,
  ) {
    this.site = bodySiteOf(source.location);
    this.#scale = source.scale[0]!;
    this.#cutter = new EcgCutter(startUs, stopUs);
    this.#take = take;
    this.#settings = settings;
    this.#pieceBeats = pieceBeats;
  }

  add(chunk: SignalChunk): void {
    if (!Number.isFinite(this.#scale) || this.#scale === 0) return;
    for (const block of this.#cutter.add(chunk)) this.#addBlock(block);
  }

  finish(): void {
    for (const block of this.#cutter.finish()) this.#addBlock(block);
    if (this.#segment) this.#take(nextPiece(this.#segment, this.#segment.beats, this.#settings));
    this.#segment = null;
  }

  #addBlock(block: EcgBlock): void {
    if (block.count < 2) return;
    const fromSecond = Math.floor(timeOf(block, 0) / 1e6);
    const toSecond = Math.floor(timeOf(block, block.count - 1) / 1e6) + 1;
    let segment = this.#segment;
    if (segment && fromSecond < segment.stopSecond - OVERLAP_SECONDS - 1) return;
    if (!segment || fromSecond - segment.stopSecond > SEGMENT_GAP_SECONDS) {
      if (segment) this.#take(nextPiece(segment, segment.beats, this.#settings));
      segment = new BeatBuffer(fromSecond, block.rateHz);
      this.#segment = segment;
    }
    segment.reserve(toSecond);
    countSamples(segment, block);
    addBeats(segment, block, Math.abs(this.#scale), this.#settings);
    if (segment.beats - segment.doneBeats < this.#pieceBeats) return;
    const stop = segment.beatBefore(segment.beats, CONTEXT_BEATS);
    if (stop - segment.doneBeats < this.#pieceBeats) return;
    this.#take(nextPiece(segment, stop, this.#settings));
    segment.drop(segment.beatBefore(stop, CONTEXT_BEATS));
  }
}

/** Joins the pieces of one sensor to whole segments. */
export function joinEcgPieces(site: BodySite, pieces: readonly EcgPiece[]): EcgFeatures[] {
  const found: EcgFeatures[] = [];
  for (let from = 0; from < pieces.length; ) {
    let to = from + 1;
    while (!pieces[to - 1]!.isLast) to++;
    found.push(joinedPieces(site, pieces.slice(from, to)));
    from = to;
  }
  return found;
}

function joinedPieces(site: BodySite, own: readonly EcgPiece[]): EcgFeatures {
  const { startSecond, beats, columns, count } = own[0]!;
  if (own.length === 1) return { kind: 'ecg', site, beats, seconds: { startSecond, count, columns } };
  const bytes = (of: (piece: EcgPiece) => Uint8Array): Uint8Array => joinArrays(own.map(of), (n) => new Uint8Array(n));
  return {
    kind: 'ecg',
    site,
    beats: {
      timesUs: joinArrays(
        own.map((piece) => piece.beats.timesUs),
        (n) => new Float64Array(n),
      ),
      kinds: bytes((piece) => piece.beats.kinds),
      amplitudesV: joinArrays(
        own.map((piece) => piece.beats.amplitudesV),
        (n) => new Float32Array(n),
      ),
      ...(beats.intervalsMs && {
        intervalsMs: joinArrays(
          own.map((piece) => piece.beats.intervalsMs!),
          (n) => new Float64Array(n),
        ),
      }),
    },
    seconds: {
      startSecond,
      count: own.reduce((sum, piece) => sum + piece.count, 0),
      columns: {
        quality: bytes((piece) => piece.columns.quality),
        contact: bytes((piece) => piece.columns.contact),
        unresolved: bytes((piece) => piece.columns.unresolved),
      },
    },
  };
}

/**
 * Stage 1 of one ECG channel (its first dimension): one element per segment without a gap of an hour; none for a lead without a
 * usable scale or sampled below 60 Hz.
 *
 * @param startUs first instant to use, epoch microseconds
 * @param stopUs end of the span to use, exclusive
 * @param settings thresholds other than the fixed ones, for benches
 */
export function extractEcgFeatures(
  input: SignalInput,
  startUs: number,
  stopUs: number,
  settings: HeartSettings = HEART_SETTINGS,
): EcgFeatures[] {
  const pieces: EcgPiece[] = [];
  const extractor = new EcgExtractor(input, startUs, stopUs, (piece) => pieces.push(piece), settings);
  for (const chunk of input.chunks) extractor.add(chunk);
  extractor.finish();
  return joinEcgPieces(extractor.site, pieces);
}

/** Adds the samples and stuck samples per second of a block, without its overlap with the block before. */
function countSamples(segment: BeatBuffer, block: EcgBlock): void {
  const skip = block.overlapsPrevious ? Math.min(block.count, Math.round(OVERLAP_SECONDS * block.rateHz)) : 0;
  const { chunks, stuck } = block;
  let nextStuck = stuck.indexOf(1, skip);
  for (let c = 0; c < chunks.length; c++) {
    const { index, startUs, periodUs } = chunks[c]!;
    const stop = chunks[c + 1]?.index ?? block.count;
    let i = Math.max(skip, index);
    while (i < stop) {
      const timeUs = startUs + (i - index) * periodUs;
      const second = Math.floor(timeUs / 1e6);
      const next = Math.min(stop, i + Math.max(1, Math.ceil(((second + 1) * 1e6 - timeUs) / periodUs)));
      const row = second - segment.firstSecond;
      if (row >= 0) {
        segment.samples[row]! += next - i;
        if (nextStuck >= 0 && nextStuck < i) nextStuck = stuck.indexOf(1, i);
        if (nextStuck >= 0 && nextStuck < next) segment.stuck[row]! += sumOf(stuck, i, next);
      }
      i = next;
    }
  }
}

function sumOf(values: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i]!;
  return sum;
}

/** Detects, classifies and appends the beats of a block; in an overlap of two blocks each contributes its outer half. */
function addBeats(segment: BeatBuffer, raw: EcgBlock, scale: number, settings: HeartSettings): void {
  const block = withoutMains(raw);
  const found = detectQrs(block, settings);
  const unresolved = unresolvedSpans(block, found);
  for (const { from, to } of unresolved) markUnresolved(segment, block, from, to);
  const beats = describeBeats(block, outsideOf(found, unresolved), settings);
  markPWaves(block, beats);
  let span = 0;
  const margin = (OVERLAP_SECONDS / 2) * block.rateHz;
  const cut = HALF_QRS_SECONDS * block.rateHz;
  const from = block.overlapsPrevious ? margin : cut;
  const to = block.count - (block.overlapsNext ? margin : cut);
  let isAfterGap = !block.overlapsPrevious;
  for (let i = 0; i < beats.positions.length; i++) {
    const position = beats.positions[i]!;
    if (position < from || position >= to) continue;
    const timeUs = timeOf(block, position);
    if (segment.beats > 0 && timeUs - segment.times[segment.beats - 1]! < SAME_BEAT_US) continue;
    // An unresolved span acts as a gap: no interval crosses it.
    for (; span < unresolved.length && unresolved[span]!.to <= position; span++) isAfterGap = true;
    const kind = beats.kinds[i]! | (isAfterGap ? BEAT_AFTER_GAP : 0);
    segment.addBeat(timeUs, kind, beats.heights[i]! * scale, beats.quality[i]!);
    isAfterGap = false;
  }
}

/** Marks the seconds that an unresolved span touches; they have neither beats nor quality. */
function markUnresolved(segment: BeatBuffer, block: EcgBlock, from: number, to: number): void {
  const { firstSecond, unresolved } = segment;
  const firstRow = Math.floor(timeOf(block, from) / 1e6) - firstSecond;
  const lastRow = Math.floor(timeOf(block, to - 1) / 1e6) - firstSecond;
  for (let row = Math.max(0, firstRow); row <= lastRow && row < unresolved.length; row++) unresolved[row] = 1;
}

/**
 * Returns the kinds of all beats held, with ectopic beats marked by their timing, and intervals that may span a missed beat as
 * gaps.
 */
function rhythmKinds(segment: BeatBuffer, settings: HeartSettings): Uint8Array {
  const { times, qualities } = segment;
  const kinds = segment.kinds.slice(0, segment.beats);
  const stuckSamples = STUCK_PART * segment.rateHz;
  // Artefacts are skipped, so that the interval around one is that of its neighbours.
  const real = new Int32Array(segment.beats);
  const timesUs = new Float64Array(segment.beats);
  const afterGap = new Uint8Array(segment.beats);
  const ectopicShape = new Uint8Array(segment.beats);
  const farShape = new Uint8Array(segment.beats);
  const pAbsent = new Uint8Array(segment.beats);
  const clearness = new Float32Array(segment.beats);
  let n = 0;
  let gap = 0;
  for (let i = 0; i < segment.beats; i++) {
    if (kinds[i]! & BEAT_AFTER_GAP) gap = 1;
    const kind = kinds[i]! & BEAT_KIND_MASK;
    if (kind === BEAT_ARTEFACT) continue;
    real[n] = i;
    timesUs[n] = times[i]!;
    afterGap[n] = gap;
    ectopicShape[n] = kind === BEAT_ECTOPIC ? 1 : 0;
    farShape[n] = kinds[i]! & BEAT_FAR_SHAPE ? 1 : 0;
    pAbsent[n] = (kinds[i]! & BEAT_P_MASK) === BEAT_P_ABSENT ? 1 : 0;
    clearness[n] = segment.isStuckBetween(timesUs[n > 0 ? n - 1 : n]!, times[i]!, stuckSamples) ? 0 : qualities[i]!;
    gap = 0;
    n++;
  }
  const row = {
    timesUs: timesUs.subarray(0, n),
    afterGap: afterGap.subarray(0, n),
    ectopicShape: ectopicShape.subarray(0, n),
    pAbsent: pAbsent.subarray(0, n),
  };
  const doubtful = doubtfulPauses(row, clearness);
  for (let k = 0; k < n; k++) if (doubtful[k]) afterGap[k] = 1;
  const ectopic = ectopicBeats(row, settings);
  const origins = originsOf(row, ectopic, farShape);
  const isClear = clearBeats(kinds, qualities);
  for (let k = 0; k < n; k++) {
    if (afterGap[k]) kinds[real[k]!]! |= BEAT_AFTER_GAP;
    if (!ectopic[k]) continue;
    const kept = kinds[real[k]!]! & (BEAT_AFTER_GAP | BEAT_P_MASK);
    // Without P waves that repeat there is no sinus rhythm against which a beat is early.
    const isKnown = isClear(real[k]!) && !(origins[k] === ORIGIN_SUPRAVENTRICULAR && pAbsent[k]);
    kinds[real[k]!] = kept | BEAT_ECTOPIC | (isKnown ? ORIGIN_BITS[origins[k]!]! : 0);
  }
  return kinds;
}

/** The beats up to `stop` that were not handed over yet, and the seconds that they decide; all seconds with the last beat. */
function nextPiece(segment: BeatBuffer, stop: number, settings: HeartSettings): EcgPiece {
  const { beats, times, qualities, samples, stuck, doneBeats, doneRows } = segment;
  const isLast = stop === beats;
  const kinds = rhythmKinds(segment, settings);
  const rowOf = (beat: number): number => Math.floor(times[beat]! / 1e6) - segment.firstSecond;
  const rows = segment.stopSecond - segment.firstSecond;
  const stopRow = isLast ? rows : Math.max(doneRows, rowOf(stop));
  const quality = new Uint8Array(stopRow);
  const contact = new Uint8Array(stopRow);
  for (let i = doneBeats; i < stop; i++) {
    const row = rowOf(i);
    const next = i + 1 < beats ? rowOf(i + 1) : rows;
    const reach = Math.min(next, row + BEAT_REACH_SECONDS + 1, stopRow);
    const value = (kinds[i]! & BEAT_KIND_MASK) === BEAT_ARTEFACT ? 0 : Math.round(qualities[i]!);
    if (row >= 0 && row < stopRow) contact[row] = 1;
    for (let k = Math.max(0, row); k < Math.max(reach, Math.min(stopRow, row + 1)); k++) {
      if (samples[k]! > 0) quality[k] = value;
    }
  }
  const unresolved = segment.unresolved.slice(doneRows, stopRow);
  for (let row = doneRows; row < stopRow; row++) {
    if (segment.unresolved[row]) quality[row] = 0;
    if (samples[row] === 0) {
      quality[row] = 0;
      contact[row] = 0;
    } else if (stuck[row]! < 0.9 * samples[row]!) contact[row] = 1;
  }
  segment.doneBeats = stop;
  segment.doneRows = stopRow;
  return {
    startSecond: segment.startSecond,
    firstRow: segment.firstSecond - segment.startSecond + doneRows,
    count: stopRow - doneRows,
    beats: {
      timesUs: times.slice(doneBeats, stop),
      kinds: kinds.slice(doneBeats, stop),
      amplitudesV: segment.amplitudes.slice(doneBeats, stop),
    },
    columns: { quality: quality.slice(doneRows), contact: contact.slice(doneRows), unresolved },
    isLast,
  };
}
