/**
 * Anchors of the running site (decision 0072): signs the head of the audit trail after so many rows or minutes and when the site
 * closes, and gives receipts of it. Nothing is written where the trail did not grow. A failure of the disk is reported and made up
 * for by the next anchor; it never fails the change.
 */
import type { AuditAnchorsPort } from '../api/deps.ts';
import { MINUTE_MS } from '../durations.ts';
import { toOutpostError } from '../errors.ts';
import { appendAnchor, type LogEnd, receiptAt } from '../integrity/anchors/anchor-log.ts';
import { type AnchorState, noteAnchored, openAnchors } from '../integrity/anchors/begin.ts';
import { sitePaths } from '../integrity/site-file.ts';
import type { Store } from '../services/index.ts';
import type { AuditReceipt } from '../study/audit-receipt.ts';

/** What a crash leaves without an anchor at most: so many rows, or the rows of so many minutes. */
const ROWS_BETWEEN = 200;
const MINUTES_BETWEEN = 10;

export interface AnchorOptions {
  siteDir: string;
  siteId: string;
  store: Store;
  clock: () => number;
  /** Changes between two anchors; default 200. */
  rowsBetween?: number;
}

export class AuditAnchors {
  readonly #options: AnchorOptions;
  readonly #state: AnchorState;
  readonly #unsubscribe: () => void;
  #end: LogEnd;
  #anchored: { sequence: number; timeTs: number };
  #countChanges = 0;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #onProblem: (problem: unknown) => void = () => undefined;
  #hasFailed = false;
  #closed: Promise<void> | undefined;

  private constructor(options: AnchorOptions, state: AnchorState, sequence: number) {
    this.#options = options;
    this.#state = state;
    this.#end = state.end;
    this.#anchored = { sequence, timeTs: options.clock() };
    this.#unsubscribe = options.store.subscribe(() => this.#noteChange());
  }

  /** Adds the anchor of the opening. @throws failures of the disk */
  static async open(options: AnchorOptions): Promise<AuditAnchors> {
    const { siteDir, siteId, store, clock } = options;
    const { sequence } = await store.audit.head();
    return new AuditAnchors(options, await openAnchors({ siteDir, siteId, store, nowTs: clock() }), sequence);
  }

  /** Receives failures; before, they wait for the next anchor in silence. */
  set onProblem(report: (problem: unknown) => void) {
    this.#onProblem = report;
  }

  /** From which row and time on the trail is anchored, and up to which it is now. */
  get facts(): AuditAnchorsPort['facts'] {
    const { key, since, continued } = this.#state;
    const { sequence, timeTs } = this.#anchored;
    return {
      keyId: key.id,
      sinceTs: since.timeTs,
      sinceSequence: since.sequence,
      anchoredTs: timeTs,
      anchoredSequence: sequence,
      ...(continued && { continued }),
    };
  }

  /** Signs a head for somebody else to keep. */
  receiptOf(head: { sequence: number; hash: string }): AuditReceipt {
    const { siteId, clock } = this.#options;
    return receiptAt(this.#state.key, siteId, head, this.#end, clock());
  }

  /** Adds an anchor now if the trail grew. */
  async anchor(): Promise<void> {
    await this.#queue('rows');
  }

  /** Adds the last anchor. The database must not be written afterwards. Never throws. */
  close(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#timer);
    // Of a folder that is closed twice, the database is gone the second time.
    this.#closed ??= this.#queue('close');
    return this.#closed;
  }

  /** One change has about one row; what counts is that the trail is not asked after each. */
  #noteChange(): void {
    this.#countChanges += 1;
    if (this.#countChanges >= (this.#options.rowsBetween ?? ROWS_BETWEEN)) {
      this.#countChanges = 0;
      void this.anchor();
    } else if (!this.#timer) {
      this.#timer = setTimeout(() => void this.anchor(), MINUTES_BETWEEN * MINUTE_MS);
      this.#timer.unref();
    }
  }

  #queue(kind: 'rows' | 'close'): Promise<void> {
    this.#working = this.#working.then(() => this.#append(kind)).catch((thrown: unknown) => this.#fail(thrown));
    return this.#working;
  }

  async #append(kind: 'rows' | 'close'): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#countChanges = 0;
    const { siteDir, siteId, store, clock } = this.#options;
    const head = await store.audit.head();
    if (kind === 'rows' && head.sequence === this.#anchored.sequence) return;
    const { key } = this.#state;
    const timeTs = clock();
    this.#end = await appendAnchor(sitePaths(siteDir).anchorLog, this.#end, key, { kind, siteId, ...head, timeTs });
    this.#anchored = { sequence: head.sequence, timeTs };
    this.#hasFailed = false;
    await noteAnchored(store, this.#end, key);
  }

  /** Reported once, not every ten minutes. */
  #fail(thrown: unknown): void {
    if (!this.#hasFailed) this.#onProblem(toOutpostError(thrown));
    this.#hasFailed = true;
  }
}
