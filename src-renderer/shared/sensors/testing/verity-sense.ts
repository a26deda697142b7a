/**
 * A Polar Verity Sense made in software: pulse intervals with their flags some five seconds late, and acceleration in compressed (delta)
 * frames with the factor of the start answer. As on a real one, intervals are marked as disturbed for the first 25 s.
 */
import type { FakeClock } from './fake-device.ts';
import { bytesOf, PolarDevice, type PolarDeviceOptions } from './polar-device.ts';

/** Pulse wave, acceleration, pulse intervals, rotation, magnetic field; SDK mode. */
const FEATURES = '0F 6E 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00';
/** 52 Hz, 16 bit, 8 g, 3 channels. */
const ACC_SETTINGS = bytesOf('F0 01 02 00 00 00 01 34 00 01 01 10 00 02 01 08 00 04 01 03');
/** With the factor 8 g / 2^15 as float32. */
const ACC_STARTED = bytesOf('F0 02 02 00 00 05 01 00 00 80 39');
const PPI_STARTED = bytesOf('F0 02 03 00 00');
const ACC = 2;
const PPI = 3;
const BLOCK_SAMPLES = 14;
const FRAME_SAMPLES = 4 * BLOCK_SAMPLES + 1;
const COMPRESSED = 0x80;
/** Samples per second by the device's own clock. */
const ACC_HZ = 51.83;
const PPI_EVERY_MS = 5000;
const SETTLING_MS = 25_000;
const CHARGING = 13;

type Fate = 'SEND' | 'DROP';

export interface VerityOptions extends PolarDeviceOptions {
  /** The next interval of the heart, ms, and the error that the device estimates. */
  interval: () => { ms: number; errorMs: number };
  fate?: (type: number, number: number) => Fate;
}

export interface SentPulse {
  atMs: number;
  ms: number;
  errorMs: number;
  flags: number;
  isHeard: boolean;
}

export class VeritySense extends PolarDevice {
  hasContact = true;
  isMoving = false;
  isCharging = false;
  readonly pulses: SentPulse[] = [];
  /** First sample and number of samples of each frame of acceleration that arrived. */
  readonly heardAcc: { first: number; count: number }[] = [];
  readonly #options: VerityOptions;
  readonly #running = new Set<number>();
  #frames = { [ACC]: 0, [PPI]: 0 };
  #settledMs = Number.POSITIVE_INFINITY;

  constructor(name: string, clock: FakeClock, options: VerityOptions) {
    super(name, clock, { model: 'Polar Verity Sense', firmware: '2.1.0', features: FEATURES }, options);
    this.#options = options;
    void this.#live();
  }

  accOf(sample: number): [number, number, number] {
    // Now and then a step that needs more bits than the samples around it.
    const jolt = sample % 400 < 3 ? 9000 : 0;
    return [Math.round(1500 * Math.sin(sample / 7)) + jolt, (sample % 23) - 11 - jolt, 4096 - (sample % 5)];
  }

  accTimeMs(sample: number): number {
    return sample / (this.trueRateHz(ACC_HZ) / 1000);
  }

  protected override onDropped(): void {
    super.onDropped();
    this.#running.clear();
  }

  protected heartRate(): Uint8Array {
    return Uint8Array.of(this.hasContact ? 6 : 4, this.hasContact ? 72 : 0);
  }

  protected answerTo(bytes: Uint8Array): Uint8Array {
    const [op = 0, type = 0] = bytes;
    const refuse = (status: number) => Uint8Array.of(0xf0, op, type, status);
    if (op === 1) return type === ACC ? ACC_SETTINGS : refuse(3);
    if (op === 3) {
      this.#running.delete(type);
      return Uint8Array.of(0xf0, op, type, 0, 0);
    }
    if (op !== 2) return refuse(1);
    if (this.isCharging) return refuse(CHARGING);
    if (this.#running.has(type)) return refuse(6);
    if (type !== ACC && type !== PPI) return refuse(2);
    this.#running.add(type);
    if (type === ACC) void this.#sendAcc(this.generation);
    else {
      this.#settledMs = this.clock.monotonicMs() + SETTLING_MS;
      void this.#sendPulses(this.generation);
    }
    return type === ACC ? ACC_STARTED : PPI_STARTED;
  }

  #isOver(type: number, generation: number): boolean {
    return generation !== this.generation || !this.#running.has(type);
  }

  #isDropped(type: typeof ACC | typeof PPI): boolean {
    return this.#options.fate?.(type, this.#frames[type]++) === 'DROP';
  }

  async #live(): Promise<void> {
    let atMs = this.clock.monotonicMs();
    for (;;) {
      const { ms, errorMs } = this.#options.interval();
      atMs += ms;
      await this.clock.wait(atMs - this.clock.monotonicMs());
      const isBlocked = this.isMoving || atMs < this.#settledMs;
      const flags = (isBlocked ? 1 : 0) | (this.hasContact ? 2 : 0) | 4;
      this.pulses.push({ atMs, ms, errorMs, flags, isHeard: false });
    }
  }

  async #sendPulses(generation: number): Promise<void> {
    let next = this.pulses.length;
    for (;;) {
      await this.clock.wait(PPI_EVERY_MS);
      if (this.#isOver(PPI, generation)) return;
      const fresh = this.pulses.slice(next);
      next = this.pulses.length;
      // Pulse intervals have no stamp.
      const frame = this.frame(PPI, 0, null, 6 * fresh.length);
      fresh.forEach(({ ms, errorMs, flags }, i) => {
        const rate = flags & 2 ? Math.round(60_000 / ms) : 0;
        frame.set([rate, ms & 0xff, ms >> 8, errorMs & 0xff, errorMs >> 8, flags], 10 + 6 * i);
      });
      if (this.#isDropped(PPI)) continue;
      this.deliver(frame, generation, () => {
        for (const pulse of fresh) pulse.isHeard = true;
      });
    }
  }

  async #sendAcc(generation: number): Promise<void> {
    let next = Math.ceil(this.clock.monotonicMs() * (this.trueRateHz(ACC_HZ) / 1000));
    for (;;) {
      const first = next;
      next += FRAME_SAMPLES;
      const lastMs = this.accTimeMs(next - 1);
      await this.clock.wait(Math.max(0, lastMs - this.clock.monotonicMs()));
      if (this.#isOver(ACC, generation)) return;
      if (this.#isDropped(ACC)) continue;
      const samples = Array.from({ length: FRAME_SAMPLES }, (_, i) => this.accOf(first + i));
      const content = deltaContent(samples);
      const frame = this.frame(ACC, COMPRESSED, lastMs, content.length);
      frame.set(content, 10);
      this.deliver(frame, generation, () => {
        this.heardAcc.push({ first, count: FRAME_SAMPLES });
      });
    }
  }
}

/** The first sample in whole, then blocks of {bits, count, differences}, least significant bit first. */
function deltaContent(samples: readonly (readonly number[])[]): number[] {
  const bytes = samples[0]!.flatMap((value) => [value & 0xff, (value >> 8) & 0xff]);
  for (let from = 1; from < samples.length; from += BLOCK_SAMPLES) {
    const block = samples.slice(from, from + BLOCK_SAMPLES);
    const deltas = block.flatMap((row, i) => row.map((value, d) => value - samples[from + i - 1]![d]!));
    let bits = 1;
    while (deltas.some((delta) => delta < -(2 ** (bits - 1)) || delta >= 2 ** (bits - 1))) bits += 1;
    const packed = new Uint8Array(Math.ceil((deltas.length * bits) / 8));
    deltas.forEach((delta, i) => {
      for (let b = 0; b < bits; b++) {
        const at = i * bits + b;
        packed[at >> 3]! |= ((delta >> b) & 1) << (at & 7);
      }
    });
    bytes.push(bits, block.length, ...packed);
  }
  return bytes;
}
