/** A study archive of 50 subjects and 30 days: additional memory of the site, and API response times during the export. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecondColumns } from '../../src-server/analytics/seconds.ts';
import { encodeArrays } from '../../src-server/db/array-codec.ts';
import { newId, SYSTEM } from '../../src-server/db/index.ts';
import type { Store } from '../../src-server/services/index.ts';
import { openSite } from '../../src-server/site/folder.ts';
import { addDays, fixedZone, midnightWindow, noonWindow } from '../../src-server/study/day-windows.ts';
import { allJobsEnd, makeTestSite, signIn, startServerProcess } from '../../src-server/testing/test-site.ts';
import { LOOP_DELAY_HOOK, LoopMeter } from './loop-meter.ts';
import type { BenchRow } from './types.ts';

const SUBJECTS = 50;
const DAYS = 30;
const ZONE = 'US/Eastern';
const FIRST_DATE = '2026-01-10';
const MEMORY_BAR_MEGABYTES = 150;
const ANSWER_BAR_MS = 100;
const LOOP_BAR_MS = 20;

const dates = Array.from({ length: DAYS }, (_, i) => addDays(FIRST_DATE, i));
const clock = fixedZone(ZONE);

/** Returns columns with data in every second, so that the day compresses no better than a real one. */
function encodedWindow(date: string) {
  const window = noonWindow(date, clock);
  const seconds = createSecondColumns(window.startMs, (window.stopMs - window.startMs) / 1000);
  for (let i = 0; i < seconds.count; i++) {
    seconds.recorded[i] = 1;
    seconds.worn[i] = 1;
    seconds.rrCount[i] = 1 + (i % 2);
    seconds.rrSumMs[i] = 700 + ((i * 7919) % 300);
    seconds.steps[i] = (i * 31) % 3;
    seconds.counts[i] = ((i * 17) % 64) / 16;
    seconds.activity[i] = 1 + (Math.floor(i / 90) % 5);
  }
  return { window, timezone: ZONE, seconds: encodeArrays(seconds), sleep: [], inputsHash: date };
}

async function fill(store: Store, studyId: string): Promise<void> {
  // A day needs its own noon-to-noon window and the next one.
  const windows = [...dates, addDays(dates.at(-1)!, 1)].map(encodedWindow);
  const days = dates.map((date) => {
    const { startMs, stopMs } = midnightWindow(date, clock);
    const metrics = { SENSOR_WEAR_DURATION: 86_400, MOVING_STEPS: 7000 };
    const span = { dayStartMs: startMs, dayStopMs: stopMs, dataStartMs: startMs, dataStopMs: stopMs };
    return { metrics: { date, ...span, metrics, validSeconds: {} }, timezone: ZONE, inputsHash: date };
  });
  const config = await store.studies.matchDeviceConfig(
    studyId,
    { physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE' }, sensorConfig: { sensingType: 'MPU' } },
    SYSTEM,
  );
  for (const { id: subjectId } of await store.subjects.list(studyId)) {
    const id = newId();
    await store.recordings.add(
      {
        id,
        studyId,
        subjectId,
        deviceConfigId: config.id,
        recordingId: 1,
        startUs: days[0]!.metrics.dayStartMs * 1000,
        stopUs: (days.at(-1)!.metrics.dayStopMs - 1) * 1000,
        udid: 'AA:BB:CC:00:00:01',
        hardwareId: '1',
        firmwareId: '1',
        physicalConfig: config.physicalConfig,
        sensorConfig: config.sensorConfig,
        sizeBytes: 1,
        sha256: '0'.repeat(64),
        channels: [],
        sampleCounts: [],
        syncPoints: [],
        contentSha256: createHash('sha256').update(id).digest('hex'),
        sourceFormat: 'bench',
        sourceFileName: 'bench',
      },
      SYSTEM,
    );
    await store.analytics.store({ studyId, subjectId, algorithmVersion: 'bench', windows, days }, SYSTEM);
  }
}

/** Reads a line of /proc/<pid>/status, in megabytes. */
async function memoryOf(pid: number, line: 'VmRSS' | 'VmHWM'): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(text)![1]) / 1000;
}

const percentile = (sorted: readonly number[], share: number) => sorted[Math.floor((sorted.length - 1) * share)]!;

export async function run(): Promise<BenchRow[]> {
  const site = await makeTestSite({ timeZones: Array.from({ length: SUBJECTS }, () => ZONE) });
  try {
    const folder = await openSite(site.dir);
    await fill(folder.store, site.studyId);
    await folder.close();
    const delayFile = join(site.dir, '..', 'loop-delay.json');
    const server = await startServerProcess(site.dir, {
      nodeArguments: ['--import', LOOP_DELAY_HOOK],
      environment: { LOOP_DELAY_FILE: delayFile },
    });
    try {
      const client = await signIn(server.url);
      const params = { studyId: site.studyId };
      const timedAnswer = async () => {
        const started = performance.now();
        await client.call('listSubjects', { params });
        return performance.now() - started;
      };
      const meter = new LoopMeter(server.child.pid!, delayFile);
      await meter.read();
      const quiet: number[] = [];
      for (let i = 0; i < 100; i++) quiet.push(await timedAnswer());
      const idle = await meter.read();
      // Warm up with the archive of an empty study: loading the worker's code does not grow with the data.
      const { id } = await client.call('createStudy', {
        params: { accountId: site.accountId },
        body: { displayName: 'Empty' },
      });
      await client.fetch('requestStudyArchive', { params: { studyId: id } });
      await allJobsEnd(client);
      const before = await memoryOf(server.child.pid!, 'VmRSS');
      // Reset the peak, which otherwise includes the start of the program.
      await writeFile(`/proc/${server.child.pid!}/clear_refs`, '5');
      await meter.read();
      const started = performance.now();
      await client.fetch('requestStudyArchive', { params });
      const busy: number[] = [];
      for (;;) {
        busy.push(await timedAnswer());
        const [job] = (await client.call('listJobs', { query: { studyId: site.studyId } })).items;
        if (job!.state === 'done') break;
        if (job!.state !== 'queued' && job!.state !== 'running') throw new Error(`The job ended as ${job!.state}.`);
        await sleep(25);
      }
      const seconds = (performance.now() - started) / 1000;
      const loop = await meter.read();
      const growth = (await memoryOf(server.child.pid!, 'VmHWM')) - before;
      for (const list of [quiet, busy]) list.sort((a, b) => a - b);
      const answer = percentile(busy, 0.99);
      const name = `archive of ${SUBJECTS} subjects x ${DAYS} days`;
      return [
        {
          name: `${name}, memory`,
          value: growth,
          unit: 'MB',
          peer: 'limit',
          peerValue: MEMORY_BAR_MEGABYTES,
          ratio: growth / MEMORY_BAR_MEGABYTES,
          bar: `< ${MEMORY_BAR_MEGABYTES} MB`,
          pass: growth < MEMORY_BAR_MEGABYTES,
        },
        {
          name: `${name}, p99 of a list during the export`,
          value: answer,
          unit: 'ms',
          peer: 'the same on a quiet site',
          peerValue: percentile(quiet, 0.99),
          ratio: answer / percentile(quiet, 0.99),
          bar: `<= ${ANSWER_BAR_MS} ms`,
          pass: answer <= ANSWER_BAR_MS,
        },
        {
          name: `${name}, event loop during the export, p99`,
          value: loop.p99Ms,
          unit: 'ms',
          peer: 'the same on a quiet site',
          peerValue: idle.p99Ms,
          ratio: loop.p99Ms / idle.p99Ms,
          bar: `<= ${LOOP_BAR_MS} ms`,
          pass: loop.p99Ms <= LOOP_BAR_MS,
        },
        { name: `${name}, time`, value: seconds, unit: 's', pass: true },
      ];
    } finally {
      await server.stop();
    }
  } finally {
    await site.remove();
  }
}
