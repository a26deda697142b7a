/**
 * The durable queue: work that outlives a request, a restart or a crash. A job is a row; its handler is code found by the
 * row's kind. What was running when the site ended is queued again on start, so every handler must be safe to repeat.
 */
import { EventEmitter } from 'node:events';
import { type Change, type Store, SYSTEM } from '../db/index.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import type { JobKind, JobPayloads, JobRow, JobState } from './types.ts';

export interface JobContext {
  job: JobRow;
  signal: AbortSignal;
  /** Reports work done so far; cheap, written to the row at most once a second. */
  progress(done: number, total: number, step: string): void;
  /** Keeps facts that a repeated run must know, such as the ids of files it has begun. */
  checkpoint(state: Record<string, unknown>): Promise<void>;
}

/** Does the work of one kind of job and returns its result, which is kept on the row. */
export type JobHandler = (context: JobContext) => Promise<Record<string, unknown>>;

export interface JobEvents {
  changed: [job: JobRow];
  idle: [];
}

/** A job that brings the analytics process down this often is parked. */
const MAX_CRASHES = 3;
/** Other failures that can pass by themselves (`retryable`) are tried again this often. */
const MAX_ATTEMPTS = 3;
const RETRY_AFTER_MS = [1000, 10_000];
const PROGRESS_WRITE_MS = 1000;

interface RunningJob {
  row: JobRow;
  abort: AbortController;
  finished: Promise<void>;
}

export class JobQueue extends EventEmitter<JobEvents> {
  readonly #store: Store['jobs'];
  readonly #handlers: Partial<Record<JobKind, JobHandler>>;
  readonly #concurrency: Record<JobKind, number>;
  readonly #clock: () => number;
  readonly #running = new Map<string, RunningJob>();
  #started = false;
  #closing = false;
  #pumping: Promise<void> | null = null;
  #pumpAgain = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    store: Store['jobs'];
    handlers: Partial<Record<JobKind, JobHandler>>;
    /** How many jobs of a kind may run at once. */
    concurrency: Record<JobKind, number>;
    clock?: () => number;
  }) {
    super();
    this.#store = options.store;
    this.#handlers = options.handlers;
    this.#concurrency = options.concurrency;
    this.#clock = options.clock ?? Date.now;
  }

  /** Puts what a former run of the site left unfinished back into the queue, then begins. */
  async start(): Promise<void> {
    await this.#store.requeueRunning(this.#clock());
    this.#started = true;
    this.#pump();
  }

  /** Adds a job. An analysis widens one of the same subject that still waits: data often comes in several pieces. */
  async enqueue<K extends JobKind>(kind: K, payload: JobPayloads[K], change: Change = SYSTEM): Promise<JobRow> {
    const row =
      (kind === 'analyse' && (await this.#store.widenQueuedAnalysis(payload as JobPayloads['analyse']))) ||
      (await this.#store.add({ kind, payload }, change));
    this.emit('changed', row);
    if (this.#started) this.#pump();
    return row;
  }

  get(id: string): Promise<JobRow | undefined> {
    return this.#store.get(id);
  }

  /** Newest first. */
  list(filter: { studyIds: readonly string[]; states?: readonly JobState[]; limit: number }): Promise<JobRow[]> {
    return this.#store.list(filter);
  }

  /** Resolves with the row once the job has ended in any way. */
  async whenEnded(id: string): Promise<JobRow> {
    const ended = Promise.withResolvers<JobRow>();
    const onChange = (row: JobRow) => {
      if (row.id === id && row.state !== 'queued' && row.state !== 'running') ended.resolve(row);
    };
    this.on('changed', onChange);
    try {
      const row = await this.#store.get(id);
      if (!row) throw new OutpostError('NOT_FOUND', 'There is no such job.');
      onChange(row);
      return await ended.promise;
    } finally {
      this.off('changed', onChange);
    }
  }

  /** Cancels a queued or running job. False when it had ended already. */
  async cancel(id: string): Promise<boolean> {
    const running = this.#running.get(id);
    if (running) {
      running.abort.abort();
      await running.finished;
      return true;
    }
    const row = await this.#store.finishUnlessRunning(id, 'cancelled', this.#clock());
    if (row) this.emit('changed', row);
    return row !== undefined;
  }

  /** Resolves once nothing is queued or running. */
  async whenIdle(): Promise<void> {
    for (;;) {
      await this.#pumping;
      if (this.#running.size === 0 && (await this.#store.countWaiting()) === 0) return;
      await new Promise<void>((resolve) => this.once('idle', resolve));
    }
  }

  /** Stops taking jobs, interrupts the running ones (they go back to the queue) and waits for them. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#timer);
    for (const job of this.#running.values()) job.abort.abort();
    await Promise.all([...this.#running.values()].map((job) => job.finished));
    await this.#pumping;
  }

  #pump(): void {
    if (this.#closing) return;
    if (this.#pumping) {
      this.#pumpAgain = true;
      return;
    }
    this.#pumping = this.#takeJobs().finally(() => {
      this.#pumping = null;
      if (this.#pumpAgain) {
        this.#pumpAgain = false;
        this.#pump();
      } else if (this.#running.size === 0) this.emit('idle');
    });
  }

  async #takeJobs(): Promise<void> {
    for (const kind of Object.keys(this.#handlers) as JobKind[]) {
      while (!this.#closing && this.#countRunning(kind) < this.#concurrency[kind]) {
        const row = await this.#store.takeNext(kind, this.#clock());
        if (!row) break;
        this.#run(row);
      }
    }
    await this.#scheduleRetry();
  }

  /** A job that waits for its retry time needs a timer, as nothing else will wake the queue. */
  async #scheduleRetry(): Promise<void> {
    clearTimeout(this.#timer);
    const next = await this.#store.nextRunAfter();
    if (next === undefined || this.#closing) return;
    const wait = next - this.#clock();
    if (wait > 0) this.#timer = setTimeout(() => this.#pump(), Math.min(wait, 60_000));
  }

  #countRunning(kind: JobKind): number {
    let count = 0;
    for (const job of this.#running.values()) if (job.row.kind === kind) count++;
    return count;
  }

  #run(row: JobRow): void {
    const abort = new AbortController();
    const running: RunningJob = { row, abort, finished: Promise.resolve() };
    this.#running.set(row.id, running);
    this.emit('changed', row);
    running.finished = this.#execute(running).finally(() => {
      this.#running.delete(row.id);
      this.#pump();
    });
  }

  async #execute(running: RunningJob): Promise<void> {
    const { row, abort } = running;
    const handler = this.#handlers[row.kind]!;
    let written = 0;
    const context: JobContext = {
      job: row,
      signal: abort.signal,
      progress: (done, total, step) => {
        row.progress = { done, total, step };
        const now = this.#clock();
        if (now - written < PROGRESS_WRITE_MS) return;
        written = now;
        this.emit('changed', row);
        void this.#store.setProgress(row.id, row.progress).catch(() => undefined);
      },
      checkpoint: async (state) => {
        row.checkpoint = state;
        await this.#store.setCheckpoint(row.id, state);
      },
    };
    try {
      const result = await handler(context);
      await this.#end(await this.#store.finish(row.id, { state: 'done', result }, this.#clock()));
    } catch (thrown) {
      await this.#end(await this.#settleFailure(row, toOutpostError(thrown)));
    }
  }

  async #settleFailure(row: JobRow, error: OutpostError): Promise<JobRow | undefined> {
    const now = this.#clock();
    if (error.kind === 'cancelled') {
      if (this.#closing) return this.#store.requeue(row.id, { runAfterTs: now, attempts: row.attempts - 1 });
      return this.#store.finish(row.id, { state: 'cancelled' }, now);
    }
    if (error.code === 'ANALYTICS_CRASHED') {
      const crashCount = row.crashCount + 1;
      if (crashCount >= MAX_CRASHES) {
        const parked = new OutpostError(
          error.code,
          `This job stopped the analytics process ${crashCount} times and was set aside. Other jobs go on. Last reason: ${error.message}`,
        );
        return this.#store.finish(row.id, { state: 'parked', error: parked.toJSON(), crashCount }, now);
      }
      return this.#store.requeue(row.id, { runAfterTs: now, crashCount });
    }
    const retryable = error.code === 'DEADLINE_EXCEEDED' || error.code === 'DISK_FULL';
    if (retryable && row.attempts < MAX_ATTEMPTS) {
      return this.#store.requeue(row.id, { runAfterTs: now + RETRY_AFTER_MS[row.attempts - 1]!, error: error.toJSON() });
    }
    return this.#store.finish(row.id, { state: 'failed', error: error.toJSON() }, now);
  }

  async #end(row: JobRow | undefined): Promise<void> {
    if (row) this.emit('changed', row);
  }
}
