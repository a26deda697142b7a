/** The motion recordings of the developer set as signal inputs for the benchmarks. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { SignalChunk, SignalInput } from '../../src-server/analytics/types.ts';

interface MotionLabel {
  start: number;
  stop: number;
  activity: string;
  class: string;
}

export interface MotionRecording {
  name: string;
  dataset: string;
  subject: string;
  fs: number;
  samples: number;
  seconds: number;
  sites: Record<string, { file: string }>;
  segments?: { start: number; stop: number; t?: number; trial?: number }[];
  labels: MotionLabel[];
  steps?: number[];
}

/** Location code of each placement name of the set. */
const LOCATIONS: Record<string, string> = {
  thigh: 'ANTERIOR_THIGH',
  hip: 'OTHER',
  back: 'SACRUM',
  waist: 'SACRUM',
  chest: 'MEDIAL_CHEST',
};

/** A start far from the epoch, so that no benchmark depends on times near zero. */
export const EPOCH_SECOND = 1_700_000_000;

export function motionRecordings(folder: string): MotionRecording[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as MotionRecording);
}

/** Returns the time of a sample in seconds by the recording's own clock, which has cuts. */
export function secondOfSample(recording: MotionRecording, sample: number): number {
  for (const segment of recording.segments ?? []) {
    if (sample >= segment.start && sample < segment.stop && segment.t !== undefined)
      return segment.t + (sample - segment.start) / recording.fs;
  }
  return sample / recording.fs;
}

const CLASSES: Record<string, string> = {
  WALKING: 'MOVING:WALKING',
  STAIRS: 'MOVING:WALKING',
  RUNNING: 'MOVING:RUNNING',
  CYCLING: 'MOVING:CYCLING',
  STANDING: 'RESTING:STANDING',
  SITTING: 'RESTING:SITTING',
  LYING: 'RESTING:LYING',
};

/** Returns every labelled second of a recording: its class, and the second of its middle by the given clock. */
export function labelledSeconds(
  recording: MotionRecording,
  secondOf: (sample: number) => number = (sample) => secondOfSample(recording, sample),
): { truth: string; row: number }[] {
  const seconds: { truth: string; row: number }[] = [];
  for (const label of recording.labels) {
    const truth = label.activity.includes('shuffling') ? 'RESTING:STANDING' : CLASSES[label.class];
    if (truth === undefined) continue;
    for (let sample = label.start; sample + recording.fs / 2 < label.stop; sample += recording.fs) {
      seconds.push({ truth, row: Math.floor(secondOf(Math.round(sample + recording.fs / 2))) });
    }
  }
  return seconds;
}

/** Reads the three axes of one placement, in milli-g. */
export function motionCounts(folder: string, recording: MotionRecording, site: string): Int16Array[] {
  const bytes = gunzipSync(readFileSync(join(folder, recording.sites[site]!.file)));
  const interleaved = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  return [0, 1, 2].map((axis) =>
    Int16Array.from({ length: interleaved.length / 3 }, (_value, i) => interleaved[3 * i + axis]!),
  );
}

/** Returns one placement of a recording as one-minute pages. `gapless` ignores the cuts of the recording's clock. */
export function signalInput(folder: string, recording: MotionRecording, site: string, gapless = false): SignalInput {
  const columns = motionCounts(folder, recording, site);
  const count = columns[0]!.length;
  const periodUs = 1e6 / recording.fs;
  const timed = recording.segments?.some((segment) => segment.t !== undefined) && !gapless;
  const segments = timed ? recording.segments! : [{ start: 0, stop: count, t: 0 }];
  const page = Math.round(60 * recording.fs);
  const chunks: SignalChunk[] = [];
  for (const segment of segments) {
    for (let start = segment.start; start < segment.stop; start += page) {
      const stop = Math.min(segment.stop, start + page);
      chunks.push({
        startUs: (EPOCH_SECOND + (segment.t ?? 0)) * 1e6 + (start - segment.start) * periodUs,
        periodUs,
        count: stop - start,
        columns: columns.map((column) => column.subarray(start, stop)),
      });
    }
  }
  return {
    type: 'ACCEL',
    location: LOCATIONS[site] ?? 'OTHER',
    scale: [0.001, 0.001, 0.001],
    offset: [0, 0, 0],
    nominalRateHz: recording.fs,
    chunks,
  };
}
