/** Gaps in the signals of a subject: within recordings, and between recordings of one sensor. */
import { type RecordingRecord, UNKNOWN_ADDRESS } from '../../../db/index.ts';
import { openSignalFile } from '../../../signals/index.ts';
import type { Gap } from '../../../study/coverage/gaps.ts';
import { clip, holesIn, type TimeSpan, union } from '../../../study/coverage/spans.ts';
import type { GapReason } from '../../../vocabulary/coverage.ts';
import type { ApiDeps } from '../../deps.ts';
import { GAP_MS, gapsOf, markedReason } from '../raw-data/gaps.ts';
import { signalPath } from '../raw-data/page.ts';

/** A gap, with the recording that shows where its sensor is worn. */
export interface SignalGap extends Gap {
  recording: RecordingRecord;
}

const spanOfRecording = ({ startUs, stopUs }: RecordingRecord): TimeSpan => ({
  startMs: Math.floor(startUs / 1000),
  stopMs: Math.floor(stopUs / 1000) + 1,
});

interface MarkedGap extends TimeSpan {
  reason?: GapReason;
}

const EVER: TimeSpan = { startMs: Number.NEGATIVE_INFINITY, stopMs: Number.POSITIVE_INFINITY };

/**
 * Returns the gaps of all channels, and why the file ends. A file that cannot be opened is one gap over the whole recording.
 * @param isFollowed whether the sensor has a gap after the recording, which its last marks may explain
 */
async function gapsWithin(
  { signalsDir }: ApiDeps,
  recording: RecordingRecord,
  window: TimeSpan,
  isFollowed: boolean,
): Promise<{ gaps: MarkedGap[]; endReason?: GapReason | undefined }> {
  const file = await openSignalFile(signalPath(signalsDir, recording.id)).catch(() => null);
  if (!file) return { gaps: [spanOfRecording(recording)] };
  try {
    const all = file.header.channels.flatMap((_, channel) =>
      gapsOf(file, channel, window.startMs * 1000, window.stopMs * 1000).map((gap) => ({ ...gap, channel })),
    );
    const marks = all.length > 0 || isFollowed ? await file.marks() : [];
    const gaps = union(all, EVER).map((gap) => {
      const reason = firstOf(
        all.filter((part) => clip(part, gap)),
        ({ channel, lastUs, stopMs }) => markedReason(marks, channel, lastUs, stopMs * 1000),
      );
      return { ...gap, ...(reason && { reason }) };
    });
    const endReason = firstOf([...file.pageIndex.entries()], ([channel, pages]) => {
      const last = pages.at(-1);
      return last && markedReason(marks, channel, last.lastUs);
    });
    return { gaps, endReason };
  } finally {
    await file.close();
  }
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Gaps of a second or more that touch a window, per sensor that recorded in or around it; ascending. */
export async function signalGaps(deps: ApiDeps, subjectId: string, window: TimeSpan): Promise<SignalGap[]> {
  const recordings = (
    await deps.store.recordings.listForSubject(subjectId, {
      fromUs: window.startMs * 1000,
      toUs: window.stopMs * 1000,
    })
  ).filter(({ status }) => status === 'COMPLETE');
  const gaps: SignalGap[] = [];
  const sensorOf = ({ equipmentId, udid }: RecordingRecord) => equipmentId ?? (udid || UNKNOWN_ADDRESS);
  for (const [sensorId, own] of Map.groupBy(recordings, sensorOf)) {
    const spans = own.map(spanOfRecording);
    const holes = holesIn(spans, window).filter(({ startMs, stopMs }) => stopMs - startMs > GAP_MS);
    const endReasons = new Map<number, GapReason>();
    for (const recording of own) {
      const { stopMs } = spanOfRecording(recording);
      const isFollowed = holes.some(({ startMs }) => startMs === stopMs);
      const within = await gapsWithin(deps, recording, window, isFollowed);
      if (within.endReason) endReasons.set(stopMs, within.endReason);
      for (const gap of within.gaps)
        gaps.push({ ...gap, sensorId, recordingId: recording.id, isBetween: false, recording });
    }
    const [first] = own;
    for (const hole of first ? holes : []) {
      const isBetween = hole.startMs > window.startMs && hole.stopMs < window.stopMs;
      const reason = endReasons.get(hole.startMs);
      gaps.push({ ...hole, ...(reason && { reason }), sensorId, isBetween, recording: first! });
    }
  }
  return gaps.sort((a, b) => a.startMs - b.startMs || a.stopMs - b.stopMs || (a.sensorId < b.sensorId ? -1 : 1));
}
