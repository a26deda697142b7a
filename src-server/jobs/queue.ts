/**
 * The durable job queue: work that outlives a request, a restart or a crash. A job is a row, and its kind selects the handler.
 * Jobs that were running when the site ended are queued again on start, so every handler must be idempotent.
 */

import { EventEmitter } from 'node:events';
import { type Change, type Key, SYSTEM } from '../db/index.ts';
import { MINUTE_MS } from '../durations.ts';
import { ERROR_CODES, OutpostError, toOutpostError } from '../errors.ts';
import type { Store } from '../services/index.ts';
import { REPEATABLE_JOBS } from '../study/job-actions.ts';
import type { ExportPace, JobKind, JobPayloads, JobRow, JobState } from '../study/jobs.ts';
import { pause } from './pause.ts';
import type { JobOrder } from './turns.ts';

export interface JobContext {
  job: JobRow;
  signal: AbortSignal;
  /** Reports progress. Cheap: written to the row at most once a second. */
  progress(done: number, total: number, step: string, pace?: ExportPace): void;
  /** Stores a checkpoint for a repeated run, such as the ids of files it has begun. */
  checkpoint(state: Record<string, unknown>): Promise<void>;
}

/** Runs one kind of job and returns its result, which is stored on the row. */
export type JobHandler = (context: JobContext) => Promise<Record<string, unknown>>;

export interface JobEvents {
  /** A job was added, began, progressed or ended. */
  changed: [job: JobRow];
  /** No job is running; some may still wait for their time. */
  idle: [];
  closed: [];
}

/** A job that crashes the analytics process this often is parked. */
const MAX_CRASHES = 3;
/** Jobs that wait for room on a full disk, however long it takes. */
const WAITS_FOR_ROOM: ReadonlySet<JobKind> = new Set(['analyse', 'receive']);
const ROOM_RETRY_MS = MINUTE_MS / 2;
/** Other transient failures (a full disk, a deadline) are retried this often. */
const MAX_ATTEMPTS = 3;
/** A job that was running during this many unclean ends of the site is parked. */
const MAX_ENDS = 10;
const RETRY_AFTER_MS = [1000, 10_000];
const PROGRESS_WRITE_MS = 1000;
/** Poll interval while the database cannot be read or written (a full disk). */
const STORE_RETRY_MS = 2000;
const LONGEST_TIMER_MS = MINUTE_MS;

interface RunningJob {
  row: JobRow;
  abort: AbortController;
  /** A person cancelled the job; otherwise an abort means that the site is closing. */
  isCancelled: boolean;
  finished: Promise<void>;
}

export class JobQueue extends EventEmitter<JobEvents> {
  readonly #store: Store['jobs'];
  readonly #handlers: Partial<Record<JobKind, JobHandler>>;
  readonly #concurrency: Partial<Record<JobKind, number>>;
  readonly #orders: Partial<Record<JobKind, JobOrder>>;
  readonly #cleanUps: Partial<Record<JobKind, (job: JobRow) => Promise<void>>>;
  readonly #clock: () => number;
  readonly #onProblem: (problem: unknown) => void;
  readonly #isSiteAway: () => boolean;
  readonly #running = new Map<string, RunningJob>();
  readonly #closeSignal = new AbortController();
  #started = false;
  #pumping: Promise<void> | null = null;
  #pumpAgain = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #subscribe: Store['subscribe'] | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(options: {
    store: Store['jobs'];
    /** Learns of each commit: a service may store a job in its own transaction. */
    subscribe?: Store['subscribe'];
    handlers: Partial<Record<JobKind, JobHandler>>;
    /** How many jobs of a kind may run at once; default 1. */
    concurrency?: Partial<Record<JobKind, number>>;
    /** The order of a kind; default: jobs run in order of arrival. */
    orders?: Partial<Record<JobKind, () => JobOrder>>;
    /** Called once a job of the kind has ended: done, failed or cancelled. */
    cleanUps?: Partial<Record<JobKind, (job: JobRow) => Promise<void>>>;
    clock?: () => number;
    /** Receives failures outside of handlers: rows that cannot be written, listeners that throw. */
    onProblem?: (problem: unknown) => void;
    /** True while the folder of the site cannot be used: a job that fails then is repeated later. */
    isSiteAway?: () => boolean;
  }) {
    super();
    this.setMaxListeners(0);
    this.#store = options.store;
    this.#subscribe = options.subscribe;
    this.#handlers = options.handlers;
    this.#concurrency = options.concurrency ?? {};
    this.#orders = Object.fromEntries(Object.entries(options.orders ?? {}).map(([kind, order]) => [kind, order()]));
    this.#cleanUps = options.cleanUps ?? {};
    this.#clock = options.clock ?? Date.now;
    this.#onProblem = options.onProblem ?? (() => undefined);
    this.#isSiteAway = options.isSiteAway ?? (() => false);
  }

  get #isClosing(): boolean {
    return this.#closeSignal.signal.aborted;
  }

  /** Queues jobs again that were unfinished when the site ended, then starts. */
  async start(): Promise<void> {
    await this.#store.requeueRunning(this.#clock(), MAX_ENDS);
    this.#started = true;
    this.#unsubscribe =
      this.#subscribe?.(({ entityType, action }) => {
        if (entityType === 'job' && action === 'job.add') this.#pump();
      }) ?? this.#unsubscribe;
    this.#pump();
  }

  /** Adds a job, or extends a waiting analysis. */
  async enqueue<K extends JobKind>(kind: K, payload: JobPayloads[K], change: Change = SYSTEM): Promise<JobRow> {
    const row = await this.#store.queue(kind, payload, change);
    this.#changed(row);
    this.#pump();
    return row;
  }

  /** Wakes the queue for a job that another transaction stored. */
  announce(row: JobRow): void {
    this.#changed(row);
    this.#pump();
  }

  get(id: string): Promise<JobRow | undefined> {
    return this.#store.get(id);
  }

  /** Newest first. */
  list(filter: {
    studyIds: readonly string[];
    withSiteJobs?: boolean;
    states?: readonly JobState[];
    kind?: JobKind;
    limit: number;
    after?: Key;
  }): Promise<JobRow[]> {
    return this.#store.list(filter);
  }

  /** Resolves with the row once the job has ended, with whichever outcome. @throws NOT_FOUND; CANCELLED when the queue closes first */
  async whenEnded(id: string): Promise<JobRow> {
    const ended = Promise.withResolvers<JobRow>();
    const onChange = (row: JobRow) => {
      if (row.id === id && row.state !== 'queued' && row.state !== 'running') ended.resolve(row);
    };
    const onClose = () => ended.reject(closing());
    this.on('changed', onChange);
    this.on('closed', onClose);
    // May reject before anyone awaits it.
    ended.promise.catch(() => undefined);
    try {
      const row = await this.#store.get(id);
      if (!row) throw new OutpostError('NOT_FOUND', 'There is no such job.');
      onChange(row);
      if (this.#isClosing) onClose();
      return await ended.promise;
    } finally {
      this.off('changed', onChange);
      this.off('closed', onClose);
    }
  }

  /**
   * Cancels a waiting, running or parked job and waits for its end. Returns false when the job ended before the cancellation
   * reached it.
   */
  async cancel(id: string): Promise<boolean> {
    for (;;) {
      const running = this.#running.get(id);
      if (running) {
        running.isCancelled = true;
        running.abort.abort();
        await running.finished;
      }
      const row = await this.#store.finishUnlessRunning(id, 'cancelled', this.#clock());
      if (row) {
        await this.#ended(row);
        this.#pump();
        return true;
      }
      const state = (await this.#store.get(id))?.state;
      if (state !== 'running') return state === 'cancelled' && running !== undefined;
      // Claimed, but its handler has not started yet; the claim in progress starts it.
      if (!this.#running.has(id) && !this.#pumping) return false;
      await this.#pumping;
    }
  }

  /**
   * Queues a parked job again, or a failed or cancelled one whose input still exists, with its counters reset. Undefined when it
   * cannot be retried.
   */
  async retry(id: string, change: Change): Promise<JobRow | undefined> {
    const row = await this.#store.retry(id, REPEATABLE_JOBS, change);
    if (row) this.announce(row);
    return row;
  }

  /** Whether a job of a kind that matters is running. */
  isRunning(isOf: (kind: JobKind) => boolean): boolean {
    return [...this.#running.values()].some(({ row }) => isOf(row.kind));
  }

  /** Resolves once nothing is queued or running. @throws CANCELLED when the queue closes first */
  async whenIdle(): Promise<void> {
    for (;;) {
      if (this.#isClosing) throw closing();
      await this.#pumping;
      // Between this count and the wait below only the queue can run, and it emits `idle`.
      const idle = Promise.withResolvers<void>();
      const onClose = () => idle.reject(closing());
      this.once('idle', idle.resolve);
      this.once('closed', onClose);
      idle.promise.catch(() => undefined);
      try {
        if (!this.#pumping && this.#running.size === 0 && (await this.#store.countWaiting()) === 0) return;
        await idle.promise;
      } finally {
        this.off('idle', idle.resolve);
        this.off('closed', onClose);
      }
    }
  }

  /** Stops claiming jobs, interrupts the running ones, which return to the queue, and waits for them. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#closeSignal.abort();
    clearTimeout(this.#timer);
    for (const job of this.#running.values()) job.abort.abort();
    await this.#pumping;
    await Promise.all([...this.#running.values()].map((job) => job.finished));
    this.emit('closed');
  }

  /** A listener that throws must not stop a job, the queue or the listeners after it. */
  #changed(row: JobRow): void {
    for (const listener of this.listeners('changed')) {
      try {
        listener({ ...row });
      } catch (thrown) {
        this.#onProblem(thrown);
      }
    }
  }

  #pump(): void {
    if (!this.#started || this.#isClosing) return;
    if (this.#pumping) {
      this.#pumpAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#pumping = this.#takeJobs()
      .catch((thrown: unknown) => {
        this.#onProblem(thrown);
        this.#wakeAfter(STORE_RETRY_MS);
      })
      .then(() => {
        this.#pumping = null;
        if (this.#pumpAgain) {
          this.#pumpAgain = false;
          this.#pump();
        } else if (this.#running.size === 0) this.emit('idle');
      });
  }

  async #takeJobs(): Promise<void> {
    const now = this.#clock();
    for (const kind of Object.keys(this.#handlers) as JobKind[]) {
      for (;;) {
        const running = this.#runningOf(kind);
        if (this.#isClosing || running.length >= (this.#concurrency[kind] ?? 1)) break;
        const order = this.#orders[kind];
        const row = order ? await order.take(this.#store, kind, now, running) : await this.#store.takeNext(kind, now);
        if (!row) break;
        if (this.#isClosing) {
          await this.#store.requeue(row.id, { runAfterTs: now, attempts: row.attempts - 1 });
          return;
        }
        this.#run(row);
      }
    }
    // A job scheduled for later needs a timer; nothing else would wake the queue.
    const next = await this.#store.nextDue(now);
    if (next !== undefined) this.#wakeAfter(next - this.#clock());
  }

  #wakeAfter(waitMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosing) return;
    this.#timer = setTimeout(() => this.#pump(), Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS));
  }

  #runningOf(kind: JobKind): JobRow[] {
    return [...this.#running.values()].flatMap(({ row }) => (row.kind === kind ? row : []));
  }

  #run(row: JobRow): void {
    const running: RunningJob = {
      row,
      abort: new AbortController(),
      isCancelled: false,
      finished: Promise.resolve(),
    };
    this.#running.set(row.id, running);
    this.#changed(row);
    running.finished = this.#execute(running).then(async (ended) => {
      if (ended) await this.#ended(ended);
      this.#running.delete(row.id);
      this.#pump();
    });
  }

  /** Never rejects. */
  async #ended(row: JobRow): Promise<void> {
    if (row.state === 'done' || row.state === 'failed' || row.state === 'cancelled') {
      await this.#cleanUps[row.kind]?.(row).catch(this.#onProblem);
    }
    this.#changed(row);
  }

  /** Never rejects. Undefined when the outcome could not be stored: the row stays running, and the next start repeats the job. */
  async #execute(running: RunningJob): Promise<JobRow | undefined> {
    let outcome: (now: number) => Promise<JobRow | undefined>;
    try {
      const result = await this.#handle(running);
      outcome = (now) => this.#store.finish(running.row.id, { state: 'done', result }, now);
    } catch (thrown) {
      const error = toOutpostError(thrown);
      const wasAway = this.#isSiteAway();
      outcome = (now) => this.#settleFailure(running, error, now, wasAway);
    }
    for (;;) {
      try {
        return await outcome(this.#clock());
      } catch (thrown) {
        this.#onProblem(thrown);
        if (this.#isClosing) return undefined;
        await pause(STORE_RETRY_MS, this.#closeSignal.signal);
      }
    }
  }

  async #handle({ row, abort }: RunningJob): Promise<Record<string, unknown>> {
    const handler = this.#handlers[row.kind]!;
    let written = Number.NEGATIVE_INFINITY;
    let isOver = false;
    try {
      return await handler({
        job: row,
        signal: abort.signal,
        progress: (done, total, step, pace) => {
          // A worker's last progress message can arrive after its result.
          if (isOver) return;
          row.progress = { done, total, step, ...(pace && { pace }) };
          // Monotonic, because a demo freezes the site's clock.
          const now = performance.now();
          if (now - written < PROGRESS_WRITE_MS) return;
          written = now;
          this.#changed(row);
          this.#store.setProgress(row.id, row.progress).catch(this.#onProblem);
        },
        checkpoint: async (state) => {
          row.checkpoint = state;
          await this.#store.setCheckpoint(row.id, state);
        },
      });
    } finally {
      isOver = true;
    }
  }

  async #settleFailure(
    running: RunningJob,
    error: OutpostError,
    now: number,
    wasAway: boolean,
  ): Promise<JobRow | undefined> {
    const { row, isCancelled, abort } = running;
    // After an abort, any error of the handler means that it has stopped.
    if (isCancelled) return this.#store.finish(row.id, { state: 'cancelled' }, now);
    if (this.#isClosing && abort.signal.aborted) {
      return this.#store.requeue(row.id, { runAfterTs: now, attempts: row.attempts - 1 });
    }
    if (wasAway) return this.#store.requeue(row.id, { runAfterTs: now, attempts: row.attempts - 1 });
    if (error.kind === 'cancelled') return this.#store.finish(row.id, { state: 'cancelled' }, now);
    if (error.code === 'ANALYTICS_CRASHED') {
      const crashCount = row.crashCount + 1;
      if (crashCount >= MAX_CRASHES) {
        const parked = new OutpostError(
          error.code,
          `This job stopped the analytics process ${crashCount} times and was set aside. Other jobs continue. Last reason: ${error.message}`,
        );
        return this.#store.finish(row.id, { state: 'parked', error: parked.toJSON(), crashCount }, now);
      }
      // Crashes have their own counter and do not use up an attempt.
      return this.#store.requeue(row.id, {
        runAfterTs: now,
        crashCount,
        attempts: row.attempts - 1,
        error: error.toJSON(),
      });
    }
    // A computed day, or a delivered recording, has nobody who would ask for it again once there is room.
    if (error.code === 'DISK_FULL' && WAITS_FOR_ROOM.has(row.kind)) {
      return this.#store.requeue(row.id, {
        runAfterTs: now + ROOM_RETRY_MS,
        attempts: row.attempts - 1,
        error: error.toJSON(),
      });
    }
    const canPass = ERROR_CODES[error.code].retryable && error.kind !== 'internal';
    if (canPass && row.attempts < MAX_ATTEMPTS) {
      return this.#store.requeue(row.id, {
        runAfterTs: now + RETRY_AFTER_MS[row.attempts - 1]!,
        error: error.toJSON(),
      });
    }
    return this.#store.finish(row.id, { state: 'failed', error: error.toJSON() }, now);
  }
}

const closing = () => new OutpostError('CANCELLED', 'The site is closing; the work continues at the next start.');
