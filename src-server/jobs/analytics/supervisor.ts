/**
 * Keeps one analytics process alive and speaks the contract with it: ids, deadlines, cancel, progress. When the process
 * dies, every pending call is rejected with ANALYTICS_CRASHED and a new process is started with back-off.
 */
import { fork } from 'node:child_process';
import { errorFromJSON, OutpostError } from '../../errors.ts';
import type { AnalyticsMethod, AnalyticsMethods, FromAnalytics, ToAnalytics } from './contract.ts';

/** The little that the supervisor needs of a process; Electron's utility process and Node's child fit behind it. */
export interface ChildPort {
  send(message: ToAnalytics): void;
  onMessage(listener: (message: FromAnalytics) => void): void;
  onExit(listener: (reason: string) => void): void;
  kill(): void;
  readonly pid: number | undefined;
}

export type ForkProcess = (entry: URL) => ChildPort;

/** Forks a Node child. Messages use structured clone, so typed arrays stay typed arrays. */
export const forkNode: ForkProcess = (entry) => {
  const child = fork(entry, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    send: (message) => {
      if (child.connected) child.send(message);
    },
    onMessage: (listener) => void child.on('message', (message) => listener(message as FromAnalytics)),
    onExit: (listener) => {
      child.on('exit', (code, signal) => listener(signal ? `ended by ${signal}` : `ended with code ${code}`));
      child.on('error', (error) => listener(error.message));
    },
    kill: () => void child.kill('SIGKILL'),
    get pid() {
      return child.pid;
    },
  };
};

export interface CallOptions {
  deadlineMs: number;
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number; step: string }) => void;
}

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: OutpostError): void;
  onProgress: CallOptions['onProgress'];
  cleanUp(): void;
}

/** A cancelled call that has not answered by then is ended with its process: its result is not wanted any more. */
const CANCEL_GRACE_MS = 5000;
const BACK_OFF_MS = [0, 250, 1000, 5000, 15_000];
/** A process that lived this long was healthy; the back-off starts anew. */
const HEALTHY_MS = 60_000;

export class AnalyticsSupervisor {
  readonly #entry: URL;
  readonly #fork: ForkProcess;
  #child: ChildPort | null = null;
  #ready: Promise<ChildPort> | null = null;
  #startedAt = 0;
  #failures = 0;
  #closed = false;
  #nextId = 1;
  readonly #pending = new Map<number, PendingCall>();

  constructor(options: { entry: URL; fork?: ForkProcess }) {
    this.#entry = options.entry;
    this.#fork = options.fork ?? forkNode;
  }

  /** Process id of the running process, for diagnostics and for tests that kill it. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Calls a method in the process. Rejects with CANCELLED when `signal` fires, DEADLINE_EXCEEDED when the deadline passes
   * (the process is then ended, as it may hang), ANALYTICS_CRASHED when the process dies.
   */
  async call<M extends AnalyticsMethod>(
    method: M,
    request: AnalyticsMethods[M]['request'],
    options: CallOptions,
  ): Promise<AnalyticsMethods[M]['result']> {
    if (options.signal?.aborted) throw new OutpostError('CANCELLED', 'The analysis was cancelled.');
    const child = await this.#start();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      let grace: NodeJS.Timeout | undefined;
      const settle = (error: OutpostError) => {
        const call = this.#pending.get(id);
        if (!call) return;
        this.#pending.delete(id);
        call.cleanUp();
        reject(error);
      };
      const deadline = setTimeout(() => {
        settle(
          new OutpostError('DEADLINE_EXCEEDED', `The analysis took longer than ${Math.round(options.deadlineMs / 1000)} s.`),
        );
        child.kill();
      }, options.deadlineMs);
      const onAbort = () => {
        child.send({ type: 'cancel', id });
        grace = setTimeout(() => {
          settle(new OutpostError('CANCELLED', 'The analysis was cancelled.'));
          child.kill();
        }, CANCEL_GRACE_MS);
      };
      options.signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        resolve: resolve as (value: unknown) => void,
        reject,
        onProgress: options.onProgress,
        cleanUp: () => {
          clearTimeout(deadline);
          clearTimeout(grace);
          options.signal?.removeEventListener('abort', onAbort);
        },
      });
      child.send({ type: 'call', id, method, request });
    });
  }

  /** Ends the process and rejects what is pending. */
  close(): void {
    this.#closed = true;
    const child = this.#child;
    this.#child = null;
    this.#ready = null;
    this.#rejectAll(new OutpostError('CANCELLED', 'The site is closing.'));
    child?.kill();
  }

  #start(): Promise<ChildPort> {
    if (this.#closed) return Promise.reject(new OutpostError('CANCELLED', 'The site is closing.'));
    this.#ready ??= this.#launch();
    return this.#ready;
  }

  async #launch(): Promise<ChildPort> {
    const wait = BACK_OFF_MS[Math.min(this.#failures, BACK_OFF_MS.length - 1)]!;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (this.#closed) throw new OutpostError('CANCELLED', 'The site is closing.');
    const child = this.#fork(this.#entry);
    this.#child = child;
    this.#startedAt = Date.now();
    return new Promise((resolve, reject) => {
      child.onMessage((message) => {
        if (message.type === 'ready') resolve(child);
        else this.#receive(message);
      });
      child.onExit((reason) => {
        const error = new OutpostError(
          'ANALYTICS_CRASHED',
          `The analytics process stopped unexpectedly (${reason}). It is started again by itself.`,
        );
        reject(error);
        if (this.#child !== child) return;
        this.#failures = Date.now() - this.#startedAt > HEALTHY_MS ? 1 : this.#failures + 1;
        this.#child = null;
        this.#ready = null;
        this.#rejectAll(error);
      });
    });
  }

  #receive(message: Exclude<FromAnalytics, { type: 'ready' }>): void {
    const call = this.#pending.get(message.id);
    if (!call) return;
    if (message.type === 'progress') {
      call.onProgress?.({ done: message.done, total: message.total, step: message.step });
      return;
    }
    this.#pending.delete(message.id);
    call.cleanUp();
    if (message.type === 'result') {
      this.#failures = 0;
      call.resolve(message.result);
    } else call.reject(errorFromJSON(message.error));
  }

  #rejectAll(error: OutpostError): void {
    for (const call of this.#pending.values()) {
      call.cleanUp();
      call.reject(error);
    }
    this.#pending.clear();
  }
}
