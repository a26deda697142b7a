/**
 * The device's clock on the recording's time line. The clock is rarely set (an H10 begins at 2019-01-01 whenever it was off), so its first
 * stamp is anchored at its arrival and only distances are used after that.
 */

const RESTART_BACK_US = 10_000_000;
/** A frame cannot arrive before it was made; earlier than the earliest by this much, the clock was set forward. */
const RESTART_AHEAD_US = 2_000_000;
/** A device buffers nothing from one connection to the next. */
const RESTART_GAP_US = 5_000_000;

/** As text: 64 bits do not survive JSON otherwise. */
export interface DeviceClockCarry {
  anchorNs: string;
  anchorUs: number;
  newestNs: string;
  lowestUs: number;
  connection: number;
}

export class DeviceClock {
  readonly #wrapNs: bigint | null;
  #anchorNs: bigint | null = null;
  #anchorUs = 0;
  #newestNs = 0n;
  /** Least (arrival - time line) so far. */
  #lowestUs = Infinity;
  #connection = 0;

  /** @param bits of the stamp; 32 bits of milliseconds wrap after 49.7 days */
  constructor(bits: 32 | 64, carry?: DeviceClockCarry) {
    this.#wrapNs = bits === 32 ? (1n << 32n) * 1_000_000n : null;
    if (carry) {
      this.#anchorNs = BigInt(carry.anchorNs);
      this.#anchorUs = carry.anchorUs;
      this.#newestNs = BigInt(carry.newestNs);
      this.#lowestUs = carry.lowestUs;
      this.#connection = carry.connection;
    }
  }

  get carry(): DeviceClockCarry | null {
    if (this.#anchorNs === null) return null;
    return {
      anchorNs: String(this.#anchorNs),
      anchorUs: this.#anchorUs,
      newestNs: String(this.#newestNs),
      lowestUs: this.#lowestUs,
      connection: this.#connection,
    };
  }

  isRestart(stampNs: bigint, arrivalUs: number, connection: number): boolean {
    if (this.#anchorNs === null) return false;
    const unwrapped = this.#unwrapped(stampNs);
    const offsetUs = arrivalUs - this.#timeUs(unwrapped);
    if (Number(unwrapped - this.#newestNs) / 1000 < -RESTART_BACK_US) return true;
    if (offsetUs < this.#lowestUs - RESTART_AHEAD_US) return true;
    return connection !== this.#connection && offsetUs > this.#lowestUs + RESTART_GAP_US;
  }

  /** Returns the time of a stamp on the recording's time line, microseconds. */
  place(stampNs: bigint, arrivalUs: number, connection: number): number {
    const unwrapped = this.#unwrapped(stampNs);
    if (this.#anchorNs === null) {
      this.#anchorNs = unwrapped;
      this.#anchorUs = arrivalUs;
      this.#newestNs = unwrapped;
    }
    if (unwrapped > this.#newestNs) this.#newestNs = unwrapped;
    const timeUs = this.#timeUs(unwrapped);
    this.#lowestUs = Math.min(this.#lowestUs, arrivalUs - timeUs);
    this.#connection = connection;
    return timeUs;
  }

  /** Exact: the difference is taken in whole nanoseconds. */
  #timeUs(unwrappedNs: bigint): number {
    return this.#anchorUs + Number(unwrappedNs - this.#anchorNs!) / 1000;
  }

  #unwrapped(stampNs: bigint): bigint {
    if (this.#wrapNs === null || this.#anchorNs === null) return stampNs;
    const turns = (this.#newestNs - stampNs + this.#wrapNs / 2n) / this.#wrapNs;
    return stampNs + (turns > 0n ? turns : 0n) * this.#wrapNs;
  }
}
