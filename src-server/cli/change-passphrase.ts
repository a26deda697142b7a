import { resolve } from 'node:path';
import { OutpostError } from '../errors.ts';
import { isSealedFolder } from '../integrity/backup/sealed/keys.ts';
import { changePassphrase } from '../integrity/backup/sealed/passphrase.ts';
import { answer } from './output.ts';
import { readNewPassphrase, readPassphrase } from './passphrase.ts';

/** Changes the passphrase of a folder of encrypted backups. Needs no site, so it also works where the disk is all that is left. */
export async function changeBackupPassphrase(options: {
  backups: string;
  passphraseFile?: string;
  newPassphraseFile?: string;
  json: boolean;
}): Promise<number> {
  const directory = resolve(options.backups);
  if (!isSealedFolder(directory)) {
    throw new OutpostError('NOT_FOUND', `${directory} is no folder of encrypted backups. Nothing was changed.`);
  }
  const passphrase = await readPassphrase('Present passphrase', options.passphraseFile);
  const next = await readNewPassphrase('New passphrase', options.newPassphraseFile);
  await changePassphrase(directory, passphrase, next);
  if (options.json) answer({ directory });
  else
    answer(
      `All backups in ${directory} now open with the new passphrase. Copies of this folder elsewhere keep the old one.`,
    );
  return 0;
}
