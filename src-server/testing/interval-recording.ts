/** A recording of beat intervals, stored as a strap's upload would be. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { newId, type RecordingRecord } from '../db/index.ts';
import type { Store } from '../services/index.ts';
import { createSignalFile, type SignalFileSummary } from '../signals/index.ts';
import type { SignalHeader } from '../signals/types.ts';
import { addRecordingRow, type RecordingPlace } from './recording-row.ts';
import { type StrapOptions, strapIntervals } from './strap-intervals.ts';

/** Writes the file of the beats as a strap sends them. */
export async function writeIntervalRecording(
  dir: string,
  beatsUs: readonly number[],
  options: StrapOptions = {},
): Promise<{ path: string; header: SignalHeader; summary: SignalFileSummary }> {
  const input = strapIntervals(beatsUs, options);
  const isPulse = input.type === 'PPI';
  const recordingId = newId();
  const header: SignalHeader = {
    version: 1,
    recordingId,
    deviceRecordingId: 0,
    udid: isPulse ? 'A0:9E:1A:00:00:02' : 'A0:9E:1A:00:00:01',
    hardwareId: isPulse ? 'Polar Verity Sense' : 'Polar H10',
    firmwareId: '3.3.1',
    physicalConfig: { location: input.location, side: 'NONE' },
    sensorConfig: { sensingType: input.type },
    channels: [
      {
        type: input.type,
        dimensions: isPulse ? ['ppi', 'error'] : ['rr'],
        unit: 's',
        nominalRateHz: 1,
        scale: input.scale,
        offset: input.offset,
        sampleBits: 16,
      },
    ],
    syncPoints: [],
    source: { format: 'sensor', fileName: '', sha256: createHash('sha256').update(recordingId).digest('hex') },
  };
  const path = join(dir, `${recordingId}.sig`);
  const writer = await createSignalFile(path, header);
  let lastUs: number | undefined;
  for (const chunk of input.chunks) {
    const firstUs = Math.floor(chunk.startUs + 0.5) + (chunk.timeResidualsUs?.[0] ?? 0);
    const beginsUs = firstUs - chunk.columns[0]![0]! * input.scale[0]! * 1e6;
    if (lastUs !== undefined && beginsUs - lastUs > 5000)
      await writer.mark({ channel: 0, timeUs: lastUs, reason: 'LINK_LOST' });
    await writer.append({ channel: 0, ...chunk });
    const last = chunk.count - 1;
    lastUs = Math.floor(chunk.startUs + last * chunk.periodUs + 0.5) + (chunk.timeResidualsUs?.[last] ?? 0);
  }
  if (options.endReason && lastUs !== undefined)
    await writer.mark({ channel: 0, timeUs: lastUs, reason: options.endReason });
  return { path, header, summary: await writer.finish() };
}

export async function addIntervalRecording(
  store: Store,
  signalsDir: string,
  place: RecordingPlace,
  beatsUs: readonly number[],
  options: StrapOptions = {},
): Promise<RecordingRecord> {
  const { header, summary } = await writeIntervalRecording(signalsDir, beatsUs, options);
  return await addRecordingRow(store, place, header, summary);
}
