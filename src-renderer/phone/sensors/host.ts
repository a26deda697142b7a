/**
 * Owns the recordings of this phone for as long as the page lives, whichever screen is on show: at most two devices, the screen kept on,
 * finished files sent whenever the site can be reached.
 */

import { type BluetoothLike, DEVICE_REQUEST, type GattDevice } from '../../shared/sensors/bluetooth/gatt.ts';
import { browserCodec } from '../../shared/sensors/browser-codec.ts';
import { idbRecordingStore } from '../../shared/sensors/idb-recording-store.ts';
import { SensorProblem } from '../../shared/sensors/problem.ts';
import { recoverRecordings } from '../../shared/sensors/recording/live-recording.ts';
import { type RecorderStatus, SensorRecorder } from '../../shared/sensors/recording/recorder.ts';
import type { RecordingRow, RecordingStore } from '../../shared/sensors/recording-store.ts';
import { browserTiming } from '../../shared/sensors/timing.ts';
import { fetchCall, sendRecordings } from '../../shared/sensors/upload.ts';
import { createStore, type Store } from '../../shared/store.ts';
import type { Phase, PhoneModel } from '../model.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { PhoneStore } from '../store/store.ts';
import { defaultLocation, driverFor, isThatSensor, measuresEcg, sensingTypeOf } from './pick.ts';
import { ScreenAwake } from './screen-awake.ts';

/** Two of them are what a phone's Bluetooth bears. */
export const MAX_DEVICES = 2;
const SEND_EVERY_MS = 180_000;
/** One page of the phone sends at a time. */
const SEND_LOCK = 'outpost-recordings-send';
/** Held while a page records: no other page takes its recordings for those of a dead one. */
const LIVE_LOCK = 'outpost-recordings-live';

export interface LiveView {
  serial: string;
  deviceName: string;
  startedTs: number;
  status: RecorderStatus;
  /** Physical values of the last seconds; see SignalCheck. */
  signal: () => readonly number[];
}

export interface HostState {
  live: readonly LiveView[];
  /** On the phone, not at the site. */
  unsent: readonly RecordingRow[];
  lastSentTs?: number;
}

interface Running extends Omit<LiveView, 'status'> {
  recorder: SensorRecorder;
}

export class SensorHost {
  readonly state: Store<HostState> = createStore<HostState>({ live: [], unsent: [] });
  readonly #model: PhoneModel;
  readonly #database: Database;
  readonly #recordings: RecordingStore;
  readonly #phone: PhoneStore;
  readonly #awake = new ScreenAwake();
  #running: Running[] = [];
  #sending: Promise<void> | null = null;
  #recovery: Promise<unknown> = Promise.resolve();
  #endLive: (() => void) | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(model: PhoneModel, database: Database) {
    this.#model = model;
    this.#database = database;
    this.#recordings = idbRecordingStore(database);
    this.#phone = new PhoneStore(database);
  }

  /** Finishes what a killed page left, and sends what waits. */
  async begin(): Promise<void> {
    this.#timer = setInterval(() => void this.send(), SEND_EVERY_MS);
    addEventListener('online', this.#onOnline);
    this.#model.subscribe(() => this.#followPhase(this.#model.snapshot().phase));
    this.#recovery = navigator.locks.request(LIVE_LOCK, { ifAvailable: true }, async (lock) => {
      if (lock) await recoverRecordings(this.#recordings, browserCodec);
    });
    await this.#recovery;
    await this.send();
  }

  /** Lets the person pick a device; needs a click. @throws an error named NotFoundError when nothing was picked */
  async pick(sensor: { serial: string; displayName: string }): Promise<{ device: GattDevice; isThat: boolean }> {
    const device = await (navigator.bluetooth as BluetoothLike).requestDevice(DEVICE_REQUEST);
    return { device, isThat: isThatSensor(device.name ?? '', sensor) };
  }

  /** @throws SensorProblem */
  async start(device: GattDevice, serial: string): Promise<void> {
    if (this.#running.length >= MAX_DEVICES) {
      throw new SensorProblem('TOO_MANY_DEVICES', 'Two sensors are recorded already. Stop one first.');
    }
    await this.#recovery;
    if (!this.#endLive && !(await this.#takeLive())) {
      throw new SensorProblem('OTHER_PAGE', 'Another page of this app records already. Continue there.');
    }
    const { sensors } = await this.#phone.contents();
    const sensor = sensors.find((kept) => kept.serial === serial);
    if (!sensor) throw new SensorProblem('SENSOR_UNKNOWN', 'The clinic has not given you this sensor.');
    const driver = driverFor(device);
    const hasEcg = measuresEcg(device);
    const recorder = new SensorRecorder({
      device,
      driver,
      sensor: {
        serial,
        displayName: sensor.displayName,
        hardwareId: sensor.hardwareId,
        physicalConfig: {
          location: sensor.location || defaultLocation(device),
          side: sensor.side === 'LEFT' || sensor.side === 'RIGHT' ? sensor.side : 'NONE',
          ...(hasEcg && { signal: 'ECG' }),
        },
        sensorConfig: {
          ...sensor.sensorConfig,
          sensingType: sensor.sensorConfig?.sensingType || sensingTypeOf(device),
        },
      },
      store: this.#recordings,
      codec: browserCodec,
      timing: browserTiming,
      newId: () => crypto.randomUUID(),
      clockOffsetMs: () => this.#clockOffsetMs(),
      onChange: () => this.#show(),
      onFile: () => void this.send(),
    });
    this.#running = [
      ...this.#running,
      {
        serial,
        deviceName: device.name ?? '',
        startedTs: Date.now(),
        recorder,
        signal: () => recorder.check.values,
      },
    ];
    recorder.start();
    this.#awake.hold();
    addEventListener('beforeunload', this.#onLeave);
    this.#show();
  }

  async stop(serial: string): Promise<void> {
    const running = this.#running.find((one) => one.serial === serial);
    if (!running) return;
    await running.recorder.stop();
    this.#drop(running);
    await this.send();
  }

  /** Sends every finished recording; a call while another runs waits for that one. */
  async send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const session = await this.#phone.state('session').catch(() => undefined);
    if (!session) return;
    const before = (await this.#recordings.list()).length;
    await navigator.locks.request(SEND_LOCK, { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      await sendRecordings({
        store: this.#recordings,
        call: fetchCall(() => session.token),
        timing: browserTiming,
        clockOffsetMs: () => this.#clockOffsetMs(),
      });
    });
    const after = (await this.#recordings.list()).length;
    if (after < before) this.state.set({ ...this.state.get(), lastSentTs: Date.now() });
    await this.#showUnsent();
  }

  /** A wiped phone keeps nothing: the store was emptied, and a recording that ran on would fill it again. */
  #followPhase(phase: Phase): void {
    if (phase !== 'WIPED' && phase !== 'SIGNED_OUT') return;
    const ended = this.#running;
    this.#running = [];
    clearInterval(this.#timer);
    removeEventListener('online', this.#onOnline);
    for (const { recorder } of ended) {
      void recorder.abandon().then(() => this.#database.close());
    }
    if (ended.length === 0) this.#database.close();
    this.#release();
    opened = null;
    this.state.set({ live: [], unsent: [] });
  }

  readonly #onOnline = () => void this.send();
  /** A page that closes can only drop the link: the sensor would stay awake and empty its battery. */
  readonly #onLeave = (event: BeforeUnloadEvent) => event.preventDefault();

  #drop(running: Running): void {
    this.#running = this.#running.filter((one) => one !== running);
    if (this.#running.length === 0) this.#release();
    this.#show();
  }

  #release(): void {
    this.#awake.release();
    this.#endLive?.();
    this.#endLive = null;
    removeEventListener('beforeunload', this.#onLeave);
  }

  /** Resolves to false when another page of the app holds the lock. */
  #takeLive(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      navigator.locks
        .request(LIVE_LOCK, { ifAvailable: true }, (lock) => {
          resolve(lock !== null);
          if (!lock) return undefined;
          return new Promise<void>((end) => {
            this.#endLive = end;
          });
        })
        .catch(reject);
    });
  }

  #clockOffsetMs(): number | undefined {
    const { clock } = this.#model.snapshot();
    return clock.state === 'MEASURED' ? clock.offsetMs : undefined;
  }

  #show(): void {
    const live = this.#running.map(({ recorder, ...rest }) => ({ ...rest, status: recorder.status }));
    this.state.set({ ...this.state.get(), live });
  }

  async #showUnsent(): Promise<void> {
    const rows = await this.#recordings.list();
    this.state.set({ ...this.state.get(), unsent: rows.filter(({ state }) => state !== 'RECORDING') });
  }
}

let opened: Promise<SensorHost> | null = null;

/** The host of this page. */
export function sensorHost(model: PhoneModel): Promise<SensorHost> {
  opened ??= openDatabase().then((database) => {
    const host = new SensorHost(model, database);
    void host.begin().catch(() => undefined);
    return host;
  });
  return opened;
}
