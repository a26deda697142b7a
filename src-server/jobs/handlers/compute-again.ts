/** Has a window computed again whose stored columns are missing or damaged. */
import type { Store } from '../../services/index.ts';
import type { JobKind, JobPayloads } from '../../study/jobs.ts';

/**
 * Queues the analysis of a window, if every recording in it can be read: with a part of them, the result would lack what the
 * stored metrics still know.
 * @returns whether it was queued
 */
export async function computeAgain(
  store: Pick<Store, 'recordings'>,
  enqueue: <K extends JobKind>(kind: K, payload: JobPayloads[K]) => Promise<unknown>,
  window: { subjectId: string; startTs: number; stopTs: number },
): Promise<boolean> {
  const { subjectId, startTs, stopTs } = window;
  const recordings = await store.recordings.listForSubject(subjectId, {
    fromUs: startTs * 1000,
    toUs: stopTs * 1000 - 1,
  });
  const [first] = recordings;
  const isWhole = recordings.every(({ fileState, status }) => fileState === 'PRESENT' || status === 'REJECTED');
  if (!first || !isWhole) return false;
  const middleMs = Math.floor((startTs + stopTs) / 2);
  const span = { fromMs: middleMs, toMs: middleMs + 1 };
  await enqueue('analyse', { studyId: first.studyId, subjectId, ...span, recordingIds: [] });
  return true;
}
