/**
 * A Polar H10 made in software: answers the control point with the bytes of a real one, sends samples in its frame layout, and fails in
 * the ways that real ones do. Its clock begins at 2019-01-01 and drifts.
 */
import type { FakeClock } from './fake-device.ts';
import { bytesOf, PolarDevice, type PolarDeviceOptions } from './polar-device.ts';

const FEATURES = '0F 05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00';
const SETTINGS: Record<number, Uint8Array> = {
  0: bytesOf('F0 01 00 00 00 00 01 82 00 01 01 0E 00'),
  2: bytesOf('F0 01 02 00 00 00 04 19 00 32 00 64 00 C8 00 01 01 10 00 02 03 02 00 04 00 08 00'),
};
const STARTED: Record<number, Uint8Array> = { 0: bytesOf('F0 02 00 00 00 00'), 2: bytesOf('F0 02 02 00 00 01') };

const ECG = 0;
const ACC = 2;
const FRAME = { [ECG]: { samples: 73, bytes: 3 }, [ACC]: { samples: 36, bytes: 6 } } as const;
const MIN_MTU = 70;
/** Samples per second by the strap's own clock, as measured on a real one. */
export const RATES_HZ = { [ECG]: 130.34, [ACC]: 51.07 } as const;

type Stream = typeof ECG | typeof ACC;

export interface SentFrame {
  stream: Stream;
  /** Number of its first sample since the strap was made. */
  first: number;
  count: number;
  connection: number;
  /** What became of it on the way. */
  fate: 'DELIVERED' | 'DROPPED' | 'UNHEARD';
}

export interface StrapOptions extends PolarDeviceOptions {
  /** Microvolts, repeated without end. */
  ecg: ArrayLike<number>;
  mtu?: number;
  /** Decides the fate of each frame. */
  fate?: (stream: Stream, number: number) => 'SEND' | 'DROP' | 'TWICE' | 'AFTER_NEXT';
}

export class PolarStrap extends PolarDevice {
  readonly sent: SentFrame[] = [];
  hasContact = true;
  readonly #options: StrapOptions;
  readonly #running = new Map<Stream, { next: number; frames: number }>();
  readonly #frames = { [ECG]: 0, [ACC]: 0 };

  constructor(name: string, clock: FakeClock, options: StrapOptions) {
    super(name, clock, { model: 'H10', firmware: '5.0.0', features: FEATURES }, options);
    this.#options = options;
  }

  /** True time of a sample, ms of the clock that the strap was made with. */
  sampleTimeMs(stream: Stream, sample: number): number {
    return sample / (this.trueRateHz(RATES_HZ[stream]) / 1000);
  }

  ecgOf(sample: number): number {
    return this.#options.ecg[sample % this.#options.ecg.length]!;
  }

  accOf(sample: number): [number, number, number] {
    const swing = Math.round(120 * Math.sin(sample / 9));
    return [swing - 40, 30 - (sample % 17), 980 + Math.round(swing / 4)];
  }

  protected override onDropped(): void {
    super.onDropped();
    this.#running.clear();
  }

  /** This strap does not report contact. */
  protected heartRate(): Uint8Array {
    return Uint8Array.of(16, 75, 0x34, 0x03);
  }

  protected answerTo(bytes: Uint8Array): Uint8Array {
    const [op = 0, type = 0] = bytes;
    const refuse = (status: number) => Uint8Array.of(0xf0, op, type, status);
    const isKnown = type === ECG || type === ACC;
    if (op === 1) return isKnown ? SETTINGS[type]! : refuse(2);
    if (op === 2) {
      if (!isKnown) return refuse(2);
      const status = this.#startStatus(type, bytes);
      if (status !== 0) return refuse(status);
      const next = Math.ceil(this.clock.monotonicMs() * (this.trueRateHz(RATES_HZ[type]) / 1000));
      this.#running.set(type, { next, frames: 0 });
      void this.#stream(type, this.generation);
      return STARTED[type]!;
    }
    if (op === 3) {
      this.#running.delete(type as Stream);
      return Uint8Array.of(0xf0, op, type, 0, 0);
    }
    return refuse(1);
  }

  #startStatus(type: Stream, bytes: Uint8Array): number {
    if (this.#running.has(type)) return 6;
    if ((this.#options.mtu ?? 232) < MIN_MTU) return 10;
    const values = new Map<number, number>();
    for (let at = 2; at + 4 <= bytes.length; at += 4) {
      if (bytes[at + 1] !== 1) return 5;
      values.set(bytes[at]!, bytes[at + 2]! | (bytes[at + 3]! << 8));
    }
    if (![[130], [25, 50, 100, 200]][type === ECG ? 0 : 1]!.includes(values.get(0) ?? 0)) return 8;
    if (values.get(1) !== (type === ECG ? 14 : 16)) return 7;
    if (type === ACC && ![2, 4, 8].includes(values.get(2) ?? 0)) return 9;
    return 0;
  }

  async #stream(stream: Stream, generation: number): Promise<void> {
    const running = this.#running.get(stream)!;
    const room = Math.floor(((this.#options.mtu ?? 232) - 13) / FRAME[stream].bytes);
    const count = Math.min(FRAME[stream].samples, room);
    let held: (() => void) | null = null;
    for (;;) {
      const last = running.next + count - 1;
      await this.clock.wait(Math.max(0, this.sampleTimeMs(stream, last) - this.clock.monotonicMs()));
      if (generation !== this.generation || this.#running.get(stream) !== running) return;
      const first = running.next;
      running.next += count;
      if (!this.hasContact) continue;
      const frame = this.#frameOf(stream, first, count);
      const fate = this.#options.fate?.(stream, this.#frames[stream]++) ?? 'SEND';
      const entry: SentFrame = { stream, first, count, connection: this.connections, fate: 'UNHEARD' };
      this.sent.push(entry);
      if (fate === 'DROP') {
        entry.fate = 'DROPPED';
        continue;
      }
      const send = () =>
        this.deliver(frame, generation, () => {
          entry.fate = 'DELIVERED';
        });
      if (fate === 'AFTER_NEXT') {
        held = send;
        continue;
      }
      send();
      held?.();
      held = null;
      if (fate === 'TWICE') send();
    }
  }

  #frameOf(stream: Stream, first: number, count: number): Uint8Array {
    const lastMs = this.sampleTimeMs(stream, first + count - 1);
    const frame = this.frame(stream, stream === ECG ? 0 : 1, lastMs, count * FRAME[stream].bytes);
    const view = new DataView(frame.buffer);
    for (let i = 0; i < count; i++) {
      if (stream === ECG) {
        const value = this.ecgOf(first + i);
        frame.set([value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff], 10 + 3 * i);
      } else {
        this.accOf(first + i).forEach((value, d) => {
          view.setInt16(10 + 6 * i + 2 * d, value, true);
        });
      }
    }
    return frame;
  }
}
