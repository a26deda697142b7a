import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { simulateSubject } from '../../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../simulator/physiology/write.ts';
import { fixedZone, midnightWindowsBetween, noonWindowsBetween } from '../../study/day-windows.ts';
import { analyseWhole, callWhole } from '../../testing/analyse-whole.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { ANALYTICS_ENTRY } from '../../testing/test-engine.ts';
import { unpackWindow } from './analyse.ts';
import type { AnalyseRequest, AnalysisRecording, FromAnalytics } from './contract.ts';
import { AnalyticsSupervisor, type SupervisorTimes } from './supervisor.ts';

const START_MS = Date.UTC(2024, 4, 14, 15);
const DEADLINE_MS = 100_000;
const ZONE = fixedZone('US/Eastern');

let folder: ReturnType<typeof temporaryFolder>;
let recordings: AnalysisRecording[];
let request: AnalyseRequest;
const supervisors: AnalyticsSupervisor[] = [];

beforeAll(async () => {
  folder = temporaryFolder();
  recordings = [];
  const stopMs = START_MS + 15 * MINUTE_MS;
  const subject = simulateSubject({ seed: 3, timeZone: 'US/Eastern', startMs: START_MS, stopMs, dailyCharging: false });
  for (const recording of subject.recordings) {
    const { path, startUs, stopUs } = await writeSimulatedRecording(folder.path, recording);
    const { recordingId, physicalConfig } = recording.header;
    recordings.push({ recordingId, path, location: physicalConfig.location, startUs, stopUs });
  }
  const windows = noonWindowsBetween(START_MS, stopMs, ZONE);
  const days = midnightWindowsBetween(windows[0]!.startMs, windows[0]!.stopMs, ZONE);
  request = { recordings, windows, reached: [], days, neighbours: [], labels: [] };
});
afterAll(() => folder.remove());
afterEach(() => {
  for (const supervisor of supervisors.splice(0)) supervisor.close();
});

function supervisorOf(times: Partial<SupervisorTimes> = {}): AnalyticsSupervisor {
  const supervisor = new AnalyticsSupervisor({ entry: ANALYTICS_ENTRY, times });
  supervisors.push(supervisor);
  return supervisor;
}

/** Makes a long analysis: the same files under new ids, because results of known recordings are cached. */
let copies = 0;
function longRequest(times: number): AnalyseRequest {
  const many = Array.from({ length: times }, () => recordings).flat();
  return { ...request, recordings: many.map((entry) => ({ ...entry, recordingId: `copy ${copies++}` })) };
}

describe('results', () => {
  it('equal those of the same analysis in this process, byte for byte and repeatedly', async () => {
    const { timing: _timing, ...expected } = await analyseWhole(request);
    expect(expected.windows).toHaveLength(1);
    const { seconds } = unpackWindow(expected.windows[0]!);
    expect(seconds.rrCount.some((count) => count > 0)).toBe(true);
    expect(seconds.activity.some((activity) => activity > 0)).toBe(true);
    for (const supervisor of [supervisorOf(), supervisorOf()]) {
      const progress: { done: number; total: number }[] = [];
      const first = await callWhole(supervisor, request, {
        deadlineMs: DEADLINE_MS,
        onProgress: (step) => progress.push(step),
      });
      expect(first).toMatchObject(expected);
      expect(Buffer.compare(first.windows[0]!.columns, expected.windows[0]!.columns)).toBe(0);
      expect(progress[0]).toMatchObject({ done: 0, total: recordings.length + 1 });
      const second = await callWhole(supervisor, request, { deadlineMs: DEADLINE_MS });
      expect(second).toMatchObject(expected);
    }
  });

  it('come window by window, never more than two that the site has not stored', async () => {
    // Every window holds the recordings, under another date.
    const dates = ['2024-05-15', '2024-05-16', '2024-05-17', '2024-05-18'];
    const windows = dates.map((date) => ({ ...request.windows[0]!, date }));
    const child = fork(ANALYTICS_ENTRY, { serialization: 'advanced', execArgv: [] });
    try {
      const got: string[] = [];
      let isDone = false;
      child.on('message', (message: FromAnalytics) => {
        if (message.type === 'ready') {
          child.send({ type: 'call', id: 1, method: 'analyse', request: { ...request, windows, days: [] } });
        } else if (message.type === 'window') got.push(message.window.window.date);
        else if (message.type === 'result') isDone = true;
      });
      for (const count of [2, 3, 4]) {
        await vi.waitFor(() => expect(got).toEqual(dates.slice(0, count)), { timeout: 20_000 });
        await sleep(300);
        expect(got).toHaveLength(count);
        expect(isDone).toBe(false);
        child.send({ type: 'taken', id: 1 });
      }
      await vi.waitFor(() => expect(isDone).toBe(true), { timeout: 20_000 });
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('ends a call whose window cannot be stored, and keeps the process', async () => {
    const supervisor = supervisorOf();
    const outcome = supervisor.call('analyse', request, {
      deadlineMs: DEADLINE_MS,
      onWindow: async () => {
        throw new OutpostError('DISK_FULL', 'The disk is full.');
      },
    });
    await expect(outcome).rejects.toMatchObject({ code: 'DISK_FULL' });
    const { pid } = supervisor;
    expect((await callWhole(supervisor, request, { deadlineMs: DEADLINE_MS })).windows).toHaveLength(1);
    expect(supervisor.pid).toBe(pid);
  });

  it('rejects an unknown method at once, even during a long call', async () => {
    const supervisor = supervisorOf();
    let isDone = false;
    const long = supervisor.call('analyse', longRequest(3), { deadlineMs: DEADLINE_MS }).then(() => {
      isDone = true;
    });
    const unknown = supervisor.call('divine' as 'analyse', request, { deadlineMs: DEADLINE_MS });
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('divine') });
    expect(isDone).toBe(false);
    await long;
  });
});

describe('the end of a call', () => {
  it('stops a cancelled call between two recordings and keeps the process', async () => {
    const supervisor = supervisorOf();
    const abort = new AbortController();
    const outcome = supervisor.call('analyse', longRequest(20), {
      deadlineMs: DEADLINE_MS,
      signal: abort.signal,
      onProgress: () => abort.abort(),
    });
    await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' });
    const { pid } = supervisor;
    expect((await callWhole(supervisor, request, { deadlineMs: DEADLINE_MS })).windows).toHaveLength(1);
    expect(supervisor.pid).toBe(pid);
  });

  it('kills the process of a cancelled call that does not answer', async () => {
    const supervisor = supervisorOf({ cancelGraceMs: 0 });
    const abort = new AbortController();
    let pid: number | undefined;
    const outcome = supervisor.call('analyse', longRequest(20), {
      deadlineMs: DEADLINE_MS,
      signal: abort.signal,
      onProgress: () => {
        pid ??= supervisor.pid;
        abort.abort();
      },
    });
    await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' });
    await vi.waitFor(() => expect(isAlive(pid!)).toBe(false), { timeout: 10_000 });
    expect((await callWhole(supervisor, request, { deadlineMs: DEADLINE_MS })).windows).toHaveLength(1);
  });

  it('kills the process of a call that exceeds its deadline', async () => {
    const supervisor = supervisorOf();
    await supervisor.call('analyse', request, { deadlineMs: DEADLINE_MS });
    const { pid } = supervisor;
    const outcome = supervisor.call('analyse', longRequest(100), { deadlineMs: 50 });
    await expect(outcome).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await vi.waitFor(() => expect(isAlive(pid!)).toBe(false), { timeout: 10_000 });
  });

  it('rejects every pending call after kill -9 and serves the next one in a new process', async () => {
    const supervisor = supervisorOf({ backOffMs: [0, 10] });
    let pid: number | undefined;
    const first = supervisor.call('analyse', longRequest(20), {
      deadlineMs: DEADLINE_MS,
      onProgress: () => {
        pid ??= supervisor.pid;
        process.kill(pid!, 'SIGKILL');
      },
    });
    const second = supervisor.call('analyse', request, { deadlineMs: DEADLINE_MS });
    const outcomes = await Promise.allSettled([first, second]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ANALYTICS_CRASHED' } });
    }
    expect(String((outcomes[0] as PromiseRejectedResult).reason.message)).toContain('SIGKILL');
    expect((await callWhole(supervisor, request, { deadlineMs: DEADLINE_MS })).windows).toHaveLength(1);
    expect(supervisor.pid).not.toBe(pid);
  });

  it.runIf(process.platform !== 'win32')('kills a process that is stopped in the middle of a call', async () => {
    const supervisor = supervisorOf({ silenceMs: 1000 });
    let pid: number | undefined;
    const outcome = supervisor.call('analyse', longRequest(20), {
      deadlineMs: DEADLINE_MS,
      onProgress: () => {
        pid ??= supervisor.pid;
        process.kill(pid!, 'SIGSTOP');
      },
    });
    await expect(outcome).rejects.toMatchObject({
      code: 'ANALYTICS_CRASHED',
      message: expect.stringContaining('did not answer for 1 s'),
      details: { recordingId: expect.stringMatching(/^copy /) },
    });
    await vi.waitFor(() => expect(isAlive(pid!)).toBe(false), { timeout: 10_000 });
    expect((await callWhole(supervisor, request, { deadlineMs: DEADLINE_MS })).windows).toHaveLength(1);
  });

  it('ends when the parent process is killed', async () => {
    const script = `
      import { AnalyticsSupervisor } from ${JSON.stringify(new URL('./supervisor.ts', import.meta.url).href)};
      const supervisor = new AnalyticsSupervisor({ entry: new URL(${JSON.stringify(ANALYTICS_ENTRY.href)}) });
      await supervisor.call('none', {}, { deadlineMs: 60_000 }).catch(() => undefined);
      console.log(supervisor.pid);
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
  });
});

/** True while the process runs; a zombie counts as ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}
