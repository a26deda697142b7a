/** What one page records for as long as it lives, whichever screen is on show: at most two devices, the screen kept on. */
import type { GattDevice } from './bluetooth/gatt.ts';
import { browserCodec } from './browser-codec.ts';
import { followGaps, type LiveGap } from './live-gaps.ts';
import { hold } from './locks.ts';
import { driverFor } from './pick.ts';
import { SensorProblem } from './problem.ts';
import { type RecordedSensor, type RecorderStatus, SensorRecorder } from './recording/recorder.ts';
import type { ClockStamp, RecordingPlace, RecordingStore } from './recording-store.ts';
import { ScreenAwake } from './screen-awake.ts';
import type { Timing } from './timing.ts';

/** Two of them are what the Bluetooth of a phone or a laptop bears. */
export const MAX_DEVICES = 2;

export interface LiveView {
  serial: string;
  deviceName: string;
  startedTs: number;
  place?: RecordingPlace;
  status: RecorderStatus;
  /** What interrupted it, oldest first; the last may still last. */
  gaps: readonly LiveGap[];
  /** Physical values of the last seconds; see SignalCheck. */
  signal: () => readonly number[];
}

interface Running extends Omit<LiveView, 'status'> {
  recorder: SensorRecorder;
}

export interface LiveSetParts {
  timing: Timing;
  /** Name of the lock that says to other pages of the program that recordings grow here. */
  lock: string;
  onChange: (live: readonly LiveView[]) => void;
  /** Whether the browser asks before the page closes: a page that closes can only drop the link, and the sensor would stay awake. */
  asksBeforeClosing: boolean;
}

export interface LiveStart {
  device: GattDevice;
  sensor: RecordedSensor;
  store: RecordingStore;
  /** Site minus this device's clock, as far as it is known now. */
  clockOffsetMs?: () => number | undefined;
  clockStamp?: () => ClockStamp;
  onFile: () => void;
}

export class LiveSet {
  readonly #parts: LiveSetParts;
  readonly #awake = new ScreenAwake();
  #running: Running[] = [];
  #endLive: (() => void) | null = null;

  constructor(parts: LiveSetParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#running.length;
  }

  /** @throws SensorProblem */
  requireRoom(): void {
    if (this.#running.length < MAX_DEVICES) return;
    throw new SensorProblem('TOO_MANY_DEVICES', 'Two sensors are recorded already. Stop one first.');
  }

  /** Tells other pages that recordings grow here. @throws SensorProblem when they grow in another one */
  async take(): Promise<void> {
    this.#endLive ??= await hold(this.#parts.lock);
    if (!this.#endLive) {
      throw new SensorProblem('OTHER_PAGE', 'Another page of this app records already. Continue there.');
    }
  }

  /** After {@link take}. */
  start({ device, sensor, store, clockOffsetMs, clockStamp, onFile }: LiveStart): void {
    const recorder = new SensorRecorder({
      device,
      driver: driverFor(device),
      sensor,
      store,
      codec: browserCodec,
      timing: this.#parts.timing,
      newId: () => crypto.randomUUID(),
      ...(clockOffsetMs && { clockOffsetMs }),
      ...(clockStamp && { clockStamp }),
      onChange: (status) => {
        running.gaps = followGaps(running.gaps, status, Date.now());
        if (status.phase === 'STOPPED') this.#drop(recorder);
        else this.#show();
      },
      onFile,
    });
    const running: Running = {
      serial: sensor.serial,
      deviceName: device.name ?? '',
      startedTs: Date.now(),
      ...(sensor.place && { place: sensor.place }),
      gaps: [],
      recorder,
      signal: () => recorder.check.values,
    };
    this.#running = [...this.#running, running];
    recorder.start();
    this.#awake.hold();
    if (this.#parts.asksBeforeClosing) addEventListener('beforeunload', this.#onLeave);
    this.#show();
  }

  /** Ends one recording, or all. @returns how much was recorded, ms */
  async stop(serial?: string): Promise<number> {
    const ending = this.#running.filter((one) => serial === undefined || one.serial === serial);
    await Promise.all(ending.map(({ recorder }) => recorder.stop()));
    return ending.reduce((sum, { recorder }) => sum + recorder.status.recordedMs, 0);
  }

  /** Forgets what was not stored. */
  async abandon(): Promise<void> {
    await Promise.all(this.#running.map(({ recorder }) => recorder.abandon()));
  }

  readonly #onLeave = (event: BeforeUnloadEvent) => event.preventDefault();

  #drop(ended: SensorRecorder): void {
    this.#running = this.#running.filter(({ recorder }) => recorder !== ended);
    if (this.#running.length === 0) this.#release();
    this.#show();
  }

  #release(): void {
    this.#awake.release();
    this.#endLive?.();
    this.#endLive = null;
    removeEventListener('beforeunload', this.#onLeave);
  }

  #show(): void {
    this.#parts.onChange(this.#running.map(({ recorder, ...rest }) => ({ ...rest, status: recorder.status })));
  }
}
