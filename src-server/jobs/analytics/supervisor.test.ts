import { afterEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../durations.ts';
import type { FromAnalytics, StoredWindow, ToAnalytics } from './contract.ts';
import { AnalyticsSupervisor, type ChildPort, type SupervisorTimes } from './supervisor.ts';

const REQUEST = { recordings: [], windows: [], reached: [], days: [], neighbours: [], labels: [] };
const RESULT = { days: [], problems: [], timing: { featuresMs: 0, windowsMs: 0 } };
const ENTRY = new URL('file:///nowhere/entry.ts');

/** A fake process that the test controls. */
class FakeProcess implements ChildPort {
  readonly pid: number;
  readonly sent: ToAnalytics[] = [];
  isKilled = false;
  #onMessage: (message: FromAnalytics) => void = () => undefined;
  #onExit: (reason: string) => void = () => undefined;

  constructor(pid: number) {
    this.pid = pid;
  }

  send(message: ToAnalytics): void {
    this.sent.push(message);
  }
  onMessage(listener: (message: FromAnalytics) => void): void {
    this.#onMessage = listener;
  }
  onExit(listener: (reason: string) => void): void {
    this.#onExit = listener;
  }
  kill(): void {
    this.isKilled = true;
  }
  say(message: FromAnalytics): void {
    this.#onMessage(message);
  }
  exit(reason: string): void {
    this.#onExit(reason);
  }
  get calls(): number[] {
    return this.sent.filter((message) => message.type === 'call').map((message) => message.id);
  }
}

function start(times: Partial<SupervisorTimes> = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const processes: FakeProcess[] = [];
  const supervisor = new AnalyticsSupervisor({
    entry: ENTRY,
    times,
    fork: () => {
      const child = new FakeProcess(1000 + processes.length);
      processes.push(child);
      return child;
    },
  });
  const call = (options: { signal?: AbortSignal; deadlineMs?: number } = {}) => {
    const outcome = supervisor.call('analyse', REQUEST, { deadlineMs: MINUTE_MS, ...options });
    outcome.catch(() => undefined);
    return outcome;
  };
  return { supervisor, processes, call };
}

const turn = () => vi.advanceTimersByTimeAsync(0);

/** Starts the newest process and waits until its calls were sent. */
async function ready(processes: FakeProcess[]): Promise<FakeProcess> {
  await turn();
  const child = processes.at(-1)!;
  child.say({ type: 'ready' });
  await turn();
  return child;
}

afterEach(() => {
  vi.useRealTimers();
});

describe('calls', () => {
  it('starts one process on the first call and routes answers and progress to the right call', async () => {
    const { supervisor, processes, call } = start();
    expect(processes).toEqual([]);
    const progress: unknown[] = [];
    const first = supervisor.call('analyse', REQUEST, { deadlineMs: 1000, onProgress: (step) => progress.push(step) });
    const second = call();
    const child = await ready(processes);
    const [a = -1, b = -1] = child.calls;
    child.say({ type: 'progress', id: a, done: 1, total: 2, step: 'reading' });
    child.say({ type: 'error', id: b, error: { code: 'SIGNAL_FILE_DAMAGED', message: 'Broken.' } });
    child.say({ type: 'result', id: a, result: RESULT });
    child.say({ type: 'result', id: a, result: RESULT });
    expect(await first).toEqual(RESULT);
    await expect(second).rejects.toMatchObject({ code: 'SIGNAL_FILE_DAMAGED', message: 'Broken.' });
    expect(progress).toEqual([{ done: 1, total: 2, step: 'reading' }]);
    expect(processes).toHaveLength(1);
    expect(supervisor.pid).toBe(1000);
  });

  it('hands windows to the caller in order, acknowledges each once it is taken, and resolves after the last', async () => {
    const { supervisor, processes } = start();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const taken: string[] = [];
    let isDone = false;
    const onWindow = async ({ window }: StoredWindow) => {
      await gates[taken.push(window.date) - 1]!.promise;
    };
    const outcome = supervisor.call('analyse', REQUEST, { deadlineMs: MINUTE_MS, onWindow });
    outcome.then(() => {
      isDone = true;
    });
    const child = await ready(processes);
    const id = child.calls[0]!;
    const acknowledged = () => child.sent.filter(({ type }) => type === 'taken').length;
    for (const date of ['a', 'b']) {
      const window = { date, startMs: 0, stopMs: 1 };
      child.say({ type: 'window', id, window: { window, columns: new Uint8Array(1), sleep: [] } });
    }
    child.say({ type: 'result', id, result: RESULT });
    for (const [i, gate] of gates.entries()) {
      await turn();
      expect(taken).toEqual(['a', 'b'].slice(0, i + 1));
      expect([acknowledged(), isDone]).toEqual([i, false]);
      gate.resolve();
    }
    expect(await outcome).toEqual(RESULT);
    expect(acknowledged()).toBe(2);
  });

  it('rejects when a request cannot be sent', async () => {
    const { processes, call } = start();
    const broken = call();
    await turn();
    processes[0]!.send = () => {
      throw new Error('could not be cloned');
    };
    processes[0]!.say({ type: 'ready' });
    await expect(broken).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});

describe('cancel', () => {
  it('asks the process to stop first and keeps one that answers', async () => {
    const { processes, call } = start({ cancelGraceMs: 100 });
    const abort = new AbortController();
    const outcome = call({ signal: abort.signal });
    const child = await ready(processes);
    abort.abort();
    expect(child.sent.at(-1)).toEqual({ type: 'cancel', id: child.calls[0] });
    child.say({ type: 'error', id: child.calls[0]!, error: { code: 'CANCELLED', message: 'Cancelled.' } });
    await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(child.isKilled).toBe(false);
  });

  it('ends a process that does not answer, and no later call is sent to it', async () => {
    const { processes, call } = start({ cancelGraceMs: 100 });
    const abort = new AbortController();
    const outcome = call({ signal: abort.signal });
    const hung = await ready(processes);
    abort.abort();
    await vi.advanceTimersByTimeAsync(99);
    expect(hung.isKilled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(hung.isKilled).toBe(true);
    const next = call();
    const child = await ready(processes);
    expect(child).not.toBe(hung);
    hung.exit('ended by SIGKILL');
    child.say({ type: 'result', id: child.calls[0]!, result: RESULT });
    expect(await next).toEqual(RESULT);
    expect(hung.calls).toHaveLength(1);
  });

  it('ends a call at once while its process still starts', async () => {
    const { processes, call } = start();
    const abort = new AbortController();
    const outcome = call({ signal: abort.signal });
    await turn();
    abort.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await ready(processes)).sent).toEqual([]);
    await expect(call({ signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('deadline', () => {
  it('ends the process that keeps a call too long', async () => {
    const { processes, call } = start();
    const outcome = call({ deadlineMs: 2000 });
    const hung = await ready(processes);
    await vi.advanceTimersByTimeAsync(2000);
    await expect(outcome).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED', message: expect.stringContaining('2 s') });
    expect(hung.isKilled).toBe(true);
  });

  it('includes the start: a process that never becomes ready is ended and reported', async () => {
    const { processes, call } = start({ startMs: 500 });
    const outcome = call();
    await turn();
    await vi.advanceTimersByTimeAsync(500);
    await expect(outcome).rejects.toMatchObject({ code: 'ANALYTICS_CRASHED' });
    expect(processes[0]!.isKilled).toBe(true);
  });
});

describe('crash', () => {
  it('rejects all pending calls with the reason', async () => {
    const { processes, call } = start();
    const outcomes = [call(), call(), call()];
    const child = await ready(processes);
    child.exit('ended by SIGSEGV');
    for (const outcome of outcomes) {
      await expect(outcome).rejects.toMatchObject({
        code: 'ANALYTICS_CRASHED',
        message: expect.stringContaining('SIGSEGV'),
      });
    }
  });

  it('backs off after consecutive failures and restarts at once after a success or a long life', async () => {
    const { processes, call } = start({ backOffMs: [0, 250, 1000], healthyMs: 10_000 });
    /** Makes a call and expects a process to start exactly `waitMs` later. */
    const startsAfter = async (waitMs: number) => {
      const before = processes.length;
      const outcome = call();
      await turn();
      if (waitMs > 0) {
        await vi.advanceTimersByTimeAsync(waitMs - 1);
        expect(processes).toHaveLength(before);
        await vi.advanceTimersByTimeAsync(1);
      }
      expect(processes).toHaveLength(before + 1);
      return { outcome, child: await ready(processes) };
    };
    const crashesAfter = async (waitMs: number, lifeMs = 0) => {
      const { outcome, child } = await startsAfter(waitMs);
      await vi.advanceTimersByTimeAsync(lifeMs);
      child.exit('ended with code 1');
      await expect(outcome).rejects.toMatchObject({ code: 'ANALYTICS_CRASHED' });
    };
    for (const waitMs of [0, 250, 1000, 1000]) await crashesAfter(waitMs);
    await crashesAfter(1000, 20_000);
    await crashesAfter(250);
    const { outcome, child } = await startsAfter(1000);
    child.say({ type: 'result', id: child.calls[0]!, result: RESULT });
    await outcome;
    const last = call();
    await turn();
    child.exit('ended with code 1');
    await expect(last).rejects.toMatchObject({ code: 'ANALYTICS_CRASHED' });
    await crashesAfter(250);
  });

  it('survives a start that fails', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let starts = 0;
    const child = new FakeProcess(1);
    const supervisor = new AnalyticsSupervisor({
      entry: ENTRY,
      fork: () => {
        starts++;
        if (starts === 1) throw new Error('no process can be made');
        return child;
      },
    });
    await expect(supervisor.call('analyse', REQUEST, { deadlineMs: MINUTE_MS })).rejects.toMatchObject({
      code: 'ANALYTICS_CRASHED',
      message: expect.stringContaining('no process can be made'),
    });
    const outcome = supervisor.call('analyse', REQUEST, { deadlineMs: MINUTE_MS });
    await vi.advanceTimersByTimeAsync(1000);
    child.say({ type: 'ready' });
    await turn();
    child.say({ type: 'result', id: child.calls[0]!, result: RESULT });
    expect(await outcome).toEqual(RESULT);
  });
});

describe('close', () => {
  it('ends the process, rejects pending calls and refuses new ones', async () => {
    const { supervisor, processes, call } = start();
    const outcome = call();
    const child = await ready(processes);
    supervisor.close();
    await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(child.isKilled).toBe(true);
    child.exit('ended by SIGKILL');
    await expect(call()).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(processes).toHaveLength(1);
  });

  it('does not start a process whose restart was pending', async () => {
    const { supervisor, processes, call } = start({ backOffMs: [1000] });
    const outcome = call();
    await turn();
    supervisor.close();
    await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(processes).toEqual([]);
  });
});
