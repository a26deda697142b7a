/**
 * Owns what this page records for as long as it lives, whichever screen is on show: at most two devices, the screen kept on. The model
 * sends what is finished.
 */

import { type BluetoothLike, DEVICE_REQUEST, type GattDevice } from '../../shared/sensors/bluetooth/gatt.ts';
import { idbRecordingStore } from '../../shared/sensors/idb-recording-store.ts';
import { LiveSet, type LiveView } from '../../shared/sensors/live-set.ts';
import { LIVE_LOCK } from '../../shared/sensors/locks.ts';
import { isThatSensor, recordedSensor } from '../../shared/sensors/pick.ts';
import { SensorProblem } from '../../shared/sensors/problem.ts';
import type { RecordingStore } from '../../shared/sensors/recording-store.ts';
import { browserTiming, type Timing } from '../../shared/sensors/timing.ts';
import { createStore, type Store } from '../../shared/store.ts';
import type { Phase, PhoneModel } from '../model.ts';
import { type Database, openDatabase } from '../store/database.ts';
import type { Session } from '../store/records.ts';
import { PhoneStore } from '../store/store.ts';
import { holdPage } from '../worker/free.ts';
import { ownerOf } from './owner.ts';
import { recover } from './sending.ts';

export interface HostState {
  live: readonly LiveView[];
}

export class SensorHost {
  readonly state: Store<HostState> = createStore<HostState>({ live: [] });
  readonly #model: PhoneModel;
  readonly #database: Database;
  readonly #phone: PhoneStore;
  readonly #live: LiveSet;
  #stopFollowing: () => void;
  #releasePage: (() => void) | undefined;

  constructor(model: PhoneModel, database: Database, timing: Timing = browserTiming) {
    this.#live = new LiveSet({
      timing,
      lock: LIVE_LOCK,
      asksBeforeClosing: true,
      onChange: (live) => this.#show(live),
    });
    this.#model = model;
    this.#database = database;
    this.#phone = new PhoneStore(database);
    this.#stopFollowing = model.subscribe(() => this.#followPhase(model.snapshot().phase));
  }

  /** Lets the person pick a device; needs a click. @throws an error named NotFoundError when nothing was picked */
  async pick(sensor: { serial: string; displayName: string }): Promise<{ device: GattDevice; isThat: boolean }> {
    const device = await (navigator.bluetooth as BluetoothLike).requestDevice(DEVICE_REQUEST);
    return { device, isThat: isThatSensor(device.name ?? '', sensor) };
  }

  /** @throws SensorProblem */
  async start(device: GattDevice, serial: string): Promise<void> {
    this.#live.requireRoom();
    await recover(this.#database);
    await this.#live.take();
    const { sensors, state } = await this.#phone.contents();
    const sensor = sensors.find((kept) => kept.serial === serial);
    if (!sensor || !state.session)
      throw new SensorProblem('SENSOR_UNKNOWN', 'The clinic has not given you this sensor.');
    this.#live.start({
      device,
      sensor: recordedSensor(device, sensor),
      store: this.#storeOf(state.session),
      // Not of the snapshot: a recorder asks in the moment in which it sees the clock jump.
      clockOffsetMs: () => this.#model.clockNow().offsetMs,
      clockStamp: () => this.#model.clockNow().stamp,
      onFile: () => this.#tell(),
    });
  }

  /** While a sensor is recorded the page is not loaded again for a newer version. */
  #show(live: HostState['live']): void {
    this.state.set({ live });
    if (live.length > 0) this.#releasePage ??= holdPage();
    else {
      this.#releasePage?.();
      this.#releasePage = undefined;
    }
  }

  /** @returns how much was recorded */
  async stop(serial: string): Promise<{ recordedMs: number }> {
    return { recordedMs: await this.#live.stop(serial) };
  }

  #tell(): void {
    // A page that is over needs no telling.
    this.#model.actions.recordingsChanged().catch(() => undefined);
  }

  /** The store of one recorder, which ends with the sign-in that it began in. */
  #storeOf(session: Session): RecordingStore {
    const store = idbRecordingStore(this.#database, ownerOf(session));
    return {
      ...store,
      create: async (row) => {
        await store.create(row);
        this.#tell();
      },
    };
  }

  /** A wiped phone keeps nothing: the store was emptied, and a recording that ran on would fill it again. */
  #followPhase(phase: Phase): void {
    if (phase !== 'WIPED' && phase !== 'SIGNED_OUT') return;
    this.#stopFollowing();
    if (opened?.host === this) opened = undefined;
    void this.#live.abandon().then(() => this.#database.close());
  }
}

interface Opening {
  host?: SensorHost;
  ready: Promise<SensorHost>;
}
let opened: Opening | undefined;

/** The host of this page; another one after a wipe. */
export function sensorHost(model: PhoneModel): Promise<SensorHost> {
  if (opened) return opened.ready;
  const ready = openDatabase().then((database) => {
    opening.host = new SensorHost(model, database);
    return opening.host;
  });
  const opening: Opening = { ready };
  opened = opening;
  ready.catch(() => {
    if (opened === opening) opened = undefined;
  });
  return ready;
}
