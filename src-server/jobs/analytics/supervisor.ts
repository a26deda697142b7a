/**
 * Keeps one analytics process alive and speaks the contract with it: ids, deadlines, cancel, progress. When the process
 * dies, every pending call is rejected with ANALYTICS_CRASHED and the next call starts a new process, with back-off.
 */

import { fork } from 'node:child_process';
import { afterAwake } from '../../awake-time.ts';
import { MINUTE_MS } from '../../durations.ts';
import { errorFromJSON, OutpostError, toOutpostError } from '../../errors.ts';
import { pause } from '../pause.ts';
import type { AnalyticsMethod, AnalyticsMethods, FromAnalytics, StoredWindow, ToAnalytics } from './contract.ts';

/** The supervisor's interface to a process, implemented by Electron's utility process and Node's child process. */
export interface ChildPort {
  send(message: ToAnalytics): void;
  onMessage(listener: (message: FromAnalytics) => void): void;
  onExit(listener: (reason: string) => void): void;
  kill(): void;
  readonly pid: number | undefined;
  /** The end of what it wrote to stderr, where that is kept: the stack of an error that ended it. */
  readonly lastOutput?: string;
}

export type ForkProcess = (entry: URL) => ChildPort;

/**
 * Options of V8 for the analytics process. A small nursery: the work is on typed arrays outside the heap, and what little
 * garbage there is must not spread over a hundred megabytes first.
 */
export const ANALYTICS_ENGINE_OPTIONS: readonly string[] = ['--max-semi-space-size=8'];

/**
 * Environment of the analytics process. One arena of glibc's allocator: V8 frees large arrays on its own threads, and with an arena
 * per thread freed memory stays where nothing else can use it. Ignored elsewhere.
 */
export const analyticsEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, MALLOC_ARENA_MAX: '1' });

/** Kept of what a process writes to stderr: V8's report of a full heap has 3 KB. */
const LAST_OUTPUT_CHARACTERS = 16_384;

/** Forks a Node child. Messages use structured clone, so typed arrays stay typed arrays. */
export const forkNode: ForkProcess = (entry) => forkNodeWith(entry, []);

/** As {@link forkNode}, with further options of Node. */
export function forkNodeWith(entry: URL, nodeOptions: readonly string[]): ChildPort {
  const child = fork(entry, [], {
    serialization: 'advanced',
    // Do not inherit options of the site's process, such as a debugger port.
    execArgv: [...ANALYTICS_ENGINE_OPTIONS, ...nodeOptions],
    env: analyticsEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let lastOutput = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastOutput = (lastOutput + text).slice(-LAST_OUTPUT_CHARACTERS);
    process.stderr.write(text);
  });
  return {
    send: (message) => {
      if (child.connected) child.send(message);
    },
    onMessage: (listener) => void child.on('message', (message) => listener(message as FromAnalytics)),
    onExit: (listener) => {
      // Not `exit`, which may come before the last of stderr.
      child.on('close', (code, signal) => listener(signal ? `ended by ${signal}` : `ended with code ${code}`));
      child.on('error', (error) => listener(error.message));
    },
    kill: () => void child.kill('SIGKILL'),
    get pid() {
      return child.pid;
    },
    get lastOutput() {
      return lastOutput;
    },
  };
}

/** How and when an analytics process ended that nobody ended on purpose. */
export interface AnalyticsCrash {
  /** Such as `ended by SIGSEGV`. */
  reason: string;
  lastOutput: string;
  aliveMs: number;
}

export interface CallOptions {
  deadlineMs: number;
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number; step: string }) => void;
  /** Takes each window, one at a time. The call ends with its error, or after the last one is taken. */
  onWindow?: (window: StoredWindow) => Promise<void>;
}

/** Timeouts of the supervisor; tests shorten them. */
export interface SupervisorTimes {
  /** A cancelled call that has not answered by then is ended by killing its process. */
  cancelGraceMs: number;
  /** A process that is not ready by then is killed. */
  startMs: number;
  /** One that works and neither answers nor reports anything for so long hangs, and is killed. */
  silenceMs: number;
  /** Wait before a start, by the number of failures in a row. */
  backOffMs: readonly number[];
  /** A process that lived this long was healthy; the back-off is reset. */
  healthyMs: number;
}

const TIMES: SupervisorTimes = {
  cancelGraceMs: 5000,
  startMs: 30_000,
  // Between two pages of a recording and between two windows it answers; the longest window takes seconds.
  silenceMs: 3 * MINUTE_MS,
  backOffMs: [0, 250, 1000, 5000, 15_000],
  healthyMs: MINUTE_MS,
};

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: OutpostError): void;
  onProgress: CallOptions['onProgress'];
  onWindow: CallOptions['onWindow'];
  /** Resolves when all windows so far are taken. */
  taking: Promise<void>;
  /** The process that runs the call; absent while one starts. */
  process?: AnalyticsProcess;
  cleanUp(): void;
}

/** One process, from its start until it has exited or was abandoned. */
interface AnalyticsProcess {
  port: ChildPort;
  startedAt: number;
  /** How often it was asked since it last said anything. */
  unanswered: number;
  /** The recording that it is reading, by call. */
  reading: Map<number, string>;
  stopWatching(): void;
}

/** A process is asked so often during the silence after which it is given up. */
const QUESTIONS = 6;

export interface SupervisorOptions {
  entry: URL;
  /** Default: a Node child process. */
  fork?: ForkProcess | undefined;
  times?: Partial<SupervisorTimes> | undefined;
  /** Learns of each process that ended on its own or hung. */
  onCrash?: ((crash: AnalyticsCrash) => void) | undefined;
}

export class AnalyticsSupervisor {
  readonly #entry: URL;
  readonly #fork: ForkProcess;
  readonly #times: SupervisorTimes;
  readonly #onCrash: (crash: AnalyticsCrash) => void;
  #current: AnalyticsProcess | null = null;
  #ready: Promise<AnalyticsProcess> | null = null;
  #failures = 0;
  #nextId = 1;
  readonly #pending = new Map<number, PendingCall>();
  readonly #closing = new AbortController();

  constructor(options: SupervisorOptions) {
    this.#entry = options.entry;
    this.#fork = options.fork ?? forkNode;
    this.#times = { ...TIMES, ...options.times };
    this.#onCrash = options.onCrash ?? (() => undefined);
  }

  /** Process id of the running process, for diagnostics and for tests that kill it. */
  get pid(): number | undefined {
    return this.#current?.port.pid;
  }

  /**
   * Calls a method in the process. Rejects with CANCELLED when `signal` fires, DEADLINE_EXCEEDED when the deadline passes
   * (the process is then ended, as it may hang), ANALYTICS_CRASHED when the process dies or falls silent; its details then name the
   * recording that was being read.
   */
  async call<M extends AnalyticsMethod>(
    method: M,
    request: AnalyticsMethods[M]['request'],
    options: CallOptions,
  ): Promise<AnalyticsMethods[M]['result']> {
    const { signal } = options;
    if (signal?.aborted) throw cancelled();
    if (this.#closing.signal.aborted) throw closing();
    const id = this.#nextId++;
    return await new Promise<AnalyticsMethods[M]['result']>((resolve, reject) => {
      let grace: NodeJS.Timeout | undefined;
      const stopDeadline = afterAwake(options.deadlineMs, () => {
        const seconds = Math.round(options.deadlineMs / 1000);
        this.#giveUp(id, new OutpostError('DEADLINE_EXCEEDED', `The analysis took longer than ${seconds} s.`));
      });
      const onAbort = () => {
        const process = this.#pending.get(id)?.process;
        if (!process) {
          this.#giveUp(id, cancelled());
          return;
        }
        process.port.send({ type: 'cancel', id });
        grace = setTimeout(() => this.#giveUp(id, cancelled()), this.#times.cancelGraceMs);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const call: PendingCall = {
        resolve: resolve as (value: unknown) => void,
        // A window that is being written is finished first: nothing writes into a site that its owner has closed.
        reject: (error) =>
          void call.taking.then(
            () => reject(error),
            () => reject(error),
          ),
        onProgress: options.onProgress,
        onWindow: options.onWindow,
        taking: Promise.resolve(),
        cleanUp: () => {
          stopDeadline();
          clearTimeout(grace);
          signal?.removeEventListener('abort', onAbort);
        },
      };
      this.#pending.set(id, call);
      this.#dispatch(call, { type: 'call', id, method, request }).catch((thrown: unknown) =>
        this.#take(id)?.reject(toOutpostError(thrown)),
      );
    });
  }

  /** Ends a process that has nothing to do, for its memory. The next call starts another one. */
  rest(): void {
    if (this.#pending.size === 0 && this.#current) this.#discard(this.#current);
  }

  /** Ends the process and rejects pending calls. */
  close(): void {
    this.#closing.abort();
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(closing());
    if (this.#current) this.#discard(this.#current);
    this.#ready = null;
  }

  async #dispatch(call: PendingCall, message: Extract<ToAnalytics, { type: 'call' }>): Promise<void> {
    let process = await this.#start();
    // A process abandoned meanwhile would never answer.
    while (process !== this.#current && this.#pending.has(message.id)) process = await this.#start();
    if (!this.#pending.has(message.id)) return;
    call.process = process;
    process.port.send(message);
  }

  #start(): Promise<AnalyticsProcess> {
    if (!this.#ready) {
      const starting = this.#launch();
      this.#ready = starting;
      starting.catch(() => {
        if (this.#ready === starting) this.#ready = null;
      });
    }
    return this.#ready;
  }

  async #launch(): Promise<AnalyticsProcess> {
    const { backOffMs, startMs } = this.#times;
    await pause(backOffMs[Math.min(this.#failures, backOffMs.length - 1)] ?? 0, this.#closing.signal);
    if (this.#closing.signal.aborted) throw closing();
    return await new Promise((resolve, reject) => {
      let port: ChildPort;
      try {
        port = this.#fork(this.#entry);
      } catch (thrown) {
        this.#failures++;
        reject(crashed(thrown instanceof Error ? thrown.message : String(thrown)));
        return;
      }
      const process: AnalyticsProcess = {
        port,
        startedAt: performance.now(),
        unanswered: 0,
        reading: new Map(),
        stopWatching: () => undefined,
      };
      this.#current = process;
      const end = (reason: string) => {
        stopTimer();
        reject(this.#closing.signal.aborted ? closing() : crashed(reason));
        this.#onEnd(process, reason);
      };
      const stopTimer = afterAwake(startMs, () => end('did not start'));
      port.onMessage((message) => {
        process.unanswered = 0;
        if (message.type === 'ready') {
          stopTimer();
          this.#watch(process);
          resolve(process);
        } else if (message.type === 'reading') {
          if (message.recordingId === undefined) process.reading.delete(message.id);
          else process.reading.set(message.id, message.recordingId);
        } else if (message.type !== 'alive') this.#receive(message);
      });
      port.onExit(end);
    });
  }

  /** Asks a process that has work now and then whether it still answers: one in an endless loop does not. */
  #watch(process: AnalyticsProcess): void {
    const { silenceMs } = this.#times;
    process.stopWatching = afterAwake(silenceMs / QUESTIONS, () => {
      const isWorking = [...this.#pending.values()].some((call) => call.process === process);
      if (!isWorking) process.unanswered = 0;
      else if (process.unanswered >= QUESTIONS) {
        this.#onEnd(process, `did not answer for ${Math.round(silenceMs / 1000)} s`);
        return;
      } else {
        process.unanswered++;
        process.port.send({ type: 'ask' });
      }
      this.#watch(process);
    });
  }

  /** The process has exited or must: its calls fail, and the next call starts another. */
  #onEnd(process: AnalyticsProcess, reason: string): void {
    if (this.#current !== process) return;
    const wasHealthy = performance.now() - process.startedAt > this.#times.healthyMs;
    this.#failures = wasHealthy ? 1 : this.#failures + 1;
    this.#discard(process);
    for (const [id, call] of [...this.#pending]) {
      if (call.process === process) this.#take(id)?.reject(crashed(reason, process.reading.get(id)));
    }
    const aliveMs = performance.now() - process.startedAt;
    this.#onCrash({ reason, lastOutput: process.port.lastOutput ?? '', aliveMs });
  }

  /** Abandons a process at once, so that no later call is sent to a dying one. */
  #discard(process: AnalyticsProcess): void {
    if (this.#current === process) {
      this.#current = null;
      this.#ready = null;
    }
    process.stopWatching();
    process.port.kill();
  }

  /** Ends a call that does not stop on request by killing the process that runs it. */
  #giveUp(id: number, error: OutpostError): void {
    const call = this.#take(id);
    if (!call) return;
    call.reject(error);
    const { process } = call;
    if (!process) return;
    this.#discard(process);
    for (const [otherId, other] of [...this.#pending]) {
      if (other.process === process) {
        this.#take(otherId)?.reject(crashed('ended because another call in it did not end'));
      }
    }
  }

  #receive(message: Extract<FromAnalytics, { type: 'progress' | 'window' | 'result' | 'error' }>): void {
    if (message.type === 'progress') {
      const { done, total, step } = message;
      this.#pending.get(message.id)?.onProgress?.({ done, total, step });
      return;
    }
    if (message.type === 'window') {
      this.#takeWindow(message.id, message.window);
      return;
    }
    const call = this.#take(message.id);
    if (!call) return;
    // An error is an answer too: the process is healthy.
    this.#failures = 0;
    if (message.type === 'error') call.reject(errorFromJSON(message.error));
    else call.taking.then(() => call.resolve(message.result), call.reject);
  }

  #takeWindow(id: number, window: StoredWindow): void {
    const call = this.#pending.get(id);
    if (!call) return;
    call.taking = call.taking
      .then(() => call.onWindow?.(window))
      .then(
        () => call.process?.port.send({ type: 'taken', id }),
        (thrown: unknown) => {
          const error = toOutpostError(thrown);
          this.#take(id)?.reject(error);
          call.process?.port.send({ type: 'cancel', id });
          throw error;
        },
      );
    // The call is rejected already; this only keeps a result that follows from resolving it.
    call.taking.catch(() => undefined);
  }

  #take(id: number): PendingCall | undefined {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    call?.cleanUp();
    return call;
  }
}

const cancelled = () => new OutpostError('CANCELLED', 'The analysis was cancelled.');
const closing = () => new OutpostError('CANCELLED', 'The site is closing.');
const crashed = (reason: string, recordingId?: string) =>
  new OutpostError(
    'ANALYTICS_CRASHED',
    `The analytics process stopped unexpectedly (${reason}). It restarts automatically.`,
    recordingId === undefined ? {} : { details: { recordingId } },
  );
