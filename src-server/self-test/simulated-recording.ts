/** A short recording of a simulated subject as a signal file, made by the simulator of the demo. */
import { mkdir } from 'node:fs/promises';
import { MINUTE_MS } from '../durations.ts';
import type { SignalFileSummary } from '../signals/index.ts';

export const RECORDED_FROM_MS = Date.UTC(2026, 0, 15, 12);
const RECORDED_MS = 2 * MINUTE_MS;

export interface SimulatedFile {
  path: string;
  recordingId: string;
  location: string;
  summary: SignalFileSummary;
}

/** @param dir created if it does not exist */
export async function simulatedRecording(dir: string): Promise<SimulatedFile> {
  const { simulateSubject } = await import('../simulator/physiology/subject.ts');
  const { writeSimulatedRecording } = await import('../simulator/physiology/write.ts');
  await mkdir(dir, { recursive: true });
  const startMs = RECORDED_FROM_MS;
  const options = { seed: 1, timeZone: 'UTC', startMs, stopMs: startMs + RECORDED_MS, dailyCharging: false };
  const [recording] = simulateSubject(options).recordings;
  if (!recording) throw new Error('the simulator made no recording');
  const { path, ...summary } = await writeSimulatedRecording(dir, recording);
  const { recordingId, physicalConfig } = recording.header;
  return { path, recordingId, location: physicalConfig.location, summary };
}
