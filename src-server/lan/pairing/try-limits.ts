/**
 * Slows down guessing of pairing codes: wrong ones count per address and altogether. The addresses of one IPv6 network
 * count as one, as a single computer has as many of them as it likes.
 */
import { OutpostError } from '../../errors.ts';

const WINDOW_MS = 60_000;
const PER_ADDRESS = 5;
const ALTOGETHER = 30;
/** So many wrong codes close every pairing that could have been meant. */
export const TRIES_PER_PAIRING = 60;

export class TryLimits {
  readonly #clock: () => number;
  readonly #what: string;
  #wrong: { source: string; time: number }[] = [];

  /** @param what in words, of the refusal: `pairing codes` */
  constructor(clock: () => number, what = 'pairing codes') {
    this.#clock = clock;
    this.#what = what;
  }

  /**
   * Counts an attempt as wrong until the returned function says otherwise, so that many at once gain nothing.
   * @throws THROTTLED with `retryAfterSeconds` when the address, or all together, had too many wrong codes
   */
  begin(address: string): () => void {
    const now = this.#clock();
    this.#wrong = this.#wrong.filter(({ time }) => now - time < WINDOW_MS);
    const own = this.#wrong.filter(({ source }) => source === sourceOf(address));
    const waits = [
      own.length >= PER_ADDRESS ? own[own.length - PER_ADDRESS] : undefined,
      this.#wrong.length >= ALTOGETHER ? this.#wrong[this.#wrong.length - ALTOGETHER] : undefined,
    ].map((entry) => (entry ? entry.time + WINDOW_MS - now : 0));
    const waitMs = Math.max(...waits);
    if (waitMs <= 0) {
      const entry = { source: sourceOf(address), time: now };
      this.#wrong.push(entry);
      return () => {
        this.#wrong = this.#wrong.filter((other) => other !== entry);
      };
    }
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    throw new OutpostError(
      'THROTTLED',
      `There were too many wrong ${this.#what}. Try again in ${retryAfterSeconds} seconds.`,
      { details: { retryAfterSeconds } },
    );
  }
}

/** The address itself, or the /64 network of an IPv6 one. */
function sourceOf(address: string): string {
  const plain = address.replace(/^::ffff:/i, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = plain.includes('::') ? Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0') : [];
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
