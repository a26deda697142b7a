/**
 * What all Polar devices made in software share: the control point of the measurement service, the battery, a clock that begins at
 * 2019-01-01 and drifts, and frames that arrive late, but in their order.
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

export const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.trim().split(/\s+/), (text) => Number.parseInt(text, 16));

/** 2019-01-01 in ns since 2000-01-01, where the clock begins when the device was off. */
const UNSET_CLOCK_NS = 599_616_000_000_000_000n;
const INDICATION_MS = 20;
const FRAME_HEAD_BYTES = 10;

export interface PolarDeviceOptions {
  /** Clock of the device against true time, parts per million. */
  driftPpm?: number;
  /** Delay of a frame's arrival, ms. */
  delayMs?: () => number;
  batteryPercent?: number;
}

export abstract class PolarDevice extends FakeDevice {
  commands: string[] = [];
  /** Counts connections and drops: what was begun in another generation is over. */
  protected generation = 0;
  readonly #shared: PolarDeviceOptions;
  /** True time at which the device's present clock began. */
  #onSinceMs: number;
  #lastArrivalMs = 0;

  constructor(
    name: string,
    clock: FakeClock,
    facts: { model: string; firmware: string; features: string },
    options: PolarDeviceOptions,
  ) {
    super(name, clock);
    this.#shared = options;
    this.#onSinceMs = clock.monotonicMs() - 1_560_000;
    const features = bytesOf(facts.features);
    const text = (value: string) => () => new TextEncoder().encode(`${value}\0`);
    this.offer(POLAR_SERVICE, POLAR_CONTROL, {
      read: () => features,
      write: (bytes) => this.#command(bytes),
      canNotify: true,
    });
    this.offer(POLAR_SERVICE, POLAR_DATA, { canNotify: true });
    this.offer(HEART_RATE_SERVICE, HEART_RATE_MEASUREMENT, { canNotify: true });
    this.offer(BATTERY_SERVICE, BATTERY_LEVEL, {
      read: () => Uint8Array.of(options.batteryPercent ?? 100),
      canNotify: true,
    });
    this.offer(DEVICE_INFORMATION, MODEL_NUMBER, { read: text(facts.model) });
    this.offer(DEVICE_INFORMATION, FIRMWARE_REVISION, { read: text(facts.firmware) });
  }

  /** The device was off for a while: its clock starts again. */
  restart(): void {
    this.drop();
    this.#onSinceMs = this.clock.monotonicMs();
  }

  protected abstract answerTo(bytes: Uint8Array): Uint8Array;
  /** Notifications of the heart-rate service, one a second. */
  protected abstract heartRate(): Uint8Array;

  protected override onConnected(): void {
    this.generation += 1;
    void this.#beat(this.generation);
  }

  protected override onDropped(): void {
    this.generation += 1;
  }

  /** By the device's own clock, a true rate is this. */
  protected trueRateHz(ownRateHz: number): number {
    return ownRateHz * this.#clockRate;
  }

  /** Begins a frame whose last sample was made at a true time; without one its stamp is 0. */
  protected frame(type: number, frameType: number, lastMs: number | null, contentBytes: number): Uint8Array {
    const frame = new Uint8Array(FRAME_HEAD_BYTES + contentBytes);
    frame[0] = type;
    if (lastMs !== null) {
      const ownNs = BigInt(Math.round((lastMs - this.#onSinceMs) * this.#clockRate * 1e6));
      new DataView(frame.buffer).setBigUint64(1, UNSET_CLOCK_NS + ownNs, true);
    }
    frame[9] = frameType;
    return frame;
  }

  protected deliver(frame: Uint8Array, generation: number, onHeard: () => void): void {
    const nowMs = this.clock.monotonicMs();
    const arrivalMs = Math.max(this.#lastArrivalMs + 0.01, nowMs + (this.#shared.delayMs?.() ?? 0));
    this.#lastArrivalMs = arrivalMs;
    void this.clock.wait(arrivalMs - nowMs).then(() => {
      if (generation === this.generation && this.notify(POLAR_DATA, frame)) onHeard();
    });
  }

  get #clockRate(): number {
    return 1 + (this.#shared.driftPpm ?? 0) / 1e6;
  }

  #command(bytes: Uint8Array): void {
    this.commands.push([...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' '));
    const answer = this.answerTo(bytes);
    const { generation } = this;
    void this.clock.wait(INDICATION_MS).then(() => {
      if (generation === this.generation) this.notify(POLAR_CONTROL, answer);
    });
  }

  async #beat(generation: number): Promise<void> {
    for (;;) {
      await this.clock.wait(1000);
      if (generation !== this.generation) return;
      this.notify(HEART_RATE_MEASUREMENT, this.heartRate());
    }
  }
}
