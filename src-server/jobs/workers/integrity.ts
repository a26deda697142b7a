/** Worker tasks for backups, backup checks and site verification. All use read-only connections. */

import { overwriteDeletedIn } from '../../db/index.ts';
import { checkInBackground } from '../../integrity/background-check.ts';
import { checkBackup } from '../../integrity/backup/check.ts';
import { removeLocked } from '../../integrity/backup/keep.ts';
import { makeBackup } from '../../integrity/backup/make.ts';
import { restoreSite } from '../../integrity/backup/restore.ts';
import { findCopies, returnFiles } from '../../integrity/backup/return-files.ts';
import { isSealedBackup, unlockFolder } from '../../integrity/backup/sealed/keys.ts';
import { changePassphrase, encryptFolder } from '../../integrity/backup/sealed/passphrase.ts';
import { checkStored } from '../../integrity/backup/sealed/stored.ts';
import { openFolderBackup } from '../../integrity/backup/sources.ts';
import { diskUseOf } from '../../integrity/disk-use.ts';
import { Pace } from '../../integrity/scrub/pace.ts';
import { runScrub } from '../../integrity/scrub/scrub.ts';
import { sitePaths } from '../../integrity/site-file.ts';
import { verifySite } from '../../integrity/verify.ts';
import { openStore, type Store } from '../../services/index.ts';
import type { WorkerContext, WorkerTasks } from './tasks.ts';

type Run<T extends keyof WorkerTasks> = (
  input: WorkerTasks[T]['input'],
  context: WorkerContext,
) => Promise<WorkerTasks[T]['output']>;

export const runBackup: Run<'makeBackup'> = (request, { signal, progress }) =>
  makeBackup(request, { signal, onProgress: progress });

/** Content that no other backup needs goes too, for which the manifests of all others are read. */
export const runRemoval: Run<'removeBackups'> = async ({ directory, ids }) => {
  await removeLocked(directory, ids);
  return null;
};

export const runBackupCheck: Run<'checkBackup'> = async ({ path, contentRoot }, { signal, progress }) => {
  const options = {
    signal,
    onProgress: (done: number, total: number) => progress({ done, total, step: 'reading the backup' }),
  };
  if (isSealedBackup(path)) return await checkStored(path, contentRoot, options);
  return await checkBackup(await openFolderBackup(path, contentRoot), options);
};

/** The key of a passphrase takes a second of processor time, on purpose. */
export const runEncryption: Run<'encryptBackups'> = ({ directory, siteDir, passphrase }) =>
  encryptFolder(directory, siteDir, passphrase);

export const runPassphraseChange: Run<'changePassphrase'> = async ({ directory, passphrase, newPassphrase }) => {
  await changePassphrase(directory, passphrase, newPassphrase);
  return null;
};

export const runPassphraseTrial: Run<'tryPassphrase'> = async ({ directory, passphrase }) => {
  await unlockFolder(directory, passphrase);
  return null;
};

export const runRestore: Run<'restoreBackup'> = (
  { from, to, passphrase, keyFile, erasuresIn, copiesIn },
  { signal, progress },
) =>
  restoreSite(from, to, {
    signal,
    onProgress: progress,
    erasuresIn,
    copiesIn,
    ...(keyFile !== undefined && { keyFile }),
    ...(passphrase !== undefined && { askPassphrase: () => Promise.resolve(passphrase) }),
  });

export const runSearch: Run<'findCopies'> = ({ dir, folders }) =>
  withStore(dir, (store) => findCopies(store, dir, folders));

export const runReturn: Run<'returnFiles'> = ({ dir, folders, passphrase }, { signal }) =>
  withStore(dir, async (store) =>
    returnFiles(dir, await findCopies(store, dir, folders), {
      signal,
      ...(passphrase !== undefined && { passphrase }),
    }),
  );

async function withStore<T>(dir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openStore(sitePaths(dir).database, { readonly: true, isChecked: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The thread that has the database open leaves it alone meanwhile. */
export const runOverwriting: Run<'overwriteDeleted'> = ({ path }) => Promise.resolve(overwriteDeletedIn(path));

export const runMeasure: Run<'measureSite'> = ({ dir }) => diskUseOf(dir);

export const runBackgroundCheck: Run<'checkInBackground'> = (task, context) => checkInBackground(task, context);

/** Stops by the shared word, so that a file which is being read is not read again from its begin. */
export const runScrubbing: Run<'scrubSite'> = ({ pace, share, ...run }) =>
  runScrub(run, new Pace({ shared: pace, ...(share !== undefined && { share }) }));

const STEPS = {
  database: 'checking the database',
  recordings: 'checking recordings',
  audit: 'checking the audit',
  analytics: 'checking metrics',
  summaries: 'checking summaries',
  files: 'checking files',
} as const;

export const runVerify: Run<'verifySite'> = ({ dir }, { signal, progress }) =>
  verifySite(dir, { signal, onProgress: ({ done, total, step }) => progress({ done, total, step: STEPS[step] }) });
