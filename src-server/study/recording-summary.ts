/** What lists show of a subject's recordings. Days are local to the subject, in the zone in force when a recording began. */
import { type DayClock, localDateAt } from './day-windows.ts';

/** Registered sensors differ by serial number, all others by address. */
export interface SummarisedRecording {
  startUs: number;
  stopUs: number;
  uploadStartTs: number;
  udid: string;
  equipmentId?: string | null | undefined;
  sizeBytes: number;
}

export interface RecordingSummary {
  countRecordings: number;
  countSensors: number;
  /** Time that at least one recording covers. */
  coveredUs: number;
  /** Sum over all recordings of all sensors. */
  durationMs: number;
  sizeBytes: number;
  firstStartUs: number;
  lastStartUs: number;
  lastStopUs: number;
  /** Upload of the recording that began last. */
  lastUploadTs: number;
}

export interface RecordingDay {
  date: string;
  countRecordings: number;
  /** Full length of the recordings that began on this date, whenever they end. */
  durationMs: number;
  firstStartTs: number;
  lastStartTs: number;
}

const startMs = ({ startUs }: SummarisedRecording): number => Math.floor(startUs / 1000);
const lengthMs = (one: SummarisedRecording): number => Math.floor(one.stopUs / 1000) - startMs(one);

/** The time that at least one of the recordings covers, in whole milliseconds. @param recordings by start */
export function recordedTime(
  recordings: readonly Pick<SummarisedRecording, 'startUs' | 'stopUs'>[],
): { startTs: number; stopTs: number }[] {
  const spans: { startTs: number; stopTs: number }[] = [];
  for (const { startUs, stopUs } of recordings) {
    const [startTs, stopTs] = [Math.floor(startUs / 1000), Math.floor(stopUs / 1000)];
    const last = spans.at(-1);
    if (last && startTs <= last.stopTs) last.stopTs = Math.max(last.stopTs, stopTs);
    else spans.push({ startTs, stopTs });
  }
  return spans;
}

/** @param recordings of one subject by start, then id; at least one */
export function summaryOf(recordings: readonly SummarisedRecording[]): RecordingSummary {
  let coveredUs = 0;
  let lastStopUs = Number.NEGATIVE_INFINITY;
  for (const { startUs, stopUs } of recordings) {
    coveredUs += Math.max(0, stopUs - Math.max(startUs, lastStopUs));
    lastStopUs = Math.max(lastStopUs, stopUs);
  }
  const last = recordings.at(-1)!;
  return {
    countRecordings: recordings.length,
    countSensors: new Set(recordings.map(({ equipmentId, udid }) => equipmentId ?? ` ${udid}`)).size,
    coveredUs,
    durationMs: recordings.reduce((sum, one) => sum + lengthMs(one), 0),
    sizeBytes: recordings.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    firstStartUs: recordings[0]!.startUs,
    lastStartUs: last.startUs,
    lastStopUs,
    lastUploadTs: last.uploadStartTs,
  };
}

/** Returns a row per local date on which recordings of one subject began, ascending. @param recordings by start */
export function recordingDays(recordings: readonly SummarisedRecording[], clock: DayClock): RecordingDay[] {
  const byDate = Map.groupBy(recordings, (one) => localDateAt(startMs(one), clock));
  return [...byDate]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, started]) => ({
      date,
      countRecordings: started.length,
      durationMs: started.reduce((sum, one) => sum + lengthMs(one), 0),
      firstStartTs: startMs(started[0]!),
      lastStartTs: startMs(started.at(-1)!),
    }));
}
