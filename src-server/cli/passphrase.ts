/** Passwords and passphrases come from a file or the keyboard: command lines are seen by every user of a computer and kept in histories. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { OutpostError } from '../errors.ts';

/** Instead of a file: what a script writes into the command. */
const STDIN = '-';

/** What is asked for, and the option that names a file with it. */
export interface Secret {
  noun: string;
  option: string;
}

const PASSPHRASE: Secret = { noun: 'passphrase', option: '--passphrase-file' };
export const PASSWORD: Secret = { noun: 'password', option: '--password-file' };

/** The first line of `file` (`-`: of stdin), or what is typed, unseen. @throws INVALID_INPUT without a file or a terminal */
export async function readPassphrase(
  question: string,
  file: string | undefined,
  { noun, option }: Secret = PASSPHRASE,
): Promise<string> {
  if (file !== undefined) {
    const text = file === STDIN ? await readAll(process.stdin) : await readPassphraseFile(file);
    return (text.split('\n')[0] ?? '').replace(/\r$/, '');
  }
  if (!process.stdin.isTTY) {
    throw new OutpostError(
      'INVALID_INPUT',
      `A ${noun} is needed. Name a file that holds it with ${option}, or - for stdin.`,
    );
  }
  process.stderr.write(`${question}: `);
  // A terminal that writes nothing back.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await reader.question('');
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}

async function readPassphraseFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    throw new OutpostError('NOT_FOUND', `The file ${file} does not exist. Check the path.`);
  }
}

/** One that does not exist yet: typed twice at a terminal. @throws INVALID_INPUT also for two different ones */
export async function readNewPassphrase(
  question: string,
  file: string | undefined,
  secret: Secret = PASSPHRASE,
): Promise<string> {
  const passphrase = await readPassphrase(question, file, secret);
  if (file === undefined && (await readPassphrase('The same again', undefined, secret)) !== passphrase) {
    throw new OutpostError('INVALID_INPUT', `These are two different ${secret.noun}s. Nothing was changed.`);
  }
  return passphrase;
}
