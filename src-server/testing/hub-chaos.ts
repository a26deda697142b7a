/**
 * Chaos test of hub uploads over TLS: server and hub are killed with SIGKILL, connections are cut at any byte, requests are
 * duplicated and reordered, bits are flipped, and the clocks of hub and server jump by days, the server's also during an
 * upload. Afterwards every recording must be present exactly once, byte for byte, and nothing else.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../durations.ts';
import { verifySite } from '../integrity/verify.ts';
import type { Disturbance } from '../simulator/device/upload.ts';
import { SimulatedHub } from '../simulator/hub/hub.ts';
import { openSite } from '../site/folder.ts';
import { pairHub } from './paired-hubs.ts';
import { makeTestSite, OUTPOST_COMMAND, signIn, type TestSite } from './test-site.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from './upload-site.ts';

export interface ChaosReport {
  runs: number;
  sentBytes: number;
  recordingBytes: number;
  serverKills: number;
  hubKills: number;
  cuts: number;
  /** Jumps of the server's clock, forward and back. */
  clockJumps: number;
  /** Violations found; empty when there are none. */
  problems: string[];
}

const HUBS = 3;
const CHUNK_BYTES = 32 << 10;
const RECORDING_SECONDS = 300;
const APART_US = 10 * 60e6;
/** Recordings are older than any jump back, so that none lies in the server's future. */
const RECORDED_BEFORE_MS = 8 * DAY_MS;
/** Not longer than an upload is waited for, though both ways of a jump together are. */
const LONGEST_JUMP_MS = 6 * DAY_MS;
const CLOCK_HOOK = join(import.meta.dirname, 'clock-hook.ts');
const BACKOFF = { firstMs: 5, longestMs: 200 };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The site in a process of its own, at the same ports each time. */
class Server {
  readonly #dir: string;
  readonly #clockFile: string;
  readonly #ports: { desk: number; lan: number };
  #child: ChildProcess | undefined;
  #gone: Promise<unknown> = Promise.resolve();

  constructor(dir: string, clockFile: string, ports: { desk: number; lan: number }) {
    this.#dir = dir;
    this.#clockFile = clockFile;
    this.#ports = ports;
  }

  get deskUrl(): string {
    return `http://127.0.0.1:${this.#ports.desk}`;
  }

  async start(): Promise<void> {
    const { desk, lan } = this.#ports;
    const child = spawn(
      process.execPath,
      [
        ...['--import', CLOCK_HOOK, OUTPOST_COMMAND, 'serve', '--no-desk', '--data', this.#dir],
        ...['--port', String(desk), '--lan-port', String(lan)],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, CLOCK_FILE: this.#clockFile } },
    );
    const gone = once(child, 'exit');
    this.#gone = gone;
    const ready = once(child.stdout.setEncoding('utf8'), 'data');
    await Promise.race([ready, gone.then(() => Promise.reject(new Error('The server did not start.')))]);
    this.#child = child;
  }

  /** Moves the server's clock; a stopped server starts with the new time. */
  async setClock(aheadMs: number): Promise<void> {
    await writeFile(this.#clockFile, String(aheadMs));
    this.#child?.kill('SIGUSR2');
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    child?.kill(signal);
    await this.#gone;
  }
}

async function prepare(site: TestSite): Promise<void> {
  const folder = await openSite(site.dir);
  try {
    const { store } = folder;
    const { accountId, studyId, userId, subjectIds } = site;
    const change = { actor: { type: 'USER', id: userId } } as const;
    await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change);
    await store.equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0] ?? '', atTs: 1 }, change);
  } finally {
    await folder.close();
  }
}

/** Draws the faults of the chunks of one run. */
function disturbances(random: () => number, report: ChaosReport): (chunk: { sizeBytes: number }) => Disturbance {
  const [cut, duplicate, reorder, flip] = [random() * 0.35, random() * 0.3, random() * 0.2, random() * 0.15];
  return ({ sizeBytes }) => {
    const disturbance: Disturbance = { duplicate: random() < duplicate, reorder: random() < reorder };
    if (random() < flip) disturbance.flip = true;
    if (random() < cut) {
      disturbance.cutAfterBytes = Math.floor(random() * (sizeBytes + 1));
      report.cuts += 1;
    }
    return disturbance;
  };
}

/** Any six consecutive runs include both kills. */
function kindOf(run: number, random: number): 'hub killed' | 'server killed' | 'neither' {
  if (run % 6 === 1 || random < 0.06) return 'hub killed';
  return run % 6 === 4 || random > 0.84 ? 'server killed' : 'neither';
}

/** @param options `random` yields numbers from 0 to 1, reproducible by seed */
export async function hubChaos(options: {
  random: () => number;
  runs: number;
  onRun?: (index: number, what: string) => void;
}): Promise<ChaosReport> {
  const { random, runs } = options;
  const report: ChaosReport = {
    ...{ runs, sentBytes: 0, recordingBytes: 0, serverKills: 0, hubKills: 0, cuts: 0, clockJumps: 0 },
    problems: [],
  };
  const folder = await mkdtemp(join(tmpdir(), 'outpost-hub-chaos-'));
  const site = await makeTestSite({ timeZones: ['US/Eastern'] });
  const server = new Server(site.dir, join(folder, 'clock'), { desk: await freePort(), lan: await freePort() });
  const clock = { aheadMs: 0 };
  let disturb = disturbances(() => 1, report);
  const openHub = (index: number) =>
    SimulatedHub.open({
      folder: join(folder, `hub-${index}`),
      serial: `HUB-${index}`,
      clock: () => Date.now() + clock.aheadMs,
      backOff: BACKOFF,
      chunkBytes: CHUNK_BYTES,
      disturb: (chunk) => disturb(chunk),
    });
  const hubs: SimulatedHub[] = [];
  const expected = new Map<string, string>();
  try {
    await prepare(site);
    await server.setClock(0);
    await server.start();
    const client = await signIn(server.deskUrl);
    for (let index = 0; index < HUBS; index++) {
      const hub = await openHub(index);
      hubs.push(hub);
      await pairHub(client, hub);
    }
    const firstUs = (Date.now() - RECORDED_BEFORE_MS) * 1000 - runs * APART_US;
    for (let run = 0; run < runs; run++) {
      const index = Math.floor(random() * HUBS);
      const startUs = firstUs + run * APART_US;
      const made = await makeUploadFile(folder, { startUs, seconds: RECORDING_SECONDS });
      const path = join(folder, `${made.recordingId}.sig`);
      await writeFile(path, made.bytes);
      expected.set(made.recordingId, createHash('sha256').update(made.bytes).digest('hex'));
      report.recordingBytes += made.bytes.length;
      clock.aheadMs = random() < 0.3 ? Math.round((random() - 0.5) * 10 * DAY_MS) : 0;
      disturb = disturbances(random, report);
      const kind = kindOf(run, random());
      let what = 'faults of the network';
      let hub = hubs[index] as SimulatedHub;
      if (kind === 'hub killed') {
        const atBytes = Math.floor(random() * made.bytes.length);
        what = `hub killed at byte ${atBytes}`;
        hub.close();
        await runKilledHub(join(folder, `hub-${index}`), path, atBytes);
        report.hubKills += 1;
        hub = await openHub(index);
        hubs[index] = hub;
      }
      await hub.takeRecording(path, SENSOR);
      await rm(path, { force: true });
      const sent = hub.sendAll();
      let jumped: Promise<void> | undefined;
      if (random() < 0.4) {
        const [afterMs, aheadMs] = [random() ** 2 * 300, Math.round((random() - 0.5) * 2 * LONGEST_JUMP_MS)];
        what += `, the server's clock set to ${(aheadMs / DAY_MS).toFixed(1)} days after ${afterMs.toFixed(0)} ms`;
        report.clockJumps += 1;
        jumped = sleep(afterMs).then(() => server.setClock(aheadMs));
      }
      if (kind === 'server killed') {
        const afterMs = random() ** 2 * 400;
        what += `, server killed after ${afterMs.toFixed(0)} ms`;
        await sleep(afterMs);
        await server.end('SIGKILL');
        report.serverKills += 1;
        await server.start();
      }
      const deliveries = await sent;
      await jumped;
      for (const delivery of deliveries) {
        if (delivery.state !== 'DELIVERED' || delivery.siteState !== 'STORED') {
          report.problems.push(`Run ${run}, ${what}: ended as ${JSON.stringify(delivery)}.`);
        }
      }
      if (hub.recordings.length > 0) report.problems.push(`Run ${run}, ${what}: the hub still holds it.`);
      options.onRun?.(run, what);
    }
    report.sentBytes = hubs.reduce((sum, hub) => sum + hub.sentBytes, 0);
    await server.end('SIGTERM');
    await lookOver(site, expected, report);
    return report;
  } finally {
    for (const hub of hubs) hub.close();
    await server.end('SIGKILL');
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts a hub in a separate process that kills itself in the middle of an upload. */
async function runKilledHub(state: string, path: string, atBytes: number): Promise<void> {
  const files = ['--file', path, '--sensor', SENSOR];
  const child = spawn(
    process.execPath,
    [OUTPOST_COMMAND, 'simulate', 'hub', '--state', state, ...files, '--once', '--fault', `kill=${atBytes}`],
    { stdio: 'ignore' },
  );
  await once(child, 'exit');
}

async function lookOver(site: TestSite, expected: ReadonlyMap<string, string>, report: ChaosReport): Promise<void> {
  const { problems } = await verifySite(site.dir);
  // The clock of the server was moved on purpose.
  const unexpected = problems.filter(({ code }) => code !== 'CLOCK_BEHIND');
  report.problems.push(...unexpected.map(({ message }) => `verify: ${message}`));
  const signals = join(site.dir, 'signals');
  const found = (await readdir(signals)).filter((name) => name.endsWith('.sig')).map((name) => name.slice(0, -4));
  for (const id of found) if (!expected.has(id)) report.problems.push(`${id} was never sent.`);
  for (const [id, sha256] of expected) {
    const bytes = await readFile(join(signals, `${id}.sig`)).catch(() => undefined);
    if (!bytes) report.problems.push(`${id} is not there.`);
    else if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      report.problems.push(`${id} has other bytes.`);
  }
  const folder = await openSite(site.dir);
  try {
    const rows = await folder.store.recordings.listForSubject(site.subjectIds[0] ?? '');
    const ids = rows.map(({ id }) => id).sort();
    if (ids.join() !== [...expected.keys()].sort().join()) report.problems.push(`${ids.length} recordings are listed.`);
  } finally {
    await folder.close();
  }
  const left = await readdir(join(site.dir, 'inbox'), { recursive: true, withFileTypes: true });
  for (const entry of left) if (entry.isFile()) report.problems.push(`The inbox still holds ${entry.name}.`);
}
