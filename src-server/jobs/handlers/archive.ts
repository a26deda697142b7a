/**
 * Makes the archive of a study, names it as the study's newest and tells the requester. Killed anywhere, the job runs again:
 * its file has a name of its own, and one that the study names already is done.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM } from '../../db/index.ts';
import type { JobHandler } from '../queue.ts';
import type { ArchivePayload } from '../types.ts';
import { partialPath } from '../workers/export-recording.ts';
import type { ArchiveOutcome } from '../workers/tasks.ts';
import type { JobDeps } from './deps.ts';

const prefixOf = (studyId: string): string => `study-${studyId}-`;

export function archiveHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const { job } = context;
    const { studyId, requestedTs } = job.payload as ArchivePayload;
    const fileName = `${prefixOf(studyId)}${job.id}.zip`;
    const outputPath = join(deps.exportsDir, fileName);
    const study = await deps.store.studies.require(studyId);
    if (study.export?.file === fileName) return { fileName, sizeBytes: study.export.sizeBytes };
    try {
      const outcome = await deps.workers.run(
        'archiveStudy',
        {
          databasePath: deps.store.path,
          studyId,
          requestedTs,
          dataTs: job.startedTs ?? requestedTs,
          outputPath,
        },
        { signal: context.signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
      );
      await publish(deps, job.payload as ArchivePayload, fileName, outcome);
      return { fileName, ...outcome };
    } catch (thrown) {
      // A thread that was ended leaves what it had written.
      await rm(partialPath(outputPath), { force: true });
      await rm(outputPath, { force: true });
      throw thrown;
    } finally {
      await removeOlder(deps, studyId);
    }
  };
}

/** Names the file as the newest archive, unless a later request was faster, and writes to who asked. */
async function publish(
  deps: JobDeps,
  { studyId, requestedTs, requestedBy }: ArchivePayload,
  file: string,
  { sizeBytes }: ArchiveOutcome,
): Promise<void> {
  await deps.store.transaction(async ({ studies, users, outbox }) => {
    const study = await studies.require(studyId);
    if (study.export === undefined || study.export.requestedTs <= requestedTs) {
      await studies.setExport(studyId, { file, requestedTs, sizeBytes }, requestedBy ? { actor: requestedBy } : SYSTEM);
    }
    const user = requestedBy?.type === 'USER' ? await users.get(requestedBy.id) : undefined;
    if (!user) return;
    const asked = new Date(requestedTs).toISOString().replace(/\.\d+Z$/, 'Z');
    await outbox.add({
      accountId: study.accountId,
      recipient: user.email,
      subject: `The archive of ${study.displayName} is ready`,
      body: `The archive of the study ${study.displayName} that you asked for at ${asked} is ready (${sizeBytes} bytes). Download it from the page of the study.`,
    });
  });
}

/** Only the newest archive of a study is kept, and those that are being written. */
async function removeOlder(deps: JobDeps, studyId: string): Promise<void> {
  const newest = (await deps.store.studies.get(studyId))?.export?.file;
  for (const name of await readdir(deps.exportsDir)) {
    if (!name.startsWith(prefixOf(studyId)) || !name.endsWith('.zip') || name === newest) continue;
    await rm(join(deps.exportsDir, name), { force: true });
  }
}
