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
 * Cancels cooperatively: a running thread is asked to stop and awaited, never terminated. Node aborts the whole process (SIGABRT,
 * "close before init") when a thread is terminated within `zstdCompressSync`, which every page write calls. This happened within
 * 300 terminations, and never in as many with SQLite, CRC-32 or file I/O.
 */
export class WorkerPool {
  readonly #piscina: Piscina;
  readonly #threads: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param options.entry the worker's file: `entry.ts` when run from sources, its bundle in a built app */
  constructor(options: { entry: URL; threads?: number }) {
    this.#threads = options.threads ?? THREADS;
    this.#piscina = new Piscina({
      filename: options.entry.href,
      minThreads: 0,
      maxThreads: this.#threads,
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
    await this.#thread(options.signal);
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
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Resolves once a thread is free and reserves it for the caller. */
  async #thread(signal: AbortSignal | undefined): Promise<void> {
    while (!signal?.aborted && this.#running >= this.#threads) {
      const free = Promise.withResolvers<void>();
      this.#waiting.push(free.resolve);
      signal?.addEventListener('abort', () => free.resolve(), { once: true });
      await free.promise;
      const place = this.#waiting.indexOf(free.resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
    }
    if (signal?.aborted) {
      // Cancelled after being woken: wake the next waiter.
      if (this.#running < this.#threads) this.#waiting.shift()?.();
      throw cancelled();
    }
    this.#running += 1;
  }

  /** Waits for running tasks, then stops the threads. */
  async close(): Promise<void> {
    while (this.#running > 0) {
      const ended = Promise.withResolvers<void>();
      this.#waiting.push(ended.resolve);
      await ended.promise;
    }
    await this.#piscina.destroy();
  }
}

const cancelled = () => new OutpostError('CANCELLED', 'The work was cancelled.');
