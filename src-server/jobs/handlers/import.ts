/**
 * Job handler of imports. The worker writes and fsyncs complete signal files in the inbox; then each file moves to its final
 * place and its row commits. Idempotent: a killed job runs again from the start, its id and checkpoint identify its leftovers, and
 * content that is already stored counts as success.
 */

import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { v5 as uuidv5 } from 'uuid';
import { type Change, type RecordingRecord, SYSTEM } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { syncDirectory } from '../../files/durable-files.ts';
import { inboxFile, inboxPlace } from '../../files/inbox.ts';
import type { ImportedLabel } from '../../importers/types.ts';
import { overviewPath } from '../../signals/index.ts';
import type { ImportPayload, JobRow } from '../../study/jobs.ts';
import type { JobContext, JobHandler } from '../queue.ts';
import type { ImportOutcome, ImportTask, StoredRecording, WrittenRecording } from '../workers/tasks.ts';
import { addRecording } from './add-recording.ts';
import type { JobDeps } from './deps.ts';
import { type OverlapVerdict, overlapOf } from './overlapping-copies.ts';

/** Result of an import job. `labels` counts new labels only. */
export interface ImportResult extends Record<string, unknown> {
  format: string;
  recordings: {
    id: string;
    /** False when the same content was stored before. */
    isNew: boolean;
    location: string;
    startMs: number;
    stopMs: number;
    samples: number;
    sizeBytes: number;
    notes: string[];
  }[];
  labels: number;
  /** Notes on a file that contains only labels. */
  notes?: string[];
}

/** Returns the inbox folder where an import job writes its recordings before they are stored. */
export function importOutputDir(inboxDir: string, jobId: string): string {
  return join(inboxDir, `import-${jobId}`);
}

export function importHandler(deps: JobDeps): JobHandler {
  // Two copies of one recording may be imported at once, and each is compared with what is stored before it.
  let storing: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = storing.then(work);
    storing = turn.catch(() => undefined);
    return turn;
  };
  return async (context) => {
    const payload = context.job.payload as ImportPayload;
    const change: Change = payload.requestedBy ? { actor: payload.requestedBy } : SYSTEM;
    await requireRoom(deps, payload);
    const { csvTemplates } = await deps.store.studies.require(payload.studyId);
    const outputDir = importOutputDir(deps.inboxDir, context.job.id);
    try {
      const outcome = await deps.workers.run(
        'importSource',
        {
          paths: sourcePaths(deps.inboxDir, payload),
          options: { ...payload.options, csvTemplates },
          outputDir,
          stored: await storedRecordings(deps, payload),
        },
        { signal: context.signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
      );
      return await inTurn(() => takeOver(deps, context, payload, outcome, change));
    } finally {
      await rm(outputDir, { recursive: true, force: true });
    }
  };
}

/** Deletes the source files of an ended import. Call it only once the job's end is stored: until then it may run again. */
export async function removeOwnedFiles(inboxDir: string, job: JobRow): Promise<void> {
  const { ownsFiles, paths } = job.payload as ImportPayload;
  // Delete only inside the inbox, regardless of the row: other folders contain unrelated files.
  const [path] = paths;
  const place = ownsFiles && path !== undefined ? inboxPlace(path) : undefined;
  if (place) await rm(join(inboxDir, place.folder), { recursive: true, force: true });
}

function sourcePaths(inboxDir: string, { ownsFiles, paths }: ImportPayload): string[] {
  return ownsFiles ? paths.map((path) => inboxFile(inboxDir, path)) : paths;
}

/** A recording with a missing or damaged file is restored under its own id when its source is imported again. */
async function storedRecordings(deps: JobDeps, payload: ImportPayload): Promise<ImportTask['stored']> {
  const rows = await deps.store.recordings.listForSubject(payload.subjectId);
  const recordings = rows.map(({ contentSha256, id, sha256, fileState }) => [
    contentSha256,
    { id, sha256, isPresent: fileState === 'PRESENT' },
  ]);
  return { signalsDir: deps.signalsDir, recordings: Object.fromEntries(recordings) as Record<string, StoredRecording> };
}

/** Fails before hours of reading if the subject or study would refuse the recordings. */
async function requireRoom(deps: JobDeps, payload: ImportPayload): Promise<void> {
  await deps.store.subjects.require(payload.subjectId, payload.studyId);
}

async function takeOver(
  deps: JobDeps,
  context: JobContext,
  payload: ImportPayload,
  outcome: ImportOutcome,
  change: Change,
): Promise<ImportResult> {
  if (outcome.recordings.length === 0 && outcome.labels.length === 0) {
    throw new OutpostError('FILE_EMPTY', 'The file contains neither samples nor labels, so nothing was imported.');
  }
  const earlierIds = (context.job.checkpoint?.recordingIds as string[] | undefined) ?? [];
  const ids = outcome.recordings.map((recording) => recording.header.recordingId);
  const verdicts = new Map<WrittenRecording, OverlapVerdict>();
  for (const written of outcome.recordings) {
    verdicts.set(written, await overlapOf(deps.store, payload, written, new Set([...earlierIds, ...ids])));
  }
  await context.checkpoint({ recordingIds: [...earlierIds, ...ids] });
  const result: ImportResult = {
    format: outcome.format,
    recordings: [],
    labels: 0,
    ...(outcome.notes?.length ? { notes: outcome.notes } : {}),
  };
  for (const written of outcome.recordings) {
    const taken = await takeRecording(deps, payload, written, change, verdicts.get(written)!);
    // An interrupted run of this job may have stored the recording but not all of its labels.
    if (earlierIds.includes(taken.id)) taken.isNew = true;
    if (taken.isNew) {
      result.labels += await addLabels(deps, labelRows(payload, written.labels, change, taken.id), taken.id, change);
    }
    result.recordings.push(taken);
    // Queue it also after an interrupted run that stored the row, unless the days already include the recording.
    if ((await deps.store.recordings.require(taken.id)).dataState === 'ANALYSED') continue;
    await deps.enqueue('analyse', {
      studyId: payload.studyId,
      subjectId: payload.subjectId,
      fromMs: taken.startMs,
      toMs: taken.stopMs + 1,
      recordingIds: [taken.id],
    });
  }
  if (outcome.labels.length > 0) {
    const contentSha256 = sha256Hex(JSON.stringify(outcome.labels));
    const idSpace = uuidv5(contentSha256, payload.subjectId);
    result.labels += await addLabels(deps, labelRows(payload, outcome.labels, change), idSpace, change);
  }
  return result;
}

async function takeRecording(
  deps: JobDeps,
  payload: ImportPayload,
  source: WrittenRecording,
  change: Change,
  { longerCopy, note }: OverlapVerdict,
): Promise<ImportResult['recordings'][number]> {
  const written = note === undefined ? source : { ...source, notes: [...source.notes, note] };
  if (longerCopy) return { ...factsOf(longerCopy), isNew: false, notes: written.notes };
  const { header, contentSha256 } = written;
  const facts = {
    location: header.physicalConfig.location,
    startMs: Math.floor(written.startUs / 1000),
    stopMs: Math.floor(written.stopUs / 1000),
    samples: written.sampleCounts.reduce((sum, count) => sum + count, 0),
    sizeBytes: written.sizeBytes,
    notes: written.notes,
  };
  const known = await deps.store.recordings.findByContent(contentSha256, payload.subjectId);
  const isRestored = known !== undefined && known.id === header.recordingId;
  if (known && !isRestored)
    return { ...factsOf(known), isNew: false, notes: [...written.notes, ...unchangedNote(known, facts)] };
  if (known) {
    requireSameTimes(known, written);
    // If the job is interrupted between the file and its row, this mark makes the next start compare them.
    if (known.fileState === 'PRESENT') await deps.store.recordings.setFileState(known.id, 'DAMAGED', change);
  }

  const id = header.recordingId;
  const finalPath = join(deps.signalsDir, `${id}.sig`);
  const withdraw = async () => {
    for (const path of [finalPath, overviewPath(finalPath)]) await rm(path, { force: true });
  };
  try {
    await rename(overviewPath(written.path), overviewPath(finalPath));
    await rename(written.path, finalPath);
    await syncDirectory(deps.signalsDir);
    if (isRestored) {
      await deps.store.recordings.restoreFile(id, written, change);
      return { id, isNew: false, ...facts };
    }
    const { recording, isNew } = await deps.store.transaction((repositories) =>
      addRecording(repositories, payload, written, change),
    );
    if (!isNew) await withdraw();
    return { id: recording.id, isNew, ...facts };
  } catch (thrown) {
    if (!(await mayBeStored(deps, id))) await withdraw();
    throw thrown;
  }
}

function factsOf(row: RecordingRecord) {
  return {
    id: row.id,
    location: row.physicalConfig.location,
    startMs: Math.floor(row.startUs / 1000),
    stopMs: Math.floor(row.stopUs / 1000),
    samples: row.sampleCounts.reduce((sum, count) => sum + count, 0),
    sizeBytes: row.sizeBytes,
  };
}

/** Returns a note when a stored file is imported with another start or location: the stored recording is unchanged. */
function unchangedNote(row: RecordingRecord, given: { location: string; startMs: number }): string[] {
  const stored = factsOf(row);
  if (stored.startMs === given.startMs && stored.location === given.location) return [];
  return [
    `This file was imported before, as ${stored.location} from ${new Date(stored.startMs).toISOString()}; that recording was kept as it is. To read the file by other settings, such as another time zone, delete the recording and import the file again.`,
  ];
}

/** @throws CONFLICT when the times of a restored recording differ from its row */
function requireSameTimes(row: RecordingRecord, written: WrittenRecording): void {
  const isSame =
    row.startUs === written.startUs &&
    row.stopUs === written.stopUs &&
    row.sampleCounts.length === written.sampleCounts.length &&
    row.sampleCounts.every((count, channel) => count === written.sampleCounts[channel]);
  if (isSame) return;
  const start = new Date(Math.floor(row.startUs / 1000)).toISOString();
  throw new OutpostError(
    'CONFLICT',
    `This file belongs to a recording whose signal file is lost or damaged, but it was stored with the start ${start}. Import it again with that start and time zone to restore it.`,
    { details: { recordingId: row.id, startMs: Math.floor(row.startUs / 1000) } },
  );
}

/** True also when it cannot be determined: the next start repairs a file without a row, but never a row without a file. */
async function mayBeStored(deps: JobDeps, recordingId: string): Promise<boolean> {
  try {
    return (await deps.store.recordings.get(recordingId)) !== undefined;
  } catch {
    return true;
  }
}

/** Returns label rows, owned by the person who imported them or by the system. */
function labelRows(payload: ImportPayload, labels: ImportedLabel[], change: Change, recordingId?: string) {
  const type = change.actor.type === 'USER' ? ('recording' as const) : ('subject' as const);
  return labels.map((label) => ({
    studyId: payload.studyId,
    subjectId: payload.subjectId,
    type,
    displayName: label.displayName,
    startTs: Math.floor(label.startUs / 1000),
    stopTs: Math.floor(label.stopUs / 1000),
    ...(label.value === undefined ? {} : { value: label.value }),
    ...(recordingId === undefined ? {} : { recordingId }),
  }));
}

/** Labels per slice: a few milliseconds of work, after which the site handles other requests. */
const LABELS_PER_SLICE = 100;

/**
 * Stores labels in slices. Their ids derive from `idSpace` (a UUID) and their index in the file, so a repeated run or import adds
 * no duplicates. Returns how many are new.
 */
async function addLabels(
  deps: JobDeps,
  labels: ReturnType<typeof labelRows>,
  idSpace: string,
  change: Change,
): Promise<number> {
  let added = 0;
  for (let start = 0; start < labels.length; start += LABELS_PER_SLICE) {
    const slice = labels.slice(start, start + LABELS_PER_SLICE);
    const rows = slice.map((label, i) => ({ ...label, id: uuidv5(`label ${start + i}`, idSpace) }));
    added += (await deps.store.annotations.addLabels(rows, change)).length;
    await nextTurn();
  }
  return added;
}
