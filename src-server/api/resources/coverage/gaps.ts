/** Gaps in the signals of a subject: within recordings, and between recordings of one sensor. */
import { type RecordingRecord, UNKNOWN_ADDRESS } from '../../../db/index.ts';
import { openSignalFile } from '../../../signals/index.ts';
import type { Gap } from '../../../study/coverage/gaps.ts';
import { holesIn, type TimeSpan, union } from '../../../study/coverage/spans.ts';
import type { ApiDeps } from '../../deps.ts';
import { GAP_MS, gapsOf } from '../raw-data/gaps.ts';
import { signalPath } from '../raw-data/page.ts';

/** A gap, with the recording that shows where its sensor is worn. */
export interface SignalGap extends Gap {
  recording: RecordingRecord;
}

const spanOfRecording = ({ startUs, stopUs }: RecordingRecord): TimeSpan => ({
  startMs: Math.floor(startUs / 1000),
  stopMs: Math.floor(stopUs / 1000) + 1,
});

/** Returns the gaps of all channels. A file that cannot be opened is one gap over the whole recording. */
async function gapsWithin({ signalsDir }: ApiDeps, recording: RecordingRecord, window: TimeSpan): Promise<TimeSpan[]> {
  const file = await openSignalFile(signalPath(signalsDir, recording.id)).catch(() => null);
  if (!file) return [spanOfRecording(recording)];
  try {
    const all = file.header.channels.flatMap((_, c) => gapsOf(file, c, window.startMs * 1000, window.stopMs * 1000));
    return union(all, { startMs: Number.NEGATIVE_INFINITY, stopMs: Number.POSITIVE_INFINITY });
  } finally {
    await file.close();
  }
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
    for (const recording of own) {
      const within = await gapsWithin(deps, recording, window);
      for (const gap of within) gaps.push({ ...gap, sensorId, recordingId: recording.id, isBetween: false, recording });
    }
    const spans = own.map(spanOfRecording);
    const [first] = own;
    for (const hole of holesIn(spans, window)) {
      if (!first || hole.stopMs - hole.startMs <= GAP_MS) continue;
      const isBetween = hole.startMs > window.startMs && hole.stopMs < window.stopMs;
      gaps.push({ ...hole, sensorId, isBetween, recording: first });
    }
  }
  return gaps.sort((a, b) => a.startMs - b.startMs || a.stopMs - b.stopMs || (a.sensorId < b.sensorId ? -1 : 1));
}
