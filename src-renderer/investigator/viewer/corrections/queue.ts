/**
 * Corrections on their way to the site. Each is in the browser's storage before it counts as made, so that neither a reload nor a
 * site that is away loses one; ids made here let it be sent again without harm.
 */

import { ApiError } from '../../../../src-server/api/contract/client-core.ts';
import type { NewCorrectionInput } from '../../../../src-server/api/contract/index.ts';
import { MAX_CORRECTIONS } from '../../../../src-server/vocabulary/corrections.ts';
import { createStore, type Store } from '../../../shared/store.ts';

export interface Queued {
  order: number;
  /** A correction is sent in the name of the person who made it. */
  userId: string;
  place: { studyId: string; subjectId: string };
  body: NewCorrectionInput;
  reason?: string;
}

export interface QueueState {
  /** In the order of their making. */
  waiting: readonly Queued[];
  /** What the site refused, and would refuse again, with why. */
  refused: readonly { item: Queued; error: Error }[];
  /** Why the last attempt failed; it is repeated. */
  error: Error | null;
}

interface QueueParts {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;
  send: (place: Queued['place'], corrections: NewCorrectionInput[], reason: string | undefined) => Promise<unknown>;
  /** After corrections have arrived. */
  onSent: () => Promise<unknown>;
  /** Runs later; returns how to cancel it. */
  later: (run: () => void, ms: number) => () => void;
  now: () => number;
}

const PREFIX = 'outpost.correction.';
/** Corrections of a moment go in one request. */
const BATCH_MS = 700;
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** Answers that another attempt does not change. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && [400, 403, 404, 409].includes(error.status);

export class CorrectionQueue {
  readonly state: Store<QueueState>;
  readonly #userId: string;
  readonly #place: Queued['place'];
  readonly #parts: QueueParts;
  #sending: ReadonlySet<string> = new Set();
  #cancel: () => void = () => undefined;
  #retryMs = FIRST_RETRY_MS;
  #isClosed = false;

  constructor(userId: string, place: Queued['place'], parts: QueueParts) {
    this.#userId = userId;
    this.#place = place;
    this.#parts = parts;
    this.state = createStore<QueueState>({ waiting: this.#stored(), refused: [], error: null });
    if (this.state.get().waiting.length > 0) this.#plan(0);
  }

  /** What the storage holds of this person and subject, whichever page put it there. */
  #stored(): Queued[] {
    const { storage } = this.#parts;
    const found: Queued[] = [];
    for (let i = 0; i < storage.length; i++) {
      const key = storage.key(i);
      if (!key?.startsWith(PREFIX)) continue;
      try {
        const item = JSON.parse(storage.getItem(key) ?? 'null') as Queued | null;
        if (item?.userId === this.#userId && item.place.subjectId === this.#place.subjectId) found.push(item);
      } catch {
        // Not of this program.
      }
    }
    return found.sort((a, b) => a.order - b.order);
  }

  #set(change: Partial<QueueState>): void {
    this.state.set({ ...this.state.get(), ...change });
  }

  /** @throws DOMException when the storage is full: then nothing was made */
  add(body: NewCorrectionInput, reason: string | undefined): void {
    const { waiting } = this.state.get();
    const order = Math.max(this.#parts.now(), (waiting.at(-1)?.order ?? 0) + 1);
    const item = { order, userId: this.#userId, place: this.#place, body, ...(reason !== undefined && { reason }) };
    this.#parts.storage.setItem(`${PREFIX}${body.id}`, JSON.stringify(item));
    this.#set({ waiting: [...waiting, item] });
    this.#plan(BATCH_MS);
  }

  /** Changes one that has not left yet; false when it has. */
  amend(id: string, change: Partial<NewCorrectionInput>): boolean {
    const { waiting } = this.state.get();
    const item = waiting.find(({ body }) => body.id === id);
    if (!item || this.#sending.has(id)) return false;
    const next = { ...item, body: { ...item.body, ...change } };
    this.#parts.storage.setItem(`${PREFIX}${id}`, JSON.stringify(next));
    this.#set({ waiting: waiting.map((one) => (one === item ? next : one)) });
    this.#plan(BATCH_MS);
    return true;
  }

  /** Gives up what the site refused. */
  discard(id: string): void {
    this.#parts.storage.removeItem(`${PREFIX}${id}`);
    const { waiting, refused } = this.state.get();
    this.#set({
      waiting: waiting.filter(({ body }) => body.id !== id),
      refused: refused.filter(({ item }) => item.body.id !== id),
    });
  }

  /** Sends now what waits. */
  retry(): void {
    this.#retryMs = FIRST_RETRY_MS;
    this.#plan(0);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #plan(ms: number): void {
    this.#cancel();
    if (this.#isClosed) return;
    this.#cancel = this.#parts.later(() => void this.#send(), ms);
  }

  async #send(): Promise<void> {
    // What was made meanwhile is sent after this.
    if (this.#sending.size > 0) return;
    const refused = new Set(this.state.get().refused.map(({ item }) => item.body.id));
    const open = this.state.get().waiting.filter(({ body }) => !refused.has(body.id));
    const [first] = open;
    if (!first) return;
    const differs = open.findIndex(({ reason }) => reason !== first.reason);
    const batch = open.slice(0, Math.min(differs < 0 ? open.length : differs, MAX_CORRECTIONS));
    this.#sending = new Set(batch.map(({ body }) => body.id));
    let retryMs: number | undefined = 0;
    try {
      await this.#sendBatch(batch);
      this.#retryMs = FIRST_RETRY_MS;
      this.#set({ error: null });
    } catch (error) {
      this.#set({ error: error as Error });
      retryMs = this.#retryMs;
      this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
    }
    this.#sending = new Set();
    if (this.state.get().waiting.length > this.state.get().refused.length) this.#plan(retryMs);
  }

  /** A batch is stored as a whole or not at all, so where it is refused, its members go one by one. */
  async #sendBatch(batch: readonly Queued[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    try {
      await this.#parts.send(
        first.place,
        batch.map(({ body }) => body),
        first.reason,
      );
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (batch.length > 1) {
        for (const one of batch) await this.#sendBatch([one]);
        return;
      }
      this.#set({ refused: [...this.state.get().refused, { item: first, error }] });
      return;
    }
    // Read back first, so that no correction is out of sight between the two.
    await this.#parts.onSent().catch(() => undefined);
    const sent = new Set(batch.map(({ body }) => body.id));
    for (const id of sent) this.#parts.storage.removeItem(`${PREFIX}${id}`);
    this.#set({ waiting: this.state.get().waiting.filter(({ body }) => !sent.has(body.id)) });
  }
}
