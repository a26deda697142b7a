/**
 * A simulated charging station that reads recordings from sensors and uploads them to the site, using only the protocol
 * documented in `resources/protocol/`. Its state is durable in its folder, so it can be killed at any time.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '../../files/content-hash.ts';
import { BackOff, type BackOffLimits } from '../../phone-protocol/back-off.ts';
import { openSignalFile } from '../../signals/index.ts';
import type { FaultClass } from '../../vocabulary/devices.ts';
import { type DeviceStatus, SiteLink, type SiteRecord } from '../device/paired-device.ts';
import type { PairingInvitation, PairingSteps } from '../device/pairing.ts';
import { StateFile } from '../device/state-file.ts';
import { type Disturbance, type RecordingFile, sendRecording, type UploadEnd } from '../device/upload.ts';

export interface HubOptions {
  /** Folder of its state and recordings. */
  folder: string;
  serial: string;
  displayName?: string;
  firmwareId?: string;
  /** The hub's own clock, epoch ms. */
  clock?: () => number;
  backOff?: BackOffLimits;
  /** Largest chunk of an upload. */
  chunkBytes?: number;
  disturb?: (chunk: { offset: number; sizeBytes: number; recordingId: string }) => Disturbance;
  onTrouble?: (problem: unknown, waitMs: number) => void;
}

/** A recording on the hub. */
export interface HeldRecording extends Omit<RecordingFile, 'path'> {
  stopUs: number;
  udid: string;
  /** Permanently refused: kept, reported in the manifest, not retried automatically. */
  refused?: { code: string; message: string };
}

export interface HubFault {
  id: string;
  faultTs: number;
  faultClass: FaultClass;
  faultType: string;
  faultFlag: string;
  udid?: string;
  sensorFirmwareId?: string;
}

export interface ClockReading {
  udid: string;
  sensorUs: number;
  hostUs: number;
  roundTripUs: number;
}

export interface SensorReport {
  udid: string;
  batteryPercent?: number;
  firmwareId?: string;
}

interface HubState {
  site?: SiteRecord;
  recordings: HeldRecording[];
  faults: HubFault[];
  clockReadings: ClockReading[];
  assignments?: Assignments;
}

interface ContactAnswer {
  addresses: string[];
  assignmentsVersion: string;
}

interface ManifestAnswer {
  recordings: { recordingId: string; action: 'SEND' | 'KEEP' | 'DELETE'; state?: string; code?: string }[];
}

/** A recording that a sensor still has. */
export interface SensorRecording {
  recordingId: string;
  /** Serial number of the sensor. */
  sensor: string;
  sizeBytes: number;
  startTs: number;
  stopTs: number;
}

export interface Assignment {
  studyId: string;
  subjectId: string;
  timezone: string;
  sensors: { serial: string; udid?: string; displayName: string }[];
}

interface Assignments {
  items: Assignment[];
  version: string;
}

export type Delivery = { recordingId: string } & UploadEnd;

export class SimulatedHub {
  readonly #options: HubOptions;
  readonly #file: StateFile<HubState>;
  readonly #link: SiteLink;
  readonly #clock: () => number;
  #state: HubState;
  #sentBytes = 0;
  #roundTripMs = 0;

  private constructor(options: HubOptions, file: StateFile<HubState>, state: HubState) {
    this.#options = options;
    this.#file = file;
    this.#state = state;
    this.#clock = options.clock ?? Date.now;
    this.#link = new SiteLink(state.site, async (site) => {
      this.#state.site = site;
      await this.#save();
    });
  }

  /** Opens a new hub, or an existing one with its stored state. */
  static async open(options: HubOptions): Promise<SimulatedHub> {
    await mkdir(join(options.folder, 'recordings'), { recursive: true });
    const file = new StateFile<HubState>(join(options.folder, 'hub.json'));
    return new SimulatedHub(options, file, (await file.read()) ?? { recordings: [], faults: [], clockReadings: [] });
  }

  get isPaired(): boolean {
    return this.#link.record !== undefined;
  }

  get site(): SiteRecord | undefined {
    return this.#link.record;
  }

  get recordings(): readonly HeldRecording[] {
    return this.#state.recordings;
  }

  /** Bytes of recordings sent, including duplicates. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** @throws Refusal (PAIRING_...), PinMismatch */
  async pair(
    invitation: PairingInvitation,
    steps: Pick<PairingSteps, 'onCheckCode' | 'onWrongClock' | 'collectEveryMs'>,
  ): Promise<DeviceStatus> {
    const { serial, displayName = `Hub ${serial}`, firmwareId = '1.0.0' } = this.#options;
    const device = { kind: 'HUB', serial, displayName, hardwareId: 'simulated', firmwareId } as const;
    return await this.#link.pair(invitation, { ...steps, device, clock: this.#clock });
  }

  async status(): Promise<DeviceStatus> {
    return await this.#link.status();
  }

  /** Its assignments as last received; the hub uses them while there is no network. */
  get knownAssignments(): readonly Assignment[] {
    return this.#state.assignments?.items ?? [];
  }

  /** Fetches the assignments from the site, which sends nothing when they are unchanged. */
  async assignments(): Promise<readonly Assignment[]> {
    const known = this.#state.assignments;
    const { status, body } = await this.#link.connection.call({
      path: '/device/assignments',
      ...(known && { headers: { 'if-none-match': `"${known.version}"` } }),
    });
    if (status === 304) return this.knownAssignments;
    const { items, version } = body as Assignments;
    this.#state.assignments = { items, version };
    await this.#save();
    return items;
  }

  /** Copies a recording from a sensor to the hub. Idempotent by id. */
  async takeRecording(path: string, sensor: string): Promise<HeldRecording> {
    const signal = await openSignalFile(path);
    const { recordingId, udid, syncPoints } = signal.header;
    const { startUs, stopUs } = signal;
    await signal.close();
    const known = this.#state.recordings.find((recording) => recording.recordingId === recordingId);
    if (known) return known;
    const own = this.#pathOf(recordingId);
    await copyFile(path, `${own}.partial`);
    const handle = await open(`${own}.partial`, 'r+');
    const { size } = await handle.stat();
    await handle.sync().finally(() => handle.close());
    await rename(`${own}.partial`, own);
    const held: HeldRecording = {
      recordingId,
      sensor,
      udid,
      sizeBytes: size,
      sha256: (await hashFile(own)).sha256,
      startUs: Math.round(startUs),
      stopUs: Math.round(stopUs),
      syncPoints: syncPoints.map(({ sensorUs, hostUs }) => [sensorUs, hostUs]),
    };
    this.#state.recordings.push(held);
    await this.#save();
    return held;
  }

  /** Queues a fault until the site has stored it. */
  async noteFault(fault: Omit<HubFault, 'id'>): Promise<void> {
    this.#state.faults.push({ id: randomUUID(), ...fault });
    await this.#save();
  }

  /** Queues a reading of a sensor's clock until the site has stored it. */
  async noteClock(reading: ClockReading): Promise<void> {
    this.#state.clockReadings.push(reading);
    await this.#save();
  }

  /** Reports the state of hub and sensors, with all queued faults and clock readings. */
  async contact(report: { batteryPercent?: number; sensors?: SensorReport[] } = {}): Promise<void> {
    const { faults, clockReadings } = this.#state;
    const startedMs = performance.now();
    const answer = await this.#link.connection.json<ContactAnswer>('/device/contact', {
      clockTs: this.#clock(),
      ...(this.#roundTripMs > 0 && { roundTripMs: this.#roundTripMs }),
      ...(report.batteryPercent !== undefined && { batteryPercent: report.batteryPercent }),
      firmwareId: this.#options.firmwareId ?? '1.0.0',
      sensors: report.sensors ?? [],
      clockReadings,
      faults,
    });
    this.#roundTripMs = performance.now() - startedMs;
    const told = new Set<unknown>([...faults, ...clockReadings]);
    this.#state.faults = this.#state.faults.filter((fault) => !told.has(fault));
    this.#state.clockReadings = this.#state.clockReadings.filter((reading) => !told.has(reading));
    await this.#save();
    await this.#link.learn(answer);
    if (answer.assignmentsVersion !== this.#state.assignments?.version) await this.assignments();
  }

  /**
   * Reports the recordings on the hub and its sensors, and follows the response: deletes recordings that the site has stored, and
   * resends those that staff have released.
   */
  async reportManifest(onSensors: readonly SensorRecording[] = []): Promise<ManifestAnswer['recordings']> {
    const own = this.#state.recordings.map(({ recordingId, sensor, sizeBytes, startUs, stopUs }) => ({
      recordingId,
      sensor,
      place: 'HUB',
      sizeBytes,
      startTs: Math.floor(startUs / 1000),
      stopTs: Math.ceil(stopUs / 1000),
    }));
    const answer = await this.#link.connection.json<ManifestAnswer>('/device/manifest', {
      recordings: [...own, ...onSensors.map((recording) => ({ ...recording, place: 'SENSOR' }))],
    });
    for (const { recordingId, action } of answer.recordings) {
      const held = this.#state.recordings.find((recording) => recording.recordingId === recordingId);
      if (action === 'SEND' && held?.refused) {
        held.refused = undefined;
        await this.#save();
      }
      if (action === 'DELETE') await this.#forget(recordingId);
    }
    return answer.recordings;
  }

  /**
   * Sends everything that is not permanently refused, oldest first; resolves when nothing is left to send.
   * @throws Refusal when the site no longer knows this hub
   */
  async sendAll(options: { signal?: AbortSignal } = {}): Promise<Delivery[]> {
    const deliveries: Delivery[] = [];
    const waiting = this.#state.recordings.filter(({ refused }) => refused === undefined);
    for (const held of waiting.sort((a, b) => a.startUs - b.startUs)) {
      const end = await sendRecording(
        { ...held, path: this.#pathOf(held.recordingId) },
        {
          connection: this.#link.connection,
          another: () => this.#link.another(),
          clock: this.#clock,
          backOff: new BackOff(this.#options.backOff),
          ...(this.#options.chunkBytes !== undefined && { chunkBytes: this.#options.chunkBytes }),
          disturb: this.#options.disturb ?? (() => ({})),
          onSent: (bytes) => {
            this.#sentBytes += bytes;
          },
          onTrouble: this.#options.onTrouble ?? (() => undefined),
          ...(options.signal && { signal: options.signal }),
        },
      );
      deliveries.push({ recordingId: held.recordingId, ...end });
      if (end.state === 'DELIVERED') await this.#forget(held.recordingId);
      else {
        held.refused = { code: end.code, message: end.message };
        await this.#save();
      }
    }
    return deliveries;
  }

  close(): void {
    this.#link.close();
  }

  /** Deletes a delivered recording. The entry goes first: an orphaned file is harmless, an entry without a file is not. */
  async #forget(recordingId: string): Promise<void> {
    this.#state.recordings = this.#state.recordings.filter((recording) => recording.recordingId !== recordingId);
    await this.#save();
    await rm(this.#pathOf(recordingId), { force: true });
  }

  #pathOf(recordingId: string): string {
    return join(this.#options.folder, 'recordings', `${recordingId}.sig`);
  }

  #save(): Promise<void> {
    return this.#file.write(this.#state);
  }
}
