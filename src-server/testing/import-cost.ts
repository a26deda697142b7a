/**
 * Measures a whole import of a file: hash, pages, signal file, overview, fsync. As a program: runs the site's worker on a file and
 * prints the cost as JSON. As a module: runs that program.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { argv, cpuUsage, execPath, memoryUsage, resourceUsage, stdout } from 'node:process';
import { promisify } from 'node:util';
import { WorkerPool } from '../jobs/workers/pool.ts';

export interface WholeImportCost {
  cpuSeconds: number;
  seconds: number;
  /** Of `seconds`, how long the thread that waited most was ready to run and had no processor; 0 where the system does not tell. */
  waitSeconds: number;
  /** Peak resident memory less that of the loaded program. */
  growthBytes: number;
  samples: number;
  sizeBytes: number;
}

const run = promisify(execFile);
const WORKER_ENTRY = new URL('../jobs/workers/entry.ts', import.meta.url);

/** Imports a file into a folder, in a process of its own. */
export async function measureWholeImport(path: string, outputDir: string): Promise<WholeImportCost> {
  const { stdout: text } = await run(execPath, [import.meta.filename, path, outputDir]);
  return JSON.parse(text) as WholeImportCost;
}

async function importWhole(path: string, outputDir: string): Promise<WholeImportCost> {
  // A thread of its own with the limits of the site's.
  const workers = new WorkerPool({ entry: WORKER_ENTRY, threads: 1 });
  const before = memoryUsage().rss;
  const started = performance.now();
  const cpuBefore = cpuUsage();
  const outcome = await workers.run('importSource', { paths: [path], options: { timeZone: 'UTC' }, outputDir });
  const { user, system } = cpuUsage(cpuBefore);
  const seconds = (performance.now() - started) / 1000;
  const waitSeconds = longestWaitSeconds();
  await workers.close();
  return {
    cpuSeconds: (user + system) / 1e6,
    seconds,
    waitSeconds,
    growthBytes: resourceUsage().maxRSS * 1024 - before,
    samples: outcome.recordings[0]!.sampleCounts[0]!,
    sizeBytes: outcome.recordings[0]!.sizeBytes,
  };
}

/** Linux counts, per thread, the nanoseconds in the run queue (Documentation/scheduler/sched-stats.rst). */
function longestWaitSeconds(): number {
  try {
    const waits = readdirSync('/proc/self/task').map((thread) => {
      const [, waitNs = '0'] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').trim().split(' ');
      return Number(waitNs) / 1e9;
    });
    return Math.max(0, ...waits);
  } catch {
    return 0;
  }
}

if (argv[1] === import.meta.filename) stdout.write(JSON.stringify(await importWhole(argv[2]!, argv[3]!)));
