import { resolve } from 'node:path';
import { SYSTEM } from '../db/index.ts';
import { backupFoldersOf } from '../integrity/backup/file-copies.ts';
import { directoryOf } from '../integrity/backup/keep.ts';
import { findCopies, returnFiles } from '../integrity/backup/return-files.ts';
import { openSite } from '../site/folder.ts';
import { noteReturned } from '../site/returned-files.ts';
import { answer, EXIT_PROBLEMS_FOUND, say, startProgress } from './output.ts';
import { readPassphrase } from './passphrase.ts';

/** Puts lost and damaged files of a site back from its backups. Returns the exit code. */
export async function putFilesBack(options: {
  data: string;
  backups: string[];
  passphraseFile?: string;
  json: boolean;
}): Promise<number> {
  // The Backups page of a running site does the same.
  const site = await openSite(options.data);
  const { store, dir, backupsDir } = site;
  const progress = await startProgress('Putting files back');
  try {
    const named = options.backups.map((path) => resolve(path));
    const { directory } = await directoryOf(store, backupsDir);
    const wanted = await findCopies(store, dir, await backupFoldersOf(dir, [...named, directory]));
    const isLocked = wanted.some(({ copies }) => copies.length > 0 && copies.every(({ isEncrypted }) => isEncrypted));
    const passphrase = isLocked ? await readPassphrase('Passphrase of the backups', options.passphraseFile) : undefined;
    const outcome = await returnFiles(dir, wanted, {
      ...(passphrase !== undefined && { passphrase }),
      onProgress: (done, total) => progress.update(done, total, 'comparing and copying'),
    });
    await noteReturned(store, outcome.returned, SYSTEM, (kind, payload) => store.jobs.queue(kind, payload, SYSTEM));
    progress.stop();
    const missing = wanted.filter(({ copies }) => copies.length === 0);
    for (const { file } of missing) say(`${file}: no backup has it. Name another folder with --backups.`);
    for (const { file, message } of outcome.failed) say(`${file}: ${message}`);
    const returned = outcome.returned.map(({ file, from }) => ({ file, ...(from && { from }) }));
    if (options.json) answer({ ...outcome, returned, missing: missing.map(({ file }) => file) });
    else answer(`Files put back: ${returned.length} of ${wanted.length}.`);
    return returned.length === wanted.length ? 0 : EXIT_PROBLEMS_FOUND;
  } finally {
    progress.stop();
    await site.close();
  }
}
