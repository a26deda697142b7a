/** What `outpost analyze` found in its files. */
import { BEAT_ARTEFACT, BEAT_KIND_MASK, type BinnedChannels } from '../analytics/index.ts';
import type { DailyMetrics, RecordingFeatures, WindowResult } from '../analytics/types.ts';

export interface AnalysedFile {
  file: string;
  format: string;
  location: string;
  startMs: number;
  stopMs: number;
  channels: { type: string; dimensions: string[]; nominalRateHz: number; samples: number }[];
  notes: string[];
}

export interface Analysis {
  name?: string;
  timeZone: string;
  intervalMs: number;
  recordings: AnalysedFile[];
  features: RecordingFeatures[];
  windows: WindowResult[];
  channels: BinnedChannels;
  days: DailyMetrics[];
}

/** Beats of two ECG channels that are closer than this are the same beat. */
const SAME_BEAT_MS = 150;

/** Returns the times of all beats in epoch milliseconds, without those classified as artefacts. */
export function beatTimes(features: RecordingFeatures[]): number[] {
  const series = features.flatMap(({ sensors }) =>
    sensors.flatMap((sensor) => (sensor.kind === 'ecg' ? [sensor.beats] : [])),
  );
  const times = series
    .flatMap(({ timesUs, kinds }) =>
      Array.from(
        timesUs.filter((_us, i) => (kinds[i]! & BEAT_KIND_MASK) !== BEAT_ARTEFACT),
        (us) => Math.round(us / 1000),
      ),
    )
    .sort((a, b) => a - b);
  return times.filter((ms, i) => i === 0 || series.length === 1 || ms - times[i - 1]! > SAME_BEAT_MS);
}
