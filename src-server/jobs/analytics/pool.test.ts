import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../durations.ts';
import type { AnalyseRequest, AnalyseResult, FromAnalytics, ToAnalytics } from './contract.ts';
import { AnalyticsPool } from './pool.ts';
import type { ChildPort } from './supervisor.ts';

const REQUEST: AnalyseRequest = { recordings: [], windows: [], reached: [], days: [], neighbours: [], labels: [] };
const RESULT: AnalyseResult = { days: [], problems: [], timing: { featuresMs: 1, windowsMs: 2 } };

class FakeProcess implements ChildPort {
  readonly pid: number;
  readonly calls: number[] = [];
  isKilled = false;
  #say: (message: FromAnalytics) => void = () => undefined;

  constructor(pid: number) {
    this.pid = pid;
  }

  send(message: ToAnalytics): void {
    if (message.type === 'call') this.calls.push(message.id);
  }

  onMessage(listener: (message: FromAnalytics) => void): void {
    this.#say = listener;
    queueMicrotask(() => listener({ type: 'ready' }));
  }

  onExit(): void {
    // These processes end only when they are killed.
  }

  kill(): void {
    this.isKilled = true;
  }

  answer(): void {
    this.#say({ type: 'result', id: this.calls.shift()!, result: RESULT });
  }
}

const ENTRY = new URL('file:///entry.ts');
let processes: FakeProcess[];
let pool: AnalyticsPool;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  processes = [];
  const fork = () => {
    const process = new FakeProcess(processes.length + 1);
    processes.push(process);
    return process;
  };
  pool = new AnalyticsPool({ entry: ENTRY, fork, processes: 2, idleMs: MINUTE_MS });
});
afterEach(() => {
  pool.close();
  vi.useRealTimers();
});

const call = (subject: string) => pool.call('analyse', subject, REQUEST, { deadlineMs: 10 * MINUTE_MS });
/** Lets promises settle. */
const settle = () => vi.advanceTimersByTimeAsync(0);
const waiting = () => processes.map(({ calls }) => calls.length);

it('starts a second process only for calls side by side', async () => {
  for (const subject of ['a', 'b']) {
    const answer = call(subject);
    await settle();
    processes[0]!.answer();
    expect(await answer).toEqual(RESULT);
  }
  expect(pool.pids).toEqual([1]);
  const both = [call('a'), call('b')];
  await settle();
  expect(waiting()).toEqual([1, 1]);
  for (const process of processes) process.answer();
  await Promise.all(both);
  expect(pool.pids).toEqual([1, 2]);
});

it('returns to the process that had the subject, unless another one has less to do', async () => {
  const both = [call('a'), call('b')];
  await settle();
  for (const process of processes) process.answer();
  await Promise.all(both);
  const again = call('b');
  await settle();
  expect(waiting()).toEqual([0, 1]);
  const third = call('b');
  await settle();
  expect(waiting()).toEqual([1, 1]);
  for (const process of processes) process.answer();
  await Promise.all([again, third]);
});

it('ends an idle process beyond the first, and starts another one for the next call', async () => {
  const both = [call('a'), call('b')];
  await settle();
  for (const process of processes) process.answer();
  await Promise.all(both);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(processes.map(({ isKilled }) => isKilled)).toEqual([false, true]);
  expect(pool.pids).toEqual([1]);
  const later = [call('a'), call('b')];
  await settle();
  expect(waiting()).toEqual([1, 0, 1]);
  processes[0]!.answer();
  processes[2]!.answer();
  await Promise.all(later);
});

it('rejects pending calls of every process when it closes', async () => {
  const both = [call('a'), call('b')];
  await settle();
  pool.close();
  for (const outcome of both) await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(processes.every(({ isKilled }) => isKilled)).toBe(true);
});
