/** A site that takes uploads: real queue, worker threads and analytics behind real sockets, with a sensor in use. */
import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { DeviceIdentity } from '../lan/device-identity.ts';
import { RefusedAttempts } from '../lan/refused-attempts.ts';
import { UploadReceiver } from '../lan/upload/receiver.ts';
import { tusHandler } from '../lan/upload/tus-handler.ts';
import { createSignalFile } from '../signals/index.ts';
import type { SignalHeader, SyncPoint } from '../signals/types.ts';
import { openTestEngine, type TestEngine, type TestEngineOptions } from './test-engine.ts';
import { TEST_NOW } from './test-store.ts';
import { type DeviceOptions, newRecordingId, TestDevice, type UploadFile } from './upload-client.ts';

export const SENSOR = 'SN-0001';
export const SENSOR_UDID = 'AA:BB:CC:00:00:77';

export interface UploadSite extends TestEngine {
  url: string;
  receiver: UploadReceiver;
  /** A hub of the account; each name is another one. */
  device(name?: string, options?: Partial<DeviceOptions>): TestDevice;
  identity(name?: string): DeviceIdentity;
  /** Restarts server and receiver like a restart of the site. */
  restartReceiver(): Promise<void>;
}

/** The sensor is assigned to the test study's subject from two days before {@link TEST_NOW}. */
export async function openUploadSite(options: TestEngineOptions = {}): Promise<UploadSite> {
  const engine = await openTestEngine(options);
  const { store, study, inboxDir, clock } = engine;
  const { accountId, studyId, subjectId, byUser } = study;
  await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, byUser);
  await store.equipment.assign(SENSOR, { studyId, subjectId, atTs: TEST_NOW - 48 * 3_600_000 }, byUser);
  await store.equipment.register({ accountId, id: 'hub-1', type: 'LINK_HUB' }, byUser);
  const identity = (name = 'hub-1'): DeviceIdentity => ({
    credentialId: name,
    accountId,
    kind: 'HUB',
    serial: name,
    equipmentId: name,
    studyId: null,
    subjectId: null,
  });
  const refused = new RefusedAttempts({
    store,
    clock: () => clock.now,
    onProblem: (problem) => engine.problems.push(problem),
  });
  let receiver: UploadReceiver;
  let server: Server;
  const begin = async (port: number) => {
    receiver = new UploadReceiver({
      store,
      inboxDir,
      signalsDir: engine.signalsDir,
      disk: engine.disk,
      clock: () => clock.now,
      jobs: engine.queue,
      refused,
      onProblem: (problem) => engine.problems.push(problem),
    });
    await receiver.start();
    const handle = tusHandler(receiver, () => clock.now);
    server = createServer((request, response) => {
      handle(request, response, identity(request.headers.authorization)).catch((problem: unknown) => {
        engine.problems.push(problem);
        response.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  };
  const end = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await receiver.close();
  };
  await begin(0);
  const { port } = server!.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(join(engine.folder, 'sources'));
  return {
    ...engine,
    url,
    get receiver() {
      return receiver;
    },
    identity,
    device: (name = 'hub-1', options = {}) => new TestDevice({ url, authorization: name, ...options }),
    restartReceiver: async () => {
      await end();
      await begin(port);
    },
    close: async () => {
      await end();
      await refused.close();
      await engine.close();
    },
  };
}

export interface TestFileOptions {
  recordingId?: string;
  /** Default: six hours before {@link TEST_NOW}. */
  startUs?: number;
  seconds?: number;
  udid?: string;
  physicalConfig?: SignalHeader['physicalConfig'];
  sensorConfig?: SignalHeader['sensorConfig'];
  syncPoints?: SyncPoint[];
  /** Counts of the samples; default: noise, which does not compress. */
  countOf?: (i: number) => number;
}

/** A recording of one ECG channel with the id and clock of a device. */
export async function makeUploadFile(folder: string, options: TestFileOptions = {}): Promise<UploadFile> {
  const recordingId = options.recordingId ?? newRecordingId();
  const startUs = options.startUs ?? (TEST_NOW - 6 * 3_600_000) * 1000;
  const seconds = options.seconds ?? 600;
  const path = join(folder, `${recordingId}.made.sig`);
  const writer = await createSignalFile(path, {
    version: 1,
    recordingId,
    deviceRecordingId: 3,
    udid: options.udid ?? SENSOR_UDID,
    hardwareId: 'H1',
    firmwareId: '2.0',
    physicalConfig: options.physicalConfig ?? { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
    sensorConfig: options.sensorConfig ?? { sensingType: 'MPU_ANALOG' },
    channels: [
      {
        type: 'ECG',
        dimensions: ['v'],
        unit: 'V',
        nominalRateHz: 250,
        scale: [1e-6],
        offset: [0],
        sampleBits: 16,
      },
    ],
    syncPoints: options.syncPoints ?? [],
    source: { format: 'sensor', fileName: '', sha256: '' },
  });
  const countOf = options.countOf ?? noiseOf;
  for (let second = 0; second < seconds; second += 60) {
    const count = 250 * Math.min(60, seconds - second);
    const first = second * 250;
    await writer.append({
      channel: 0,
      startUs: startUs + second * 1e6,
      periodUs: 4000,
      count,
      columns: [Int16Array.from({ length: count }, (_, i) => countOf(first + i))],
    });
  }
  await writer.finish();
  const bytes = await readFile(path);
  await rm(path);
  return { recordingId, sensor: SENSOR, bytes, startUs };
}

/** The same noise for the same sample every time. */
function noiseOf(i: number): number {
  let bits = Math.imul(i ^ (i >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) & 0xffff) - 0x8000;
}
