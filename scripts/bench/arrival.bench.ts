/**
 * Arrival: eight hubs send a day of two sensors each at once, over TLS. Prints how fast the site stores them, beside a server
 * that takes the same bytes over TLS and drops them; what a mebibyte costs in CPU time; and how long after its last byte a
 * subject's day is analysed, in time and in CPU time of the computer.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, SECOND_MS } from '../../src-server/durations.ts';
import type { SimulatedHub } from '../../src-server/simulator/hub/hub.ts';
import { handOutSensorsOf } from '../../src-server/testing/paired-hubs.ts';
import { allJobsEnd, makeTestSite, signIn, startServerProcess } from '../../src-server/testing/test-site.ts';
import { openHub, record, requireAnalysed, type Scene, send } from './hub-day.bench.ts';
import { childPids } from './process-memory.ts';
import { barRow, comparedTo } from './rows.ts';
import type { BenchRow } from './types.ts';

const HUBS = 8;
const ZONE = 'US/Eastern';
const HOURS = 24;
const PIECE_BYTES = 8 << 20;
const MEBIBYTE = 1 << 20;
/** Clock ticks of the kernel's accounting, on every platform that has /proc. */
const TICK_MS = 10;
const LATENCY_BAR_S = 2;

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
    stdio: ['ignore', 'pipe', 'inherit'],
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

/** Seconds from the last byte of each subject's files to the end of its last analysis. */
async function latencies({ client, site }: Scene): Promise<number[]> {
  const { items } = await client.call('listJobs', { query: { limit: 200 } });
  const lastByte = new Map<string, number>();
  const analysed = new Map<string, number>();
  for (const job of items) {
    const subjectId = job.subjectId ?? (job.result as { subjectId?: string } | undefined)?.subjectId;
    if (subjectId === undefined) continue;
    const note = (of: Map<string, number>, ts: number) => of.set(subjectId, Math.max(of.get(subjectId) ?? 0, ts));
    if (job.kind === 'receive') note(lastByte, job.createdTs);
    if (job.kind === 'analyse') note(analysed, job.finishedTs ?? Number.NaN);
  }
  return site.subjectIds
    .flatMap((id) => (lastByte.has(id) ? [(analysed.get(id) ?? Number.NaN) - (lastByte.get(id) ?? 0)] : []))
    .map((ms) => ms / SECOND_MS);
}

async function arrive(scene: Scene, hubs: readonly SimulatedHub[]): Promise<BenchRow[]> {
  const { server, client, folder } = scene;
  const stopMs = Date.now() - HOUR_MS;
  let bytes = 0;
  for (const [index, hub] of hubs.entries()) bytes += await record(scene, hub, index, HOURS, stopMs);
  const pid = server.child.pid ?? 0;
  const folders = hubs.map((_, index) => join(folder, `hub-${index}`, 'recordings'));
  const peer = await transportOnly(folders);
  const analytics = () => childPids(pid).reduce((sum, child) => sum + cpuMsOf(child), 0);
  const before = {
    site: cpuMsOf(pid),
    main: cpuMsOf(pid, true),
    analytics: analytics(),
    own: process.cpuUsage(),
    busy: busyMs(),
  };
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
  const waits = (await latencies(scene)).sort((a, b) => a - b);
  const mebibytes = bytes / MEBIBYTE;
  process.stderr.write(
    `${mebibytes.toFixed(0)} MiB stored in ${seconds.toFixed(1)} s (site ${stored.site} ms CPU, of it ${mainMs} on its main thread, analytics ${stored.analytics}, hubs ` +
      `${((own.user + own.system) / 1000).toFixed(0)}), analysed after ${analysedSeconds.toFixed(1)} s (site ${analysed.site}, ` +
      `analytics ${analysed.analytics} ms CPU; all of the computer ${allBusyMs}); transport alone ${peer.seconds.toFixed(1)} s, ${peer.cpuMs} ms CPU; ` +
      `from last byte to analysed day: ${waits.map((wait) => wait.toFixed(1)).join(' ')} s\n`,
  );
  const rate = mebibytes / seconds;
  const peerName = 'TLS server that drops the bytes';
  return [
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
    barRow(
      `${HUBS} hubs at once: from the last byte of a day to its analysis, median`,
      waits[waits.length >> 1] ?? Number.NaN,
      's',
      LATENCY_BAR_S,
    ),
  ];
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
      for (let index = 0; index < HUBS; index++) hubs.push(await openHub(scene, index));
      return await arrive(scene, hubs);
    } finally {
      await server.stop();
    }
  } finally {
    for (const hub of hubs) hub.close();
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
