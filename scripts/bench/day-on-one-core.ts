/** Child of the day bench, so that all of it (site, analytics process) can be held to one core. Prints one JSON line. */
import { join } from 'node:path';
import { openSignalFileSync } from '../../src-server/signals/index.ts';
import { startEngine } from '../../src-server/site/engine.ts';
import { openSite } from '../../src-server/site/folder.ts';

export interface DayTimes {
  /** Summing every sample of the day, decoded from the same files. */
  passSeconds: number;
  samples: number;
  /** From the job to the stored metrics, with the start of the analytics process. */
  firstSeconds: number;
  /** The same for another subject, with the process running. */
  nextSeconds: number;
  metrics: number;
}

const [dir, studyId, ...subjectIds] = process.argv.slice(2);
const folder = await openSite(dir);
const engine = await startEngine(folder);

function passOverSamples(paths: readonly string[]): { samples: number; seconds: number } {
  const started = performance.now();
  let samples = 0;
  let sum = 0;
  for (const path of paths) {
    const file = openSignalFileSync(path);
    for (let channel = 0; channel < file.header.channels.length; channel++) {
      for (const page of file.pages(channel)) {
        for (const column of page.columns) {
          for (let i = 0; i < column.length; i++) sum += column[i];
          samples += column.length;
        }
      }
    }
    file.closeSync();
  }
  if (Number.isNaN(sum)) throw new Error('The sum of whole numbers is a number.');
  return { samples, seconds: (performance.now() - started) / 1000 };
}

async function analyse(subjectId: string): Promise<number> {
  const recordings = await folder.store.recordings.listForSubject(subjectId);
  const started = performance.now();
  const job = await engine.jobs.enqueue('analyse', {
    studyId,
    subjectId,
    fromMs: Math.min(...recordings.map(({ startUs }) => startUs)) / 1000,
    toMs: Math.max(...recordings.map(({ stopUs }) => stopUs)) / 1000,
    recordingIds: recordings.map(({ id }) => id),
  });
  const ended = await engine.jobs.whenEnded(job.id);
  if (ended.state !== 'done') throw new Error(`The analysis is ${ended.state}: ${ended.error?.message}`);
  return (performance.now() - started) / 1000;
}

try {
  const firstSeconds = await analyse(subjectIds[0]);
  const nextSeconds = await analyse(subjectIds[1]);
  const recordings = await folder.store.recordings.listForSubject(subjectIds[1]);
  const paths = recordings.map(({ id }) => join(folder.signalsDir, `${id}.sig`));
  passOverSamples(paths);
  const pass = passOverSamples(paths);
  const days = await folder.store.analytics.days(subjectIds[1]);
  const metrics = days.reduce((sum, day) => sum + Object.keys(day.metrics).length, 0);
  const times: DayTimes = { passSeconds: pass.seconds, samples: pass.samples, firstSeconds, nextSeconds, metrics };
  process.stdout.write(`${JSON.stringify(times)}\n`);
} finally {
  await engine.close();
  await folder.close();
}
