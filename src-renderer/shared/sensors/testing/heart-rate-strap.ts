/** A strap of the standard Heart Rate Service made in software: about one notification a second, no stamps. */
import { HEART_RATE_MEASUREMENT, HEART_RATE_SERVICE } from '../bluetooth/gatt.ts';
import { type FakeClock, FakeDevice } from './fake-device.ts';

/** What makers do differently within the service. */
export interface HeartRateHabits {
  everyMs?: number;
  /** 16 bits of heart rate instead of 8. */
  isWide?: boolean;
  hasEnergy?: boolean;
  /** Feels no contact: neither bit of it is ever set. */
  isNumb?: boolean;
  /** Sends its heart rate alone. */
  isRateOnly?: boolean;
}

export class HeartRateStrap extends FakeDevice {
  hasContact = true;
  /** Beats of the heart: time and the interval that ends there, in 1/1024 s. */
  readonly beats: { atMs: number; count: number; isSent: boolean }[] = [];
  readonly #intervals: () => number;
  readonly #habits: HeartRateHabits;
  #generation = 0;

  /** @param intervals the next interval of the heart, 1/1024 s */
  constructor(name: string, clock: FakeClock, intervals: () => number, habits: HeartRateHabits = {}) {
    super(name, clock);
    this.#habits = habits;
    this.#intervals = intervals;
    this.offer(HEART_RATE_SERVICE, HEART_RATE_MEASUREMENT, { canNotify: true });
    void this.#live();
  }

  protected override onConnected(): void {
    this.#generation += 1;
    void this.#report(this.#generation);
  }

  protected override onDropped(): void {
    this.#generation += 1;
  }

  async #live(): Promise<void> {
    let atMs = this.clock.monotonicMs();
    for (;;) {
      const count = this.#intervals();
      atMs += (count * 1000) / 1024;
      await this.clock.wait(atMs - this.clock.monotonicMs());
      this.beats.push({ atMs, count, isSent: false });
    }
  }

  async #report(generation: number): Promise<void> {
    let next = this.beats.length;
    for (;;) {
      await this.clock.wait(this.#habits.everyMs ?? 1000);
      if (generation !== this.#generation) return;
      const fresh = this.beats.slice(next);
      next = this.beats.length;
      const sends = this.hasContact && !this.#habits.isRateOnly ? fresh : [];
      const isHeard = this.notify(HEART_RATE_MEASUREMENT, this.#measurement(sends.map(({ count }) => count)));
      for (const beat of sends) beat.isSent = isHeard;
    }
  }

  #measurement(counts: readonly number[]): Uint8Array {
    const { isWide, hasEnergy, isNumb } = this.#habits;
    const contact = isNumb ? 0 : this.hasContact ? 6 : 4;
    const flags = (isWide ? 1 : 0) | contact | (hasEnergy ? 8 : 0) | (counts.length > 0 ? 16 : 0);
    const rate = this.hasContact ? 72 : 0;
    const energy = hasEnergy ? [0x34, 0x12] : [];
    return Uint8Array.from([
      flags,
      ...(isWide ? [rate, 0] : [rate]),
      ...energy,
      ...counts.flatMap((count) => [count & 0xff, count >> 8]),
    ]);
  }
}
