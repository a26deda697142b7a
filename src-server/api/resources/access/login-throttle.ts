/**
 * Rate limit of passwords and other secrets that people choose. Failures bind to who fails: 5 a minute for one name from one network,
 * 20 for one network, 30 for one name from unknown networks. Beyond the limit of its network an attempt is still checked, but only
 * the right password helps: others in that network can sign in, and a wrong answer reveals nothing. A place from which the person
 * signed in before, and this computer itself, depend on their own failures only.
 */
import { isLoopbackName, networkOf, plainAddress, urlHost } from '../../../addresses.ts';
import { FailureCounts, throttled } from '../../../failure-counts.ts';

const PER_PERSON = 5;
const PER_NETWORK = 20;
/** Bounds the processor time that a network can spend on checks of passwords. */
const CHECKED_PER_NETWORK = 120;
const PER_NAME = 30;
const MOST_PLACES = 10_000;

export interface Attempt {
  /** Only a right answer counts: a wrong one is answered with {@link refusal}. */
  refusal?: Error;
  /** Takes the attempt back: the answer was right. */
  succeed(): void;
}

export class LoginThrottle {
  readonly #failures: FailureCounts;
  /** Addresses from which a name succeeded, the latest last. */
  readonly #known = new Set<string>();

  /** @param elapsed monotonic milliseconds */
  constructor(elapsed: () => number) {
    this.#failures = new FailureCounts(elapsed);
  }

  /**
   * Counts an attempt as failed until {@link Attempt.succeed} is called, so that concurrent attempts gain nothing.
   * @throws THROTTLED with `retryAfterSeconds`
   */
  begin(address: string, name: string): Attempt {
    const who = name.trim().toLowerCase();
    const place = `${plainAddress(address)} ${who}`;
    const isKnown = this.#known.has(place);
    const isHere = isLoopbackName(urlHost(plainAddress(address)));
    // Others in the network of a known place must not use up its tries.
    const person = isKnown ? `place ${place}` : `person ${networkOf(address)} ${who}`;
    const network = `network ${networkOf(address)}`;
    const waits = [this.#failures.waitMs(person, PER_PERSON)];
    if (!isKnown) waits.push(this.#failures.waitMs(network, CHECKED_PER_NETWORK));
    if (!isKnown && !isHere) waits.push(this.#failures.waitMs(`name ${who}`, PER_NAME));
    const waitMs = Math.max(...waits);
    if (waitMs > 0) throw tooMany(waitMs);
    const networkWaitMs = isKnown ? 0 : this.#failures.waitMs(network, PER_NETWORK);
    const takeBack = [person, network, ...(isHere ? [] : [`name ${who}`])].map((key) => this.#failures.add(key));
    return {
      ...(networkWaitMs > 0 && { refusal: tooMany(networkWaitMs) }),
      succeed: () => {
        for (const undo of takeBack) undo();
        this.#failures.forget(person);
        this.#know(place);
      },
    };
  }

  #know(place: string): void {
    this.#known.delete(place);
    this.#known.add(place);
    const [oldest] = this.#known;
    if (this.#known.size > MOST_PLACES && oldest !== undefined) this.#known.delete(oldest);
  }
}

const tooMany = (waitMs: number) => throttled('There were too many failed attempts.', waitMs);
