/**
 * Arrival: eight hubs send days of two sensors each, over TLS, in two ways.
 *
 * - All at once, as fast as they can: how fast the site stores, beside a server that takes the same bytes over TLS and drops them;
 *   what a mebibyte costs in CPU time; and how many days per second this computer analyses when it does nothing else. Days arrive
 *   faster here than any computer of this size could analyse them, so the last one waits for all others.
 * - All the time, at half of that rate, the hubs in turns, so that a day ends every few seconds while seven others are under
 *   way: how long after its last byte a subject's day is analysed, and where that time goes.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src-server/durations.ts';
import type { Disturbance } from '../../src-server/simulator/device/upload.ts';
import type { SimulatedHub } from '../../src-server/simulator/hub/hub.ts';
import { handOutSensorsOf } from '../../src-server/testing/paired-hubs.ts';
import { allJobsEnd, makeTestSite, signIn, startServerProcess } from '../../src-server/testing/test-site.ts';
import { openHub, record, requireAnalysed, type Scene, send } from './hub-day.bench.ts';
import { childPids } from './process-memory.ts';
import { barRow, comparedTo, median } from './rows.ts';
import type { BenchRow } from './types.ts';

const HUBS = 8;
const ZONE = 'US/Eastern';
const HOURS = 24;
const PIECE_BYTES = 8 << 20;
const MEBIBYTE = 1 << 20;
/** Clock ticks of the kernel's accounting, on every platform that has /proc. */
const TICK_MS = 10;
const LATENCY_BAR_S = 2;
/** Of the measured capacity, so that days queue by chance only. */
const STEADY_LOAD = 0.5;
const STEADY_DAYS = 2;
const MOST_JOBS = 500;

/** CPU time that a process has used in all of its threads, or in its main thread alone. */
function cpuMsOf(pid: number, isMainAlone = false): number {
  const fields =
    readFileSync(isMainAlone ? `/proc/${pid}/task/${pid}/stat` : `/proc/${pid}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** CPU time of the whole computer that was not idle. */
function busyMs(): number {
  const fields = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').trim().split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0] = fields;
  return (user + nice + system) * TICK_MS;
}

/** Sends the files of the hubs to the peer, all hubs at once, in checked pieces as a hub does. */
async function transportOnly(folders: readonly string[]): Promise<{ seconds: number; cpuMs: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'arrival-peer.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const url = line.trim();
  const pid = child.pid ?? 0;
  const post = (agent: Agent, bytes: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const checksum = createHash('sha256').update(bytes).digest('base64');
      const headers = { 'content-length': bytes.length, 'upload-checksum': `sha256 ${checksum}` };
      const sent = request(url, { method: 'PATCH', agent, headers }, (response) =>
        response.resume().on('end', resolve),
      );
      sent.on('error', reject).end(bytes);
    });
  try {
    const before = cpuMsOf(pid);
    const started = performance.now();
    await Promise.all(
      folders.map(async (folder) => {
        // The certificate is the peer's own; nothing secret is sent.
        const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
        for (const name of await readdir(folder)) {
          const bytes = await readFile(join(folder, name));
          for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
            await post(agent, bytes.subarray(at, at + PIECE_BYTES));
          }
        }
        agent.destroy();
      }),
    );
    return { seconds: (performance.now() - started) / SECOND_MS, cpuMs: cpuMsOf(pid) - before };
  } finally {
    child.kill();
  }
}

/** When each step of a subject's day ended, epoch ms. */
interface DayTimes {
  /** The site has acknowledged the last byte. */
  lastByteTs: number;
  /** The last file is checked and stored. */
  storedTs: number;
  /** The last analysis begins. */
  begunTs: number;
  /** Its metrics are stored. */
  analysedTs: number;
}

/** What a hub holds: the files of one subject, in the order in which it sends them. */
interface Load {
  bytes: number;
  /** Number of files of each day. */
  files: number[];
}

/** The times of the days that were sent since, in the order of their last bytes. */
async function daysSince({ client, site }: Scene, sinceTs: number, loads: readonly Load[]): Promise<DayTimes[]> {
  const { items } = await client.call('listJobs', { query: { limit: MOST_JOBS } });
  const jobs = items.filter(({ createdTs }) => createdTs >= sinceTs).sort((a, b) => a.createdTs - b.createdTs);
  const days: DayTimes[] = [];
  for (const [hub, { files }] of loads.entries()) {
    const subjectId = site.subjectIds[hub];
    const received = jobs.filter(
      ({ kind, result }) =>
        kind === 'receive' && (result as { subjectId?: string } | undefined)?.subjectId === subjectId,
    );
    let count = 0;
    for (const ofDay of files) {
      count += ofDay;
      const last = received[count - 1];
      const nextTs = received[count]?.createdTs ?? Number.POSITIVE_INFINITY;
      if (!last) throw new Error('A file of a day was not received.');
      // The last one that can have all files of the day, and none of the next day.
      const analysis = jobs.findLast(
        ({ kind, startedTs = 0, ...job }) =>
          kind === 'analyse' && job.subjectId === subjectId && startedTs >= (last.startedTs ?? 0) && startedTs < nextTs,
      );
      days.push({
        lastByteTs: last.createdTs,
        storedTs: last.finishedTs ?? Number.NaN,
        begunTs: analysis?.startedTs ?? Number.NaN,
        analysedTs: analysis?.finishedTs ?? Number.NaN,
      });
    }
  }
  return days.sort((a, b) => a.lastByteTs - b.lastByteTs);
}

const secondsOf = (days: readonly DayTimes[], from: keyof DayTimes, to: keyof DayTimes): number[] =>
  days.map((day) => (day[to] - day[from]) / SECOND_MS);
const listed = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(' ');

/** Puts days on every hub, the last of which ends at `stopMs`. */
async function recordDays(scene: Scene, hubs: readonly SimulatedHub[], days: number, stopMs: number): Promise<Load[]> {
  const loads: Load[] = [];
  for (const [index, hub] of hubs.entries()) {
    const load: Load = { bytes: 0, files: [] };
    for (let day = days - 1; day >= 0; day--) {
      const before = hub.recordings.length;
      load.bytes += await record(scene, hub, index, HOURS, stopMs - day * DAY_MS);
      load.files.push(hub.recordings.length - before);
    }
    loads.push(load);
  }
  return loads;
}

interface Burst {
  rows: BenchRow[];
  daysPerSecond: number;
}

async function allAtOnce(scene: Scene, hubs: readonly SimulatedHub[], stopMs: number): Promise<Burst> {
  const { server, client, folder } = scene;
  const loads = await recordDays(scene, hubs, 1, stopMs);
  const bytes = loads.reduce((sum, load) => sum + load.bytes, 0);
  const pid = server.child.pid ?? 0;
  const peer = await transportOnly(hubs.map((_, index) => join(folder, `hub-${index}`, 'recordings')));
  const analytics = () => childPids(pid).reduce((sum, child) => sum + cpuMsOf(child), 0);
  const before = {
    site: cpuMsOf(pid),
    main: cpuMsOf(pid, true),
    analytics: analytics(),
    own: process.cpuUsage(),
    busy: busyMs(),
  };
  const sinceTs = Date.now();
  const started = performance.now();
  await Promise.all(hubs.map((hub) => send(hub)));
  const seconds = (performance.now() - started) / SECOND_MS;
  const own = process.cpuUsage(before.own);
  const mainMs = cpuMsOf(pid, true) - before.main;
  const stored = { site: cpuMsOf(pid) - before.site, analytics: analytics() - before.analytics };
  await allJobsEnd(client);
  const analysedSeconds = (performance.now() - started) / SECOND_MS;
  const analysed = { site: cpuMsOf(pid) - before.site, analytics: analytics() - before.analytics };
  const allBusyMs = busyMs() - before.busy;
  for (let index = 0; index < hubs.length; index++) await requireAnalysed(scene, index);
  const days = await daysSince(scene, sinceTs, loads);
  const mebibytes = bytes / MEBIBYTE;
  process.stderr.write(
    `${mebibytes.toFixed(0)} MiB stored in ${seconds.toFixed(1)} s (site ${stored.site} ms CPU, of it ${mainMs} on its main thread, analytics ${stored.analytics}, hubs ` +
      `${((own.user + own.system) / 1000).toFixed(0)}), analysed after ${analysedSeconds.toFixed(1)} s (site ${analysed.site}, ` +
      `analytics ${analysed.analytics} ms CPU; all of the computer ${allBusyMs}); transport alone ${peer.seconds.toFixed(1)} s, ${peer.cpuMs} ms CPU; ` +
      `from last byte to analysed day: ${listed(secondsOf(days, 'lastByteTs', 'analysedTs'))} s\n`,
  );
  const rate = mebibytes / seconds;
  const daysPerSecond = hubs.length / analysedSeconds;
  const peerName = 'TLS server that drops the bytes';
  const rows: BenchRow[] = [
    {
      name: `${HUBS} hubs at once, a day each: stored`,
      value: rate,
      unit: 'MiB/s',
      ...comparedTo(peerName, mebibytes / peer.seconds, rate),
      pass: true,
    },
    {
      name: `${HUBS} hubs at once: CPU time of the site for a MiB until stored`,
      value: stored.site / mebibytes,
      unit: 'ms',
      ...comparedTo(peerName, peer.cpuMs / mebibytes, stored.site / mebibytes),
      pass: true,
    },
    {
      name: `${HUBS} hubs at once: CPU time of site and analytics for one day until analysed`,
      value: (analysed.site + analysed.analytics) / hubs.length / SECOND_MS,
      unit: 's',
      pass: true,
    },
    {
      name: `${HUBS} hubs at once: days from the first byte to their analyses, on ${availableParallelism()} cores`,
      value: daysPerSecond,
      unit: 'days/s',
      pass: true,
    },
  ];
  return { rows, daysPerSecond };
}

/** Sends days from all hubs so that one ends every `everyMs`. */
async function allTheTime(
  scene: Scene,
  hubs: readonly SimulatedHub[],
  pace: Disturbance,
  everyMs: number,
): Promise<BenchRow[]> {
  const loads = await recordDays(scene, hubs, STEADY_DAYS, Date.now() - HOUR_MS);
  const dayBytes = loads.reduce((sum, load) => sum + load.bytes, 0) / hubs.length / STEADY_DAYS;
  pace.bytesPerSecond = Math.round(dayBytes / ((hubs.length * everyMs) / SECOND_MS));
  const sinceTs = Date.now();
  let firstEndTs = Number.POSITIVE_INFINITY;
  await Promise.all(
    hubs.map(async (hub, index) => {
      await sleep(index * everyMs);
      await send(hub);
      firstEndTs = Math.min(firstEndTs, Date.now());
    }),
  );
  await allJobsEnd(scene.client);
  const lastStartTs = sinceTs + (hubs.length - 1) * everyMs;
  const all = await daysSince(scene, sinceTs, loads);
  const days = all.filter(({ lastByteTs }) => lastByteTs >= lastStartTs && lastByteTs <= firstEndTs);
  const waits = secondsOf(days, 'lastByteTs', 'analysedTs');
  process.stderr.write(
    `a day every ${(everyMs / SECOND_MS).toFixed(1)} s, ${(pace.bytesPerSecond / MEBIBYTE).toFixed(2)} MiB/s from each hub; ` +
      `${days.length} days while all hubs sent: checked and stored after ${listed(secondsOf(days, 'lastByteTs', 'storedTs'))} s, ` +
      `waiting ${listed(secondsOf(days, 'storedTs', 'begunTs'))} s, analysed in ${listed(secondsOf(days, 'begunTs', 'analysedTs'))} s, ` +
      `in all ${listed(waits)} s\n`,
  );
  const name = `${HUBS} hubs sending all the time, a day every ${(everyMs / SECOND_MS).toFixed(1)} s: from its last byte to its analysis`;
  return [
    barRow(`${name}, median`, median(waits), 's', LATENCY_BAR_S),
    barRow(`${name}, slowest`, Math.max(...waits), 's', LATENCY_BAR_S),
  ];
}

async function arrive(scene: Scene, hubs: readonly SimulatedHub[], pace: Disturbance): Promise<BenchRow[]> {
  const stopMs = Date.now() - HOUR_MS - STEADY_DAYS * DAY_MS;
  const { rows, daysPerSecond } = await allAtOnce(scene, hubs, stopMs);
  return [...rows, ...(await allTheTime(scene, hubs, pace, SECOND_MS / (STEADY_LOAD * daysPerSecond)))];
}

export async function run(): Promise<BenchRow[]> {
  if (!existsSync('/proc/self/stat')) {
    process.stderr.write('Skipped: this benchmark needs /proc.\n');
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'outpost-arrival-'));
  const site = await makeTestSite({ timeZones: new Array<string>(HUBS).fill(ZONE) });
  const hubs: SimulatedHub[] = [];
  try {
    const sets = await handOutSensorsOf(site);
    const server = await startServerProcess(site.dir, { lan: true });
    try {
      const scene: Scene = { folder, site, sets, server, client: await signIn(server.url) };
      const pace: Disturbance = {};
      for (let index = 0; index < HUBS; index++) hubs.push(await openHub(scene, index, () => pace));
      return await arrive(scene, hubs, pace);
    } finally {
      await server.stop();
    }
  } finally {
    for (const hub of hubs) hub.close();
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
