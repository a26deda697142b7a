/** `outpost analysis-runs` as a process: on a closed site, and on one that runs and computes what was started. */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM } from '../db/index.ts';
import { MINUTE_MS } from '../durations.ts';
import type { AnalysisRunAnswers, ListedRun, ListedRuns } from '../site/analysis-run-commands.ts';
import { openSite } from '../site/folder.ts';
import { addIntervalRecording } from '../testing/interval-recording.ts';
import { makeTestSite, OUTPOST_COMMAND, startServerProcess, type TestSite } from '../testing/test-site.ts';

const START_MS = Date.UTC(2026, 2, 3, 18);
const REASON = ['--reason', 'Protocol amendment 2, N. Sato'];

let site: TestSite;
beforeAll(async () => {
  site = await makeTestSite();
  const folder = await openSite(site.dir);
  try {
    const { store, signalsDir } = folder;
    const [subjectId] = site.subjectIds as [string];
    const place = { studyId: site.studyId, subjectId };
    const beatsUs = Array.from({ length: 5000 }, (_, i) => (START_MS + i * 900) * 1000);
    const { id } = await addIntervalRecording(store, signalsDir, place, beatsUs);
    const payload = { ...place, fromMs: START_MS, toMs: START_MS + 75 * MINUTE_MS, recordingIds: [id] };
    await store.jobs.add({ kind: 'analyse', payload }, SYSTEM);
  } finally {
    await folder.close();
  }
});
afterAll(() => site.remove());

/** Every member that an answer may have. */
type Answer = Required<Pick<ListedRuns, 'programVersion' | 'pinnedVersion' | 'runs'>> &
  Pick<ListedRun, 'id' | 'state'> &
  AnalysisRunAnswers['compare'];

/** `outpost analysis-runs <verb> --data ... --study ... --json`; answers its line, or the code of its error. */
function runs(verb: string, ...parameters: string[]): Promise<{ code: number; answer: Answer }> {
  const words = [OUTPOST_COMMAND, 'analysis-runs', verb, '--data', site.dir, '--study', 'Test study', '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, [...words, ...parameters], (error, stdout) =>
      resolve({ code: error ? Number(error.code) : 0, answer: JSON.parse(stdout === '' ? '{}' : stdout) }),
    );
  });
}

it('starts a run at a closed site, which computes it once it runs, and compares, adopts, pins and deletes', async () => {
  const created = await runs('create', 'Choi', ...REASON, '--non-wear', 'choi-2011');
  expect(created).toMatchObject({
    code: 0,
    answer: { name: 'Choi', state: 'RUNNING', counts: { WAITING: 1 }, parameters: { nonWear: 'choi-2011' } },
  });
  const twice = await runs('create', 'Choi', ...REASON);
  expect(twice.code).not.toBe(0);
  const cancelled = await runs('create', 'Cancelled', ...REASON);
  expect(cancelled.answer.state).toBe('RUNNING');
  expect((await runs('cancel', 'Cancelled')).answer).toMatchObject({ state: 'CANCELLED', counts: { CANCELLED: 1 } });

  const server = await startServerProcess(site.dir);
  try {
    const list = async () => (await runs('list')).answer.runs;
    const stateOf = async (name: string) => (await list()).find((run) => run.name === name)?.state;
    await expect.poll(() => stateOf('Choi'), { timeout: 60_000, interval: 500 }).toBe('READY');
    await expect
      .poll(async () => (await runs('compare', 'Choi')).answer.days.both, { timeout: 60_000, interval: 500 })
      .toBe(1);
    expect((await runs('compare', 'Choi')).answer.metrics.length).toBeGreaterThan(10);
    expect((await runs('refresh', 'Choi')).answer).toEqual({ queued: 0 });
    const adopted = await runs('adopt', created.answer.id, ...REASON);
    expect(adopted).toMatchObject({
      code: 0,
      answer: { adopted: { state: 'ADOPTED', adoptReason: REASON[1] }, replaced: { name: 'Before Choi' } },
    });
    const { answer } = await runs('list');
    expect(answer).toMatchObject({ parameters: { nonWear: 'choi-2011' } });

    expect((await runs('pin', answer.programVersion, ...REASON)).code).toBe(0);
    expect((await runs('list')).answer.pinnedVersion).toBe(answer.programVersion);
    expect((await runs('delete', 'Before Choi', '--confirm', 'Before Choi', ...REASON)).code).not.toBe(0);
    expect((await runs('pin', 'none', ...REASON)).code).toBe(0);
    expect((await runs('delete', 'Before Choi', '--confirm', 'Choi', ...REASON)).code).not.toBe(0);
    expect((await runs('delete', 'Choi', '--confirm', 'Choi', ...REASON)).code).not.toBe(0);
    expect(await runs('delete', 'Before Choi', '--confirm', 'Before Choi', ...REASON)).toEqual({
      code: 0,
      answer: { deleted: 'Before Choi' },
    });
    expect((await list()).map(({ name }) => name).sort()).toEqual(['Cancelled', 'Choi']);
    const missing = await runs('compare', 'Never');
    expect(missing.code).not.toBe(0);
  } finally {
    await server.stop();
  }
}, 180_000);
