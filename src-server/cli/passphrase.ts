/** Passphrases come from a file or the keyboard: command lines are seen by every user of a computer and kept in histories. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { OutpostError } from '../errors.ts';

/** Instead of a file: what a script writes into the command. */
const STDIN = '-';

/** The first line of `file` (`-`: of stdin), or what is typed, unseen. @throws INVALID_INPUT without a file or a terminal */
export async function readPassphrase(question: string, file: string | undefined): Promise<string> {
  if (file !== undefined) {
    const text = file === STDIN ? await readAll(process.stdin) : await readPassphraseFile(file);
    return (text.split('\n')[0] ?? '').replace(/\r$/, '');
  }
  if (!process.stdin.isTTY) {
    throw new OutpostError(
      'INVALID_INPUT',
      'A passphrase is needed. Name a file that holds it with --passphrase-file.',
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

/** A passphrase that does not exist yet: typed twice at a terminal. @throws INVALID_INPUT also for two different ones */
export async function readNewPassphrase(question: string, file: string | undefined): Promise<string> {
  const passphrase = await readPassphrase(question, file);
  if (file === undefined && (await readPassphrase('The same again', undefined)) !== passphrase) {
    throw new OutpostError('INVALID_INPUT', 'These are two different passphrases. Nothing was changed.');
  }
  return passphrase;
}
