/**
 * Joins the blocks of a CWA file to pages of a minute.
 *
 * Time comes from the stamps of the blocks: the period inside a block is the distance to the next one over its samples, because
 * the real rate is up to 1 % off the nominal one. Nothing is filled in: a page ends where a block is missing, damaged, or of
 * other settings.
 */
import type { SampleArray, SignalMark, SignalPage } from '../../signals/types.ts';
import type { GapReason } from '../../vocabulary/coverage.ts';
import { TimedPageBuilder } from '../timed-pages.ts';
import { BLOCK_BYTES } from './cwa.ts';
import { type CwaBlock, unpackBlock } from './cwa-block.ts';

const PAGE_US = 60_000_000;
/** Rows of a page at 3200 Hz, and the block that fills it. */
const MAX_ROWS = 1 << 18;
const GAP_PERIODS = 1.5;
/** The times of blocks without a fraction are moved by up to this. */
const STAMP_US = 2_000_000;
/** Stamps jitter by some samples, so that one distance of two blocks says little of the period behind the last one. */
const AVERAGED_BLOCKS = 32;
/** Stamps count in 1/32768 s; below this distance from an even page they are not worth a column of their own. */
const EVEN_US = 100;
/** A file with more gaps than this is noted by their number alone. */
const MAX_MARKS = 100_000;

export interface CwaLayout {
  /** Channels of samples, in the order of the header: 3, 6 or 9 columns. */
  axes: 3 | 6 | 9;
  accelPerG: number;
  gyroRangeDps: number;
  session: number;
  rateHz: number;
  /** Measured near the beginning: that of the nominal rate moves the end of a block by more than a sample. */
  periodUs: number;
  /** The block that begins the recording: what lies before it in the file has a clock that cannot be. */
  first: { sequence: number; timeUs: number };
  /** Added to the device's clock. */
  toUtcUs: number;
}

export interface CwaDamage {
  damagedBytes: number;
  missingBlocks: number;
  otherSession: number;
  otherSettings: number;
  overlapping: number;
  /** Blocks whose time is ahead of those that follow. */
  strayed: number;
  gaps: number;
}

/** A block that came after a jump: it counts once the next one does not go back behind it. */
interface HeldBlock {
  bytes: Buffer;
  block: CwaBlock;
  timeUs: number;
  shift: number;
  skippedBytes: number;
}

export class CwaPages {
  readonly marks: SignalMark[] = [];
  readonly damage: CwaDamage = {
    damagedBytes: 0,
    missingBlocks: 0,
    otherSession: 0,
    otherSettings: 0,
    overlapping: 0,
    strayed: 0,
    gaps: 0,
  };
  readonly #layout: CwaLayout;
  readonly #columns: Int16Array[];
  readonly #slow: SlowChannels;
  #rows = 0;
  /** Of the blocks in the page: time and first row. */
  #times: number[] = [];
  #firstRows: number[] = [];
  #isFine = true;
  #rateHz: number;
  #isPacked = false;
  #axes = 0;
  #sequence = 0;
  #lastCount = 0;
  #hasBegun = false;
  #held: HeldBlock | null = null;
  /** Blocks of the same count that were left out since the last one that was taken, and the bytes of damage between. */
  #droppedBlocks = 0;
  #droppedBytes = 0;
  /** Mean of the last blocks. */
  #periodUs: number;
  #measuredBlocks = 0;
  /** Time of the last sample of all pages so far. */
  #lastSampleUs = Number.NEGATIVE_INFINITY;

  constructor(layout: CwaLayout) {
    this.#layout = layout;
    this.#rateHz = layout.rateHz;
    this.#periodUs = layout.periodUs;
    this.#columns = Array.from({ length: layout.axes }, () => new Int16Array(16_384));
    this.#slow = new SlowChannels(layout.axes / 3);
  }

  /** Takes a block and returns the pages that it completes. */
  take(bytes: Buffer, at: number, block: CwaBlock, skippedBytes: number): SignalPage[] | undefined {
    const { damage } = this;
    damage.damagedBytes += skippedBytes;
    if (block.session !== this.#layout.session) {
      damage.otherSession++;
      return undefined;
    }
    const shift = this.#shiftOf(block);
    if (shift === null) {
      damage.otherSettings++;
      return undefined;
    }
    const timeUs = block.timeUs + this.#layout.toUtcUs;
    if (!this.#hasBegun) {
      const { first, toUtcUs } = this.#layout;
      this.#hasBegun = block.sequence === first.sequence && Math.abs(timeUs - first.timeUs - toUtcUs) <= STAMP_US;
      if (!this.#hasBegun) {
        damage.strayed++;
        return undefined;
      }
    }
    const held = this.#held;
    if (held === null) return this.#takeOrHold(bytes, at, block, timeUs, shift, skippedBytes);
    if (timeUs <= this.#lastUs()) return this.#drop('overlapping', skippedBytes);
    this.#held = null;
    if (timeUs < held.timeUs) {
      this.#drop('strayed', held.skippedBytes);
      return this.#takeOrHold(bytes, at, block, timeUs, shift, skippedBytes);
    }
    const pages = this.#take(held.bytes, 0, held.block, held.timeUs, held.shift, held.skippedBytes);
    const more = this.#takeOrHold(bytes, at, block, timeUs, shift, skippedBytes);
    return pages && more ? [...pages, ...more] : (pages ?? more);
  }

  /** The rest, at the end of the file. */
  end(trailingBytes: number): SignalPage[] {
    this.damage.damagedBytes += trailingBytes;
    const held = this.#held;
    this.#held = null;
    const pages = held && this.#take(held.bytes, 0, held.block, held.timeUs, held.shift, held.skippedBytes);
    return [...(pages ?? []), ...(this.#rows > 0 ? this.#close(null) : []), ...this.#slow.end()];
  }

  #takeOrHold(
    bytes: Buffer,
    at: number,
    block: CwaBlock,
    timeUs: number,
    shift: number,
    skippedBytes: number,
  ): SignalPage[] | undefined {
    const isJump = this.#rows > 0 ? !this.#continues(block, timeUs, skippedBytes) : this.#lastSampleUs > 0;
    if (!isJump) return this.#take(bytes, at, block, timeUs, shift, skippedBytes);
    if (timeUs <= this.#lastUs()) return this.#drop('overlapping', skippedBytes);
    const copy = Buffer.from(bytes.subarray(at, at + BLOCK_BYTES));
    this.#held = { bytes: copy, block: { ...block }, timeUs, shift, skippedBytes };
    return undefined;
  }

  #drop(why: 'overlapping' | 'strayed', skippedBytes: number): undefined {
    this.damage[why]++;
    this.#droppedBlocks++;
    this.#droppedBytes += skippedBytes;
    return undefined;
  }

  /** Time of the last sample that was taken. */
  #lastUs(): number {
    if (this.#rows === 0) return this.#lastSampleUs;
    return this.#times.at(-1)! + (this.#lastCount - 1) * this.#periodUs;
  }

  #take(
    bytes: Buffer,
    at: number,
    block: CwaBlock,
    timeUs: number,
    shift: number,
    skippedBytes: number,
  ): SignalPage[] | undefined {
    let pages: SignalPage[] | undefined;
    if (this.#rows > 0) {
      if (this.#continues(block, timeUs, skippedBytes)) {
        const measuredUs = (timeUs - this.#times.at(-1)!) / this.#lastCount;
        this.#measuredBlocks = Math.min(this.#measuredBlocks + 1, AVERAGED_BLOCKS);
        this.#periodUs += (measuredUs - this.#periodUs) / this.#measuredBlocks;
        if (timeUs - this.#times[0]! >= PAGE_US || this.#rows + block.count > MAX_ROWS) pages = this.#close(timeUs);
      } else {
        const cause = this.#causeOf(block, skippedBytes + this.#droppedBytes);
        pages = this.#close(null);
        this.#markGap(timeUs, cause);
      }
    }
    if (this.#rateHz !== block.rateHz) {
      this.#periodUs = 1e6 / block.rateHz;
      this.#measuredBlocks = 0;
    }
    this.#add(bytes, at, block, timeUs, shift);
    this.#droppedBlocks = 0;
    this.#droppedBytes = 0;
    return pages;
  }

  /**
   * Left shift from the counts of a block to those of the channel; null when the channel cannot hold them exactly, or lacks its axes.
   * A block of another range is rare: a device that was set up again without being cleared.
   */
  #shiftOf(block: CwaBlock): number | null {
    const { axes, accelPerG, gyroRangeDps } = this.#layout;
    if (block.axes !== axes || (axes > 3 && block.gyroRangeDps !== gyroRangeDps)) return null;
    const shift = Math.log2(accelPerG / block.accelPerG);
    // Packed counts have 13 bits, so three more fit.
    return shift === 0 || (block.isPacked && shift > 0 && shift <= 3) ? shift : null;
  }

  #continues(block: CwaBlock, timeUs: number, skippedBytes: number): boolean {
    if (skippedBytes > 0 || this.#droppedBlocks > 0 || block.sequence !== this.#sequence + 1) return false;
    if (block.rateHz !== this.#rateHz || block.isPacked !== this.#isPacked || block.axes !== this.#axes) return false;
    const lastUs = this.#times.at(-1)!;
    const blockUs = this.#lastCount * this.#periodUs;
    return timeUs > lastUs && Math.abs(timeUs - lastUs - blockUs) <= (this.#lastCount * 1e6) / this.#rateHz;
  }

  #causeOf(block: CwaBlock, skippedBytes: number): GapReason {
    const missing = block.sequence - this.#sequence - 1 - this.#droppedBlocks;
    if (missing > 0) this.damage.missingBlocks += missing;
    if (skippedBytes > 0) return 'BAD_CHECKSUM';
    // A device that was connected to a computer continues in the same file and counts from 0 again.
    if (block.sequence === 0) return 'DOCKED';
    return block.sequence > this.#sequence + 1 ? 'LOST_BLOCK' : 'SENSOR_RESTART';
  }

  #markGap(timeUs: number, reason: GapReason): void {
    if (timeUs - this.#lastSampleUs <= GAP_PERIODS * this.#periodUs) return;
    this.damage.gaps++;
    if (this.marks.length >= MAX_MARKS) return;
    const markUs = Math.round(this.#lastSampleUs);
    for (let channel = 0; channel < this.#layout.axes / 3; channel++)
      this.marks.push({ channel, timeUs: markUs, reason });
  }

  #add(bytes: Buffer, at: number, block: CwaBlock, timeUs: number, shift: number): void {
    const needed = this.#rows + block.count;
    if (needed > this.#columns[0]!.length) this.#grow();
    unpackBlock(bytes, at, block, this.#columns, this.#rows);
    if (shift > 0) {
      for (const column of this.#columns.slice(0, 3)) {
        for (let i = this.#rows; i < needed; i++) column[i] = column[i]! << shift;
      }
    }
    this.#times.push(timeUs);
    this.#firstRows.push(this.#rows);
    this.#rows = needed;
    this.#isFine &&= block.isFine;
    this.#rateHz = block.rateHz;
    this.#isPacked = block.isPacked;
    this.#axes = block.axes;
    this.#sequence = block.sequence;
    this.#lastCount = block.count;
    this.#slow.add(timeUs, block);
  }

  #grow(): void {
    for (const [d, column] of this.#columns.entries()) {
      const larger = new Int16Array(column.length * 2);
      larger.set(column);
      this.#columns[d] = larger;
    }
  }

  /** @param nextUs time of the block that follows without a break; null where the last known period must do */
  #close(nextUs: number | null): SignalPage[] {
    const count = this.#rows;
    const startUs = Math.round(this.#times[0]!);
    const endUs = nextUs ?? this.#times.at(-1)! + this.#lastCount * this.#periodUs;
    const periodUs = (endUs - startUs) / count;
    const residuals = this.#residuals(startUs, periodUs, endUs);
    const lastResidualUs = residuals?.[count - 1] ?? 0;
    const pages: SignalPage[] = [];
    for (let channel = 0; channel < this.#layout.axes / 3; channel++) {
      const columns: SampleArray[] = this.#columns
        .slice(3 * channel, 3 * channel + 3)
        .map((column) => column.slice(0, count));
      pages.push({
        channel,
        startUs,
        periodUs,
        count,
        columns,
        ...(residuals ? { timeResidualsUs: channel === 0 ? residuals : residuals.slice() } : {}),
      });
    }
    this.#lastSampleUs = startUs + (count - 1) * periodUs + lastResidualUs;
    this.#rows = 0;
    this.#times = [];
    this.#firstRows = [];
    this.#isFine = true;
    pages.push(...this.#slow.take());
    return pages;
  }

  /** Exact times of the samples, where those of the blocks leave an even page; undefined where they do not. */
  #residuals(startUs: number, periodUs: number, endUs: number): Int32Array | undefined {
    const times = this.#times;
    const firstRows = this.#firstRows;
    // A stamp without a fraction is only good to a sample, and its jitter is no property of the samples.
    const mostUs = this.#isFine ? EVEN_US : periodUs;
    const isEven = times.every((timeUs, b) => Math.abs(timeUs - startUs - firstRows[b]! * periodUs) <= mostUs);
    if (isEven) return undefined;
    const residuals = new Int32Array(this.#rows);
    for (let b = 0; b < times.length; b++) {
      const from = firstRows[b]!;
      const to = firstRows[b + 1] ?? this.#rows;
      const blockUs = times[b]!;
      const stepUs = ((times[b + 1] ?? endUs) - blockUs) / (to - from);
      for (let i = from; i < to; i++) {
        residuals[i] = Math.round(blockUs + (i - from) * stepUs) - Math.floor(startUs + i * periodUs + 0.5);
      }
    }
    return residuals;
  }
}

const BATCH = 4096;
/** A minute has 50 of their samples, for which a page would cost as much as for 6000. */
const SLOW_PAGE_US = 10 * PAGE_US;

/** What each block holds once: temperature, light and the battery, at the time of its first sample. */
class SlowChannels {
  readonly #builders: TimedPageBuilder[] = [];
  readonly #times: Float64Array[] = [];
  readonly #values: Int32Array[] = [];
  readonly #counts = [0, 0, 0];
  readonly #firstChannel: number;

  constructor(firstChannel: number) {
    this.#firstChannel = firstChannel;
    for (let c = 0; c < 3; c++) {
      this.#times.push(new Float64Array(BATCH));
      this.#values.push(new Int32Array(BATCH));
    }
  }

  add(timeUs: number, block: CwaBlock): void {
    if (this.#builders.length === 0) {
      const periodUs = (block.count * 1e6) / block.rateHz;
      for (let c = 0; c < 3; c++)
        this.#builders.push(new TimedPageBuilder(this.#firstChannel + c, 1, 16, periodUs, SLOW_PAGE_US));
    }
    // Zero says that the device had no reading of its temperature or battery.
    if (block.temperatureRaw > 0) this.#put(0, timeUs, block.temperatureRaw);
    this.#put(1, timeUs, block.lightRaw);
    if (block.batteryRaw > 0) this.#put(2, timeUs, block.batteryRaw);
  }

  #put(channel: number, timeUs: number, value: number): void {
    const n = this.#counts[channel]!;
    // A page of samples is over long before, except at rates that no device has.
    if (n >= BATCH) return;
    this.#times[channel]![n] = Math.round(timeUs);
    this.#values[channel]![n] = value;
    this.#counts[channel] = n + 1;
  }

  take(): SignalPage[] {
    const pages: SignalPage[] = [];
    for (const [c, builder] of this.#builders.entries()) {
      const n = this.#counts[c]!;
      for (const page of builder.push(this.#times[c]!, [this.#values[c]!], n)) pages.push(page);
      this.#counts[c] = 0;
    }
    return pages;
  }

  end(): SignalPage[] {
    return [...this.take(), ...this.#builders.flatMap((builder) => [...builder.flush()])];
  }
}
