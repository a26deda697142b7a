/** Cuts an ECG lead into gapless, overlapping blocks at a working rate of 250 to 500 Hz, and marks stuck samples. */
import type { SignalChunk, SignalInput } from '../types.ts';

/** Pages nearer than this are contiguous: their time stamps jitter. */
const SEAM_US = 12_000;
/** A QRS complex has its energy between 5 and 20 Hz; slower sampling cannot time it. */
const MIN_RATE_HZ = 60;
/** Faster signals are decimated to between this rate and twice it, which preserves the QRS band. */
const WORK_RATE_HZ = 250;
/** Longest block, and its overlap with the next one, seconds. */
const BLOCK_SECONDS = 900;
export const OVERLAP_SECONDS = 16;
/**
 * An electrode in contact is never exactly constant for this long: a longer run of equal counts is a lead off or a rail. Wide
 * complexes that clip at the rail stay there for less.
 */
const STUCK_US = 200_000;

/** A gapless block of one ECG lead at its working rate. */
export interface EcgBlock {
  samples: Float32Array;
  count: number;
  /** 1 where the raw counts are stuck (flat line or saturated). */
  stuck: Uint8Array;
  rateHz: number;
  /** Runs of samples with a clock of their own; sample `index` is at `startUs`. */
  chunks: { index: number; startUs: number; periodUs: number }[];
  /** Whether the block begins with the last samples of the one before. */
  overlapsPrevious: boolean;
  /** Whether the next block begins with the last samples of this one. */
  overlapsNext: boolean;
}

/** Returns the time of a sample position (fractions allowed), epoch microseconds. */
export function timeOf(block: EcgBlock, position: number): number {
  const { chunks } = block;
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (chunks[middle]!.index <= position) low = middle;
    else high = middle - 1;
  }
  const { index, startUs, periodUs } = chunks[low]!;
  return startUs + (position - index) * periodUs;
}

/**
 * Yields gapless blocks of at most 15 minutes; blocks without a gap between them overlap by 16 s. All blocks share the same
 * buffers, so memory stays flat: a block is valid until the next one is requested. Signals slower than 60 Hz yield nothing.
 */
export function* ecgBlocks(input: SignalInput, startUs: number, stopUs: number): Generator<EcgBlock> {
  const cutter = new EcgCutter(startUs, stopUs);
  for (const chunk of input.chunks) yield* cutter.add(chunk);
  yield* cutter.finish();
}

/** Cuts pages as they come; see {@link ecgBlocks}. */
export class EcgCutter {
  readonly #startUs: number;
  readonly #stopUs: number;
  #block: EcgBlock | null = null;
  #buffers: Pick<EcgBlock, 'samples' | 'stuck'> | null = null;
  #nextUs = 0;
  #periodUs = 0;

  constructor(startUs: number, stopUs: number) {
    this.#startUs = startUs;
    this.#stopUs = stopUs;
  }

  /** Yields the blocks that a page completes; they must be used up before the next page. */
  *add(chunk: SignalChunk): Generator<EcgBlock> {
    if (chunk.count < 1 || !(chunk.periodUs > 0) || !Number.isFinite(chunk.startUs)) return;
    if (1e6 / chunk.periodUs < MIN_RATE_HZ) return;
    const first = Math.max(0, Math.ceil((this.#startUs - chunk.startUs) / chunk.periodUs));
    const last = Math.min(chunk.count, Math.ceil((this.#stopUs - chunk.startUs) / chunk.periodUs));
    if (last <= first) return;
    const chunkStartUs = chunk.startUs + first * chunk.periodUs;
    const seamUs = Math.abs(chunkStartUs - this.#nextUs);
    const isContiguous =
      seamUs <= Math.max(SEAM_US, 1.5 * chunk.periodUs) && Math.abs(chunk.periodUs / this.#periodUs - 1) < 0.05;
    if (this.#block && !isContiguous) {
      yield withoutPadding(this.#block);
      this.#block = null;
    }
    if (!this.#block) {
      this.#periodUs = chunk.periodUs;
      this.#block = emptyBlock(this.#periodUs, this.#buffers);
      this.#buffers = this.#block;
    }
    let block: EcgBlock = this.#block;
    const factor = decimation(this.#periodUs);
    const counts = chunk.columns[0]!;
    let from = first;
    while (from + factor <= last) {
      const room = block.samples.length - block.count;
      const take = Math.min(room, Math.floor((last - from) / factor));
      append(block, counts, from, take, factor, chunk.startUs, chunk.periodUs);
      from += take * factor;
      if (block.count === block.samples.length && from + factor <= last) {
        block.overlapsNext = true;
        yield block;
        block = nextBlock(block);
        this.#block = block;
      }
    }
    this.#nextUs = chunk.startUs + last * chunk.periodUs;
  }

  *finish(): Generator<EcgBlock> {
    if (this.#block) yield withoutPadding(this.#block);
    this.#block = null;
  }
}

/**
 * Cuts trailing padding: files of fixed-size records repeat one value at the end, and the step to it would look like a beat.
 */
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
    chunks: [],
    overlapsPrevious: false,
    overlapsNext: false,
  };
}

/** The block after one that is full, beginning with the overlap. */
function nextBlock(before: EcgBlock): EcgBlock {
  const keep = Math.min(before.count, Math.round(before.rateHz * OVERLAP_SECONDS));
  const shift = before.count - keep;
  before.samples.copyWithin(0, shift, before.count);
  before.stuck.copyWithin(0, shift, before.count);
  before.stuck.fill(0, keep);
  const block: EcgBlock = { ...before, count: keep, chunks: [], overlapsPrevious: true, overlapsNext: false };
  for (const [i, chunk] of before.chunks.entries()) {
    const stop = before.chunks[i + 1]?.index ?? before.count;
    if (stop > shift) block.chunks.push({ ...chunk, index: chunk.index - shift });
  }
  return block;
}

/** Appends `take` working-rate samples, each the mean of `factor` counts. */
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
  block.chunks.push({
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
 * Marks runs of more than `needed` equal counts in [from, to), count i at `stuck[i + shift]`. A run that long contains two
 * probes half its length apart, so only every few counts are examined.
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
    // The next probe may lie inside the same run: continue at its last count.
    if (stop - 1 > i) i = stop - 1 - stride;
  }
}
