/**
 * Heart-beat intervals of a device without a clock: a running sum, anchored at an arrival (recording-format.md, section 11). Inside a
 * run each beat follows the one before by its own interval; where that leaves the arrival times, beats were lost.
 */
import type { SignalMark, SignalPage } from '../../../../src-server/signals/types.ts';
import type { BeatInterval } from '../driver.ts';
import type { GapReason } from './marks.ts';

const PAGE_US = 60_000_000;
const MAX_LEAD_US = 2_000_000;
/** Behind a gap a beat is missing: no heart beats faster than this. */
const LEAST_GAP_US = 250_000;

export interface BeatArrival {
  arrivalUs: number;
  connection: number;
  /** Oldest first. */
  intervals: readonly BeatInterval[];
  isAbsent: boolean;
}

/** What the next file continues from. */
export interface BeatCarry {
  lastUs: number;
  heardUs: number;
  connection: number;
  isInRun: boolean;
}

interface Beat {
  timeUs: number;
  counts: readonly number[];
}

export class BeatStream {
  readonly #channel: number;
  readonly #stepUs: number;
  readonly #silenceUs: number;
  #run: Beat[] = [];
  /** Unrounded time of the last beat; null before the first. */
  #lastUs: number | null = null;
  #heardUs: number | null = null;
  #connection = 0;
  /** The next interval follows the last beat. */
  #isInRun = false;
  #pages: SignalPage[] = [];
  #marks: SignalMark[] = [];
  lostFrames = 0;

  /** @param silenceSeconds without a notification means that beats were lost */
  constructor(channel: number, scale: number, silenceSeconds: number, carry?: BeatCarry) {
    this.#channel = channel;
    this.#stepUs = scale * 1e6;
    this.#silenceUs = silenceSeconds * 1e6;
    if (carry) {
      this.#lastUs = carry.lastUs;
      this.#heardUs = carry.heardUs;
      this.#connection = carry.connection;
      this.#isInRun = carry.isInRun;
    }
  }

  get carry(): BeatCarry | null {
    if (this.#lastUs === null || this.#heardUs === null) return null;
    return {
      lastUs: this.#lastUs,
      heardUs: this.#heardUs,
      connection: this.#connection,
      isInRun: this.#isInRun,
    };
  }

  add({ arrivalUs, connection, intervals, isAbsent }: BeatArrival): void {
    if (this.#connection !== 0 && connection !== this.#connection) this.#breakRun('LINK_LOST');
    else if (this.#heardUs !== null && arrivalUs - this.#heardUs > this.#silenceUs) this.#breakRun('LOST_BLOCK');
    this.#connection = connection;
    this.#heardUs = arrivalUs;
    if (isAbsent) {
      this.#breakRun('NO_CONTACT');
      return;
    }
    const totalUs = intervals.reduce((sum, { counts }) => sum + counts[0]!, 0) * this.#stepUs;
    if (this.#isInRun && Math.abs(arrivalUs - (this.#lastUs! + totalUs)) > MAX_LEAD_US) this.#breakRun('LOST_BLOCK');
    let atUs = this.#isInRun ? this.#lastUs! : arrivalUs - totalUs;
    for (const { counts, isValid } of intervals) {
      const intervalUs = counts[0]! * this.#stepUs;
      if (!isValid) {
        this.#breakRun('NO_CONTACT');
        atUs += intervalUs;
        continue;
      }
      // A new anchor may seem to lie before a beat that is stored: its intervals had run ahead of their arrival.
      if (!this.#isInRun && this.#lastUs !== null) atUs = Math.max(atUs, this.#lastUs + LEAST_GAP_US);
      atUs += intervalUs;
      this.#run.push({ timeUs: Math.round(atUs), counts });
      this.#lastUs = atUs;
      this.#isInRun = true;
    }
    const first = this.#run[0];
    if (first && atUs - first.timeUs >= PAGE_US) this.#endPage();
  }

  take(isEnd: boolean): { pages: SignalPage[]; marks: SignalMark[] } {
    if (isEnd) this.#endPage();
    const taken = { pages: this.#pages, marks: this.#marks };
    this.#pages = [];
    this.#marks = [];
    return taken;
  }

  #breakRun(reason: GapReason): void {
    if (!this.#isInRun) return;
    this.#isInRun = false;
    if (reason !== 'NO_CONTACT') this.lostFrames += 1;
    this.#marks.push({ channel: this.#channel, timeUs: Math.round(this.#lastUs!), reason });
    this.#endPage();
  }

  #endPage(): void {
    const run = this.#run;
    this.#run = [];
    const first = run[0];
    if (!first) return;
    const count = run.length;
    const startUs = first.timeUs;
    const periodUs = count === 1 ? first.counts[0]! * this.#stepUs : (run[count - 1]!.timeUs - startUs) / (count - 1);
    const residuals = run.map(({ timeUs }, i) => timeUs - Math.round(startUs + i * periodUs));
    this.#pages.push({
      channel: this.#channel,
      startUs,
      periodUs,
      count,
      columns: first.counts.map((_, d) => Int16Array.from(run, ({ counts }) => counts[d]!)),
      timeResidualsUs: Int32Array.from(residuals),
    });
  }
}
