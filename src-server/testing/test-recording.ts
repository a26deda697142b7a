/** One small recording with known samples, stored as an import would store it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { newId, type RecordingRecord } from '../db/index.ts';
import type { Store } from '../services/index.ts';
import { createSignalFile } from '../signals/index.ts';
import type { SignalHeader, SignalPage } from '../signals/types.ts';
import { addRecordingRow, type RecordingPlace } from './recording-row.ts';

export interface TestRecordingOptions {
  /** Default: an hour before noon of 2026-01-15 UTC. */
  startUs?: number;
  /** Default 60 s. */
  durationSeconds?: number;
  udid?: string;
  /** Default MEDIAL_CHEST. */
  location?: string;
  /** 0 for a recording without an ECG. */
  ecgRateHz?: number;
  /** Count of ECG sample `i`; default {@link testCount}. */
  ecgCount?: (i: number) => number;
  /** Minutes of the recording that were never stored. */
  missingMinutes?: readonly number[];
}

const PAGE_SECONDS = 60;

/** Counts that identify their origin: sample i of dimension d. */
export function testCount(i: number, d: number): number {
  return ((i * 7 + d * 1000) % 20_000) - 10_000;
}

export const TEST_SCALE = { ECG: 0.4 / 65_535, ACCEL: 8 / 65_535 };

/** ECG at `ecgRateHz` (default 250) and chest acceleration at 31.25 Hz. */
export async function addTestRecording(
  store: Store,
  signalsDir: string,
  place: RecordingPlace,
  options: TestRecordingOptions = {},
): Promise<RecordingRecord> {
  const startUs = options.startUs ?? Date.UTC(2026, 0, 15, 11) * 1000;
  const durationSeconds = options.durationSeconds ?? 60;
  const ecgRateHz = options.ecgRateHz ?? 250;
  const id = newId();
  const channels: SignalHeader['channels'] = [
    {
      type: 'ACCEL',
      dimensions: ['x', 'y', 'z'],
      unit: 'g',
      nominalRateHz: 31.25,
      scale: [TEST_SCALE.ACCEL, TEST_SCALE.ACCEL, TEST_SCALE.ACCEL],
      offset: [0, 0, 0],
      sampleBits: 16,
    },
    {
      type: 'ECG',
      dimensions: ['v'],
      unit: 'V',
      nominalRateHz: ecgRateHz,
      scale: [TEST_SCALE.ECG],
      offset: [0],
      sampleBits: 16,
    },
  ];
  const header: SignalHeader = {
    version: 1,
    recordingId: id,
    deviceRecordingId: 7,
    udid: options.udid ?? 'AA:BB:CC:00:00:01',
    hardwareId: 'BRCS02',
    firmwareId: '1.0',
    physicalConfig: { location: options.location ?? 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
    sensorConfig: {
      sensingType: 'MPU_ANALOG',
      afe: { gain: 6, rate: ecgRateHz },
      gyro: { mode: 'ACCEL', periodMs: 32 },
    },
    channels: ecgRateHz === 0 ? channels.slice(0, 1) : channels,
    syncPoints: [],
    source: { format: 'test', fileName: 'test.csv', sha256: createHash('sha256').update(id).digest('hex') },
  };
  const path = join(signalsDir, `${id}.sig`);
  const writer = await createSignalFile(path, header);
  for (let from = 0; from < durationSeconds; from += PAGE_SECONDS) {
    if (options.missingMinutes?.includes(from / PAGE_SECONDS)) continue;
    for (const channel of header.channels.keys()) {
      const count = (channel === 1 && options.ecgCount) || testCount;
      await writer.append(
        pageOf(header, channel, startUs, from, Math.min(durationSeconds, from + PAGE_SECONDS), count),
      );
    }
  }
  return await addRecordingRow(store, place, header, await writer.finish());
}

function pageOf(
  header: SignalHeader,
  channel: number,
  startUs: number,
  fromSecond: number,
  toSecond: number,
  countOf: (i: number, d: number) => number,
): SignalPage {
  const { nominalRateHz, dimensions } = header.channels[channel]!;
  const first = Math.ceil(fromSecond * nominalRateHz);
  const count = Math.ceil(toSecond * nominalRateHz) - first;
  const periodUs = 1e6 / nominalRateHz;
  return {
    channel,
    startUs: startUs + first * periodUs,
    periodUs,
    count,
    columns: dimensions.map((_, d) => Int16Array.from({ length: count }, (_unused, i) => countOf(first + i, d))),
  };
}
