/**
 * Builds the overview of a recording: minimum, maximum and sample count per 1 s, 16 s and 256 s of every dimension, so that
 * a viewer can draw any range from a few thousand numbers. Bins are aligned to the epoch; empty bins are not stored.
 */
import type { BlockHead } from '../codec/block.ts';
import { BLOCK_OVERVIEW } from '../codec/block.ts';
import { sampleTimeUs } from '../codec/page.ts';
import { encodeColumns } from '../node-codec.ts';
import type { SignalChannel, SignalPage } from '../types.ts';

/** Widths of the bins per level, finest first; each is a multiple of the one before. */
export const LEVEL_BIN_US: readonly number[] = [1_000_000, 16_000_000, 256_000_000];
/** Bins per block: a read of a few thousand bins decodes one or two blocks. */
export const BINS_PER_BLOCK = 4096;

/** An encoded block without its position in the file. */
export interface OverviewBlock {
  head: Omit<BlockHead, 'payloadLength' | 'payloadCrc' | 'sequence'>;
  parts: Uint8Array[];
}

/** Collects the bins of one channel at one level. */
class Level {
  readonly blocks: OverviewBlock[] = [];
  readonly #channel: number;
  readonly #level: number;
  readonly #width: 2 | 4;
  readonly #next: Level | null;
  readonly #minima: Int32Array;
  readonly #maxima: Int32Array;
  #bin = 0;
  #count = 0;
  #bins: number[] = [];
  #counts: number[] = [];
  #rows: number[][];

  constructor(channel: number, level: number, dimensions: number, width: 2 | 4, next: Level | null) {
    this.#channel = channel;
    this.#level = level;
    this.#width = width;
    this.#next = next;
    this.#minima = new Int32Array(dimensions);
    this.#maxima = new Int32Array(dimensions);
    this.#rows = Array.from({ length: 2 * dimensions }, () => []);
  }

  /** Makes `bin` the current bin. Bins must come in order. */
  enter(bin: number): void {
    if (this.#count > 0 && bin === this.#bin) return;
    this.#close();
    this.#bin = bin;
    this.#minima.fill(2 ** 31 - 1);
    this.#maxima.fill(-(2 ** 31));
  }

  addCount(count: number): void {
    this.#count += count;
  }

  addExtremes(dimension: number, minimum: number, maximum: number): void {
    if (minimum < this.#minima[dimension]!) this.#minima[dimension] = minimum;
    if (maximum > this.#maxima[dimension]!) this.#maxima[dimension] = maximum;
  }

  finish(): void {
    this.#close();
    this.#flush();
  }

  #close(): void {
    if (this.#count === 0) return;
    const span = this.#bins.length === 0 ? 0 : this.#bin - this.#bins[0]!;
    // Offsets within a block are 32-bit numbers; a clock that jumps by centuries begins a new block.
    if (this.#bins.length >= BINS_PER_BLOCK || span > 2 ** 31 - 1) this.#flush();
    this.#bins.push(this.#bin);
    this.#counts.push(this.#count);
    const dimensions = this.#minima.length;
    for (let d = 0; d < dimensions; d++) {
      this.#rows[2 * d]!.push(this.#minima[d]!);
      this.#rows[2 * d + 1]!.push(this.#maxima[d]!);
    }
    if (this.#next) {
      const factor = LEVEL_BIN_US[this.#level + 1]! / LEVEL_BIN_US[this.#level]!;
      this.#next.enter(Math.floor(this.#bin / factor));
      this.#next.addCount(this.#count);
      for (let d = 0; d < dimensions; d++) this.#next.addExtremes(d, this.#minima[d]!, this.#maxima[d]!);
    }
    this.#count = 0;
  }

  #flush(): void {
    if (this.#bins.length === 0) return;
    const firstBin = this.#bins[0]!;
    const lastBin = this.#bins[this.#bins.length - 1]!;
    const binUs = LEVEL_BIN_US[this.#level]!;
    const columns = [
      Int32Array.from(this.#bins, (bin) => bin - firstBin),
      Int32Array.from(this.#counts),
      ...this.#rows.map((row) => Int32Array.from(row)),
    ];
    const widths: (2 | 4)[] = [4, 4, ...this.#rows.map(() => this.#width)];
    const { parts, rawLength } = encodeColumns(columns, widths);
    this.blocks.push({
      head: {
        kind: BLOCK_OVERVIEW,
        flags: this.#level,
        channel: this.#channel,
        startUs: firstBin * binUs,
        periodUs: binUs,
        firstUs: firstBin * binUs,
        lastUs: lastBin * binUs,
        count: this.#bins.length,
        rawLength,
      },
      parts: parts.map(compact),
    });
    this.#bins = [];
    this.#counts = [];
    this.#rows = this.#rows.map(() => []);
  }
}

/**
 * The bytes in a buffer of their own length. A compressed frame is a view of the 16 KiB that zlib filled, and the blocks of four weeks, which
 * all wait for the end of the recording, would hold ten times what they are.
 */
function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** Receives every page while a recording is written, so that the overview needs no second pass. */
export class OverviewBuilder {
  readonly channels: readonly SignalChannel[];
  readonly sampleCounts: number[];
  readonly #levels: Level[][];
  #finished = false;

  constructor(channels: readonly SignalChannel[]) {
    this.channels = channels;
    this.sampleCounts = channels.map(() => 0);
    this.#levels = channels.map(({ dimensions, sampleBits }, channel) => {
      const levels: Level[] = [];
      for (let level = LEVEL_BIN_US.length - 1; level >= 0; level--) {
        levels.unshift(new Level(channel, level, dimensions.length, sampleBits === 16 ? 2 : 4, levels[0] ?? null));
      }
      return levels;
    });
  }

  /** Adds a page. Pages of one channel must be in time order; channels may be interleaved. */
  add(page: SignalPage): void {
    const finest = this.#levels[page.channel]![0]!;
    const binUs = LEVEL_BIN_US[0]!;
    this.sampleCounts[page.channel]! += page.count;
    let start = 0;
    while (start < page.count) {
      const bin = Math.floor(sampleTimeUs(page, start) / binUs);
      const stop = firstAtOrAfter(page, (bin + 1) * binUs, start + 1);
      finest.enter(bin);
      finest.addCount(stop - start);
      for (let d = 0; d < page.columns.length; d++) {
        const column = page.columns[d]!;
        let minimum = column[start]!;
        let maximum = minimum;
        for (let i = start + 1; i < stop; i++) {
          const value = column[i]!;
          if (value < minimum) minimum = value;
          else if (value > maximum) maximum = value;
        }
        finest.addExtremes(d, minimum, maximum);
      }
      start = stop;
    }
  }

  /** Completes the overview and returns its blocks by level and channel, regardless of the order of the pages. */
  finish(): OverviewBlock[] {
    if (!this.#finished) for (const levels of this.#levels) for (const level of levels) level.finish();
    this.#finished = true;
    return LEVEL_BIN_US.flatMap((_, level) => this.#levels.flatMap((levels) => levels[level]!.blocks));
  }
}

/** Returns the first sample from `from` on that is not earlier than `timeUs`: estimated from the period, then corrected. */
function firstAtOrAfter(page: SignalPage, timeUs: number, from: number): number {
  const estimate = Math.ceil((timeUs - page.startUs) / page.periodUs);
  let index = Math.min(Math.max(estimate, from), page.count);
  while (index > from && sampleTimeUs(page, index - 1) >= timeUs) index -= 1;
  while (index < page.count && sampleTimeUs(page, index) < timeUs) index += 1;
  return index;
}
