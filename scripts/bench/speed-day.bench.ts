/**
 * Analysis of a day of 250 Hz ECG with chest and thigh acceleration, from the signal files to the stored metrics, pinned to
 * one core where `taskset` is available. Compared to decoding and summing the same samples.
 */

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DAY_MS } from '../../src-server/durations.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../src-server/simulator/physiology/write.ts';
import { startEngine } from '../../src-server/site/engine.ts';
import { openSite } from '../../src-server/site/folder.ts';
import { makeTestSite, type TestSite } from '../../src-server/testing/test-site.ts';
import type { DayTimes, StudyTimes } from './day-on-one-core.ts';
import { barRow, comparedTo } from './rows.ts';
import type { BenchRow } from './types.ts';

const execute = promisify(execFile);
const CHILD = fileURLToPath(new URL('./day-on-one-core.ts', import.meta.url));
const BAR_SECONDS = 1.5;
/** Includes the start of a process and code that is not yet compiled. */
const FIRST_BAR_SECONDS = 3;
const BAR_MEGABYTES = 300;
const SUBJECTS = 5;

/** Imports the same day, from local midnight to midnight, for each subject. */
async function importDay(site: TestSite, folder: string): Promise<void> {
  const startMs = Date.UTC(2024, 4, 14, 4);
  const { recordings } = simulateSubject({
    seed: 5,
    timeZone: 'US/Eastern',
    startMs,
    stopMs: startMs + DAY_MS,
    dailyCharging: false,
  });
  const opened = await openSite(site.dir);
  const engine = await startEngine(opened);
  try {
    for (const recording of recordings) {
      for (const [subject, subjectId] of site.subjectIds.entries()) {
        // Another sensor each, because one cannot record two subjects at a time.
        const header = { ...recording.header, recordingId: randomUUID(), udid: `${recording.header.udid}-${subject}` };
        const { path } = await writeSimulatedRecording(folder, { ...recording, header });
        const payload = { studyId: site.studyId, subjectId, paths: [path], options: {}, ownsFiles: false };
        const { id } = await engine.jobs.enqueue('import', payload);
        const { state, error } = await engine.jobs.whenEnded(id);
        if (state !== 'done') throw new Error(`The import ended as ${state}: ${error?.message}`);
      }
    }
    await engine.jobs.whenIdle();
  } finally {
    await engine.close();
    await opened.close();
  }
}

async function onOneCore(parameters: string[]): Promise<{ times: DayTimes; isPinned: boolean }> {
  const isPinned = await execute('taskset', ['-c', '0', 'true']).then(
    () => true,
    () => false,
  );
  const command = [process.execPath, CHILD, ...parameters];
  const { stdout } = isPinned
    ? await execute('taskset', ['-c', '0', ...command])
    : await execute(process.execPath, [CHILD, ...parameters]);
  return { times: JSON.parse(stdout) as DayTimes, isPinned };
}

async function onAllCores(parameters: string[]): Promise<StudyTimes> {
  const { stdout } = await execute(process.execPath, [CHILD, 'together', ...parameters]);
  return JSON.parse(stdout) as StudyTimes;
}

export async function run(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-day-bench-'));
  const site = await makeTestSite({ timeZones: new Array<string>(SUBJECTS).fill('US/Eastern') });
  try {
    await importDay(site, folder);
    const parameters = [site.dir, site.studyId, ...site.subjectIds];
    const { times, isPinned } = await onOneCore(parameters);
    const study = await onAllCores(parameters);
    const place = isPinned ? 'one core' : 'this computer, not pinned to one core';
    if (times.samples === 0 || times.metrics === 0) throw new Error('Nothing was analysed, so nothing was measured.');
    process.stderr.write(`${times.samples} samples, ${times.metrics} daily metrics\n`);
    const row = (name: string, value: number, bar: number): BenchRow => ({
      ...barRow(name, value, 's', bar),
      ...comparedTo('decode and sum', times.passSeconds, value),
    });
    const fastest = (kind: 'seconds' | 'processorSeconds') => Math.min(...times.next.map((one) => one[kind]));
    const day = 'a day of ECG and two accelerometers to stored metrics';
    const rows: BenchRow[] = [
      row(`${day}, processor time, ${place}`, fastest('processorSeconds'), BAR_SECONDS),
      { ...row(`${day}, wall time`, fastest('seconds'), BAR_SECONDS), bar: undefined, pass: true },
      row(`${day}, first of a run: process start and cold code`, times.first.processorSeconds, FIRST_BAR_SECONDS),
    ];
    rows.push(
      {
        ...row('the same day again, recordings unchanged: processor time', times.again.processorSeconds, BAR_SECONDS),
        ...comparedTo('the first time', fastest('processorSeconds'), times.again.processorSeconds),
      },
      barRow('changed rows after analysing again', Number(!times.isSame), '', 0),
      {
        name: `a study of ${study.days} such days at once, ${availableParallelism()} cores: wall time per day`,
        value: study.elapsed.seconds / study.days,
        unit: 's',
        ...comparedTo(
          'processor time',
          study.elapsed.processorSeconds / study.days,
          study.elapsed.seconds / study.days,
        ),
        pass: true,
      },
    );
    if (times.peakBytes !== undefined) {
      rows.push(barRow('peak memory of the analytics process', times.peakBytes / 1e6, 'MB', BAR_MEGABYTES));
    }
    return rows;
  } finally {
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
