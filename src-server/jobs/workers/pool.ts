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
/** After a cancel, a task that does not answer is ended with its thread; the caller then removes what it had written. */
const CANCEL_GRACE_MS = 5000;

export class WorkerPool {
  readonly #piscina: Piscina;
  readonly #cancelGraceMs: number;

  /** @param entry the worker's file: `entry.ts` from sources, its bundle in a built app. */
  constructor(options: { entry: URL; threads?: number; cancelGraceMs?: number }) {
    this.#cancelGraceMs = options.cancelGraceMs ?? CANCEL_GRACE_MS;
    this.#piscina = new Piscina({
      filename: options.entry.href,
      minThreads: 0,
      maxThreads: options.threads ?? 2,
      idleTimeout: 10_000,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MEGABYTES },
    });
  }

  /** Runs one task. Rejects with CANCELLED when `signal` fires; other failures come as the worker's OutpostError. */
  async run<T extends keyof WorkerTasks>(
    name: T,
    input: WorkerTasks[T]['input'],
    options: WorkerCallOptions = {},
  ): Promise<WorkerTasks[T]['output']> {
    if (options.signal?.aborted) throw cancelled();
    const { port1, port2 } = new MessageChannel();
    const kill = new AbortController();
    let grace: NodeJS.Timeout | undefined;
    const onAbort = () => {
      port1.postMessage('cancel');
      grace = setTimeout(() => kill.abort(), this.#cancelGraceMs);
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    port1.on('message', (message: WorkerMessage) => options.onProgress?.(message));
    try {
      const answer = (await this.#piscina.run(
        { input, port: port2 },
        { name, transferList: [port2], signal: kill.signal },
      )) as WorkerAnswer<T>;
      if ('output' in answer) return answer.output;
      throw errorFromJSON(answer.error);
    } catch (thrown) {
      throw kill.signal.aborted ? cancelled() : toOutpostError(thrown);
    } finally {
      clearTimeout(grace);
      options.signal?.removeEventListener('abort', onAbort);
      port1.close();
    }
  }

  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}

const cancelled = () => new OutpostError('CANCELLED', 'The work was cancelled.');
