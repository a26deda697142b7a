/**
 * Keeps one recording of one device at a time: a recorder is read more than once, and each copy holds the earlier ones. The copy that
 * holds more is kept. What cannot be settled so is a question to the importing person, as it is for uploads and docks.
 */
import type { RecordingRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { Store } from '../../services/index.ts';
import type { ImportPayload } from '../../study/jobs.ts';
import { OVERLAP_SLACK_MS } from '../../study/upload-rules.ts';
import type { WrittenRecording } from '../workers/tasks.ts';

const SLACK_US = OVERLAP_SLACK_MS * 1000;
/** What files without a serial number have in its place. */
const UNKNOWN_DEVICE: ReadonlySet<string> = new Set(['', 'unknown']);

export interface OverlapVerdict {
  /** A stored recording that holds all of this one: nothing is added. */
  longerCopy?: RecordingRecord;
  note?: string;
}

/**
 * Compares a written recording with the stored ones of its device, of any subject. Recordings without a signal in common, such as the
 * files of one session that were imported one by one, are no copies.
 *
 * @param own recordings of this job, from an earlier run of it
 * @throws RECORDING_OVERLAP, with the stored recording, when the two share time and the person did not accept that
 */
export async function overlapOf(
  store: Pick<Store, 'recordings'>,
  payload: ImportPayload,
  written: WrittenRecording,
  own: ReadonlySet<string>,
): Promise<OverlapVerdict> {
  const { header, contentSha256, startUs, stopUs } = written;
  if (UNKNOWN_DEVICE.has(header.udid)) return {};
  // The same bytes are the same recording, whatever their times.
  if (await store.recordings.findByContent(contentSha256, payload.subjectId)) return {};
  const signals = new Set(header.channels.map(({ type }) => type));
  const found = await store.recordings.overlappingOfSensor(header.udid, { fromUs: startUs, toUs: stopUs });
  for (const other of found) {
    const sharedUs = Math.min(stopUs, other.stopUs) - Math.max(startUs, other.startUs);
    if (own.has(other.id) || sharedUs <= SLACK_US) continue;
    const stored = await store.recordings.require(other.id);
    if (!stored.channels.some(({ type }) => signals.has(type))) continue;
    const where = `recording ${stored.id} of the same device, ${iso(stored.startUs)} to ${iso(stored.stopUs)}`;
    const isOneSession =
      stored.subjectId === payload.subjectId &&
      stored.recordingId === header.deviceRecordingId &&
      Math.abs(stored.startUs - startUs) <= SLACK_US;
    if (isOneSession && stopUs <= stored.stopUs + SLACK_US && holdsAllOf(stored, written)) {
      return { longerCopy: stored, note: `This file is a shorter copy of ${where}, which was kept as it is.` };
    }
    if (payload.acceptsOverlap) return { note: `Shares time with ${where}. Both were kept, as the importer accepted.` };
    const what = isOneSession ? `is a copy of ${where} and holds more than it` : `shares time with ${where}`;
    throw new OutpostError(
      'RECORDING_OVERLAP',
      `This file ${what}. Nothing was imported. To keep both, import it again and accept the overlap.`,
      { details: { recordingId: stored.id, startMs: Math.floor(stored.startUs / 1000) } },
    );
  }
  return {};
}

const samplesByType = (channels: readonly { type: string }[], counts: readonly number[]): Map<string, number> => {
  const samples = new Map<string, number>();
  for (const [i, { type }] of channels.entries()) samples.set(type, (samples.get(type) ?? 0) + (counts[i] ?? 0));
  return samples;
};

/**
 * True when nothing is lost without the written recording. A first read over a bad contact leaves holes: its clean copy has the same
 * session, start and end, and more samples. One whose file is lost or damaged holds nothing at all.
 */
function holdsAllOf(stored: RecordingRecord, { header, sampleCounts }: WrittenRecording): boolean {
  if (stored.status !== 'COMPLETE' || stored.fileState !== 'PRESENT') return false;
  const held = samplesByType(stored.channels, stored.sampleCounts);
  return [...samplesByType(header.channels, sampleCounts)].every(([type, count]) => (held.get(type) ?? 0) >= count);
}

const iso = (us: number): string => new Date(Math.floor(us / 1000)).toISOString();
