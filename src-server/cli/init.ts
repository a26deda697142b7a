import { OutpostError } from '../errors.ts';
import { initSite } from '../site/folder.ts';
import { answer, say } from './output.ts';
import { PASSWORD, readNewPassphrase } from './passphrase.ts';

export async function init(options: {
  data: string;
  account: string;
  email: string;
  passwordFile?: string;
  /** Deprecated, but scripts have it. */
  password?: string;
  timeZone: string;
}): Promise<undefined> {
  const { data, account, email, timeZone } = options;
  const password = await passwordOf(options);
  answer(await initSite(data, { account, email, password, timeZone }));
  return undefined;
}

/** @throws INVALID_INPUT for two passwords */
async function passwordOf({ password, passwordFile }: { password?: string; passwordFile?: string }): Promise<string> {
  if (password === undefined)
    return await readNewPassphrase('Password of the first administrator', passwordFile, PASSWORD);
  if (passwordFile !== undefined)
    throw new OutpostError(
      'INVALID_INPUT',
      'Give the password once: --password and --password-file exclude each other.',
    );
  say(
    'outpost: --password is deprecated: every user of this computer can read a command line, and shells keep it. Use --password-file.',
  );
  return password;
}
