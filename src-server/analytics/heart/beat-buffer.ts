/** Beats and seconds of one stretch while its blocks come in, in typed arrays that grow: a week is a million beats. */

const FIRST_BEATS = 4096;
const FIRST_SECONDS = 4096;

export class BeatBuffer {
  readonly startSecond: number;
  readonly rateHz: number;
  stopSecond: number;
  /** Beats so far; the arrays hold room for more. */
  beats = 0;
  times = new Float64Array(FIRST_BEATS);
  kinds = new Uint8Array(FIRST_BEATS);
  amplitudes = new Float32Array(FIRST_BEATS);
  qualities = new Float32Array(FIRST_BEATS);
  /** Samples and stuck samples per second, by offset from `startSecond`; no longer than the seconds reserved. */
  samples = new Int32Array(0);
  stuck = new Int32Array(0);
  /** 1 for a second whose rhythm cannot be resolved into beats. */
  unresolved = new Uint8Array(0);

  constructor(startSecond: number, rateHz: number) {
    this.startSecond = startSecond;
    this.stopSecond = startSecond;
    this.rateHz = rateHz;
  }

  /** Extends the part to `stopSecond`, exclusive, if it ends earlier. */
  reserve(stopSecond: number): void {
    this.stopSecond = Math.max(this.stopSecond, stopSecond);
    const count = this.stopSecond - this.startSecond;
    if (count <= this.samples.length) return;
    const room = Math.max(FIRST_SECONDS, count, 2 * this.samples.length);
    this.samples = grown(this.samples, new Int32Array(room));
    this.stuck = grown(this.stuck, new Int32Array(room));
    this.unresolved = grown(this.unresolved, new Uint8Array(room));
  }

  addBeat(timeUs: number, kind: number, amplitudeV: number, quality: number): void {
    const at = this.beats;
    if (at === this.times.length) this.#growBeats(2 * at);
    this.times[at] = timeUs;
    this.kinds[at] = kind;
    this.amplitudes[at] = amplitudeV;
    this.qualities[at] = quality;
    this.beats = at + 1;
  }

  /** Whether more than `most` samples of any second from that of `fromUs` to that of `toUs` are stuck. */
  isStuckBetween(fromUs: number, toUs: number, most: number): boolean {
    const last = toUs / 1e6 - this.startSecond;
    for (let row = Math.floor(fromUs / 1e6) - this.startSecond; row <= last; row++) {
      if (this.stuck[row]! > most) return true;
    }
    return false;
  }

  #growBeats(room: number): void {
    this.times = grown(this.times, new Float64Array(room));
    this.kinds = grown(this.kinds, new Uint8Array(room));
    this.amplitudes = grown(this.amplitudes, new Float32Array(room));
    this.qualities = grown(this.qualities, new Float32Array(room));
  }
}

function grown<T extends Float64Array | Float32Array | Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
