/** Restoring a backup from the desk: where it can go, and the job that does it. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Request } from 'express';
import { OutpostError } from '../../../errors.ts';
import type { FoundBackup } from '../../../integrity/backup/folder.ts';
import { openRestores, storedDirectory } from '../../../integrity/backup/keep.ts';
import { SITE_MEMBER } from '../../../integrity/backup/manifest.ts';
import { readBackupPlaces } from '../../../integrity/backup/places.ts';
import { requireKnownSchema } from '../../../integrity/backup/restore.ts';
import {
  requireTarget,
  roomFor,
  suggestedTarget,
  type TargetProblem,
  targetProblem,
} from '../../../integrity/backup/restore-target.ts';
import type { BackupSummary } from '../../../integrity/backup/summary.ts';
import { parseSiteFile } from '../../../integrity/site-file.ts';
import type { RestorePayload } from '../../../study/jobs.ts';
import type { backupRoutes } from '../../contract/resources/backups.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { invalidField } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { requirePassword } from '../access/own-password.ts';
import { toJob } from './job-record.ts';
import { withThrottle } from './passphrase-throttle.ts';

type FindBackup = (id: string, directory: string | undefined) => Promise<FoundBackup & { folder: string }>;

const PROBLEMS: Record<TargetProblem, string> = {
  'no-parent': 'is in a folder that does not exist. Connect its disk, or choose another place',
  'no-folder': 'is a file. Choose a new or empty folder',
  'in-site': 'is in the folder of a site, or contains one. Choose a folder beside it',
  'in-backups': 'is among the backups. Choose a folder outside of them',
};

export function restoreHandlers(
  deps: ApiDeps,
  findBackup: FindBackup,
): Pick<Handlers<typeof backupRoutes>, 'planRestore' | 'restoreBackup'> {
  const siteDir = dirname(deps.backupsDir);
  return {
    planRestore: async ({ params: { backupId }, query }) => {
      const found = await findBackup(backupId, query.directory);
      const { createdTs, sizeBytes } = readable(found);
      const asked = query.folder === undefined ? undefined : await allowedTarget(deps, query.folder, found.folder);
      const folder = asked ?? (await suggestedTarget(siteDir, createdTs));
      const siteName = await nameOfSite(deps, found);
      return {
        folder,
        ...(siteName !== undefined && { siteName }),
        neededBytes: sizeBytes,
        freeBytes: await roomFor(folder, siteDir),
      };
    },
    restoreBackup: async ({ body, caller, request }) => {
      const { backupId } = body;
      const asked = { for: 'RESTORE', entityType: 'site', entityId: deps.siteId } as const;
      const found = await findBackup(backupId, body.directory);
      await requirePassword(deps, caller, request, { password: body.password, path: 'password', asked });
      const summary = readable(found);
      const folder = await allowedTarget(deps, body.folder, found.folder);
      const open = (await openRestores(deps.store)).find(
        ({ state, payload }) => state !== 'parked' && payload.folder === folder,
      );
      if (open?.payload.backup.id === backupId) return toJob(open);
      if (open) throw new OutpostError('CONFLICT', `Another backup is being restored into ${folder}.`);
      await requireTarget(folder, summary.sizeBytes, siteDir);
      const passphraseId = summary.isEncrypted
        ? await heldPassphrase(deps, request, found.folder, body.passphrase)
        : undefined;
      const change = changeBy(caller);
      const directory = storedDirectory(deps.backupsDir, found.folder);
      const payload: RestorePayload = {
        backup: { id: backupId, directory },
        folder,
        ...(passphraseId !== undefined && { passphraseId }),
        requestedBy: change.actor,
      };
      await deps.store.audit.note(change, {
        action: 'backup.restore',
        entityType: 'site',
        entityId: deps.siteId,
        changes: { backup: { new: backupId }, directory: { new: folder } },
      });
      return toJob(await deps.jobs.enqueue('restore', payload, change));
    },
  };
}

/** @throws FILE_DAMAGED, SITE_NEWER */
function readable({ summary, problem, path }: FoundBackup): BackupSummary {
  if (!summary) throw new OutpostError('FILE_DAMAGED', problem?.message ?? `The backup ${path} cannot be read.`);
  requireKnownSchema(summary, path);
  return summary;
}

/** The folder as an absolute path. @throws INVALID_INPUT */
async function allowedTarget(deps: ApiDeps, asked: string, holder: string): Promise<string> {
  if (!isAbsolute(asked) || asked.includes('\0')) throw invalidField('folder', 'must be an absolute path');
  const folder = resolve(asked);
  const siteDir = dirname(deps.backupsDir);
  const noted = (await readBackupPlaces(siteDir))?.places.map(({ path }) => path) ?? [];
  const problem = await targetProblem(folder, { siteDir, backupFolders: [holder, ...noted] });
  if (problem) throw invalidField('folder', PROBLEMS[problem]);
  return folder;
}

/** Of its own backups the site knows its name; an encrypted backup of another site does not tell. */
async function nameOfSite(deps: ApiDeps, { path, summary }: FoundBackup): Promise<string | undefined> {
  if (summary?.siteId === deps.siteId) return deps.siteName;
  if (summary?.isEncrypted) return undefined;
  return await readFile(join(path, SITE_MEMBER), 'utf8').then(
    (text) => parseSiteFile(text).displayName,
    () => undefined,
  );
}

async function heldPassphrase(
  deps: ApiDeps,
  request: Request,
  directory: string,
  passphrase: string | undefined,
): Promise<string> {
  if (passphrase === undefined) throw invalidField('passphrase', 'is needed, because this backup is encrypted');
  return await withThrottle(deps, request, directory, () => deps.backupFolders.holdPassphrase(directory, passphrase));
}
