/** Work on folders of backups that requests wait for, on a thread. Passphrases are in no job, which would be stored. */
import type { BackupFoldersPort } from '../api/deps.ts';
import type { WorkerPool } from '../jobs/workers/pool.ts';

export function backupFolders(siteDir: string, workers: Pick<WorkerPool, 'run'>): BackupFoldersPort {
  return {
    encrypt: (directory, passphrase) => workers.run('encryptBackups', { directory, siteDir, passphrase }),
    changePassphrase: async (directory, passphrase, newPassphrase) => {
      await workers.run('changePassphrase', { directory, passphrase, newPassphrase });
    },
  };
}
