/** Peak memory of analysing many days of a chest and a thigh sensor, and of a wrist: `outpost analyze`, and the analysis job of a site. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngine } from '../../src-server/site/engine.ts';
import { openSite } from '../../src-server/site/folder.ts';
import { makeTestSite } from '../../src-server/testing/test-site.ts';
import { writeLongEdfs, writeLongWristEdf } from './long-edf.ts';
import { childPids, ProcessMemory } from './process-memory.ts';
import { barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

const MEGABYTE = 1 << 20;
const BAR_MEGABYTES = 350;
const DAYS = [14, 30];
const POLL_MS = 20;
const CLI = fileURLToPath(new URL('../../src-server/cli/main.ts', import.meta.url));

/** Files by the place of their sensor. */
type Files = Readonly<Record<string, string>>;

/** Peak memory of `outpost analyze`. The kernel keeps the peak, so a reading shortly before the end has all of it. */
async function peakOfCommand(files: Files): Promise<number> {
  const sensors = Object.entries(files).flatMap(([location, path]) => ['--sensor', `${location}=${path}`]);
  const child = spawn(process.execPath, [CLI, 'analyze', '--json', ...sensors], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.resume();
  const memory = new ProcessMemory(child.pid!);
  let peakBytes = 0;
  const timer = setInterval(() => {
    try {
      peakBytes = Math.max(peakBytes, memory.peakBytes || 0);
    } catch {
      // The process has ended.
    }
  }, POLL_MS);
  try {
    const code = await new Promise((resolve) => void child.once('close', resolve));
    if (code !== 0) throw new Error(`The analysis ended with code ${code}.`);
  } finally {
    clearInterval(timer);
  }
  return peakBytes;
}

/** Peak memory of the analytics process of a site that imports the files. */
async function peakOfJob(files: Files): Promise<number> {
  const site = await makeTestSite({ timeZones: ['UTC'] });
  try {
    const folder = await openSite(site.dir);
    const engine = await startEngine(folder);
    try {
      for (const [location, path] of Object.entries(files)) {
        const { studyId, subjectIds } = site;
        const payload = { studyId, subjectId: subjectIds[0]!, paths: [path], options: { location }, ownsFiles: false };
        const { id } = await engine.jobs.enqueue('import', payload);
        const { state, error } = await engine.jobs.whenEnded(id);
        if (state !== 'done') throw new Error(`The import ended as ${state}: ${error?.message}`);
      }
      await engine.jobs.whenIdle();
      const analysed = await folder.store.analytics.days(site.subjectIds[0]!);
      if (analysed.length === 0) throw new Error('The site has no analysed days.');
      const children = childPids(process.pid);
      if (children.length === 0) throw new Error('The analytics process has ended.');
      return Math.max(...children.map((pid) => new ProcessMemory(pid).peakBytes));
    } finally {
      await engine.close();
      await folder.close();
    }
  } finally {
    await site.remove();
  }
}

/** Measures both ways, and removes the files. */
async function rowsOf(files: Files, what: string): Promise<BenchRow[]> {
  const command = await peakOfCommand(files);
  const job = await peakOfJob(files);
  await Promise.all(Object.values(files).map((path) => rm(path)));
  return [
    barRow(`outpost analyze of ${what}, peak memory`, command / MEGABYTE, 'MB', BAR_MEGABYTES),
    barRow(`analysis job of ${what}, peak memory`, job / MEGABYTE, 'MB', BAR_MEGABYTES),
  ];
}

/** @param days lengths of the recordings; 30 days are 2.3 GB of the trunk and 1.6 GB of the wrist */
async function measure(days: readonly number[]): Promise<BenchRow[]> {
  // Not the temporary folder, which is often memory.
  const folder = await mkdtemp('/var/tmp/outpost-analysis-bench-');
  const rows: BenchRow[] = [];
  try {
    const path = (name: string) => join(folder, name);
    for (const count of days) {
      const trunk = { MEDIAL_CHEST: path('chest.edf'), ANTERIOR_THIGH: path('thigh.edf') };
      await writeLongEdfs(trunk.MEDIAL_CHEST, trunk.ANTERIOR_THIGH, count);
      rows.push(...(await rowsOf(trunk, `${count} days of a chest and a thigh sensor`)));
      // Its calibration is a pass of its own.
      const wrist = { WRIST: path('wrist.edf') };
      await writeLongWristEdf(wrist.WRIST, count);
      rows.push(...(await rowsOf(wrist, `${count} days of a wrist sensor at 100 Hz`)));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

export const run = (): Promise<BenchRow[]> => (process.platform === 'linux' ? measure(DAYS) : Promise.resolve([]));
