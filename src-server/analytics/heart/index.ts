/**
 * The heart: from one ECG lead to beats with their kind and amplitude, and signal quality and contact per second.
 *
 * Method: band-pass and energy detection with two-sided levels (Pan and Tompkins 1985, Hamilton 2002, Elgendi 2010), R
 * peaks to a fraction of a sample, kinds by shape and by the rhythm around (Lipponen and Tarvainen 2019). It does not
 * depend on rate (60 Hz and more), gain, offset or polarity, and never needs a P wave.
 */

import { bodySiteOf } from '../motion/body-site.ts';
import type { EcgFeatures, SignalInput } from '../types.ts';
import { BeatBuffer } from './beat-buffer.ts';
import { BEAT_AFTER_GAP, BEAT_ARTEFACT, BEAT_ECTOPIC, BEAT_KIND_MASK, describeBeats } from './beats.ts';
import { detectQrs } from './detect.ts';
import { withoutMains } from './mains.ts';
import { doubtfulPauses, extraBeats } from './rhythm.ts';
import { type EcgBlock, ecgBlocks, OVERLAP_SECONDS, timeOf } from './segments.ts';
import { HEART_SETTINGS, type HeartSettings } from './settings.ts';
import { outsideOf, unresolvedSpans } from './unresolved.ts';

export { BEAT_AFTER_GAP, BEAT_ARTEFACT, BEAT_ECTOPIC, BEAT_KIND_MASK, BEAT_NORMAL } from './beats.ts';

/** A longer gap starts a new set of features, so that a gap of years costs nothing. */
const PART_GAP_SECONDS = 3600;
/** Two beats nearer than this are one seen twice, at the seam of two blocks. */
const SAME_BEAT_US = 150_000;
/** A beat tells of the signal for at most this long after it. */
const BEAT_REACH_SECONDS = 2;
/** A second stuck for this part of it is a lead off or a rail, within which beats are lost. */
const STUCK_PART = 0.25;

/**
 * Stage 1 of one ECG channel, its first dimension: one element per stretch without a gap of an hour. A lead without usable
 * scale, or sampled below 60 Hz, gives none.
 *
 * @param startUs first instant to use, epoch microseconds
 * @param stopUs end of the span to use, exclusive
 * @param settings other amounts than the fixed ones, for benches
 */
export function extractEcgFeatures(
  input: SignalInput,
  startUs: number,
  stopUs: number,
  settings: HeartSettings = HEART_SETTINGS,
): EcgFeatures[] {
  const scale = input.scale[0]!;
  if (!Number.isFinite(scale) || scale === 0) return [];
  const parts: BeatBuffer[] = [];
  let part: BeatBuffer | null = null;
  for (const block of ecgBlocks(input, startUs, stopUs)) {
    if (block.count < 2) continue;
    const fromSecond = Math.floor(timeOf(block, 0) / 1e6);
    const toSecond = Math.floor(timeOf(block, block.count - 1) / 1e6) + 1;
    if (part && fromSecond < part.stopSecond - OVERLAP_SECONDS - 1) continue;
    if (!part || fromSecond - part.stopSecond > PART_GAP_SECONDS) {
      part = new BeatBuffer(fromSecond, block.rateHz);
      parts.push(part);
    }
    part.reserve(toSecond);
    countSamples(part, block);
    addBeats(part, block, Math.abs(scale), settings);
  }
  return parts.map((one) => finish(one, input, settings));
}

function countSamples(part: BeatBuffer, block: EcgBlock): void {
  const skip = block.continues ? Math.min(block.count, Math.round(OVERLAP_SECONDS * block.rateHz)) : 0;
  const { pieces, stuck } = block;
  let nextStuck = stuck.indexOf(1, skip);
  for (let p = 0; p < pieces.length; p++) {
    const { index, startUs, periodUs } = pieces[p]!;
    const stop = p + 1 < pieces.length ? pieces[p + 1]!.index : block.count;
    let i = Math.max(skip, index);
    while (i < stop) {
      const timeUs = startUs + (i - index) * periodUs;
      const second = Math.floor(timeUs / 1e6);
      const next = Math.min(stop, i + Math.max(1, Math.ceil(((second + 1) * 1e6 - timeUs) / periodUs)));
      const row = second - part.startSecond;
      if (row >= 0) {
        part.samples[row]! += next - i;
        if (nextStuck >= 0 && nextStuck < i) nextStuck = stuck.indexOf(1, i);
        if (nextStuck >= 0 && nextStuck < next) part.stuck[row]! += sumOf(stuck, i, next);
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

function addBeats(part: BeatBuffer, raw: EcgBlock, scale: number, settings: HeartSettings): void {
  const block = withoutMains(raw);
  const found = detectQrs(block, settings);
  const unresolved = unresolvedSpans(block, found);
  for (const { from, to } of unresolved) markUnresolved(part, block, from, to);
  const beats = describeBeats(block, outsideOf(found, unresolved), settings);
  let span = 0;
  const margin = (OVERLAP_SECONDS / 2) * block.rateHz;
  const from = block.continues ? margin : 0;
  const to = block.goesOn ? block.count - margin : block.count;
  let first = !block.continues;
  for (let i = 0; i < beats.positions.length; i++) {
    const position = beats.positions[i]!;
    if (position < from || position >= to) continue;
    const timeUs = timeOf(block, position);
    if (part.beats > 0 && timeUs - part.times[part.beats - 1]! < SAME_BEAT_US) continue;
    // No interval spans a stretch without beats of its own.
    for (; span < unresolved.length && unresolved[span]!.to <= position; span++) first = true;
    part.addBeat(timeUs, beats.kinds[i]! | (first ? BEAT_AFTER_GAP : 0), beats.heights[i]! * scale, beats.quality[i]!);
    first = false;
  }
}

/** A second that an unresolved stretch touches has neither beats nor quality. */
function markUnresolved(part: BeatBuffer, block: EcgBlock, from: number, to: number): void {
  const firstRow = Math.floor(timeOf(block, from) / 1e6) - part.startSecond;
  const lastRow = Math.floor(timeOf(block, to - 1) / 1e6) - part.startSecond;
  for (let row = Math.max(0, firstRow); row <= lastRow && row < part.unresolved.length; row++) part.unresolved[row] = 1;
}

/** Marks extra beats by their time, and intervals that are none because a beat may have been overlooked. */
function markRhythm(part: BeatBuffer, settings: HeartSettings): void {
  const { times, kinds, qualities } = part;
  const stuckSamples = STUCK_PART * part.rateHz;
  // A false beat is left out here, so that the interval over it is that of its neighbours.
  const real = new Int32Array(part.beats);
  const timesUs = new Float64Array(part.beats);
  const afterGap = new Uint8Array(part.beats);
  const strange = new Uint8Array(part.beats);
  const clearness = new Float32Array(part.beats);
  let n = 0;
  let gap = 0;
  for (let i = 0; i < part.beats; i++) {
    if (kinds[i]! & BEAT_AFTER_GAP) gap = 1;
    const kind = kinds[i]! & BEAT_KIND_MASK;
    if (kind === BEAT_ARTEFACT) continue;
    real[n] = i;
    timesUs[n] = times[i]!;
    afterGap[n] = gap;
    strange[n] = kind === BEAT_ECTOPIC ? 1 : 0;
    clearness[n] = part.isStuckBetween(timesUs[n > 0 ? n - 1 : n]!, times[i]!, stuckSamples) ? 0 : qualities[i]!;
    gap = 0;
    n++;
  }
  const row = {
    timesUs: timesUs.subarray(0, n),
    afterGap: afterGap.subarray(0, n),
    strange: strange.subarray(0, n),
  };
  const doubtful = doubtfulPauses(row, clearness);
  for (let k = 0; k < n; k++) if (doubtful[k]) afterGap[k] = 1;
  const extra = extraBeats(row, settings);
  for (let k = 0; k < n; k++) {
    if (afterGap[k]) kinds[real[k]!]! |= BEAT_AFTER_GAP;
    if (extra[k]) kinds[real[k]!] = (kinds[real[k]!]! & BEAT_AFTER_GAP) | BEAT_ECTOPIC;
  }
}

function finish(part: BeatBuffer, input: SignalInput, settings: HeartSettings): EcgFeatures {
  const count = part.stopSecond - part.startSecond;
  const quality = new Uint8Array(count);
  const contact = new Uint8Array(count);
  const { beats, times, kinds, qualities, samples, stuck } = part;
  markRhythm(part, settings);
  for (let i = 0; i < beats; i++) {
    const row = Math.floor(times[i]! / 1e6) - part.startSecond;
    const next = i + 1 < beats ? Math.floor(times[i + 1]! / 1e6) - part.startSecond : count;
    const stop = Math.min(next, row + BEAT_REACH_SECONDS + 1, count);
    const value = (kinds[i]! & BEAT_KIND_MASK) === BEAT_ARTEFACT ? 0 : Math.round(qualities[i]!);
    if (row >= 0 && row < count) contact[row] = 1;
    for (let k = Math.max(0, row); k < Math.max(stop, Math.min(count, row + 1)); k++) {
      if (samples[k]! > 0) quality[k] = value;
    }
  }
  const unresolved = part.unresolved.slice(0, count);
  for (let row = 0; row < count; row++) {
    if (unresolved[row]) quality[row] = 0;
    if (samples[row] === 0) {
      quality[row] = 0;
      contact[row] = 0;
    } else if (stuck[row]! < 0.9 * samples[row]!) contact[row] = 1;
  }
  return {
    kind: 'ecg',
    site: bodySiteOf(input.location),
    beats: {
      timesUs: times.slice(0, beats),
      kinds: kinds.slice(0, beats),
      amplitudesV: part.amplitudes.slice(0, beats),
    },
    seconds: { startSecond: part.startSecond, count, columns: { quality, contact, unresolved } },
  };
}
