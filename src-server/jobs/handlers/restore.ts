/**
 * Restores a backup as a site of its own, beside the running one, which is only read. A worker makes the site in a folder whose name
 * says that it is unfinished; only a complete site gets the name that was asked for. A run that was interrupted by the end of the
 * program begins again, and one that fails or is cancelled leaves nothing.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { backupFoldersOf } from '../../integrity/backup/file-copies.ts';
import { backupPath } from '../../integrity/backup/folder.ts';
import { namedDirectory } from '../../integrity/backup/keep.ts';
import type { LostFile } from '../../integrity/backup/restore.ts';
import { nameFinished, removeUnfinished, unfinishedFolder } from '../../integrity/backup/restore-target.ts';
import { readSummary } from '../../integrity/backup/summary.ts';
import { readSiteFile, sitePaths } from '../../integrity/site-file.ts';
import { readSiteKey } from '../../integrity/site-key.ts';
import type { JobRow, RestorePayload } from '../../study/jobs.ts';
import type { HeldPassphrases } from '../held-passphrases.ts';
import type { JobHandler } from '../queue.ts';
import type { JobDeps } from './deps.ts';

/** How many lost files a job's result lists; the restored site marks all. */
const LISTED_FILES = 200;

export function restoreHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const { folder, backup, passphraseId } = context.job.payload as RestorePayload;
    const unfinished = unfinishedFolder(folder, context.job.id);
    try {
      const complete = context.job.checkpoint?.restored as Record<string, unknown> | undefined;
      if (complete && [unfinished, folder].some((dir) => existsSync(sitePaths(dir).siteFile))) {
        await nameFinished(unfinished, folder);
        return complete;
      }
      await removeUnfinished(unfinished);
      const from = backupPath(namedDirectory(deps.backupsDir, backup.directory), backup.id);
      const passphrase = heldPassphrase(deps.passphrases, passphraseId);
      const keyFile = await keyFileFor(deps.siteDir, from);
      const {
        backupPath: _path,
        problems: _problems,
        lost,
        ...facts
      } = await deps.disk.watchFolder(
        dirname(folder),
        context.signal,
        async (signal) =>
          await deps.workers.run(
            'restoreBackup',
            {
              from,
              to: unfinished,
              erasuresIn: [deps.siteDir],
              copiesIn: [...(await backupFoldersOf(deps.siteDir)), deps.siteDir],
              ...(keyFile !== undefined && { keyFile }),
              ...(passphrase !== undefined && { passphrase }),
            },
            { signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
          ),
      );
      const lostFiles: LostFile[] = lost.slice(0, LISTED_FILES);
      const restored = { ...facts, folder, lost: lostFiles, countLost: lost.length };
      // From here on a repeated run only gives the site its name.
      await context.checkpoint({ restored });
      await nameFinished(unfinished, folder);
      return restored;
    } catch (thrown) {
      await removeUnfinished(unfinished).catch(() => undefined);
      const error = toOutpostError(thrown);
      // People know the folder by the name that they chose.
      throw new OutpostError(error.code, error.message.replaceAll(unfinished, folder), {
        ...(error.details && { details: error.details }),
        cause: thrown,
      });
    }
  };
}

function heldPassphrase(passphrases: HeldPassphrases, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const held = passphrases.get(id);
  if (held !== undefined) return held;
  throw new OutpostError(
    'BACKUP_ENCRYPTED',
    'Outpost was restarted, and the passphrase is not stored. Nothing was restored: start the restore again and enter it.',
  );
}

/** The key of a site is in no backup. It belongs to a restored copy of the same site, and to no other. */
async function keyFileFor(siteDir: string, from: string): Promise<string | undefined> {
  const { keyFile } = sitePaths(siteDir);
  const [site, summary] = await Promise.all([readSiteFile(siteDir), readSummary(from)]);
  if (summary?.siteId !== site.id) return undefined;
  return (await readSiteKey(keyFile).catch(() => undefined)) ? keyFile : undefined;
}

/** Forgets the passphrase of a job that has ended, and removes what a cancelled one left while it waited for its turn. */
export async function endRestore(passphrases: HeldPassphrases, { id, state, payload }: JobRow): Promise<void> {
  const { passphraseId, folder } = payload as RestorePayload;
  if (passphraseId !== undefined) passphrases.forget(passphraseId);
  if (state !== 'done') await removeUnfinished(unfinishedFolder(folder, id));
}
