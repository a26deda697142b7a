/** Writes simulated recordings and their ground truth to disk. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ACTIVITIES, LYING_POSTURES } from '../../analytics/types.ts';
import { createSignalFile, type SignalFileSummary } from '../../signals/index.ts';
import type { SimulatedRecording } from './sensor-recordings.ts';
import type { GroundTruth } from './subject.ts';

/** Writes `<recordingId>.sig` into an existing folder. A failure leaves no file behind. */
export const writeSimulatedRecording = async (
  dir: string,
  recording: SimulatedRecording,
): Promise<SignalFileSummary & { path: string }> => {
  const path = join(dir, `${recording.header.recordingId}.sig`);
  const writer = await createSignalFile(path, recording.header);
  try {
    for (const page of recording.pages()) await writer.append(page);
    return { path, ...(await writer.finish()) };
  } catch (thrown) {
    await writer.abort();
    throw thrown;
  }
};

/** Per-second codes as runs: `[first second, value]`, each up to the next. */
const runs = <T>(codes: Uint8Array, nameOf: (code: number) => T): [number, T][] => {
  const result: [number, T][] = [];
  codes.forEach((code, second) => {
    if (second === 0 || codes[second - 1] !== code) result.push([second, nameOf(code)]);
  });
  return result;
};

const rounded = (values: Float32Array, digits: number): (number | null)[] =>
  Array.from(values, (value) => (Number.isNaN(value) ? null : Number(value.toFixed(digits))));

/** The ground truth as JSON data: seconds count from `startMs`, codes are spelled out, times are epoch microseconds. */
const groundTruthToJson = (truth: GroundTruth) => ({
  seed: truth.seed,
  timeZone: truth.timeZone,
  startMs: truth.startMs,
  stopMs: truth.stopMs,
  profile: truth.profile,
  activity: runs(truth.activity, (code) => ACTIVITIES[code]),
  lyingPosture: runs(truth.lyingPosture, (code) => LYING_POSTURES[code]),
  asleep: runs(truth.asleep, (code) => code === 1),
  worn: runs(truth.worn, (code) => code === 1),
  respirationRate: rounded(truth.respirationRate, 2),
  heartRate: rounded(truth.heartRate, 2),
  beatTimesUs: Array.from(truth.beatTimesUs, Math.round),
  beatKinds: Array.from(truth.beatKinds, (kind) => ['N', 'V', 'A'][kind]).join(''),
  stepTimesUs: Array.from(truth.stepTimesUs, Math.round),
  sleep: truth.sleep,
  offBody: truth.offBody,
  charging: truth.charging,
  gaps: truth.gaps,
});

export const writeGroundTruth = (path: string, truth: GroundTruth): Promise<void> =>
  writeFile(path, `${JSON.stringify(groundTruthToJson(truth))}\n`);
