/** Collects the beats and seconds of one segment block by block, in growable typed arrays: a week holds a million beats. */
import { BEAT_ARTEFACT, BEAT_KIND_MASK } from './beats.ts';

const INITIAL_BEATS = 4096;
const INITIAL_SECONDS = 4096;
/** `beatBefore` looks at so many times as many beats as it wants: some hours of noise. */
const LONGEST_SEARCH = 32;

export class BeatBuffer {
  readonly startSecond: number;
  readonly rateHz: number;
  stopSecond: number;
  /** Number of beats held; the arrays are longer. */
  beats = 0;
  /** First second held, and how many beats and seconds of those held were handed over. */
  firstSecond: number;
  doneBeats = 0;
  doneRows = 0;
  times = new Float64Array(INITIAL_BEATS);
  kinds = new Uint8Array(INITIAL_BEATS);
  amplitudes = new Float32Array(INITIAL_BEATS);
  qualities = new Float32Array(INITIAL_BEATS);
  /** Samples and stuck samples per second, by offset from `firstSecond`. */
  samples = new Int32Array(0);
  stuck = new Int32Array(0);
  /** 1 for a second whose rhythm cannot be resolved into beats. */
  unresolved = new Uint8Array(0);

  constructor(startSecond: number, rateHz: number) {
    this.startSecond = startSecond;
    this.firstSecond = startSecond;
    this.stopSecond = startSecond;
    this.rateHz = rateHz;
  }

  /** Extends the segment to `stopSecond`, exclusive, if it ends earlier. */
  reserve(stopSecond: number): void {
    this.stopSecond = Math.max(this.stopSecond, stopSecond);
    const count = this.stopSecond - this.firstSecond;
    if (count <= this.samples.length) return;
    const room = Math.max(INITIAL_SECONDS, count, 2 * this.samples.length);
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

  /** Whether any second from `fromUs` to `toUs` (both included) has more than `most` stuck samples. */
  isStuckBetween(fromUs: number, toUs: number, most: number): boolean {
    const last = toUs / 1e6 - this.firstSecond;
    for (let row = Math.floor(fromUs / 1e6) - this.firstSecond; row <= last; row++) {
      if (this.stuck[row]! > most) return true;
    }
    return false;
  }

  /**
   * The beat before which `real` beats other than artefacts come until `beat`. Noise of hours has nothing but artefacts, so the
   * search ends somewhere.
   */
  beatBefore(beat: number, real: number): number {
    const furthest = Math.max(0, beat - LONGEST_SEARCH * real);
    let from = beat;
    for (let left = real; left > 0 && from > furthest; ) {
      from--;
      if ((this.kinds[from]! & BEAT_KIND_MASK) !== BEAT_ARTEFACT) left--;
    }
    return from;
  }

  /** Drops the first beats and the seconds before them, all of which must have been handed over. */
  drop(beats: number): void {
    const rows = Math.max(0, Math.min(this.doneRows, Math.floor(this.times[beats]! / 1e6) - this.firstSecond));
    for (const values of [this.times, this.kinds, this.amplitudes, this.qualities])
      values.copyWithin(0, beats, this.beats);
    const held = this.stopSecond - this.firstSecond;
    for (const values of [this.samples, this.stuck, this.unresolved]) {
      values.copyWithin(0, rows, held);
      values.fill(0, held - rows, held);
    }
    this.beats -= beats;
    this.doneBeats -= beats;
    this.doneRows -= rows;
    this.firstSecond += rows;
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
