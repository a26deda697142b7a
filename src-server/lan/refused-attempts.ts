/**
 * Audits refused attempts on the network: wrong, old and foreign tokens, codes and sign-ins, and unreadable announcements. Each
 * address and reason makes one entry immediately and one with the count after a day, so an attacker who tries a thousand times
 * a second can neither hide nor flood the audit.
 */
import { networkOf } from '../addresses.ts';
import { isRecent } from '../clock-rules.ts';
import type { RefusalFacts, RefusalKind } from '../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../durations.ts';
import { type ErrorCodeName, OutpostError } from '../errors.ts';
import type { Store } from '../services/index.ts';

const WINDOW_MS = DAY_MS;
/** Limit of separate entries. Beyond it, as in an attack from many addresses, attempts are counted together. */
const MAX_OPEN = 200;
const SWEEP_EVERY_MS = MINUTE_MS;

export interface RefusedAttempt {
  kind: RefusalKind;
  code: ErrorCodeName;
  /** The message of the response. */
  message: string;
  address: string;
  /** The credential or pairing concerned, counted as one from any address. Absent if unknown. */
  aboutId?: string;
  /** Serial number claimed by the device, unverified. */
  serial?: string;
}

export interface RefusedAttemptsDeps {
  store: Pick<Store, 'refusals'>;
  /** Epoch ms. */
  clock: () => number;
  /** Receives a failure to store an entry; the refusal itself is still answered. */
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

  /** The entries whose day is not over. */
  get open(): readonly RefusalFacts[] {
    return [...this.#open.values()];
  }

  async note(attempt: RefusedAttempt): Promise<void> {
    const { store, clock, onProblem } = this.#deps;
    const nowTs = clock();
    const { kind, code, message, address, aboutId = '', serial } = attempt;
    // An announcement can be refused for many reasons, each with its own remedy.
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

  /** Runs `work` and records a refusal as described by `attempt`, unless that returns undefined. */
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

  /** Stores the counts of entries whose day is over. */
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
