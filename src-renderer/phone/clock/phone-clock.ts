/**
 * The clock of this page: notices when the phone's clock is set, by comparing it with the monotonic clock, and over
 * restarts by the last time that an earlier page saw. Its epochs are kept by the store.
 */
import type { OffsetSample } from '../../../src-server/phone-protocol/clock-offset.ts';
import {
  type ClockEpoch,
  type ClockOffset,
  claimIn,
  type EpochLink,
  offsetIn,
  type Stamp,
  siteTime,
  wallTimeIn,
} from './epochs.ts';

export interface ClockSource {
  /** Epoch ms by the phone's clock. */
  wallMs: () => number;
  /** Milliseconds of a clock that nobody sets. On many phones it stands still while they sleep. */
  monotonicMs: () => number;
  newId: () => string;
}

/** What the store keeps of the clock. */
export interface KeptClock {
  epochs: ClockEpoch[];
  /** The last time that any page saw, with its epoch. */
  lastSeen?: Stamp;
}

/** Corrections by the phone's network time stay below it; they are part of the drift. */
const JUMP_MS = 1_000;
/** A change while the page was closed shows only when the clock went back. */
const BACK_MS = 1_000;
export const MOST_EPOCHS = 60;
const MOST_SAMPLES = 8;

export class PhoneClock {
  readonly #source: ClockSource;
  /** Of all pages of this phone, as far as this one knows. */
  #epochs: ClockEpoch[];
  #current: ClockEpoch;
  /** Wall minus monotonic at the last look. */
  #baseMs: number;
  #wasHidden = false;

  constructor(source: ClockSource, kept: KeptClock = { epochs: [] }) {
    this.#source = source;
    this.#epochs = kept.epochs.map((epoch) => ({ ...epoch }));
    const wallMs = source.wallMs();
    this.#baseMs = wallMs - source.monotonicMs();
    const { lastSeen } = kept;
    const isBack = lastSeen !== undefined && wallMs < lastSeen.wallMs - BACK_MS;
    this.#current = this.#begin(wallMs, lastSeen && { after: lastSeen.epoch, kind: isBack ? 'UNKNOWN' : 'REOPENED' });
  }

  /** Call when the page is hidden: until it is seen again the phone may sleep. */
  hide(): void {
    this.look();
    this.#wasHidden = true;
  }

  /** Call when the page is seen again. */
  show(): void {
    this.look();
    this.#wasHidden = false;
  }

  /** Compares the clocks; call it often. @returns whether the phone's clock jumped */
  look(): boolean {
    const wallMs = this.#source.wallMs();
    const baseMs = wallMs - this.#source.monotonicMs();
    const byMs = Math.round(baseMs - this.#baseMs);
    this.#baseMs = baseMs;
    if (Math.abs(byMs) < JUMP_MS) return false;
    // A sleeping phone stops its monotonic clock, which looks like a clock set forward, or set back by less than it was.
    const kind = !this.#wasHidden ? 'SET' : byMs > 0 ? 'REOPENED' : 'UNKNOWN';
    this.#current = this.#begin(wallMs, { after: this.#current.id, kind, byMs });
    return true;
  }

  /** Now, as an event keeps it. */
  stamp(): Stamp {
    this.look();
    return { wallMs: Math.round(this.#source.wallMs()), epoch: this.#current.id };
  }

  monotonicMs(): number {
    return this.#source.monotonicMs();
  }

  /** Now by the site's clock, as far as it is known. */
  siteNow(): number {
    return this.siteTime(this.stamp());
  }

  siteTime(stamp: Stamp): number {
    return siteTime(this.#epochs, stamp);
  }

  /** An instant as the clock of another epoch would have shown it, ms. */
  wallTimeIn(stamp: Stamp, epoch: string): number {
    return wallTimeIn(this.#epochs, stamp, epoch);
  }

  offsetAt(stamp: Stamp): ClockOffset {
    return offsetIn(this.#epochs, stamp.epoch, stamp.wallMs);
  }

  /** The same as it is claimed to the site. */
  claimAt(stamp: Stamp): ClockOffset {
    return claimIn(this.#epochs, stamp.epoch, stamp.wallMs);
  }

  get isMeasured(): boolean {
    return this.#current.samples.length > 0;
  }

  /** @param began stamp of the moment when the call was sent: a call over a jump measures nothing */
  measured(sample: OffsetSample, began: Stamp): void {
    if (this.stamp().epoch !== began.epoch) return;
    this.#current.samples = [...this.#current.samples, sample].slice(-MOST_SAMPLES);
  }

  /**
   * For the store. @param used epochs that what waits on the phone still refers to: then the others of more than
   * `MOST_EPOCHS` are forgotten
   */
  kept(used?: ReadonlySet<string>): KeptClock {
    const lastSeen = this.stamp();
    if (used) this.#epochs = this.#epochs.slice(this.#forgettable(used));
    return { epochs: this.#epochs.map((epoch) => ({ ...epoch, samples: [...epoch.samples] })), lastSeen };
  }

  /**
   * How many of the oldest are of no use: those before the first that is used, or before the present one. The last measurement before it
   * stays with all in between, as it alone shows whether the clock was set unseen.
   */
  #forgettable(used: ReadonlySet<string>): number {
    const tooMany = Math.max(0, this.#epochs.length - MOST_EPOCHS);
    const firstUsed = this.#epochs.findIndex(({ id }) => id === this.#current.id || used.has(id));
    const measured = this.#epochs.findLastIndex(({ samples }, index) => index <= firstUsed && samples.length > 0);
    if (measured >= 0) return Math.min(tooMany, measured);
    return used.has(this.#epochs[firstUsed]?.id ?? '') ? Math.min(tooMany, firstUsed) : tooMany;
  }

  /** Takes over the epochs that other pages have added or measured. */
  merge(kept: KeptClock): void {
    const known = new Set(this.#epochs.map(({ id }) => id));
    for (const epoch of kept.epochs) {
      if (epoch.id === this.#current.id) continue;
      // What is stored may be older than what this page has measured.
      if (known.has(epoch.id)) this.#epochs = this.#epochs.map((own) => (own.id === epoch.id ? both(own, epoch) : own));
      else this.#epochs = [...this.#epochs.filter(({ id }) => id !== this.#current.id), { ...epoch }, this.#current];
    }
  }

  #begin(startedMs: number, link: EpochLink | undefined): ClockEpoch {
    const epoch: ClockEpoch = { id: this.#source.newId(), startedMs, samples: [], ...(link && { link }) };
    this.#epochs = [...this.#epochs, epoch];
    return epoch;
  }
}

/** An epoch with the samples of two copies, in the order in which they were taken. */
function both(own: ClockEpoch, other: ClockEpoch): ClockEpoch {
  const isKnown = (sample: OffsetSample) =>
    own.samples.some(({ atMs, offsetMs }) => atMs === sample.atMs && offsetMs === sample.offsetMs);
  const samples = [...own.samples, ...other.samples.filter((sample) => !isKnown(sample))];
  return { ...own, samples: samples.toSorted((a, b) => a.atMs - b.atMs).slice(-MOST_SAMPLES) };
}
