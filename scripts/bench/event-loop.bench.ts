/**
 * Event-loop delay of the site while it imports a day, analyses, writes a ZIP and serves raw data and lists at the same time.
 * Compared to the idle site, and to an idle process on the same busy computer.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../src-server/api/contract/client.ts';
import { DAY_MS } from '../../src-server/durations.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../src-server/simulator/physiology/write.ts';
import { allJobsEnd, makeTestSite, signIn, startServerProcess, upload } from '../../src-server/testing/test-site.ts';
import { LOOP_DELAY_HOOK as HOOK, LoopMeter } from './loop-meter.ts';
import type { BenchRow } from './types.ts';

const START_MS = Date.UTC(2024, 4, 14, 4);
const IDLE_MS = 5000;
const P99_BAR_MS = 20;
const MAX_BAR_MS = 100;

async function writeDay(folder: string, day: number): Promise<string[]> {
  const startMs = START_MS + day * DAY_MS;
  const { recordings } = simulateSubject({
    seed: 11 + day,
    timeZone: 'US/Eastern',
    startMs,
    stopMs: startMs + DAY_MS,
    dailyCharging: false,
  });
  const paths: string[] = [];
  for (const recording of recordings) paths.push((await writeSimulatedRecording(folder, recording)).path);
  return paths;
}

interface Load {
  requests: number;
  seconds: number;
}

/** Runs all of it at once until the second day is analysed and the ZIP of the first is downloaded. */
async function work(client: Client, params: { studyId: string; subjectId: string }, paths: string[]): Promise<Load> {
  const { items } = await client.call('listSubjectRecordings', { params });
  const chest = items[0]!;
  let requests = 0;
  let isDone = false;
  const started = performance.now();
  const drain = async (response: Response): Promise<void> => {
    for await (const _chunk of response.body as unknown as AsyncIterable<Uint8Array>);
    requests++;
  };
  const readPages = async (): Promise<void> => {
    for (let turn = 0; !isDone; turn++) {
      const from = START_MS + ((turn * 37) % 80) * 1_000_000;
      await drain(await client.fetch('getRawData', { params, query: { from, to: from + 60_000 } }));
      await drain(await client.fetch('getRawData', { params, query: { from, to: START_MS + DAY_MS } }));
    }
  };
  const list = async (): Promise<void> => {
    while (!isDone) {
      await drain(await client.fetch('listSubjectRecordings', { params }));
      await drain(await client.fetch('listSubjects', { params: { studyId: params.studyId } }));
      await drain(await client.fetch('listMetrics', { params }));
      await drain(await client.fetch('listJobs'));
      await sleep(20);
    }
  };
  const background = Promise.all([readPages(), list()]);
  const download = async (): Promise<void> => drain(await client.follow(chest.export.href));
  await Promise.all([
    download(),
    (async () => {
      for (const path of paths) await upload(client, params, [path]);
      await allJobsEnd(client);
    })(),
  ]);
  isDone = true;
  await background;
  return { requests, seconds: (performance.now() - started) / 1000 };
}

export async function run(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-loop-bench-'));
  const site = await makeTestSite({ timeZones: ['US/Eastern'] });
  const bystanderFile = join(folder, 'bystander.json');
  const bystander = spawn(process.execPath, ['--import', HOOK, '-e', 'setInterval(() => undefined, 1000)'], {
    env: { ...process.env, LOOP_DELAY_FILE: bystanderFile },
    stdio: 'ignore',
  });
  try {
    const [firstDay, secondDay] = [await writeDay(folder, 0), await writeDay(folder, 1)];
    const serverFile = join(folder, 'server.json');
    const server = await startServerProcess(site.dir, {
      nodeArguments: ['--import', HOOK],
      environment: { LOOP_DELAY_FILE: serverFile },
    });
    try {
      const client = await signIn(server.url);
      const params = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
      for (const path of firstDay) await upload(client, params, [path]);
      await allJobsEnd(client);
      const meter = new LoopMeter(server.child.pid as number, serverFile);
      const bystanderMeter = new LoopMeter(bystander.pid as number, bystanderFile);
      await meter.read();
      await bystanderMeter.read();
      await sleep(IDLE_MS);
      const idle = await meter.read();
      await bystanderMeter.read();
      const load = await work(client, params, secondDay);
      const busy = await meter.read();
      const idleProcess = await bystanderMeter.read();
      process.stderr.write(
        `${load.requests} requests in ${load.seconds.toFixed(1)} s; bystander p99 ${idleProcess.p99Ms.toFixed(1)} ms, max ${idleProcess.maxMs.toFixed(1)} ms\n`,
      );
      return [
        row(
          'event loop under import, analytics, export and reads, p99',
          busy.p99Ms,
          'idle site',
          idle.p99Ms,
          P99_BAR_MS,
        ),
        row('the same, longest', busy.maxMs, 'idle process, longest', idleProcess.maxMs, MAX_BAR_MS),
      ];
    } finally {
      await server.stop();
    }
  } finally {
    bystander.kill();
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function row(name: string, value: number, peer: string, peerValue: number, barMs: number): BenchRow {
  return {
    name,
    value,
    unit: 'ms',
    peer,
    peerValue,
    ratio: value / peerValue,
    bar: `<= ${barMs} ms`,
    pass: value <= barMs,
  };
}
