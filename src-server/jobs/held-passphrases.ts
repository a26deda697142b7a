/** Passphrases of jobs that wait or run, in memory only: the row of a job is stored, and with it what its payload holds. */
import { randomUUID } from 'node:crypto';

export class HeldPassphrases {
  readonly #held = new Map<string, string>();

  /** Returns the name by which a job gets the passphrase. */
  hold(passphrase: string): string {
    const id = randomUUID();
    this.#held.set(id, passphrase);
    return id;
  }

  /** Undefined once the site has been opened again. */
  get(id: string): string | undefined {
    return this.#held.get(id);
  }

  forget(id: string): void {
    this.#held.delete(id);
  }
}
