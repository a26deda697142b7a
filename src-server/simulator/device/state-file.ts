/** What a device must not forget when its power goes: one JSON file, written whole or not at all. */
import { readFile } from 'node:fs/promises';
import { writeDurably } from '../../files/durable-files.ts';

/** Only its owner reads it: the token is in it. */
const MODE = 0o600;

export class StateFile<T> {
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as T;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  /** Resolves when it is on the disk. */
  write(state: T): Promise<void> {
    const text = `${JSON.stringify(state, null, 1)}\n`;
    this.#writing = this.#writing.catch(() => undefined).then(() => writeDurably(this.#path, text, MODE));
    return this.#writing;
  }
}
