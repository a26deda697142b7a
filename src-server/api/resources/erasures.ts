/** The erasure of a person: what it would remove, and the act, which asks for the password. */
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { restoredFolders } from '../../integrity/backup/restored-folders.ts';
import { completeErasures } from '../../integrity/erasure/complete.ts';
import type { erasureRoutes } from '../contract/resources/erasures.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import type { Handlers } from '../framework/mount.ts';
import { requirePassword } from './access/own-password.ts';

export function erasureHandlers(deps: ApiDeps): Handlers<typeof erasureRoutes> {
  const { erasures, studies, subjects } = deps.store;
  const siteDir = dirname(deps.backupsDir);
  return {
    getErasurePreview: async ({ params: { studyId, subjectId } }) => {
      await subjects.require(subjectId, studyId);
      return {
        ...(await erasures.counts({ studyId, subjectId })),
        isLocked: (await studies.require(studyId)).lockedTs !== undefined,
        isBackupRunning: await isBackupRunning(deps),
        copies: await keptCopies(siteDir, await restoredFolders(deps.store)),
      };
    },
    eraseSubject: async ({ params: { studyId, subjectId }, body, caller, request }) => {
      const { password, reason, confirmation } = body;
      const asked = { for: 'ERASE', entityType: 'subject', entityId: subjectId, studyId, subjectId } as const;
      await requirePassword(deps, caller, request, { password, path: 'password', asked });
      if (await isBackupRunning(deps)) {
        throw new OutpostError('CONFLICT', 'A backup is being made or restored. Erase the subject when it is done.');
      }
      const { id } = await erasures.order({ studyId, subjectId, confirmation }, changeBy(caller, reason));
      for (const jobId of await erasures.workOn(subjectId)) await deps.jobs.cancel(jobId);
      const { waiting } = await completeErasures(siteDir, deps.store, () => deps.backupFolders.overwriteDeleted());
      return { id, isFinished: !waiting.includes(id) };
    },
  };
}

/** A backup would hold the person's rows without their files, or the other way round; a restore would not learn of the erasure. */
async function isBackupRunning({ jobs }: ApiDeps): Promise<boolean> {
  const filter = { studyIds: [], withSiteJobs: true, states: ['running'], limit: 1 } as const;
  const running = await Promise.all(
    (['backup', 'restore'] as const).map(async (kind) => await jobs.list({ ...filter, kind })),
  );
  return running.flat().length > 0;
}

/** Damaged sites that a recovery kept beside this one, and sites that were restored from its backups. */
async function keptCopies(siteDir: string, restored: readonly string[]): Promise<string[]> {
  const names = await readdir(dirname(siteDir)).catch(() => []);
  return [...names.filter((name) => name.startsWith(`${basename(siteDir)}-damaged-`)).sort(), ...restored];
}
