/**
 * A Polar H10 made in software: answers the control point with the bytes of a real one, sends samples in its frame layout, and fails in
 * the ways that real ones do. Its clock begins at 2019-01-01 and drifts.
 */
import {
  BATTERY_LEVEL,
  BATTERY_SERVICE,
  DEVICE_INFORMATION,
  FIRMWARE_REVISION,
  HEART_RATE_MEASUREMENT,
  HEART_RATE_SERVICE,
  MODEL_NUMBER,
  POLAR_CONTROL,
  POLAR_DATA,
  POLAR_SERVICE,
} from '../bluetooth/gatt.ts';
import { type FakeClock, FakeDevice } from './fake-device.ts';

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.trim().split(/\s+/), (text) => Number.parseInt(text, 16));

const FEATURES = bytesOf('0F 05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00');
const SETTINGS: Record<number, Uint8Array> = {
  0: bytesOf('F0 01 00 00 00 00 01 82 00 01 01 0E 00'),
  2: bytesOf('F0 01 02 00 00 00 04 19 00 32 00 64 00 C8 00 01 01 10 00 02 03 02 00 04 00 08 00'),
};
const STARTED: Record<number, Uint8Array> = { 0: bytesOf('F0 02 00 00 00 00'), 2: bytesOf('F0 02 02 00 00 01') };

/** 2019-01-01 in ns since 2000-01-01, where the clock begins when the strap was off. */
export const UNSET_CLOCK_NS = 599_616_000_000_000_000n;

const ECG = 0;
const ACC = 2;
const FRAME = { [ECG]: { samples: 73, bytes: 3 }, [ACC]: { samples: 36, bytes: 6 } } as const;
const MIN_MTU = 70;
/** Samples per second by the strap's own clock, as measured on a real one. */
export const RATES_HZ = { [ECG]: 130.34, [ACC]: 51.07 } as const;
const INDICATION_MS = 20;

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

export interface StrapOptions {
  /** Microvolts, repeated without end. */
  ecg: ArrayLike<number>;
  /** Clock of the strap against true time, parts per million. */
  driftPpm?: number;
  mtu?: number;
  /** Delay of a frame's arrival, ms. */
  delayMs?: () => number;
  /** Decides the fate of each frame. */
  fate?: (stream: Stream, number: number) => 'SEND' | 'DROP' | 'TWICE' | 'AFTER_NEXT';
  batteryPercent?: number;
}

export class PolarStrap extends FakeDevice {
  readonly sent: SentFrame[] = [];
  hasContact = true;
  commands: string[] = [];
  readonly #options: StrapOptions;
  readonly #running = new Map<Stream, { next: number; frames: number }>();
  readonly #frames = { [ECG]: 0, [ACC]: 0 };
  /** True time at which the strap's present clock began. */
  #onSinceMs: number;
  #generation = 0;
  /** Deliveries keep their order within a connection. */
  #lastArrivalMs = 0;

  constructor(name: string, clock: FakeClock, options: StrapOptions) {
    super(name, clock);
    this.#options = options;
    this.#onSinceMs = clock.monotonicMs() - 1_560_000;
    const text = (value: string) => () => new TextEncoder().encode(`${value}\0`);
    this.offer(POLAR_SERVICE, POLAR_CONTROL, {
      read: () => FEATURES,
      write: (bytes) => this.#command(bytes),
      canNotify: true,
    });
    this.offer(POLAR_SERVICE, POLAR_DATA, { canNotify: true });
    this.offer(HEART_RATE_SERVICE, HEART_RATE_MEASUREMENT, { canNotify: true });
    this.offer(BATTERY_SERVICE, BATTERY_LEVEL, {
      read: () => Uint8Array.of(options.batteryPercent ?? 100),
      canNotify: true,
    });
    this.offer(DEVICE_INFORMATION, MODEL_NUMBER, { read: text('H10') });
    this.offer(DEVICE_INFORMATION, FIRMWARE_REVISION, { read: text('5.0.0') });
  }

  /** True time of a sample, ms of the clock that the strap was made with. */
  sampleTimeMs(stream: Stream, sample: number): number {
    return sample / (this.#trueRateHz(stream) / 1000);
  }

  ecgOf(sample: number): number {
    return this.#options.ecg[sample % this.#options.ecg.length]!;
  }

  accOf(sample: number): [number, number, number] {
    const swing = Math.round(120 * Math.sin(sample / 9));
    return [swing - 40, 30 - (sample % 17), 980 + Math.round(swing / 4)];
  }

  /** The strap was off for a while: its clock starts again. */
  restart(): void {
    this.drop();
    this.#onSinceMs = this.clock.monotonicMs();
  }

  protected override onConnected(): void {
    this.#generation += 1;
    void this.#beat(this.#generation);
  }

  protected override onDropped(): void {
    this.#generation += 1;
    this.#running.clear();
  }

  #trueRateHz(stream: Stream): number {
    return RATES_HZ[stream] * (1 + (this.#options.driftPpm ?? 0) / 1e6);
  }

  #stampNs(stream: Stream, sample: number): bigint {
    const trueMs = this.sampleTimeMs(stream, sample) - this.#onSinceMs;
    return UNSET_CLOCK_NS + BigInt(Math.round(trueMs * (1 + (this.#options.driftPpm ?? 0) / 1e6) * 1e6));
  }

  #command(bytes: Uint8Array): void {
    this.commands.push([...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' '));
    const answer = this.#answerOf(bytes);
    const generation = this.#generation;
    void this.clock.wait(INDICATION_MS).then(() => {
      if (generation === this.#generation) this.notify(POLAR_CONTROL, answer);
    });
  }

  #answerOf(bytes: Uint8Array): Uint8Array {
    const [op = 0, type = 0] = bytes;
    const refuse = (status: number) => Uint8Array.of(0xf0, op, type, status);
    const isKnown = type === ECG || type === ACC;
    if (op === 1) return isKnown ? SETTINGS[type]! : refuse(2);
    if (op === 2) {
      if (!isKnown) return refuse(2);
      const status = this.#startStatus(type, bytes);
      if (status !== 0) return refuse(status);
      const next = Math.ceil(this.clock.monotonicMs() * (this.#trueRateHz(type) / 1000));
      this.#running.set(type, { next, frames: 0 });
      void this.#stream(type, this.#generation);
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
      if (generation !== this.#generation || this.#running.get(stream) !== running) return;
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
      const send = () => this.#deliver(entry, frame, generation);
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

  #deliver(entry: SentFrame, frame: Uint8Array, generation: number): void {
    const nowMs = this.clock.monotonicMs();
    const arrivalMs = Math.max(this.#lastArrivalMs + 0.01, nowMs + (this.#options.delayMs?.() ?? 0));
    this.#lastArrivalMs = arrivalMs;
    void this.clock.wait(arrivalMs - nowMs).then(() => {
      if (generation === this.#generation && this.notify(POLAR_DATA, frame)) entry.fate = 'DELIVERED';
    });
  }

  #frameOf(stream: Stream, first: number, count: number): Uint8Array {
    const frame = new Uint8Array(10 + count * FRAME[stream].bytes);
    const view = new DataView(frame.buffer);
    frame[0] = stream;
    view.setBigUint64(1, this.#stampNs(stream, first + count - 1), true);
    frame[9] = stream === ECG ? 0 : 1;
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

  /** Heart rate each second; this strap does not report contact. */
  async #beat(generation: number): Promise<void> {
    for (;;) {
      await this.clock.wait(1000);
      if (generation !== this.#generation) return;
      this.notify(HEART_RATE_MEASUREMENT, Uint8Array.of(16, 75, 0x34, 0x03));
    }
  }
}
