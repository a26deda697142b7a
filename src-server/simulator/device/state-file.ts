/** The durable state of a device: one JSON file, replaced atomically. */
import { readFile } from 'node:fs/promises';
import { writeDurably } from '../../files/durable-files.ts';

/** Readable by the owner only: it holds the token. */
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

  /** Resolves once the state is on disk. */
  write(state: T): Promise<void> {
    const text = `${JSON.stringify(state, null, 1)}\n`;
    this.#writing = this.#writing.catch(() => undefined).then(() => writeDurably(this.#path, text, MODE));
    return this.#writing;
  }
}
