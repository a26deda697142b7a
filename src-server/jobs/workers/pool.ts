/** The worker threads that read and write bulk data, so that the main thread stays free for the desk. */
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { errorFromJSON, OutpostError, toOutpostError } from '../../errors.ts';
import type { WorkerAnswer, WorkerMessage, WorkerTasks } from './tasks.ts';

export interface WorkerCallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: WorkerMessage) => void;
}

/** Buffers of bulk work hang on small objects: a young generation of V8's usual 48 MB lets ten times that pile up. */
const YOUNG_GENERATION_MEGABYTES = 6;
const THREADS = 2;

/**
 * A running thread is never terminated, only asked to stop and awaited. Node ends the whole process (SIGABRT, "close before
 * init") when a thread is terminated within `zstdCompressSync`, which writes every page of a signal file: seen within 300
 * terminations, and never in as many with SQLite, CRC-32 or files.
 */
export class WorkerPool {
  readonly #piscina: Piscina;
  readonly #threads: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param entry the worker's file: `entry.ts` from sources, its bundle in a built app. */
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
   * Runs one task. Rejects with CANCELLED when `signal` fires: at once while it waits for a thread, else when the task has
   * stopped. Other failures reject with the worker's OutpostError.
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
      // Cancelled after it was woken: pass the thread on.
      if (this.#running < this.#threads) this.#waiting.shift()?.();
      throw cancelled();
    }
    this.#running += 1;
  }

  /** Waits for running tasks. */
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
