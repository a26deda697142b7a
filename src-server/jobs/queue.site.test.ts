import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SYSTEM } from '../db/index.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { OutpostError } from '../errors.ts';
import type { AnalysePayload, ExportPayload, ImportPayload, JobKind, JobRow, ReceivePayload } from '../study/jobs.ts';
import { addTestStudy, openTestStore, type TestStore, type TestStudy } from '../testing/test-store.ts';
import { JOB_ORDERS } from './handlers/index.ts';
import { type JobContext, type JobHandler, JobQueue } from './queue.ts';

let site: TestStore;
let study: TestStudy;
const queues: JobQueue[] = [];

beforeEach(async () => {
  site = openTestStore();
  study = await addTestStudy(site.store);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const queue of queues.splice(0)) await queue.close();
  await site.close();
});

function queueOf(
  handlers: Partial<Record<JobKind, JobHandler>>,
  options: Partial<ConstructorParameters<typeof JobQueue>[0]> = {},
): JobQueue {
  const queue = new JobQueue({
    store: site.store.jobs,
    handlers,
    concurrency: { import: 1, analyse: 1, export: 2, archive: 1, receive: 1 },
    clock: () => site.clock.now,
    ...options,
  });
  queues.push(queue);
  return queue;
}

const exportOf = (recordingId: string): ExportPayload => ({ studyId: study.studyId, recordingId, format: 'edf' });
const analysisOf = (fromMs: number, toMs: number, recordingId = 'r'): AnalysePayload => ({
  studyId: study.studyId,
  subjectId: study.subjectId,
  fromMs,
  toMs,
  recordingIds: [recordingId],
});
const importOf = (path: string): ImportPayload => ({
  studyId: study.studyId,
  subjectId: study.subjectId,
  paths: [path],
  options: {},
  ownsFiles: true,
});
const nameOf = (row: JobRow): string => (row.payload as ExportPayload).recordingId;

/** A gated handler: each run waits until the test releases it, or for the signal. */
class Gate {
  readonly begun: string[] = [];
  readonly contexts: JobContext[] = [];
  readonly #open = new Map<string, PromiseWithResolvers<void>>();

  readonly handler: JobHandler = async (context) => {
    const name = nameOf(context.job);
    const turn = Promise.withResolvers<void>();
    this.#open.set(name, turn);
    this.begun.push(name);
    this.contexts.push(context);
    context.signal.addEventListener('abort', () => turn.reject(new OutpostError('CANCELLED', 'Stopped.')));
    if (context.signal.aborted) turn.reject(new OutpostError('CANCELLED', 'Stopped.'));
    await turn.promise;
    return { name };
  };

  async end(name: string): Promise<void> {
    await vi.waitFor(() => expect(this.#open.has(name)).toBe(true));
    this.#open.get(name)!.resolve();
  }

  async waitFor(count: number): Promise<void> {
    await vi.waitFor(() => expect(this.begun).toHaveLength(count));
  }
}

/** Flushes pending promises and immediates. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe('order and concurrency', () => {
  it('runs jobs in order of arrival, up to the limit of each kind, and kinds in parallel', async () => {
    const exports = new Gate();
    const imports = new Gate();
    const queue = queueOf({ export: exports.handler, import: (context) => imports.handler(context) });
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push((await queue.enqueue('export', exportOf(name))).id);
    await queue.enqueue('import', { ...importOf('/nowhere/file'), recordingId: 'i' } as ImportPayload);
    expect(exports.begun).toEqual([]);
    await queue.start();
    await exports.waitFor(2);
    await imports.waitFor(1);
    expect(exports.begun).toEqual(['a', 'b']);
    await exports.end('b');
    await exports.waitFor(3);
    expect(exports.begun).toEqual(['a', 'b', 'c']);
    await exports.end('c');
    await exports.end('a');
    await exports.end('d');
    await imports.end('i');
    await queue.whenIdle();
    for (const [index, id] of ids.entries()) {
      expect(await queue.get(id)).toMatchObject({
        state: 'done',
        attempts: 1,
        result: { name: ['a', 'b', 'c', 'd'][index] },
        finishedTs: site.clock.now,
      });
    }
  });

  it('takes turns between the devices that deliver, however many files each has', async () => {
    const begun: string[] = [];
    const queue = queueOf(
      {
        receive: async ({ job }) => {
          begun.push((job.payload as ReceivePayload).uploadId);
          return {};
        },
      },
      { orders: JOB_ORDERS },
    );
    for (let i = 1; i <= 20; i++) await queue.enqueue('receive', { uploadId: `a${i}`, deviceId: 'a' });
    for (const device of ['b', 'c'])
      for (let i = 1; i <= 2; i++) await queue.enqueue('receive', { uploadId: `${device}${i}`, deviceId: device });
    // As an earlier version stored it.
    await queue.enqueue('receive', { uploadId: 'old' });
    await queue.start();
    await queue.whenIdle();
    expect(begun.slice(0, 8)).toEqual(['a1', 'b1', 'c1', 'old', 'a2', 'b2', 'c2', 'a3']);
    expect(begun.filter((name) => name.startsWith('a'))).toEqual(Array.from({ length: 20 }, (_, i) => `a${i + 1}`));
  });

  it('analyses the newest day first, the oldest one every fourth time, and a subject never twice at once', async () => {
    const gate = new Gate();
    const begun = gate.begun;
    const queue = queueOf(
      {
        analyse: (context) => {
          const { recordingIds } = context.job.payload as AnalysePayload;
          const payload = exportOf(recordingIds[0] ?? 'known');
          return gate.handler({ ...context, job: { ...context.job, payload } });
        },
      },
      { orders: JOB_ORDERS, concurrency: { analyse: 2 } },
    );
    const add = (subject: string, day: number, isKnown = false) =>
      queue.enqueue('analyse', {
        ...analysisOf(day * DAY_MS, (day + 1) * DAY_MS, `${subject}${day}`),
        subjectId: subjects[subject]!,
        ...(isKnown && { recordingIds: [] }),
      });
    const { studyId } = study;
    const subjects: Record<string, string> = { a: study.subjectId };
    for (const displayName of ['b', 'c']) {
      const { id } = await site.store.subjects.create(studyId, { displayName, timezone: 'UTC' }, SYSTEM);
      subjects[displayName] = id;
    }
    // Computed again without new data: last, although it is about the newest day.
    await add('c', 900, true);
    for (const day of [100, 300, 200]) await add('a', day);
    await add('b', 250);
    await queue.start();
    await gate.waitFor(2);
    expect(begun).toEqual(['a300', 'b250']);
    await gate.end('b250');
    // The other days of the first subject wait for the one that runs.
    await gate.waitFor(3);
    expect(begun[2]).toBe('known');
    await gate.end('a300');
    // The fourth: the one that has waited longest, not the newest.
    await gate.waitFor(4);
    expect(begun[3]).toBe('a100');
    await gate.end('known');
    await gate.end('a100');
    await gate.end('a200');
    await queue.whenIdle();
    expect(begun).toHaveLength(5);
  });

  it('emits every step, even if a listener throws', async () => {
    const problems: unknown[] = [];
    const queue = queueOf({ export: async () => ({ ok: true }) }, { onProblem: (problem) => problems.push(problem) });
    const states: string[] = [];
    queue.on('changed', (row) => {
      states.push(row.state);
      throw new Error('a broken listener');
    });
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    expect(await queue.whenEnded(id)).toMatchObject({ state: 'done', result: { ok: true } });
    expect(states).toEqual(['queued', 'running', 'done']);
    expect(problems).toHaveLength(3);
  });
});

describe('progress and checkpoint', () => {
  it('reports progress on the row and in events, and none after the end', async () => {
    let late: JobContext['progress'] | undefined;
    const gate = new Gate();
    const queue = queueOf({
      export: async (context) => {
        context.progress(3, 10, 'writing');
        late = context.progress;
        return await gate.handler(context);
      },
    });
    const seen: JobRow[] = [];
    queue.on('changed', (row) => seen.push(row));
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    await gate.waitFor(1);
    await settle();
    expect(await queue.get(id)).toMatchObject({ state: 'running', progress: { done: 3, total: 10, step: 'writing' } });
    await gate.end('a');
    await queue.whenEnded(id);
    late?.(10, 10, 'late');
    await settle();
    expect(seen.at(-1)?.state).toBe('done');
    expect((await queue.get(id))?.progress?.step).toBe('writing');
  });

  it('passes the checkpoint of an interrupted run to the next one', async () => {
    const first = new Gate();
    const queue = queueOf({
      export: async (context) => {
        await context.checkpoint({ begun: ['one'] });
        return await first.handler(context);
      },
    });
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    await first.waitFor(1);
    await queue.close();
    expect(await queue.get(id)).toMatchObject({ state: 'queued', attempts: 0 });
    const again = queueOf({ export: async ({ job }) => ({ had: job.checkpoint }) });
    await again.start();
    expect((await again.whenEnded(id)).result).toEqual({ had: { begun: ['one'] } });
  });
});

describe('cancel', () => {
  it('ends a waiting job at once, a running one through its signal, and returns false when there is nothing to cancel', async () => {
    const gate = new Gate();
    const queue = queueOf(
      { export: gate.handler },
      { concurrency: { import: 1, analyse: 1, export: 1, archive: 1, receive: 1 } },
    );
    await queue.start();
    const running = await queue.enqueue('export', exportOf('a'));
    const waiting = await queue.enqueue('export', exportOf('b'));
    await gate.waitFor(1);
    expect(await queue.cancel(waiting.id)).toBe(true);
    expect(await queue.cancel(running.id)).toBe(true);
    expect(await queue.cancel(running.id)).toBe(false);
    await queue.whenIdle();
    expect(gate.begun).toEqual(['a']);
    for (const { id } of [running, waiting]) expect((await queue.get(id))?.state).toBe('cancelled');
    expect(await queue.cancel('0190a5c2-0000-7000-8000-000000000001')).toBe(false);
  });

  it('is not lost between the claim of a job and its start', async () => {
    const gate = new Gate();
    const queue = queueOf({ export: gate.handler });
    await queue.start();
    await settle();
    const { id } = await queue.enqueue('export', exportOf('a'));
    // The claim is in progress: the row is already running, but the queue does not know yet.
    const answers = await Promise.all(Array.from({ length: 5 }, () => queue.cancel(id)));
    expect(answers).toContain(true);
    expect((await queue.get(id))?.state).toBe('cancelled');
    await queue.whenIdle();
  });

  it('overrides the failure that it causes, but not an earlier end', async () => {
    const gate = new Gate();
    const queue = queueOf({
      export: async (context) => {
        await gate.handler(context).catch(() => {
          if (nameOf(context.job) === 'crash') throw new OutpostError('ANALYTICS_CRASHED', 'Gone.');
        });
        return {};
      },
    });
    await queue.start();
    const crash = await queue.enqueue('export', exportOf('crash'));
    const deaf = await queue.enqueue('export', exportOf('deaf'));
    await gate.waitFor(2);
    expect(await queue.cancel(crash.id)).toBe(true);
    expect(await queue.get(crash.id)).toMatchObject({ state: 'cancelled', crashCount: 0 });
    expect(await queue.cancel(deaf.id)).toBe(false);
    expect(await queue.get(deaf.id)).toMatchObject({ state: 'done' });
  });

  it('removes a job that waits for its retry, and resolves waiters for idleness', async () => {
    const queue = queueOf({
      export: async () => {
        throw new OutpostError('DISK_FULL', 'Full.');
      },
    });
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    await vi.waitFor(async () => expect(await queue.get(id)).toMatchObject({ state: 'queued', attempts: 1 }));
    const idle = queue.whenIdle();
    expect(await queue.cancel(id)).toBe(true);
    await idle;
  });
});

describe('failures', () => {
  it('retries transient failures with back-off, then gives up with the reason', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const started: number[] = [];
    const queue = queueOf({
      export: async () => {
        started.push(site.clock.now);
        throw new OutpostError('DISK_FULL', 'The disk is full.');
      },
    });
    const begin = site.clock.now;
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    const pass = async (ms: number) => {
      await settle();
      site.clock.now += ms;
      await vi.advanceTimersByTimeAsync(ms);
      await settle();
    };
    await pass(999);
    expect(started).toEqual([begin]);
    expect(await queue.get(id)).toMatchObject({ state: 'queued', error: { code: 'DISK_FULL' } });
    await pass(1);
    expect(started).toEqual([begin, begin + 1000]);
    await pass(9999);
    expect(started).toHaveLength(2);
    await pass(1);
    expect(started).toEqual([begin, begin + 1000, begin + 11_000]);
    expect(await queue.get(id)).toMatchObject({
      state: 'failed',
      attempts: 3,
      error: { code: 'DISK_FULL', message: 'The disk is full.' },
    });
  });

  it('keeps the time of a retry while jobs of another kind wait behind a long one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const gate = new Gate();
    let tries = 0;
    const queue = queueOf({
      import: (context) => gate.handler(context),
      export: async () => {
        tries++;
        if (tries === 1) throw new OutpostError('DEADLINE_EXCEEDED', 'Slow.');
        return {};
      },
    });
    await queue.start();
    await queue.enqueue('import', { ...importOf('/nowhere/long'), recordingId: 'long' } as ImportPayload);
    await queue.enqueue('import', { ...importOf('/nowhere/next'), recordingId: 'next' } as ImportPayload);
    await queue.enqueue('export', exportOf('a'));
    await settle();
    expect(gate.begun).toEqual(['long']);
    site.clock.now += 1000;
    await vi.advanceTimersByTimeAsync(1000);
    await settle();
    expect(tries).toBe(2);
  });

  it('fails a permanent error at once', async () => {
    let runs = 0;
    const queue = queueOf({
      export: async () => {
        runs++;
        throw new TypeError('a defect');
      },
    });
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    expect(await queue.whenEnded(id)).toMatchObject({ state: 'failed', error: { code: 'INTERNAL' } });
    expect(runs).toBe(1);
  });

  it('repeats a job that failed while the disk of the site was away, however often, without counting it', async () => {
    let runs = 0;
    const queue = queueOf(
      {
        export: async () => {
          if (++runs <= 5) throw new Error('ENOENT: no such file');
          return {};
        },
      },
      { isSiteAway: () => runs <= 5 },
    );
    await queue.start();
    const job = await queue.enqueue('export', exportOf('one'));
    expect(await queue.whenEnded(job.id)).toMatchObject({ state: 'done', attempts: 1, crashCount: 0 });
    expect(runs).toBe(6);
  });

  it('parks a job after three crashes of the analytics process while other jobs continue', async () => {
    let runs = 0;
    const queue = queueOf({
      export: async ({ job }) => {
        if (nameOf(job) !== 'poison') return {};
        runs++;
        throw new OutpostError('ANALYTICS_CRASHED', 'It stopped (ended by SIGSEGV).');
      },
    });
    await queue.start();
    const poison = await queue.enqueue('export', exportOf('poison'));
    const others = await Promise.all(['a', 'b', 'c'].map((name) => queue.enqueue('export', exportOf(name))));
    const parked = await queue.whenEnded(poison.id);
    expect(parked).toMatchObject({ state: 'parked', crashCount: 3, error: { code: 'ANALYTICS_CRASHED' } });
    expect(parked.error?.message).toContain('3 times');
    expect(parked.error?.message).toContain('SIGSEGV');
    expect(runs).toBe(3);
    for (const { id } of others) expect((await queue.whenEnded(id)).state).toBe('done');
    await queue.whenIdle();
    expect(await queue.cancel(poison.id)).toBe(true);
    expect((await queue.get(poison.id))?.state).toBe('cancelled');
  });

  it('retries a parked, failed or cancelled job on request with its counters reset, unless its files are gone', async () => {
    let isBroken = true;
    const queue = queueOf({
      export: async ({ job }) => {
        if (isBroken)
          throw new OutpostError(nameOf(job) === 'poison' ? 'ANALYTICS_CRASHED' : 'FILE_DAMAGED', 'Broken.');
        return { sizeBytes: 1 };
      },
      import: async () => {
        throw new OutpostError('FILE_DAMAGED', 'Broken.');
      },
    });
    await queue.start();
    const parked = await queue.enqueue('export', exportOf('poison'));
    const failed = await queue.enqueue('export', exportOf('a'));
    const gone = await queue.enqueue('import', importOf('b.edf'));
    for (const { id } of [parked, failed, gone]) await queue.whenEnded(id);
    isBroken = false;
    for (const { id } of [parked, failed]) {
      expect(await queue.retry(id, SYSTEM)).toMatchObject({
        state: 'queued',
        attempts: 0,
        crashCount: 0,
        error: undefined,
      });
      expect((await queue.whenEnded(id)).state).toBe('done');
      expect(await queue.retry(id, SYSTEM)).toBeUndefined();
    }
    expect(await queue.retry(gone.id, SYSTEM)).toBeUndefined();
    expect((await queue.get(gone.id))?.state).toBe('failed');
  });

  it('retries a cancelled job on request, except an import', async () => {
    let isHeld = true;
    const held = async ({ signal }: JobContext) => {
      if (isHeld) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return {};
    };
    const queue = queueOf({ analyse: held, receive: held, import: held });
    await queue.start();
    const jobs = [
      await queue.enqueue('analyse', analysisOf(0, HOUR_MS)),
      await queue.enqueue('receive', { uploadId: crypto.randomUUID() }),
      await queue.enqueue('import', importOf('b.edf')),
    ];
    for (const { id } of jobs) expect(await queue.cancel(id)).toBe(true);
    isHeld = false;
    const [analysis, received, imported] = jobs;
    for (const { id } of [analysis!, received!]) {
      expect(await queue.retry(id, SYSTEM)).toMatchObject({ state: 'queued', attempts: 0 });
      expect((await queue.whenEnded(id)).state).toBe('done');
    }
    expect(await queue.retry(imported!.id, SYSTEM)).toBeUndefined();
    expect((await queue.get(imported!.id))?.state).toBe('cancelled');
  });

  it('stores the end of a job later if the database cannot be written, and never repeats the work', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isFull = false;
    let runs = 0;
    const problems: unknown[] = [];
    const { jobs } = site.store;
    const store = new Proxy(jobs, {
      get: (target, key) => {
        const member = Reflect.get(target, key, target) as unknown;
        if (!isFull || (key !== 'finish' && key !== 'takeNext')) {
          return typeof member === 'function' ? member.bind(target) : member;
        }
        return async () => {
          throw new OutpostError('DISK_FULL', 'The disk is full.');
        };
      },
    });
    const queue = queueOf(
      {
        export: async () => {
          runs++;
          isFull = true;
          return { kept: true };
        },
      },
      { store, onProblem: (problem) => problems.push(problem) },
    );
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    const waiting = await queue.enqueue('export', exportOf('b'));
    await settle();
    await vi.advanceTimersByTimeAsync(10_000);
    await settle();
    expect((await queue.get(id))?.state).toBe('running');
    expect(problems.length).toBeGreaterThan(2);
    isFull = false;
    await vi.advanceTimersByTimeAsync(4000);
    await settle();
    isFull = false;
    await vi.advanceTimersByTimeAsync(4000);
    await settle();
    expect(await queue.get(id)).toMatchObject({ state: 'done', result: { kept: true } });
    expect((await queue.get(waiting.id))?.state).toBe('done');
    expect(runs).toBe(2);
  });
});

describe('restart', () => {
  it('repeats jobs that were running when the site was killed', async () => {
    await site.store.jobs.add({ kind: 'export', payload: exportOf('a') }, study.byUser);
    const taken = await site.store.jobs.takeNext('export', site.clock.now);
    const queue = queueOf({ export: async ({ job }) => ({ attempts: job.attempts }) });
    await queue.start();
    expect(await queue.whenEnded(taken!.id)).toMatchObject({ state: 'done', result: { attempts: 2 } });
  });

  it('requeues running jobs on close without counting the attempt, and claims no new ones', async () => {
    const gate = new Gate();
    const queue = queueOf({ export: gate.handler });
    await queue.start();
    for (const name of ['a', 'b', 'c']) await queue.enqueue('export', exportOf(name));
    await gate.waitFor(2);
    const [first] = await queue.list({ studyIds: [study.studyId], states: ['running'], limit: 10 });
    const ended = expect(queue.whenEnded(first!.id)).rejects.toMatchObject({ code: 'CANCELLED' });
    const idle = expect(queue.whenIdle()).rejects.toMatchObject({ code: 'CANCELLED' });
    await queue.close();
    await ended;
    await idle;
    const rows = await queue.list({ studyIds: [study.studyId], limit: 10 });
    expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual(Array(3).fill(['queued', 0]));
    expect(gate.begun).toEqual(['a', 'b']);
    await expect(queue.whenIdle()).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('starts no job that it claims while closing', async () => {
    for (let round = 0; round < 20; round++) {
      const gate = new Gate();
      const queue = queueOf({ export: gate.handler });
      await queue.start();
      await queue.enqueue('export', exportOf(`r${round}`));
      for (let i = 0; i < round % 7; i++) await Promise.resolve();
      await queue.close();
      const rows = await queue.list({ studyIds: [study.studyId], limit: 100 });
      expect(rows.every((row) => row.state === 'queued' && row.attempts === 0)).toBe(true);
    }
  });

  it('keeps a cancellation requested just before the site closes', async () => {
    const gate = new Gate();
    const queue = queueOf({ export: gate.handler });
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    await gate.waitFor(1);
    const [isCancelled] = await Promise.all([queue.cancel(id), queue.close()]);
    expect(isCancelled).toBe(true);
    expect((await queue.get(id))?.state).toBe('cancelled');
  });
});

describe('waiting for the end', () => {
  it('is idle only after the follow-ups of handlers and after retries in the future', async () => {
    const ran: string[] = [];
    const queue: JobQueue = queueOf({
      import: async () => {
        ran.push('import');
        await queue.enqueue('analyse', analysisOf(0, HOUR_MS));
        return {};
      },
      analyse: async ({ job }) => {
        ran.push('analyse');
        if (job.attempts < 2) throw new OutpostError('DEADLINE_EXCEEDED', 'Slow.');
        await queue.enqueue('export', exportOf('x'));
        return {};
      },
      export: async () => {
        await settle();
        ran.push('export');
        return {};
      },
    });
    await queue.start();
    await queue.whenIdle();
    await queue.enqueue('import', importOf('/nowhere/file'));
    let isIdle = false;
    const idle = queue.whenIdle().then(() => {
      isIdle = true;
    });
    await vi.waitFor(() => expect(ran).toEqual(['import', 'analyse']));
    await settle();
    expect(isIdle).toBe(false);
    site.clock.now += 1000;
    await idle;
    expect(ran).toEqual(['import', 'analyse', 'analyse', 'export']);
    expect(await site.store.jobs.countWaiting()).toBe(0);
  });

  it('resolves at once for an ended job, and rejects an unknown id', async () => {
    const queue = queueOf({ export: async () => ({}) });
    await queue.start();
    const { id } = await queue.enqueue('export', exportOf('a'));
    await queue.whenIdle();
    expect((await queue.whenEnded(id)).state).toBe('done');
    await expect(queue.whenEnded('0190a5c2-0000-7000-8000-000000000001')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('runs the callback after the end of a job before it emits the end', async () => {
    const cleaned: string[] = [];
    const gate = new Gate();
    const queue = queueOf(
      { export: gate.handler },
      {
        concurrency: { import: 1, analyse: 1, export: 1, archive: 1, receive: 1 },
        cleanUps: {
          export: async (row) => {
            await settle();
            cleaned.push(`${nameOf(row)} ${row.state}`);
          },
        },
      },
    );
    await queue.start();
    const a = await queue.enqueue('export', exportOf('a'));
    const b = await queue.enqueue('export', exportOf('b'));
    await gate.waitFor(1);
    await queue.cancel(b.id);
    expect(cleaned).toEqual(['b cancelled']);
    await gate.end('a');
    await queue.whenEnded(a.id);
    expect(cleaned).toEqual(['b cancelled', 'a done']);
  });
});

describe('analyses of one subject', () => {
  it('are merged if one is waiting and close by, but not if it is running, far away or has crashed', async () => {
    const gate = new Gate();
    const queue = queueOf({ analyse: (context) => gate.handler(context) });
    const day = DAY_MS;
    const first = await queue.enqueue('analyse', analysisOf(10 * day, 11 * day, 'a'));
    const wider = await queue.enqueue('analyse', analysisOf(11 * day + HOUR_MS, 12 * day, 'b'));
    expect(wider.id).toBe(first.id);
    expect((await queue.enqueue('analyse', analysisOf(9 * day + HOUR_MS, 11 * day, 'a'))).id).toBe(first.id);
    const far = await queue.enqueue('analyse', analysisOf(200 * day, 201 * day, 'c'));
    expect(far.id).not.toBe(first.id);
    expect((await queue.enqueue('analyse', analysisOf(201 * day, 202 * day, 'd'))).id).toBe(far.id);
    expect((await queue.get(first.id))?.payload).toEqual({
      ...analysisOf(9 * day + HOUR_MS, 12 * day),
      recordingIds: ['a', 'b'],
    });
    await queue.start();
    await gate.waitFor(1);
    const late = await queue.enqueue('analyse', analysisOf(10 * day, 11 * day, 'e'));
    expect(late.id).not.toBe(first.id);
    await site.store.jobs.requeue(late.id, { runAfterTs: site.clock.now, crashCount: 1 });
    expect((await queue.enqueue('analyse', analysisOf(10 * day, 11 * day, 'f'))).id).not.toBe(late.id);
  });
});
