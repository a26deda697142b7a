/** Lets a page wait for the next change of something, without a message from the program to the page. */

/** A waiting page is answered at the latest after this time, so that a page that is gone is not remembered. */
const WAIT_MS = 25_000;

export class PageNews {
  #version = 0;
  readonly #waiting = new Set<() => void>();

  /** Answers all pages that wait. */
  tell(): void {
    this.#version++;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves with the version as soon as it differs from the one that the page has seen, or after a while. */
  async next(seenVersion: unknown): Promise<number> {
    if (seenVersion !== this.#version) return this.#version;
    await new Promise<void>((done) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        done();
      };
      const timer = setTimeout(wake, WAIT_MS);
      timer.unref();
      this.#waiting.add(wake);
    });
    return this.#version;
  }
}
