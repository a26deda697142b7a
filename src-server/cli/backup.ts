import { resolve } from 'node:path';
import { OutpostError } from '../errors.ts';
import { makeBackup } from '../integrity/backup/make.ts';
import { keyFilesIn } from '../integrity/backup/sealed/keys.ts';
import { encryptFolder } from '../integrity/backup/sealed/passphrase.ts';
import { readSiteFile } from '../integrity/site-file.ts';
import { answer, EXIT_PROBLEMS_FOUND, formatBytes, say, startProgress } from './output.ts';
import { readNewPassphrase, readPassphrase } from './passphrase.ts';

/** Backs up a site, running or not. Returns the exit code. */
export async function backup(options: {
  data: string;
  to: string;
  encrypt: boolean;
  passphraseFile?: string;
  json: boolean;
}): Promise<number> {
  if (options.encrypt) await prepareFolder(resolve(options.to), options.data, options.passphraseFile);
  const progress = await startProgress('Backing up');
  const made = await makeBackup(
    { siteDir: options.data, to: resolve(options.to), reason: 'manual', nowTs: Date.now() },
    { onProgress: ({ done, total, step }) => progress.update(done, total, step) },
  ).finally(() => progress.stop());
  for (const problem of made.problems) say(problem);
  if (options.json) answer(made);
  else {
    const { recordings, sizeBytes, newBytes, path, lacking } = made;
    const outcome =
      lacking.length === 0
        ? 'It was verified and is complete.'
        : `It is incomplete: the site has no good copy of ${lacking.join(', ')}. An older backup may contain one.`;
    answer(
      `Backup of ${recordings} recordings in ${path}: ${formatBytes(sizeBytes)}, ${formatBytes(newBytes)} of it new. ${outcome}`,
    );
  }
  return made.outcome === 'complete' ? 0 : EXIT_PROBLEMS_FOUND;
}

/** Makes a new folder one of encrypted backups, or has the site learn the key of one that is. */
async function prepareFolder(directory: string, siteDir: string, file: string | undefined): Promise<void> {
  if (/\.zip$/i.test(directory)) {
    throw new OutpostError(
      'INVALID_INPUT',
      'A ZIP is not encrypted. Name a folder, or encrypt the ZIP with the age program.',
    );
  }
  await readSiteFile(siteDir);
  const read = keyFilesIn(directory).length > 0 ? readPassphrase : readNewPassphrase;
  const passphrase = await read('Passphrase of the backups', file);
  const { isNew } = await encryptFolder(directory, siteDir, passphrase);
  if (isNew) say('Keep the passphrase apart from the backups: without it, nobody can read them.');
}
