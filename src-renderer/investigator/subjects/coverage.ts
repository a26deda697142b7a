/** Facts about a subject's recordings that need no analytics. */
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { unionSpans } from '../../shared/charts/bands.ts';
import { localDate } from '../../shared/time/local-day.ts';

export interface Coverage {
  recordings: number;
  sensors: number;
  /** Number of distinct local start dates. */
  days: number;
  /** Seconds that at least one recording covers. */
  coveredSeconds: number;
  lastStopMs: number | undefined;
}

export function spansOf(recordings: readonly Recording[]): { startMs: number; stopMs: number }[] {
  return recordings.map((recording) => ({ startMs: recording.recordingStartTs, stopMs: recording.recordingStopTs }));
}

export function coverageOf(recordings: readonly Recording[], timeZone: string): Coverage {
  const joined = unionSpans(spansOf(recordings), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  return {
    recordings: recordings.length,
    sensors: new Set(recordings.map((recording) => recording.udid)).size,
    days: new Set(recordings.map((recording) => localDate(recording.recordingStartTs, timeZone))).size,
    coveredSeconds: joined.reduce((sum, span) => sum + (span.stopMs - span.startMs) / 1000, 0),
    lastStopMs: joined.at(-1)?.stopMs,
  };
}

/** Returns the recording to open for an instant: one that covers it, preferably with an ECG. */
export function recordingAt(recordings: readonly Recording[], ms: number): Recording | undefined {
  const running = recordings.filter((one) => one.recordingStartTs <= ms && ms < one.recordingStopTs);
  return running.find(({ sensorConfig }) => sensorConfig.afe !== undefined) ?? running[0];
}
