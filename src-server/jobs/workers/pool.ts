/** The pool of worker threads for bulk reads and writes, which keep the main thread free for requests. */
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { errorFromJSON, OutpostError, toOutpostError } from '../../errors.ts';
import type { WorkerAnswer, WorkerMessage, WorkerTasks } from './tasks.ts';

export interface WorkerCallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: WorkerMessage) => void;
}

/** Small JS objects hold large external buffers: with V8's default young generation of 48 MB, ten times that can accumulate. */
const YOUNG_GENERATION_MEGABYTES = 6;
const THREADS = 2;
/**
 * Threads for the files that devices deliver, as many again as for other work. Exports, backups and verifications take minutes and
 * are not interrupted; on threads of their own, a hub's day waits for none of them. Idle threads end.
 */
const ARRIVAL: ReadonlySet<keyof WorkerTasks> = new Set(['checkUpload']);
/** One more for a second of work that a person waits for in a dialog, for the same reason. */
const ASKED: ReadonlySet<keyof WorkerTasks> = new Set([
  'encryptBackups',
  'changePassphrase',
  'tryPassphrase',
  'recogniseFile',
]);

/**
 * Cancels cooperatively: a running thread is asked to stop and awaited, never terminated. Node aborts the whole process (SIGABRT,
 * "close before init") when a thread is terminated within `zstdCompressSync`, which every page write calls. This happened within
 * 300 terminations, and never in as many with SQLite, CRC-32 or file I/O.
 */
export class WorkerPool {
  readonly #piscina: Piscina;
  readonly #arrivals: Places;
  readonly #asked = new Places(1);
  readonly #others: Places;

  /** @param options.entry the worker's file: `entry.ts` when run from sources, its bundle in a built app */
  constructor(options: { entry: URL; threads?: number }) {
    const threads = options.threads ?? THREADS;
    this.#arrivals = new Places(threads);
    this.#others = new Places(threads);
    this.#piscina = new Piscina({
      filename: options.entry.href,
      minThreads: 0,
      maxThreads: 2 * threads + 1,
      idleTimeout: 10_000,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MEGABYTES },
    });
  }

  /**
   * Runs one task. When `signal` fires, a waiting task rejects at once, a running one after it has stopped.
   *
   * @throws CANCELLED when `signal` fires, and the worker's OutpostError
   */
  async run<T extends keyof WorkerTasks>(
    name: T,
    input: WorkerTasks[T]['input'],
    options: WorkerCallOptions = {},
  ): Promise<WorkerTasks[T]['output']> {
    const places = ARRIVAL.has(name) ? this.#arrivals : ASKED.has(name) ? this.#asked : this.#others;
    await places.take(options.signal);
    const { port1, port2 } = new MessageChannel();
    const onAbort = () => port1.postMessage('cancel');
    options.signal?.addEventListener('abort', onAbort, { once: true });
    port1.on('message', (message: WorkerMessage) => options.onProgress?.(message));
    try {
      const answer = (await this.#piscina.run(
        { input, port: port2 },
        { name, transferList: [port2] },
      )) as WorkerAnswer<T>;
      if ('output' in answer) return answer.output;
      throw errorFromJSON(answer.error);
    } catch (thrown) {
      throw toOutpostError(thrown);
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
      port1.close();
      places.give();
    }
  }

  /** Waits for running tasks, then stops the threads. */
  async close(): Promise<void> {
    await Promise.all([this.#arrivals.whenFree(), this.#asked.whenFree(), this.#others.whenFree()]);
    await this.#piscina.destroy();
  }
}

/** Places for a kind of work, each for one task at a time; who waits longest gets the next one. */
class Places {
  readonly #count: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** Resolves once a place is free and reserves it for the caller. @throws CANCELLED when `signal` fires */
  async take(signal: AbortSignal | undefined): Promise<void> {
    while (!signal?.aborted && this.#taken >= this.#count) {
      const free = Promise.withResolvers<void>();
      this.#waiting.push(free.resolve);
      signal?.addEventListener('abort', () => free.resolve(), { once: true });
      await free.promise;
      const place = this.#waiting.indexOf(free.resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
    }
    if (signal?.aborted) {
      // Cancelled after being woken: wake the next waiter.
      if (this.#taken < this.#count) this.#waiting.shift()?.();
      throw cancelled();
    }
    this.#taken += 1;
  }

  give(): void {
    this.#taken -= 1;
    this.#waiting.shift()?.();
  }

  async whenFree(): Promise<void> {
    while (this.#taken > 0) {
      const ended = Promise.withResolvers<void>();
      this.#waiting.push(ended.resolve);
      await ended.promise;
    }
  }
}

const cancelled = () => new OutpostError('CANCELLED', 'The work was cancelled.');
