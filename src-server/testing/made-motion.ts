/** Stores recordings of synthetic movement as an import would. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { newId, type RecordingRecord } from '../db/index.ts';
import type { Store } from '../services/index.ts';
import { createSignalFile } from '../signals/index.ts';
import type { SignalHeader } from '../signals/types.ts';
import { addRecordingRow, type RecordingPlace } from './recording-row.ts';
import { type Episode, syntheticMotion } from './synthetic-motion.ts';

const RATE_HZ = 12.5;

/** Stores one recording of a chest or thigh sensor that begins at `startMs` and covers the episodes. */
export async function addMadeMotion(
  store: Store,
  signalsDir: string,
  place: RecordingPlace,
  { site, startMs, episodes }: { site: 'chest' | 'thigh'; startMs: number; episodes: Episode[] },
): Promise<RecordingRecord> {
  const { location, scale, offset, chunks } = syntheticMotion({
    site,
    episodes,
    startUs: startMs * 1000,
    rateHz: RATE_HZ,
  });
  const id = newId();
  const header: SignalHeader = {
    version: 1,
    recordingId: id,
    deviceRecordingId: 1,
    udid: site === 'chest' ? 'AA:BB:CC:00:00:01' : 'AA:BB:CC:00:00:02',
    hardwareId: 'BRCS02',
    firmwareId: '1.0',
    physicalConfig: { location, side: 'NONE', signal: 'ACCEL' },
    sensorConfig: { sensingType: 'MPU', gyro: { mode: 'ACCEL', periodMs: 1000 / RATE_HZ } },
    channels: [
      { type: 'ACCEL', dimensions: ['x', 'y', 'z'], unit: 'g', nominalRateHz: RATE_HZ, scale, offset, sampleBits: 16 },
    ],
    syncPoints: [],
    source: { format: 'test', fileName: 'test.csv', sha256: createHash('sha256').update(id).digest('hex') },
  };
  const writer = await createSignalFile(join(signalsDir, `${id}.sig`), header);
  for (const { startUs, periodUs, count, columns } of chunks) {
    await writer.append({
      channel: 0,
      startUs,
      periodUs,
      count,
      columns: columns.map((column) => Int16Array.from(column)),
    });
  }
  return await addRecordingRow(store, place, header, await writer.finish());
}
