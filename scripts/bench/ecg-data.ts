/** The ECG recordings of the developer set as signal inputs for the benchmarks. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { SignalInput } from '../../src-server/analytics/types.ts';

export interface EcgRecording {
  name: string;
  fs: number;
  samples: number;
  gainPerMv: number;
  zero: number;
  file: string;
  beats: number[];
  labels?: string;
  /** Where the rhythm changes: sample and the source's name of it. */
  rhythm?: [number, string][];
  respiration?: { impedanceBreaths: number[]; nasalBreaths: number[] };
}

const DIRECTORY = new URL('../../../shared/data/ecg/', import.meta.url);

export const hasEcgData = (): boolean => existsSync(DIRECTORY);

/** Yields all recordings of the set, sorted by name. */
export function* ecgRecordings(): Generator<{ recording: EcgRecording; samples: Int16Array }> {
  for (const file of readdirSync(DIRECTORY).sort()) {
    if (!file.endsWith('.json')) continue;
    const recording = JSON.parse(readFileSync(new URL(file, DIRECTORY), 'utf8')) as EcgRecording;
    const bytes = gunzipSync(readFileSync(new URL(recording.file, DIRECTORY)));
    yield { recording, samples: new Int16Array(new Uint8Array(bytes).buffer) };
  }
}

/** Returns the recording as one-minute pages from time 0, in the form that a signal file yields. */
export function ecgInput(recording: EcgRecording, samples: Int16Array): SignalInput {
  const page = Math.round(60 * recording.fs);
  const periodUs = 1e6 / recording.fs;
  const chunks = [];
  for (let from = 0; from < samples.length; from += page) {
    const column = samples.subarray(from, Math.min(samples.length, from + page));
    chunks.push({ startUs: from * periodUs, periodUs, count: column.length, columns: [column] });
  }
  return {
    type: 'ECG',
    location: 'MEDIAL_CHEST',
    scale: [1e-3 / recording.gainPerMv],
    offset: [0],
    nominalRateHz: recording.fs,
    chunks,
  };
}
