/** A strap of the standard Heart Rate Service made in software: about one notification a second, no stamps. */
import { HEART_RATE_MEASUREMENT, HEART_RATE_SERVICE } from '../bluetooth/gatt.ts';
import { type FakeClock, FakeDevice } from './fake-device.ts';

export class HeartRateStrap extends FakeDevice {
  hasContact = true;
  /** Beats of the heart: time and the interval that ends there, in 1/1024 s. */
  readonly beats: { atMs: number; count: number; isSent: boolean }[] = [];
  readonly #intervals: () => number;
  #generation = 0;

  /** @param intervals the next interval of the heart, 1/1024 s */
  constructor(name: string, clock: FakeClock, intervals: () => number) {
    super(name, clock);
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
      await this.clock.wait(1000);
      if (generation !== this.#generation) return;
      const fresh = this.beats.slice(next);
      next = this.beats.length;
      const flags = 4 | (this.hasContact ? 2 : 0) | (fresh.length > 0 && this.hasContact ? 16 : 0);
      const rate = this.hasContact ? 72 : 0;
      const counts = this.hasContact ? fresh.flatMap(({ count }) => [count & 0xff, count >> 8]) : [];
      const isHeard = this.notify(HEART_RATE_MEASUREMENT, Uint8Array.from([flags, rate, ...counts]));
      for (const beat of fresh) beat.isSent = isHeard && this.hasContact;
    }
  }
}
