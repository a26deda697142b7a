/** Recording statistics per subject and per day. Days are local to the subject, in the zone in force when a recording began. */
import { type DayClock, localDateAt } from './day-windows.ts';

/** When a recording began and ended and when its upload began, epoch ms. */
export interface RecordingSpan {
  subjectId: string;
  startTs: number;
  stopTs: number;
  uploadStartTs: number;
}

export interface SubjectRecordingStatistics {
  subjectId: string;
  /** Distinct local dates on which recordings began. */
  countDays: number;
  countRecordings: number;
  /** Sum over all recordings of all sensors. */
  durationMs: number;
  firstStartTs: number;
  lastStartTs: number;
  /** Upload of the recording that began last. */
  lastUploadTs: number;
}

export interface DailyRecordingStatistics {
  date: string;
  countRecordings: number;
  countSubjects: number;
  firstRecStartTs: number;
  lastRecStartTs: number;
  /** Full length of the recordings that began on this date, whenever they end. */
  sumDurationMs: number;
}

/** What one subject recorded. */
export interface RecordingSummary {
  countRecordings: number;
  countDays: number;
  countSensors: number;
  /** Time that at least one recording covers. */
  coveredMs: number;
  sizeBytes: number;
  firstDataTs?: number;
  lastDataTs?: number;
}

/** Registered sensors differ by serial number, all others by address. */
interface SummarisedRecording {
  startUs: number;
  stopUs: number;
  udid: string;
  equipmentId: string | null;
  sizeBytes: number;
}

/** @param recordings of one subject, by start */
export function recordingSummary(recordings: readonly SummarisedRecording[], clock: DayClock): RecordingSummary {
  let coveredUs = 0;
  let coveredUntilUs = Number.NEGATIVE_INFINITY;
  for (const { startUs, stopUs } of recordings) {
    coveredUs += Math.max(0, stopUs - Math.max(startUs, coveredUntilUs));
    coveredUntilUs = Math.max(coveredUntilUs, stopUs);
  }
  const [first] = recordings;
  return {
    countRecordings: recordings.length,
    countDays: new Set(recordings.map(({ startUs }) => localDateAt(Math.floor(startUs / 1000), clock))).size,
    countSensors: new Set(recordings.map(({ equipmentId, udid }) => equipmentId ?? udid)).size,
    coveredMs: Math.floor(coveredUs / 1000),
    sizeBytes: recordings.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...(first && {
      firstDataTs: Math.floor(first.startUs / 1000),
      lastDataTs: Math.floor(coveredUntilUs / 1000),
    }),
  };
}

interface DatedSpan extends RecordingSpan {
  date: string;
}

function dated(spans: readonly RecordingSpan[], clocks: ReadonlyMap<string, DayClock>): DatedSpan[] {
  return spans.flatMap((span) => {
    const clock = clocks.get(span.subjectId);
    return clock ? [{ ...span, date: localDateAt(span.startTs, clock) }] : [];
  });
}

const totalMs = (spans: readonly RecordingSpan[]): number =>
  spans.reduce((sum, { startTs, stopTs }) => sum + stopTs - startTs, 0);

/**
 * Returns a row per subject with recordings, in the order of `clocks`; spans of subjects without a clock are ignored.
 * @param spans by start
 */
export function recordingStatistics(
  spans: readonly RecordingSpan[],
  clocks: ReadonlyMap<string, DayClock>,
): SubjectRecordingStatistics[] {
  const bySubject = Map.groupBy(dated(spans, clocks), ({ subjectId }) => subjectId);
  return [...clocks.keys()].flatMap((subjectId) => {
    const own = bySubject.get(subjectId);
    const first = own?.[0];
    const last = own?.at(-1);
    if (!own || !first || !last) return [];
    return {
      subjectId,
      countDays: new Set(own.map(({ date }) => date)).size,
      countRecordings: own.length,
      durationMs: totalMs(own),
      firstStartTs: first.startTs,
      lastStartTs: last.startTs,
      lastUploadTs: last.uploadStartTs,
    };
  });
}

/**
 * Returns a row per date on which a recording began, ascending; each recording counts on its subject's local date.
 * @param spans by start
 */
export function dailyRecordingStatistics(
  spans: readonly RecordingSpan[],
  clocks: ReadonlyMap<string, DayClock>,
): DailyRecordingStatistics[] {
  const byDate = Map.groupBy(dated(spans, clocks), ({ date }) => date);
  return [...byDate.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, started]) => ({
      date,
      countRecordings: started.length,
      countSubjects: new Set(started.map(({ subjectId }) => subjectId)).size,
      firstRecStartTs: started[0]!.startTs,
      lastRecStartTs: started.at(-1)!.startTs,
      sumDurationMs: totalMs(started),
    }));
}
