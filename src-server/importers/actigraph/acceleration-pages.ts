/**
 * Pages of acceleration from records of one second each. A page ends where the next second is not there; what was seen in between
 * tells why: idle sleep, docking, damage, a reset.
 */
import type { SampleArray, SignalMark, SignalPage } from '../../signals/types.ts';
import type { LogRecord } from './log-records.ts';
import { type AxisColumns, samplesIn, unpackSamples } from './samples.ts';

const PAGE_SECONDS = 60;

export type GapCause = 'IDLE_SLEEP' | 'DOCKED' | 'BAD_CHECKSUM' | 'SENSOR_RESTART' | 'LOST_BLOCK';

export interface AccelerationForm {
  /** Samples of a whole second. */
  rate: number;
  /** Turns unpacked counts into those that are stored. */
  finish: (columns: [Int16Array, Int16Array, Int16Array]) => SampleArray[];
  /** Microseconds since the epoch at a second of the device's wall clock. */
  toUs: (second: number) => number;
  /** Whether idle sleep is logged as events; if not, a gap without another cause is taken as one. */
  logsIdleSleep: boolean;
}

/** A second that came after a jump: it counts once the next one does not go back behind it. */
interface HeldSecond {
  type: number;
  second: number;
  payload: Uint8Array;
  causes: Set<GapCause>;
}

export class AccelerationPages {
  readonly #form: AccelerationForm;
  readonly #columns: AxisColumns;
  #count = 0;
  #startSecond = 0;
  /** The second that would follow without a gap; null before the first. */
  #nextSecond: number | null = null;
  #periodUs: number;
  #lastUs = 0;
  #causes = new Set<GapCause>();
  #held: HeldSecond | null = null;
  readonly marks: SignalMark[] = [];
  samples = 0;
  /** Records whose second was there already, or lies before one that was read. */
  repeatedSeconds = 0;
  /** Records whose second is ahead of those that follow. */
  strayedSeconds = 0;
  /** Records with another number of samples than a second has. */
  unevenSeconds = 0;
  /** Seconds without samples beside or behind damaged bytes. */
  damagedSeconds = 0;

  constructor(form: AccelerationForm) {
    this.#form = form;
    const capacity = PAGE_SECONDS * form.rate;
    this.#columns = [new Int16Array(capacity), new Int16Array(capacity), new Int16Array(capacity)];
    this.#periodUs = 1e6 / form.rate;
  }

  /** Something happened that explains the next gap. */
  saw(cause: GapCause): void {
    this.#causes.add(cause);
  }

  *push({ type, second, bytes, start, size }: LogRecord): Generator<SignalPage> {
    const held = this.#held;
    if (held !== null) {
      this.#held = null;
      const isStrayed = second < held.second && second >= (this.#nextSecond ?? 0);
      if (isStrayed) {
        this.strayedSeconds++;
        for (const cause of held.causes) this.#causes.add(cause);
        this.#causes.add('LOST_BLOCK');
      } else {
        const later = this.#causes;
        this.#causes = held.causes;
        yield* this.#take(held.type, held.second, held.payload, 0, held.payload.byteLength);
        for (const cause of later) this.#causes.add(cause);
      }
    }
    if (this.#nextSecond !== null && second > this.#nextSecond) {
      this.#held = { type, second, payload: bytes.slice(start, start + size), causes: this.#causes };
      this.#causes = new Set();
    } else yield* this.#take(type, second, bytes, start, size);
  }

  *end(): Generator<SignalPage> {
    const held = this.#held;
    this.#held = null;
    if (held !== null) {
      const later = this.#causes;
      this.#causes = held.causes;
      yield* this.#take(held.type, held.second, held.payload, 0, held.payload.byteLength);
      for (const cause of later) this.#causes.add(cause);
    }
    yield* this.#flush();
    if (this.#nextSecond !== null) this.#mark();
  }

  *#take(type: number, second: number, bytes: Uint8Array, start: number, size: number): Generator<SignalPage> {
    const { rate } = this.#form;
    if (this.#nextSecond !== null && second < this.#nextSecond) {
      this.repeatedSeconds++;
      this.#causes.add(second < this.#nextSecond - 1 ? 'SENSOR_RESTART' : 'LOST_BLOCK');
      return;
    }
    const count = samplesIn(type, size);
    if (count === 0) return;
    const isGap = this.#nextSecond !== null && second > this.#nextSecond;
    if (isGap) {
      yield* this.#flush();
      if (this.#causes.has('BAD_CHECKSUM')) this.damagedSeconds += second - this.#nextSecond!;
      if (this.#causes.size === 0) this.#causes.add(this.#form.logsIdleSleep ? 'LOST_BLOCK' : 'IDLE_SLEEP');
      this.#mark();
    } else if (this.#count + count > PAGE_SECONDS * rate || count !== rate) yield* this.#flush();
    // A damaged record that was not of acceleration, or an event without a gap, explains nothing.
    this.#causes.clear();
    if (count !== rate) {
      yield* this.#unevenSecond(type, second, bytes, start, count);
      return;
    }
    if (this.#count === 0) this.#startSecond = second;
    unpackSamples(type, bytes, start, count, this.#columns, this.#count);
    this.#count += count;
    this.#nextSecond = second + 1;
  }

  /** Fewer samples than a second has leave a gap behind them; more share the second. */
  *#unevenSecond(type: number, second: number, bytes: Uint8Array, start: number, count: number): Generator<SignalPage> {
    this.unevenSeconds++;
    const columns: [Int16Array, Int16Array, Int16Array] = [
      new Int16Array(count),
      new Int16Array(count),
      new Int16Array(count),
    ];
    unpackSamples(type, bytes, start, count, columns, 0);
    const periodUs = Math.min(this.#periodUs, 1e6 / count);
    this.#nextSecond = second + 1;
    yield this.#page(second, periodUs, columns);
  }

  *#flush(): Generator<SignalPage> {
    if (this.#count === 0) return;
    const [x, y, z] = this.#columns;
    const count = this.#count;
    this.#count = 0;
    yield this.#page(this.#startSecond, this.#periodUs, [x.slice(0, count), y.slice(0, count), z.slice(0, count)]);
  }

  #page(second: number, periodUs: number, columns: [Int16Array, Int16Array, Int16Array]): SignalPage {
    const count = columns[0].length;
    const startUs = this.#form.toUs(second);
    this.samples += count;
    this.#lastUs = Math.round(startUs + (count - 1) * periodUs);
    return { channel: 0, startUs, periodUs, count, columns: this.#form.finish(columns) };
  }

  /** Marks the last sample before a gap with everything that was seen in it. */
  #mark(): void {
    for (const reason of this.#causes) this.marks.push({ channel: 0, timeUs: this.#lastUs, reason });
    this.#causes.clear();
  }
}
