/**
 * Who was turned away on the network: wrong, old and foreign tokens, codes and sign-ins, and announcements that nobody can
 * read. Each address and reason is one entry of the audit at once, and another with how often it was once its day is over,
 * so that a stranger who asks a thousand times a second can neither hide nor fill the audit.
 */
import { networkOf } from '../addresses.ts';
import { isRecent } from '../clock-rules.ts';
import type { RefusalFacts, RefusalKind } from '../db/index.ts';
import { type ErrorCodeName, OutpostError } from '../errors.ts';
import type { Store } from '../services/index.ts';

const WINDOW_MS = 24 * 3_600_000;
/** More at once can only be an attack from many addresses: what goes beyond counts together. */
const MAX_OPEN = 200;
const SWEEP_EVERY_MS = 60_000;

export interface RefusedAttempt {
  kind: RefusalKind;
  code: ErrorCodeName;
  /** The sentence that was answered. */
  message: string;
  address: string;
  /** Credential or pairing that was meant: it counts as one wherever it comes from. Absent when none could be. */
  aboutId?: string;
  /** Serial number that the device said; nobody has proven it. */
  serial?: string;
}

export interface RefusedAttemptsDeps {
  store: Pick<Store, 'refusals'>;
  /** Epoch ms. */
  clock: () => number;
  /** Hears that an entry could not be written: the refusal itself is answered all the same. */
  onProblem: (problem: unknown) => void;
}

export class RefusedAttempts {
  readonly #deps: RefusedAttemptsDeps;
  readonly #open = new Map<string, RefusalFacts>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(deps: RefusedAttemptsDeps) {
    this.#deps = deps;
    this.#sweeper = setInterval(() => void this.sweep(), SWEEP_EVERY_MS);
    this.#sweeper.unref();
  }

  /** Those of which more may come, with how many there were so far. */
  get open(): readonly RefusalFacts[] {
    return [...this.#open.values()];
  }

  async note(attempt: RefusedAttempt): Promise<void> {
    const { store, clock, onProblem } = this.#deps;
    const nowTs = clock();
    const { kind, code, message, address, aboutId = '', serial } = attempt;
    // A device can be told many sentences about what it announced, and each asks for another remedy.
    const reason = kind === 'UPLOAD' ? message : code;
    let key = [kind, reason, aboutId || networkOf(address)].join('\n');
    let isOther = false;
    if (!this.#open.has(key) && this.#open.size >= MAX_OPEN) {
      key = kind;
      isOther = true;
    }
    const known = this.#open.get(key);
    if (known && isRecent(known.sinceTs, WINDOW_MS, nowTs)) {
      known.attempts += 1;
      known.lastTs = nowTs;
      return;
    }
    const first: RefusalFacts = {
      kind,
      code,
      message,
      aboutId: isOther ? '' : aboutId,
      ...(!isOther && { address }),
      ...(serial !== undefined && !isOther && { serial }),
      attempts: 1,
      sinceTs: nowTs,
      lastTs: nowTs,
    };
    this.#open.set(key, first);
    try {
      if (known) await this.#conclude(known);
      await store.refusals.note(first);
    } catch (thrown) {
      onProblem(thrown);
    }
  }

  /** Runs what may be refused, and notes why it was. `attempt` says of whom; undefined notes nothing. */
  async orNote<T>(
    work: () => Promise<T>,
    attempt: (refusal: OutpostError) => Omit<RefusedAttempt, 'code' | 'message'> | undefined,
  ): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const about = thrown instanceof OutpostError ? attempt(thrown) : undefined;
      if (thrown instanceof OutpostError && about) {
        await this.note({ ...about, code: thrown.code, message: thrown.message });
      }
      throw thrown;
    }
  }

  /** Writes down how often those were refused whose day is over. */
  async sweep(): Promise<void> {
    const nowTs = this.#deps.clock();
    for (const [key, refusal] of this.#open) {
      if (isRecent(refusal.sinceTs, WINDOW_MS, nowTs)) continue;
      this.#open.delete(key);
      await this.#conclude(refusal).catch(this.#deps.onProblem);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const open = this.open;
    this.#open.clear();
    for (const refusal of open) await this.#conclude(refusal).catch(this.#deps.onProblem);
  }

  async #conclude(refusal: RefusalFacts): Promise<void> {
    if (refusal.attempts > 1) await this.#deps.store.refusals.note(refusal);
  }
}
