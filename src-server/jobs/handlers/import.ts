/**
 * Takes recordings over from a source. The worker writes and fsyncs complete signal files in the inbox; then, per
 * recording, the file moves to its place and the row that refers to it commits. Killed anywhere, the job runs again from
 * the start: its leftovers are known by its id and its checkpoint, and content that is stored already counts as success.
 */
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Change, SYSTEM } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { ImportedLabel } from '../../importers/types.ts';
import { overviewPath } from '../../signals/index.ts';
import type { JobContext, JobHandler } from '../queue.ts';
import type { ImportPayload } from '../types.ts';
import type { ImportOutcome, WrittenRecording } from '../workers/tasks.ts';
import type { JobDeps } from './deps.ts';

/** What an import job leaves on its row. */
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
}

/** Folder in the inbox where an import job writes its recordings before they are taken over. */
export function importOutputDir(inboxDir: string, jobId: string): string {
  return join(inboxDir, `import-${jobId}`);
}

export function importHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const payload = context.job.payload as ImportPayload;
    const change: Change = payload.requestedBy ? { actor: payload.requestedBy } : SYSTEM;
    await requireRoom(deps, payload);
    const outputDir = importOutputDir(deps.inboxDir, context.job.id);
    const outcome = await deps.workers.run(
      'importSource',
      { paths: payload.paths, options: payload.options, outputDir },
      { signal: context.signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
    );
    const result = await takeOver(deps, context, payload, outcome, change);
    await rm(outputDir, { recursive: true, force: true });
    if (payload.ownsFiles) await rm(dirname(payload.paths[0]), { recursive: true, force: true });
    return result;
  };
}

/** Fails early, before hours of reading, when subject or study would refuse the recordings. */
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
    throw new OutpostError('FILE_EMPTY', 'The file holds neither samples nor labels, so nothing was imported.');
  }
  await context.checkpoint({ recordingIds: outcome.recordings.map((recording) => recording.header.recordingId) });
  const result: ImportResult = { format: outcome.format, recordings: [], labels: 0 };
  for (const [index, written] of outcome.recordings.entries()) {
    const taken = await takeRecording(deps, payload, written, index, change);
    if (taken.isNew) result.labels += written.labels.length;
    result.recordings.push(taken);
    await deps.enqueue('analyse', {
      studyId: payload.studyId,
      subjectId: payload.subjectId,
      fromMs: taken.startMs,
      toMs: taken.stopMs + 1,
      recordingIds: [taken.id],
    });
  }
  if (outcome.labels.length > 0) {
    await deps.store.annotations.addLabels(labelRows(payload, outcome.labels, change), change);
    result.labels += outcome.labels.length;
  }
  return result;
}

async function takeRecording(
  deps: JobDeps,
  payload: ImportPayload,
  written: WrittenRecording,
  index: number,
  change: Change,
): Promise<ImportResult['recordings'][number]> {
  const { header } = written;
  const contentSha256 = createHash('sha256').update(`${header.source.sha256} ${index}`).digest('hex');
  const facts = {
    location: header.physicalConfig.location,
    startMs: Math.floor(written.startUs / 1000),
    stopMs: Math.floor(written.stopUs / 1000),
    samples: written.sampleCounts.reduce((sum, count) => sum + count, 0),
    sizeBytes: written.sizeBytes,
    notes: written.notes,
  };
  const known = await deps.store.recordings.findByContent(contentSha256, payload.subjectId);
  if (known) return { id: known.id, isNew: false, ...facts };

  const id = header.recordingId;
  const finalPath = join(deps.signalsDir, `${id}.sig`);
  await rename(overviewPath(written.path), overviewPath(finalPath));
  await rename(written.path, finalPath);
  await syncFolder(deps.signalsDir);
  const { recording, isNew } = await deps.store.transaction(async (repositories) => {
    const deviceConfigId =
      payload.deviceConfigId ??
      (
        await repositories.studies.matchDeviceConfig(
          payload.studyId,
          { physicalConfig: header.physicalConfig, sensorConfig: header.sensorConfig },
          change,
        )
      ).id;
    const added = await repositories.recordings.add(
      {
        id,
        studyId: payload.studyId,
        subjectId: payload.subjectId,
        deviceConfigId,
        recordingId: header.deviceRecordingId,
        startUs: written.startUs,
        stopUs: written.stopUs,
        udid: header.udid,
        hardwareId: header.hardwareId,
        firmwareId: header.firmwareId,
        physicalConfig: header.physicalConfig,
        sensorConfig: header.sensorConfig,
        sizeBytes: written.sizeBytes,
        sha256: written.sha256,
        channels: header.channels,
        sampleCounts: written.sampleCounts,
        syncPoints: header.syncPoints,
        contentSha256,
        sourceFormat: header.source.format,
        sourceFileName: header.source.fileName,
        notes: written.notes,
      },
      change,
    );
    if (added.isNew && written.labels.length > 0) {
      await repositories.annotations.addLabels(labelRows(payload, written.labels, change, id), change);
    }
    return added;
  });
  return { id: recording.id, isNew, ...facts };
}

/** A person's import makes that person's labels; without one they are the system's. */
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

/** Makes renames into a folder durable. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
