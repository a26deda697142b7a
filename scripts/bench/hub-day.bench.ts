/**
 * Days of two sensors (chest with ECG and acceleration, thigh with acceleration) from pairing simulated hubs over TLS to the
 * analysed day: memory of the site's process for one day, and its event-loop delay while eight hubs send at once.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../src-server/api/contract/client.ts';
import { HOUR_MS } from '../../src-server/durations.ts';
import type { Disturbance } from '../../src-server/simulator/device/upload.ts';
import { SimulatedHub } from '../../src-server/simulator/hub/hub.ts';
import { makeRecordings, type WornSensor } from '../../src-server/simulator/hub/recordings-source.ts';
import { handOutSensorsOf, pairHub } from '../../src-server/testing/paired-hubs.ts';
import {
  allJobsEnd,
  makeTestSite,
  type ServerProcess,
  signIn,
  startServerProcess,
  type TestSite,
} from '../../src-server/testing/test-site.ts';
import { LOOP_DELAY_HOOK, LoopMeter } from './loop-meter.ts';
import { childPids, ProcessMemory } from './process-memory.ts';
import { barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

const HUBS = 8;
const ZONE = 'US/Eastern';
const HOURS = 24;
const WARM_HOURS = 0.25;
const MEMORY_BAR_BYTES = 64 << 20;
const P99_BAR_MS = 20;
const MEBIBYTE = 1 << 20;
const WARM_MS = 8000;
const IDLE_MS = 5000;

export interface Scene {
  folder: string;
  site: TestSite;
  sets: WornSensor[][];
  server: ServerProcess;
  client: Client;
}

export async function openHub(
  { folder, client }: Scene,
  index: number,
  disturb?: () => Disturbance,
): Promise<SimulatedHub> {
  const hub = await SimulatedHub.open({
    folder: join(folder, `hub-${index}`),
    serial: `HUB-${index}`,
    ...(disturb && { disturb }),
  });
  await pairHub(client, hub);
  return hub;
}

/** Puts recordings of `hours` from a subject's sensors on a hub. Returns their bytes. */
export async function record(
  scene: Scene,
  hub: SimulatedHub,
  subject: number,
  hours: number,
  stopMs: number,
): Promise<number> {
  const sensors = scene.sets[subject] ?? [];
  let bytes = 0;
  await makeRecordings(
    join(scene.folder, 'made'),
    { sensors, hours, stopMs, timeZone: ZONE, seed: 31 + subject },
    async ({ path, sensor }) => {
      bytes += (await hub.takeRecording(path, sensor)).sizeBytes;
    },
  );
  return bytes;
}

export async function send(hub: SimulatedHub): Promise<void> {
  for (const delivery of await hub.sendAll()) {
    if (delivery.state !== 'DELIVERED' || delivery.siteState !== 'STORED') {
      throw new Error(`A recording ended as ${JSON.stringify(delivery)}.`);
    }
  }
}

/** @throws Error unless all recordings of the subject are analysed and its days have metrics */
export async function requireAnalysed({ client, site }: Scene, subject: number): Promise<void> {
  const params = { studyId: site.studyId, subjectId: site.subjectIds[subject] ?? '' };
  const { items: days } = await client.call('listCoverage', { params });
  const { items: metrics } = await client.call('listMetrics', { params });
  const states = days.flatMap(({ sensors }) => sensors.flatMap((sensor) => sensor.states));
  const isAnalysed = states.length > 0 && states.every(({ state }) => state === 'ANALYSED');
  if (!isAnalysed || metrics.length === 0) throw new Error(`Subject ${subject + 1} has no analysed day.`);
}

/** Sends the requests of an open desk in sequence, with pauses of 20 ms. Returns their number. */
async function requestAsDesk({ client, site }: Scene, isDone: () => boolean): Promise<number> {
  const { studyId, accountId } = site;
  let requests = 0;
  for (let turn = 0; !isDone(); turn++) {
    const params = { studyId, subjectId: site.subjectIds[turn % site.subjectIds.length] ?? '' };
    await client.call('listSubjects', { params: { studyId } });
    await client.call('listAttention', { params: { accountId } });
    await client.call('listCoverage', { params });
    await client.call('getWhyNoData', { params });
    await client.call('listSubjectRecordings', { params });
    await client.call('listMetrics', { params });
    await client.call('listDevices', { params: { accountId } });
    await client.call('listJobs');
    requests += 8;
    await sleep(20);
  }
  return requests;
}

/**
 * Measures the memory of the site's process for one day, from the hub's first request to the stored metrics, above its idle
 * memory. To warm up, it first serves a desk, receives and analyses 15 minutes, and lets its worker threads exit.
 */
async function memoryOfOneDay(scene: Scene, hub: SimulatedHub): Promise<BenchRow[]> {
  const { server, client } = scene;
  const memory = new ProcessMemory(server.child.pid ?? 0);
  const coldBytes = memory.residentBytes;
  const stopMs = Date.now() - HOUR_MS;
  await record(scene, hub, 0, WARM_HOURS, stopMs - (HOURS + 1) * HOUR_MS);
  const warmUntil = performance.now() + WARM_MS;
  await Promise.all([send(hub), requestAsDesk(scene, () => performance.now() > warmUntil)]);
  await allJobsEnd(client);
  await memory.untilThreadsEnd();
  const idleBytes = memory.residentBytes;
  const analytics = childPids(server.child.pid ?? 0).map((pid) => new ProcessMemory(pid));
  const dayBytes = await record(scene, hub, 0, HOURS, stopMs);
  memory.resetPeak();
  const started = performance.now();
  await send(hub);
  const sentMs = performance.now() - started;
  const sentPeakBytes = memory.peakBytes;
  await allJobsEnd(client);
  const doneMs = performance.now() - started;
  const peakBytes = memory.peakBytes;
  await requireAnalysed(scene, 0);
  await memory.untilThreadsEnd();
  const inMiB = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
  process.stderr.write(
    `${inMiB(dayBytes)} in ${(sentMs / 1000).toFixed(1)} s, analysed after ${(doneMs / 1000).toFixed(1)} s; the site used ` +
      `${inMiB(coldBytes)} when started, ${inMiB(idleBytes)} idle, ${inMiB(sentPeakBytes)} at most until sent and checked, ` +
      `${inMiB(peakBytes)} until analysed, ${inMiB(memory.residentBytes)} idle again; ` +
      `the analytics process used ${analytics.map((child) => inMiB(child.peakBytes)).join(', ')} at most\n`,
  );
  return [
    {
      name: `${HOURS} h of two sensors from a hub to an analysed day: memory of the site on top of ${inMiB(idleBytes)} idle`,
      value: (peakBytes - idleBytes) / MEBIBYTE,
      unit: 'MiB',
      bar: `<= ${MEMORY_BAR_BYTES / MEBIBYTE} MiB`,
      pass: peakBytes - idleBytes <= MEMORY_BAR_BYTES,
    },
  ];
}

async function eightHubs(
  scene: Scene,
  hubs: SimulatedHub[],
  meter: LoopMeter,
  bystander: LoopMeter,
): Promise<BenchRow[]> {
  const stopMs = Date.now() - HOUR_MS;
  let bytes = 0;
  // The first subject already has this day.
  for (const [index, hub] of hubs.entries()) bytes += await record(scene, hub, index + 1, HOURS, stopMs);
  await meter.read();
  await sleep(IDLE_MS);
  const idle = await meter.read();
  await bystander.read();
  let isSent = false;
  const started = performance.now();
  const deskRequests = requestAsDesk(scene, () => isSent);
  await Promise.all(hubs.map((hub) => send(hub)));
  const seconds = (performance.now() - started) / 1000;
  isSent = true;
  const requests = await deskRequests;
  const busy = await meter.read();
  const idleProcess = await bystander.read();
  await allJobsEnd(scene.client);
  for (let index = 0; index < hubs.length; index++) await requireAnalysed(scene, index + 1);
  process.stderr.write(
    `${HUBS} hubs: ${(bytes / MEBIBYTE).toFixed(0)} MiB in ${seconds.toFixed(1)} s with ${requests} requests of a desk; ` +
      `event loop p50 ${busy.p50Ms.toFixed(1)} ms, p99 ${busy.p99Ms.toFixed(1)} ms, max ${busy.maxMs.toFixed(1)} ms; of an idle process p99 ${idleProcess.p99Ms.toFixed(1)} ms, ` +
      `max ${idleProcess.maxMs.toFixed(1)} ms; of the idle site p99 ${idle.p99Ms.toFixed(1)} ms\n`,
  );
  return [
    {
      ...barRow(`event loop while ${HUBS} hubs send a day each and a desk is open, p99`, busy.p99Ms, 'ms', P99_BAR_MS),
      peer: 'idle process',
      peerValue: idleProcess.p99Ms,
      ratio: busy.p99Ms / idleProcess.p99Ms,
    },
  ];
}

export async function run(): Promise<BenchRow[]> {
  if (!existsSync('/proc/self/clear_refs')) {
    process.stderr.write('Skipped: this benchmark needs /proc.\n');
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'outpost-hub-day-'));
  const site = await makeTestSite({ timeZones: new Array<string>(HUBS + 1).fill(ZONE) });
  const hubs: SimulatedHub[] = [];
  const bystanderFile = join(folder, 'bystander.json');
  const bystander = spawn(process.execPath, ['--import', LOOP_DELAY_HOOK, '-e', 'setInterval(() => undefined, 1000)'], {
    env: { ...process.env, LOOP_DELAY_FILE: bystanderFile },
    stdio: 'ignore',
  });
  try {
    const sets = await handOutSensorsOf(site);
    const loopFile = join(folder, 'loop.json');
    const measured = { nodeArguments: ['--import', LOOP_DELAY_HOOK], environment: { LOOP_DELAY_FILE: loopFile } };
    const server = await startServerProcess(site.dir, { ...measured, lan: true });
    try {
      const scene: Scene = { folder, site, sets, server, client: await signIn(server.url) };
      for (let index = 0; index < HUBS; index++) hubs.push(await openHub(scene, index));
      const [first] = hubs as [SimulatedHub];
      const rows = await memoryOfOneDay(scene, first);
      const meter = new LoopMeter(server.child.pid ?? 0, loopFile);
      return [...rows, ...(await eightHubs(scene, hubs, meter, new LoopMeter(bystander.pid ?? 0, bystanderFile)))];
    } finally {
      await server.stop();
    }
  } finally {
    for (const hub of hubs) hub.close();
    bystander.kill();
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
