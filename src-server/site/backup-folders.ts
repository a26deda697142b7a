/** Work on folders of backups that requests wait for, on a thread. Passphrases are in no job, which would be stored. */
import type { BackupFoldersPort } from '../api/deps.ts';
import { backupFoldersOf } from '../integrity/backup/file-copies.ts';
import { directoryOf } from '../integrity/backup/keep.ts';
import type { Engine } from './engine.ts';
import type { SiteFolder } from './folder.ts';
import { noteReturned } from './returned-files.ts';

export function backupFolders(
  { dir, store, backupsDir }: SiteFolder,
  { workers, jobs, passphrases }: Pick<Engine, 'workers' | 'jobs' | 'passphrases'>,
): BackupFoldersPort {
  const folders = async () => await backupFoldersOf(dir, [(await directoryOf(store, backupsDir)).directory]);
  return {
    encrypt: (directory, passphrase) => workers.run('encryptBackups', { directory, siteDir: dir, passphrase }),
    changePassphrase: async (directory, passphrase, newPassphrase) => {
      await workers.run('changePassphrase', { directory, passphrase, newPassphrase });
    },
    holdPassphrase: async (directory, passphrase) => {
      await workers.run('tryPassphrase', { directory, passphrase });
      return passphrases.hold(passphrase);
    },
    overwriteDeleted: () => store.whileIdle(() => workers.run('overwriteDeleted', { path: store.path })),
    measure: () => workers.run('measureSite', { dir }),
    findCopies: async () => await workers.run('findCopies', { dir, folders: await folders() }),
    returnFiles: async (passphrase, change) => {
      const input = { dir, folders: await folders(), ...(passphrase !== undefined && { passphrase }) };
      const outcome = await workers.run('returnFiles', input);
      await noteReturned(store, outcome.returned, change, (kind, payload) => jobs.enqueue(kind, payload));
      return outcome;
    },
  };
}
