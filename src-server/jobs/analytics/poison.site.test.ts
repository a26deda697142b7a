/** Recordings that end or block the analytics process whenever they are read, in each way there is. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../durations.ts';
import { addSimulatedRecordings, openTestEngine, type TestEngine } from '../../testing/test-engine.ts';
import { type AnalyticsCrash, forkNodeWith } from './supervisor.ts';

const START_MS = Date.UTC(2026, 0, 15, 18);
const HOOK = new URL('../../testing/poison-hook.ts', import.meta.url).href;

let engine: TestEngine;
let crashes: AnalyticsCrash[];
beforeEach(() => {
  crashes = [];
  // What the dying processes write.
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await engine.close();
});

async function openEngine(silenceMs: number): Promise<void> {
  engine = await openTestEngine({
    times: { backOffMs: [0], silenceMs },
    fork: (entry) => forkNodeWith(entry, [`--import=${HOOK}`, '--max-old-space-size=64']),
    onCrash: (crash) => crashes.push(crash),
  });
}

async function analyse(recordings: Awaited<ReturnType<typeof addSimulatedRecordings>>) {
  const job = await engine.queue.enqueue('analyse', {
    studyId: engine.study.studyId,
    subjectId: engine.study.subjectId,
    fromMs: Math.min(...recordings.map(({ startUs }) => startUs / 1000)),
    toMs: Math.max(...recordings.map(({ stopUs }) => stopUs / 1000)),
    recordingIds: recordings.map(({ id }) => id),
  });
  return await engine.queue.whenEnded(job.id);
}

it.each([
  ['loop', /did not answer for 2 s/, /^$/],
  ['memory', /ended by SIG(ABRT|TRAP)|code 13[34]/, /heap out of memory/],
  ['abort', /ended by SIGABRT|code 134/, /JavaScript stack trace/],
  ['throw', /code 1/, /Error: mark in .*poison-hook/s],
] as const)(
  'by %s: it is left out after two crashes, and the rest of its day is analysed',
  async (way, reason, output) => {
    // A full heap is cleared again and again before V8 gives up.
    await openEngine(way === 'loop' ? 2000 : 60_000);
    const [poisoned, healthy] = await addSimulatedRecordings(engine, { startMs: START_MS, minutes: 6 });
    const later = await addSimulatedRecordings(engine, { startMs: START_MS + 100 * HOUR_MS, minutes: 6, seed: 2 });
    vi.stubEnv('POISON', way);
    vi.stubEnv('POISON_FILE', poisoned!.id);
    vi.stubEnv('POISON_MARK', 'mark');
    const job = await analyse([poisoned!, healthy!]);
    expect(job).toMatchObject({ state: 'done', crashCount: 2 });
    expect(job.result?.problems).toEqual([expect.stringMatching(`${poisoned!.id}.*left out.*verify --deep`)]);
    expect(job.result?.windows).toHaveLength(1);
    expect(crashes).toHaveLength(2);
    for (const crash of crashes) {
      expect(crash.reason).toMatch(reason);
      expect(crash.lastOutput).toMatch(output);
    }
    const { recordings } = engine.store;
    expect((await recordings.get(poisoned!.id))?.dataState).toBe('VERIFIED');
    expect((await recordings.get(healthy!.id))?.dataState).toBe('ANALYSED');
    expect((await analyse(later)).state).toBe('done');
    expect(engine.problems).toEqual([]);
    // Once its file is readable, the same recording is analysed.
    vi.stubEnv('POISON', 'none');
    vi.stubEnv('POISON_FILE', '');
    await Promise.all(engine.analytics.pids.map((pid) => process.kill(pid, 'SIGKILL')));
    expect(await analyse([poisoned!])).toMatchObject({ state: 'done', result: { problems: [] } });
    expect((await recordings.get(poisoned!.id))?.dataState).toBe('ANALYSED');
  },
);
