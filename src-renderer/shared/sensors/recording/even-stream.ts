/**
 * Samples at a steady rate, from frames with a stamp of the device's clock. Times come from the distance of stamps, never from arrival
 * or a nominal rate; a lost frame ends the page, and the samples behind it use the last good period, so that a gap stays a gap.
 */
import type { SignalMark, SignalPage } from '../../../../src-server/signals/types.ts';
import type { GapReason } from './marks.ts';

export interface EvenFrame {
  /** On the recording's time line, microseconds. */
  stampUs: number;
  connection: number;
  count: number;
  columns: readonly (readonly number[])[];
}

/** What the next file continues from. */
export interface EvenCarry {
  stampUs: number;
  /** Time of the last sample. */
  lastUs: number;
  connection: number;
  periodUs: number;
}

const PAGE_US = 60_000_000;
/** A frame that comes this late still goes where its stamp says. */
const LATE_US = 5_000_000;
/** More than this many times its own length after the frame before: something is missing. */
const LOST_AT = 1.5;
/** A page is one straight line of times; where stamps leave it by more, it is cut in two. */
const MAX_BEND_US = 2000;

interface Placed extends EvenFrame {
  firstUs: number;
  lastUs: number;
  periodUs: number;
  /** Missing samples before it. */
  gap: GapReason | null;
}

export class EvenStream {
  readonly #channel: number;
  readonly #nominalUs: number;
  readonly #stampIs: 'FIRST' | 'LAST';
  readonly #isWide: boolean;
  #pending: EvenFrame[] = [];
  #before: EvenCarry | null;
  #periodUs: number;
  /** The period comes from this unit's stamps; until then it is the nominal one, wrong by up to 3 %. */
  #isMeasured: boolean;
  /** Last sample of the pages taken so far. */
  #lastPagedUs: number | null;
  lostFrames = 0;

  constructor(
    options: { channel: number; rateHz: number; stampIs: 'FIRST' | 'LAST'; isWide: boolean },
    carry?: EvenCarry,
  ) {
    this.#channel = options.channel;
    this.#nominalUs = 1e6 / options.rateHz;
    this.#stampIs = options.stampIs;
    this.#isWide = options.isWide;
    this.#before = carry ?? null;
    this.#periodUs = carry?.periodUs ?? this.#nominalUs;
    this.#isMeasured = carry !== undefined;
    this.#lastPagedUs = carry?.lastUs ?? null;
  }

  /** Returns false for a frame that was stored already or comes too late. */
  add(frame: EvenFrame): boolean {
    if (this.#before && frame.stampUs <= this.#before.stampUs) return false;
    let at = this.#pending.length;
    while (at > 0 && this.#pending[at - 1]!.stampUs > frame.stampUs) at--;
    if (at > 0 && this.#pending[at - 1]!.stampUs === frame.stampUs) return false;
    this.#pending.splice(at, 0, frame);
    return true;
  }

  get carry(): EvenCarry | null {
    return this.#before;
  }

  /** Pages that are complete; all that there is when the file ends. */
  take(isEnd: boolean): { pages: SignalPage[]; marks: SignalMark[] } {
    const first = this.#pending[0]?.stampUs;
    const newest = this.#pending.at(-1)?.stampUs;
    if (first === undefined || newest === undefined) return { pages: [], marks: [] };
    if (!isEnd && newest - first < PAGE_US + LATE_US) return { pages: [], marks: [] };
    const until = isEnd ? Infinity : first + PAGE_US;
    const split = this.#pending.findIndex(({ stampUs }) => stampUs > until);
    const ready = split < 0 ? this.#pending : this.#pending.slice(0, split);
    const rest = split < 0 ? [] : this.#pending.slice(split);
    this.#measureAhead(ready);
    const placed = ready.map((frame, i) => this.#place(frame, ready[i + 1] ?? rest[0]));
    this.#pending = rest;
    return this.#paged(placed);
  }

  /** The first frame has none before it: its period is that of the first two frames in a row. */
  #measureAhead(frames: readonly EvenFrame[]): void {
    if (this.#isMeasured) return;
    for (let i = 1; i < frames.length && !this.#isMeasured; i++) {
      const { count } = frames[this.#stampIs === 'LAST' ? i : i - 1]!;
      const stepUs = frames[i]!.stampUs - frames[i - 1]!.stampUs;
      if (stepUs > LOST_AT * count * this.#nominalUs) continue;
      this.#periodUs = stepUs / count;
      this.#isMeasured = true;
    }
  }

  #place(frame: EvenFrame, next: EvenFrame | undefined): Placed {
    return this.#stampIs === 'LAST' ? this.#placeByLast(frame) : this.#placeByFirst(frame, next);
  }

  #placeByLast(frame: EvenFrame): Placed {
    const before = this.#before;
    const step = before ? frame.stampUs - before.stampUs : Infinity;
    const isLost = step > LOST_AT * frame.count * this.#nominalUs;
    if (!isLost) this.#periodUs = step / frame.count;
    const periodUs = this.#periodUs;
    const firstUs = isLost ? frame.stampUs - (frame.count - 1) * periodUs : frame.stampUs - step + periodUs;
    return this.#done(frame, firstUs, frame.stampUs, before !== null && isLost);
  }

  #placeByFirst(frame: EvenFrame, next: EvenFrame | undefined): Placed {
    const step = next ? next.stampUs - frame.stampUs : Infinity;
    if (step <= LOST_AT * frame.count * this.#nominalUs) this.#periodUs = step / frame.count;
    const lastUs = frame.stampUs + (frame.count - 1) * this.#periodUs;
    const before = this.#before;
    const isLost = before !== null && frame.stampUs - before.lastUs > this.#nominalUs * (1 + frame.count / 2);
    return this.#done(frame, frame.stampUs, lastUs, isLost);
  }

  #done(frame: EvenFrame, firstUs: number, lastUs: number, isLost: boolean): Placed {
    const before = this.#before;
    const gap = !isLost || !before ? null : frame.connection === before.connection ? 'LOST_BLOCK' : 'LINK_LOST';
    if (isLost && before) {
      const missing = (firstUs - before.lastUs) / this.#periodUs - 1;
      this.lostFrames += Math.max(1, Math.round(missing / frame.count));
    }
    const { stampUs, connection } = frame;
    this.#before = { stampUs, connection, periodUs: this.#periodUs, lastUs };
    return { ...frame, firstUs, lastUs, periodUs: this.#periodUs, gap };
  }

  #paged(placed: Placed[]): { pages: SignalPage[]; marks: SignalMark[] } {
    const pages: SignalPage[] = [];
    const marks: SignalMark[] = [];
    let run: Placed[] = [];
    placed.forEach((frame, i) => {
      if (frame.gap) {
        const lastUs = placed[i - 1]?.lastUs ?? this.#lastPagedUs;
        if (lastUs !== null) marks.push({ channel: this.#channel, timeUs: Math.round(lastUs), reason: frame.gap });
        if (run.length > 0) pages.push(...this.#pagesOf(run));
        run = [];
      }
      run.push(frame);
    });
    if (run.length > 0) pages.push(...this.#pagesOf(run));
    this.#lastPagedUs = placed.at(-1)?.lastUs ?? this.#lastPagedUs;
    return { pages, marks };
  }

  /** One page, or more where the stamps bend. */
  #pagesOf(run: Placed[]): SignalPage[] {
    const count = run.reduce((sum, frame) => sum + frame.count, 0);
    const startUs = run[0]!.firstUs;
    const stopUs = run.at(-1)!.lastUs;
    const periodUs = count === 1 ? run[0]!.periodUs : (stopUs - startUs) / (count - 1);
    let done = 0;
    let worst = -1;
    let worstUs = MAX_BEND_US;
    run.forEach((frame, i) => {
      done += frame.count;
      const bendUs = Math.abs(startUs + (done - 1) * periodUs - frame.lastUs);
      if (bendUs > worstUs && i < run.length - 1) {
        worst = i;
        worstUs = bendUs;
      }
    });
    if (worst >= 0) return [...this.#pagesOf(run.slice(0, worst + 1)), ...this.#pagesOf(run.slice(worst + 1))];
    const dimensions = run[0]!.columns.length;
    const columns = Array.from({ length: dimensions }, (_, d) => {
      const column = this.#isWide ? new Int32Array(count) : new Int16Array(count);
      let at = 0;
      for (const frame of run) {
        column.set(frame.columns[d]!, at);
        at += frame.count;
      }
      return column;
    });
    return [{ channel: this.#channel, startUs, periodUs, count, columns }];
  }
}
