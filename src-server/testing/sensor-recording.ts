/** A Bluetooth sensor recorded by the module of the browser, and its file as the site reads it. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserCodec } from '../../src-renderer/shared/sensors/browser-codec.ts';
import type { SensorDriver } from '../../src-renderer/shared/sensors/driver.ts';
import { fileBlob } from '../../src-renderer/shared/sensors/recording/file.ts';
import {
  type RecordedSensor,
  type RecorderStatus,
  SensorRecorder,
} from '../../src-renderer/shared/sensors/recording/recorder.ts';
import type { RecordingRow, RecordingStore } from '../../src-renderer/shared/sensors/recording-store.ts';
import type { FakeDevice } from '../../src-renderer/shared/sensors/testing/fake-device.ts';
import type { VirtualTime } from '../../src-renderer/shared/sensors/testing/virtual-time.ts';
import { openSignalFile, verifySignalFile } from '../signals/index.ts';

/** Begins to record a device with what a screen of the phone would give. */
export function recordSensor(
  device: FakeDevice,
  driver: SensorDriver,
  store: RecordingStore,
  time: VirtualTime,
  sensor: Partial<RecordedSensor> = {},
  clockOffsetMs?: () => number,
) {
  const statuses: RecorderStatus[] = [];
  const recorder = new SensorRecorder({
    device,
    driver,
    sensor: {
      serial: 'S1',
      displayName: 'Strap',
      hardwareId: '',
      physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE' },
      sensorConfig: {},
      ...sensor,
    },
    store,
    codec: browserCodec,
    timing: time,
    newId: randomUUID,
    ...(clockOffsetMs && { clockOffsetMs }),
    onChange: (status) => statuses.push(status),
  });
  recorder.start();
  const stop = async () => {
    const stopped = recorder.stop();
    await time.advanceTo(time.monotonicMs() + 10_000);
    await stopped;
  };
  return { recorder, statuses, stop };
}

/** Writes the only recording of a store as a file and opens it like the site. */
export async function fileOfOnly(store: RecordingStore, folderPath: string) {
  const [file, ...more] = await filesOf(store, folderPath);
  if (!file || more.length > 0) throw new Error('The store does not hold a single finished recording.');
  return file;
}

/** The same of all recordings, in their order. */
export async function filesOf(store: RecordingStore, folderPath: string) {
  const files: Awaited<ReturnType<typeof fileOf>>[] = [];
  for (const row of await store.list()) files.push(await fileOf(row, store, folderPath));
  return files;
}

async function fileOf(row: RecordingRow, store: RecordingStore, folderPath: string) {
  const { recordingId, file } = row;
  if (!file) throw new Error('A recording of the store is not finished.');
  const blob = fileBlob(file.header, await store.blocks(recordingId), file.footer);
  const path = join(folderPath, `${recordingId}.sig`);
  writeFileSync(path, Buffer.from(await blob.arrayBuffer()));
  const { problems } = await verifySignalFile(path, file.sha256);
  if (problems.length > 0) throw new Error(`The file of the recording is damaged: ${problems[0]}`);
  const opened = await openSignalFile(path);
  const pages = [...opened.pages(0)].map((page) => ({
    ...page,
    columns: page.columns.map((column) => column.slice()),
  }));
  const marks = await opened.marks();
  const { header } = opened;
  await opened.close();
  return { row, header, pages, marks };
}
