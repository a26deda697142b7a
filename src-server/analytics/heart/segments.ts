import type { SignalInput } from '../types.ts';

/** Pages that follow each other within this are one stretch: jittered page stamps, not a gap. */
const SEAM_US = 12_000;
/** A QRS complex has its energy between 5 and 20 Hz; slower sampling cannot time it. */
const MIN_RATE_HZ = 60;
/** Faster signals are averaged down to between this rate and twice of it, which keeps all of the QRS band. */
const WORK_RATE_HZ = 250;
/** Longest block handled at once, seconds, and how much of it the next block sees again. */
const BLOCK_SECONDS = 900;
export const OVERLAP_SECONDS = 16;
/**
 * An electrode in contact is never exactly constant for this long: a run of equal counts is a lead off or a rail. A wide
 * complex that is cut off at the rail stays there for less.
 */
const STUCK_US = 200_000;

/** A gapless piece of one ECG lead at its working rate. Sample positions are turned into time by `pieces`. */
export interface EcgBlock {
  samples: Float32Array;
  count: number;
  /** 1 where the raw counts are stuck (flat line or saturated). */
  stuck: Uint8Array;
  rateHz: number;
  pieces: { index: number; startUs: number; periodUs: number }[];
  /** Whether the first samples were the last of the block before. */
  continues: boolean;
  /** Whether the next block goes on with the last samples of this one. */
  goesOn: boolean;
}

/** Time of a sample position (fractions allowed), epoch microseconds. */
export function timeOf(block: EcgBlock, position: number): number {
  const { pieces } = block;
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle]!.index <= position) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low]!;
  return piece.startUs + (position - piece.index) * piece.periodUs;
}

/**
 * Cuts one lead into gapless blocks of at most 15 minutes; consecutive blocks of a stretch overlap by 16 s, and all of them
 * use the same buffers, so memory stays flat: a block is valid until the next one is asked for. Signals slower than 60 Hz
 * give nothing.
 */
export function* ecgBlocks(input: SignalInput, startUs: number, stopUs: number): Generator<EcgBlock> {
  let block: EcgBlock | null = null;
  let buffers: Pick<EcgBlock, 'samples' | 'stuck'> | null = null;
  let nextUs = 0;
  let periodUs = 0;
  for (const chunk of input.chunks) {
    if (chunk.count < 1 || !(chunk.periodUs > 0) || !Number.isFinite(chunk.startUs)) continue;
    if (1e6 / chunk.periodUs < MIN_RATE_HZ) continue;
    const first = Math.max(0, Math.ceil((startUs - chunk.startUs) / chunk.periodUs));
    const last = Math.min(chunk.count, Math.ceil((stopUs - chunk.startUs) / chunk.periodUs));
    if (last <= first) continue;
    const chunkStartUs = chunk.startUs + first * chunk.periodUs;
    const seam = Math.abs(chunkStartUs - nextUs);
    const follows =
      block && seam <= Math.max(SEAM_US, 1.5 * chunk.periodUs) && Math.abs(chunk.periodUs / periodUs - 1) < 0.05;
    if (block && !follows) {
      yield withoutPadding(block);
      block = null;
    }
    if (!block) {
      periodUs = chunk.periodUs;
      block = emptyBlock(periodUs, buffers);
      buffers = block;
    }
    const factor = decimation(periodUs);
    const counts = chunk.columns[0]!;
    let from = first;
    while (from + factor <= last) {
      const room = block.samples.length - block.count;
      const take = Math.min(room, Math.floor((last - from) / factor));
      append(block, counts, from, take, factor, chunk.startUs, chunk.periodUs);
      from += take * factor;
      if (block.count === block.samples.length && from + factor <= last) {
        block.goesOn = true;
        yield block;
        block = continued(block);
      }
    }
    nextUs = chunk.startUs + last * chunk.periodUs;
  }
  if (block) yield withoutPadding(block);
}

/** A stretch ends with its last change: files of fixed records are filled up with one value, and a step to it is no beat. */
function withoutPadding(block: EcgBlock): EcgBlock {
  const { samples } = block;
  let count = block.count;
  while (count > 1 && samples[count - 2] === samples[block.count - 1]) count--;
  return count > 1 && count < block.count ? { ...block, count: count - 1 } : block;
}

const decimation = (periodUs: number): number => Math.max(1, Math.floor(1e6 / periodUs / WORK_RATE_HZ));

function emptyBlock(periodUs: number, buffers: Pick<EcgBlock, 'samples' | 'stuck'> | null): EcgBlock {
  const rateHz = 1e6 / periodUs / decimation(periodUs);
  const capacity = Math.round(rateHz * BLOCK_SECONDS);
  const fits = buffers?.samples.length === capacity;
  return {
    samples: fits ? buffers.samples : new Float32Array(capacity),
    count: 0,
    stuck: fits ? buffers.stuck.fill(0) : new Uint8Array(capacity),
    rateHz,
    pieces: [],
    continues: false,
    goesOn: false,
  };
}

function continued(before: EcgBlock): EcgBlock {
  const keep = Math.min(before.count, Math.round(before.rateHz * OVERLAP_SECONDS));
  const shift = before.count - keep;
  before.samples.copyWithin(0, shift, before.count);
  before.stuck.copyWithin(0, shift, before.count);
  before.stuck.fill(0, keep);
  const block: EcgBlock = { ...before, count: keep, pieces: [], continues: true, goesOn: false };
  for (let i = 0; i < before.pieces.length; i++) {
    const stop = i + 1 < before.pieces.length ? before.pieces[i + 1]!.index : before.count;
    if (stop > shift) block.pieces.push({ ...before.pieces[i]!, index: before.pieces[i]!.index - shift });
  }
  return block;
}

function append(
  block: EcgBlock,
  counts: Int16Array | Int32Array,
  from: number,
  take: number,
  factor: number,
  startUs: number,
  periodUs: number,
): void {
  const { samples, stuck, count } = block;
  block.pieces.push({
    index: count,
    startUs: startUs + (from + (factor - 1) / 2) * periodUs,
    periodUs: periodUs * factor,
  });
  const runNeeded = Math.max(4, Math.round(STUCK_US / periodUs));
  if (factor === 1) {
    samples.set(counts.subarray(from, from + take), count);
    markRuns(counts, from, from + take, runNeeded, stuck, count - from);
    block.count = count + take;
    return;
  }
  let run = 0;
  let before = Number.NaN;
  for (let i = 0; i < take; i++) {
    let sum = 0;
    for (let k = 0; k < factor; k++) {
      const value = counts[from + i * factor + k]!;
      sum += value;
      run = value === before ? run + 1 : 0;
      before = value;
    }
    samples[count + i] = sum / factor;
    if (run >= runNeeded) stuck.fill(1, Math.max(count, count + i - Math.floor(run / factor)), count + i + 1);
  }
  block.count = count + take;
}

/**
 * Marks runs of more than `needed` equal counts in [from, to), count i at `stuck[i + shift]`. A run that long holds two
 * probes half of it apart, so only every few counts are looked at.
 */
function markRuns(
  counts: Int16Array | Int32Array,
  from: number,
  to: number,
  needed: number,
  stuck: Uint8Array,
  shift: number,
): void {
  const stride = needed >> 1;
  for (let i = from; i + stride < to; i += stride) {
    const value = counts[i];
    if (counts[i + stride] !== value) continue;
    let first = i;
    while (first > from && counts[first - 1] === value) first--;
    let stop = i + 1;
    while (stop < to && counts[stop] === value) stop++;
    if (stop - first > needed) stuck.fill(1, first + shift, stop + shift);
    // The next probe may lie inside the same run: go on at its last count.
    if (stop - 1 > i) i = stop - 1 - stride;
  }
}
