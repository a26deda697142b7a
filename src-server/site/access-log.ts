/**
 * Collects who signed in and who opened what, and writes it in batches: a read costs a look into a map and never a write. The same page
 * read again by the same person within ten minutes is one entry with a count. A crash loses the last seconds of entries and
 * counts; closing the site writes all of them.
 */
import { createHmac } from 'node:crypto';
import { networkOf } from '../addresses.ts';
import type { AccessLogPort, AccessNote } from '../api/deps.ts';
import { isRecent } from '../clock-rules.ts';
import type { NewAccessEntry } from '../db/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../durations.ts';
import type { Store } from '../services/index.ts';
import type { AccessKind } from '../vocabulary/access-log.ts';

const FLUSH_EVERY_MS = 5 * SECOND_MS;
const WINDOW_MS = 10 * MINUTE_MS;
const PURGE_EVERY_MS = 6 * HOUR_MS;
/** How much of the oldest time one removal may take: a night with a clock that is years ahead costs days, not the log. */
const PURGE_SPAN_MS = 2 * DAY_MS;
/** A session's last use is written at most this often. */
const USE_EVERY_MS = MINUTE_MS;
/** Of each kind, entries beyond this number of a window are counted together, so that nobody can flood the log. */
const MAX_OPEN = 2000;
const MAX_FAILURES = 200;
/** While nothing can be written. */
const MAX_WAITING = 10_000;
/** Kinds that a person or program repeats all the time. */
const COUNTED: ReadonlySet<AccessKind> = new Set(['READ', 'DOWNLOAD', 'EXPORT', 'SIGN_IN_FAILED']);

interface OpenEntry {
  content: NewAccessEntry;
  sequence?: number;
  /** The count or the last time differ from what is stored. */
  isChanged: boolean;
}

interface Use {
  usedTs: number;
  address: string;
  storedTs: number;
}

export interface AccessLogOptions {
  store: Pick<Store, 'accessLog' | 'tokens' | 'settings' | 'accounts'>;
  /** Names that no user has are stored as hashes under this key. */
  siteKey: Uint8Array;
  /** Epoch ms. */
  clock: () => number;
  /** Default: every 5 s. */
  flushEveryMs?: number;
  onProblem: (problem: unknown) => void;
}

export class AccessLog implements AccessLogPort {
  readonly #options: AccessLogOptions;
  /** By what they say; those whose window is over are removed by the next flush. */
  readonly #open = new Map<string, OpenEntry>();
  #waiting: OpenEntry[] = [];
  readonly #uses = new Map<string, Use>();
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();
  #purgedTs = Number.NEGATIVE_INFINITY;
  #hasProblem = false;
  #siteAccountId: string | undefined;

  constructor(options: AccessLogOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), options.flushEveryMs ?? FLUSH_EVERY_MS);
    this.#timer.unref();
  }

  note(note: AccessNote): void {
    const nowTs = this.#options.clock();
    const isCounted = COUNTED.has(note.kind);
    const key = keyOf(note);
    const known = isCounted ? this.#open.get(key) : undefined;
    if (known && isRecent(known.content.timeTs, WINDOW_MS, nowTs)) {
      known.content.count += 1;
      known.content.lastTs = Math.max(nowTs, known.content.timeTs);
      known.isChanged = true;
      return;
    }
    const limit = note.kind === 'SIGN_IN_FAILED' ? MAX_FAILURES : MAX_OPEN;
    const isTooMany = isCounted && this.#openOf(note.kind) >= limit && !isCombined(note);
    // Combined, only the kind and what failed is left.
    if (isTooMany) {
      this.note(combined(note));
      return;
    }
    const { name, accountId = '', address, ...facts } = note;
    const entry: OpenEntry = {
      content: {
        ...facts,
        accountId,
        timeTs: nowTs,
        lastTs: nowTs,
        count: 1,
        ...(address !== undefined && address !== '' && { address }),
        ...(name !== undefined && { nameHash: this.#hashOf(name) }),
      },
      isChanged: false,
    };
    if (known) this.#retire(key, known);
    if (isCounted) this.#open.set(key, entry);
    this.#waiting.push(entry);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  noteUse(sessionId: string, address: string): void {
    const usedTs = this.#options.clock();
    const known = this.#uses.get(sessionId);
    if (known) {
      known.usedTs = usedTs;
      known.address = address;
    } else this.#uses.set(sessionId, { usedTs, address, storedTs: Number.NEGATIVE_INFINITY });
  }

  lastUse(sessionId: string): { usedTs: number; address: string } | undefined {
    return this.#uses.get(sessionId);
  }

  /** Writes what is not stored yet. Does not throw: what could not be written is tried again. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      try {
        await this.#write(false);
        this.#hasProblem = false;
      } catch (thrown) {
        // A full disk must not fill the log of the program.
        if (!this.#hasProblem) this.#options.onProblem(thrown);
        this.#hasProblem = true;
      }
    });
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing;
    await this.#write(true);
  }

  async #write(isLast: boolean): Promise<void> {
    const { store, clock } = this.#options;
    const nowTs = clock();
    const added = this.#waiting;
    if (added.length > 0) {
      const accountId = await this.#accountOfSite();
      const contents = added.map(({ content }) => ({ ...content, accountId: content.accountId || accountId }));
      // What is counted from here on is a change.
      for (const entry of added) entry.isChanged = false;
      const sequences = await store.accessLog.add(contents);
      for (const [i, entry] of added.entries()) entry.sequence = sequences[i]!;
      this.#waiting = this.#waiting.filter((entry) => entry.sequence === undefined);
    }
    const over = [...this.#open].filter(([, { content }]) => isLast || !isRecent(content.timeTs, WINDOW_MS, nowTs));
    const recounted = [...over.map(([, entry]) => entry), ...this.#retired].filter((entry) => entry.isChanged);
    if (recounted.length > 0) {
      await store.accessLog.recount(
        recounted.flatMap(({ sequence, content: { count, lastTs } }) =>
          sequence === undefined ? [] : [{ sequence, count, lastTs }],
        ),
      );
    }
    this.#retired = [];
    for (const [key] of over) this.#open.delete(key);
    await this.#writeUses(nowTs, isLast);
    if (Math.abs(nowTs - this.#purgedTs) >= PURGE_EVERY_MS) await this.#purge(nowTs);
  }

  async #writeUses(nowTs: number, isLast: boolean): Promise<void> {
    const due = [...this.#uses].filter(
      ([, { usedTs, storedTs }]) => usedTs !== storedTs && (isLast || Math.abs(nowTs - storedTs) >= USE_EVERY_MS),
    );
    if (due.length > 0) {
      const uses = due.map(([tokenId, { usedTs, address }]) => ({ tokenId, usedTs, address }));
      await this.#options.store.tokens.noteUses(uses);
      for (const [i, [, use]] of due.entries()) use.storedTs = uses[i]!.usedTs;
    }
    for (const [id, { usedTs, storedTs }] of this.#uses)
      if (usedTs === storedTs && !isRecent(usedTs, WINDOW_MS, nowTs)) this.#uses.delete(id);
  }

  async #purge(nowTs: number): Promise<void> {
    const { days } = await this.#options.store.settings.get('accessLog.retention');
    await this.#options.store.accessLog.deleteBefore(nowTs - days * DAY_MS, PURGE_SPAN_MS);
    this.#purgedTs = nowTs;
  }

  #retired: OpenEntry[] = [];

  /** Keeps the counts of an entry that another one takes the place of. */
  #retire(key: string, entry: OpenEntry): void {
    this.#open.delete(key);
    if (entry.isChanged) this.#retired.push(entry);
  }

  #openOf(kind: AccessKind): number {
    if (this.#open.size < MAX_FAILURES) return 0;
    let count = 0;
    for (const { content } of this.#open.values()) if (content.kind === kind) count += 1;
    return count;
  }

  /** Names that no user has belong to no account; the first one of the site sees them. */
  async #accountOfSite(): Promise<string> {
    this.#siteAccountId ??= (await this.#options.store.accounts.list())[0]?.id;
    return this.#siteAccountId ?? '';
  }

  /** Shows that the same name was tried again, and nothing else: it may be a password in the wrong field. */
  #hashOf(name: string): string {
    return createHmac('sha256', this.#options.siteKey)
      .update(`access log name\n${name.trim().toLowerCase()}`)
      .digest('hex')
      .slice(0, 16);
  }
}

function keyOf({ address, ...note }: AccessNote): string {
  const { kind, detail, accountId, userId, byUserId, name, studyId, subjectId } = note;
  const from = address === undefined ? '' : networkOf(address);
  return [kind, detail, accountId, userId, byUserId, name, studyId, subjectId, from].join('\n');
}

const combined = ({ kind, detail, accountId }: AccessNote): AccessNote => ({
  kind,
  detail,
  ...(accountId !== undefined && { accountId }),
});
const isCombined = ({ userId, name, address, subjectId, studyId }: AccessNote): boolean =>
  [userId, name, address, subjectId, studyId].every((value) => value === undefined);
