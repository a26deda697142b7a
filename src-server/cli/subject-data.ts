/** A subject's rights at the command line: their own copy of the data, and its erasure. The site must be closed: the desk does both. */
import { constants } from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SYSTEM } from '../db/index.ts';
import { errorFromJSON, OutpostError } from '../errors.ts';
import { syncDirectory } from '../files/durable-files.ts';
import { completeErasures } from '../integrity/erasure/complete.ts';
import { startEngine } from '../site/engine.ts';
import { openSite } from '../site/folder.ts';
import type { JobRow } from '../study/jobs.ts';
import { findStudy, findSubject } from './find-subject.ts';
import { answer, formatBytes, startProgress } from './output.ts';

interface SubjectCommand {
  data: string;
  study: string;
  subject: string;
  json: boolean;
}

/** `outpost export-subject`. @throws CONFLICT when the file exists, NOT_FOUND, SITE_LOCKED, DISK_FULL */
export async function exportSubject(options: SubjectCommand & { to: string }): Promise<undefined> {
  const to = resolve(options.to);
  const folder = await openSite(options.data);
  try {
    const study = await findStudy(folder, options.study);
    const subject = await findSubject(folder, study, options.subject);
    const { store } = folder;
    const partial = `${to}.partial`;
    // Reserves the name before any work.
    await (
      await open(to, 'wx').catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'EEXIST') throw new OutpostError('CONFLICT', `${to} exists. Choose a new file.`);
        throw thrown;
      })
    ).close();
    try {
      const { exportId, name } = await makeExport(folder, { studyId: study.id, subjectId: subject.id });
      const path = join(folder.exportsDir, name);
      await copyFile(path, partial, constants.COPYFILE_FICLONE);
      const handle = await open(partial, 'r+');
      await handle.sync().finally(() => handle.close());
      await rename(partial, to);
      await syncDirectory(dirname(to));
      const { file } = await store.exports.require(exportId);
      // The file that was asked for is the only one.
      await store.exports.remove(exportId, 'DELETED', SYSTEM);
      await rm(path, { force: true });
      const facts = { path: to, sizeBytes: file?.sizeBytes ?? 0, sha256: file?.sha256 };
      if (options.json) answer(facts);
      else
        answer(`File: ${to}, ${formatBytes(facts.sizeBytes)}\nSHA-256: ${facts.sha256}\nOpen index.html in it first.`);
    } catch (thrown) {
      await rm(partial, { force: true });
      await rm(to, { force: true });
      throw thrown;
    }
  } finally {
    await folder.close();
  }
  return undefined;
}

/** Runs the job of an export, as the desk would, and so leaves the same entries in the audit trail. */
async function makeExport(
  folder: Awaited<ReturnType<typeof openSite>>,
  { studyId, subjectId }: { studyId: string; subjectId: string },
): Promise<{ exportId: string; name: string }> {
  const engine = await startEngine(folder);
  const progress = await startProgress('Export');
  try {
    const { store } = folder;
    const request = { studyId, format: 'SUBJECT', isDeidentified: false, subjectIds: [subjectId] } as const;
    const { record, job } = await store.exports.request({ ...request, requestedTs: store.session.clock() }, SYSTEM);
    engine.jobs.on('changed', (row: JobRow) => {
      if (row.id === job.id && row.progress) progress.update(row.progress.done, row.progress.total, row.progress.step);
    });
    engine.jobs.announce(job);
    const ended = await engine.jobs.whenEnded(job.id);
    if (ended.state !== 'done')
      throw ended.error ? errorFromJSON(ended.error) : new OutpostError('CANCELLED', 'The export was cancelled.');
    return { exportId: record.id, name: (await store.exports.require(record.id)).file!.name };
  } finally {
    progress.stop();
    await engine.close();
  }
}

/**
 * `outpost erase-subject`. Asks for no password: write access to the site folder is enough for more than this.
 * @throws NOT_FOUND, STUDY_LOCKED, INVALID_INPUT (the confirmation or the reason), SITE_LOCKED
 */
export async function eraseSubject(options: SubjectCommand & { confirm: string; reason: string }): Promise<undefined> {
  const folder = await openSite(options.data);
  try {
    const { store } = folder;
    const study = await findStudy(folder, options.study);
    const subject = await findSubject(folder, study, options.subject);
    const place = { studyId: study.id, subjectId: subject.id };
    const counts = await store.erasures.counts(place);
    const { id } = await store.erasures.order(
      { ...place, confirmation: options.confirm },
      { ...SYSTEM, reason: options.reason },
    );
    await completeErasures(folder.dir, store);
    if (options.json) answer({ id, ...counts });
    else {
      answer(
        `Erased: ${counts.recordings} recordings (${formatBytes(counts.recordingBytes)}), ${counts.days} days of metrics, ` +
          `${counts.annotations} reports and labels, ${counts.messages} messages, ${counts.exports} exports.\n` +
          'The next backup into each folder removes the older ones there. Delete files that left the site yourself.',
      );
    }
  } finally {
    await folder.close();
  }
  return undefined;
}
