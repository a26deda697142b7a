/**
 * Job handler of study exports: writes the file, publishes a whole archive as the study's newest and notifies the requester.
 * Idempotent: a killed job runs again with the recordings that it had encoded, its file name is unique, and a recorded file is
 * not written again.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type StudyExportRecord, SYSTEM } from '../../db/index.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { neutralName } from '../../exporters/study-export/neutral-name.ts';
import { receiptFor } from '../../integrity/anchors/anchor-log.ts';
import { readSiteFile, sitePaths } from '../../integrity/site-file.ts';
import { NO_WORDS, STORED_FORMATS } from '../../study/export-formats.ts';
import type { ArchivePayload } from '../../study/jobs.ts';
import type { JobHandler } from '../queue.ts';
import { partialPath } from '../workers/export-recording.ts';
import type { StudyExportOutcome, StudyExportTask } from '../workers/tasks.ts';
import { deidentificationKey } from './deidentification-key.ts';
import type { JobDeps } from './deps.ts';
import { removeExports } from './export-eviction.ts';
import { partsPath, removeParts } from './export-parts.ts';

export function studyExportHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const { job } = context;
    const record = await deps.store.exports.require(job.id);
    if (record.removed) throw new OutpostError('CANCELLED', 'The export was deleted.');
    if (record.file) return { fileName: record.file.name, sizeBytes: record.file.sizeBytes };
    const stem = record.isDeidentified ? neutralName('study', record.id) : `study-${record.studyId}-${record.id}`;
    const fileName = `${stem}.${STORED_FORMATS[record.format].extension}`;
    const outputPath = join(deps.exportsDir, fileName);
    try {
      await removeExports(deps);
      const outcome = await deps.workers.run(
        'exportStudy',
        await taskOf(deps, record, job.startedTs ?? record.requestedTs, outputPath),
        {
          signal: context.signal,
          onProgress: ({ done, total, step, pace }) => context.progress(done, total, step, pace),
        },
      );
      await publish(deps, record, job.payload as ArchivePayload, fileName, outcome);
      // When the job is seen to be done, its file is the only one left.
      await removeParts(deps.exportsDir, record.id);
      await removeExports(deps);
      return { fileName, ...outcome.facts };
    } catch (thrown) {
      // An interrupted worker leaves its partial file.
      await rm(partialPath(outputPath), { force: true });
      await rm(outputPath, { force: true });
      if (isDiskFull(thrown) || isDiskFull(context.signal.reason)) await removeParts(deps.exportsDir, record.id);
      throw thrown;
    }
  };
}

const isDiskFull = (thrown: unknown): boolean => thrown !== undefined && toOutpostError(thrown).code === 'DISK_FULL';

async function taskOf(
  { store, siteDir, signalsDir, exportsDir }: JobDeps,
  record: StudyExportRecord,
  dataTs: number,
  outputPath: string,
): Promise<StudyExportTask> {
  const base = record.sinceExportId === undefined ? undefined : await store.exports.require(record.sinceExportId);
  const { id: siteId } = await readSiteFile(siteDir);
  const auditReceipt = await receiptFor(siteDir, siteId, await store.audit.head(), dataTs);
  const since = base ? { ts: base.requestedTs, auditSequence: base.auditSequence } : undefined;
  return {
    format: record.format,
    options: {
      exportId: record.id,
      studyId: record.studyId,
      subjectIds: record.subjectIds ?? null,
      requestedTs: record.requestedTs,
      dataTs,
      sinceExportId: record.sinceExportId ?? null,
      words: record.words ?? NO_WORDS,
      ...(auditReceipt && { auditReceipt }),
    },
    ...(record.isDeidentified && { deidentificationKey: await deidentificationKey({ store, siteDir }) }),
    ...(since && { since }),
    ...(record.sinceTs !== undefined && { since: { ts: record.sinceTs } }),
    databasePath: store.path,
    signalsDir,
    imagesDir: sitePaths(siteDir).imagesDir,
    outputPath,
    partsDir: partsPath(exportsDir, record.id),
    ...(base?.file &&
      STORED_FORMATS[record.format].changes === 'FILES' && { basePath: join(exportsDir, base.file.name) }),
  };
}

/** True for a full archive of all subjects, which the study's page offers. */
const isWholeArchive = (record: StudyExportRecord): boolean =>
  record.format === 'ARCHIVE' &&
  !record.isDeidentified &&
  record.subjectIds === undefined &&
  record.sinceTs === undefined &&
  record.sinceExportId === undefined;

/** What an e-mail calls an export. */
const NAMES = {
  ARCHIVE: 'CSV archive',
  PARQUET: 'Parquet export',
  BIDS: 'BIDS dataset',
  BEATS: 'export of beats and RR intervals',
  SUBJECT: 'data of one subject',
} as const satisfies Record<StudyExportRecord['format'], string>;

/** Records the file, makes it the study's newest archive unless a later request finished first, and notifies the requester. */
async function publish(
  deps: JobDeps,
  record: StudyExportRecord,
  { requestedBy }: ArchivePayload,
  name: string,
  { facts: { sizeBytes, sha256 }, auditSequence }: StudyExportOutcome,
): Promise<void> {
  const { studyId, requestedTs } = record;
  const change = requestedBy ? { actor: requestedBy } : SYSTEM;
  await deps.store.transaction(async ({ exports, studies, users, outbox }) => {
    const study = await studies.require(studyId);
    await exports.finish(record.id, { name, sizeBytes, sha256, auditSequence }, change);
    if (isWholeArchive(record)) {
      const archives = (await exports.kept(studyId)).filter(isWholeArchive);
      const newest = archives.pop();
      if (newest?.id === record.id) {
        await studies.setExport(studyId, { file: name, requestedTs, sizeBytes }, change);
      }
      for (const { id } of archives) await exports.remove(id, 'SUPERSEDED', SYSTEM);
    }
    const user = requestedBy?.type === 'USER' ? await users.get(requestedBy.id) : undefined;
    if (!user) return;
    const what = isWholeArchive(record) ? 'archive' : NAMES[record.format];
    const asked = new Date(requestedTs).toISOString().replace(/\.\d+Z$/, 'Z');
    await outbox.add({
      accountId: study.accountId,
      recipient: user.email,
      subject: `The ${what} of ${study.displayName} is ready`,
      body: `The ${what} of the study ${study.displayName} that you asked for at ${asked} is ready (${sizeBytes} bytes). Download it from the page of the ${record.format === 'SUBJECT' ? 'subject' : 'study'}.`,
    });
  });
}
