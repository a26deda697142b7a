/**
 * Hubs that bring recordings over TLS while everything goes wrong that can: the server killed with SIGKILL, the hub killed,
 * connections cut at any byte, requests doubled and out of order, bits flipped, the clocks of hub and server jumping by days,
 * the server's also in the middle of an upload. Afterwards every recording must be there exactly once, byte by byte, and
 * nothing else.
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
  /** Of the server's clock, forward and back. */
  clockJumps: number;
  /** What was not as it must be; empty when all was right. */
  problems: string[];
}

const HUBS = 3;
const CHUNK_BYTES = 32 << 10;
const RECORDING_SECONDS = 300;
const APART_US = 10 * 60e6;
/** Older than any jump back, so that no recording lies in the future of the server. */
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

  /** Turns its clock; one that does not run meets the new time when it starts. */
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

/** What goes wrong with the pieces of one run. */
function disturbances(random: () => number, report: ChaosReport): (piece: { sizeBytes: number }) => Disturbance {
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

/** Both kills come in any six runs. */
function kindOf(run: number, random: number): 'hub killed' | 'server killed' | 'neither' {
  if (run % 6 === 1 || random < 0.06) return 'hub killed';
  return run % 6 === 4 || random > 0.84 ? 'server killed' : 'neither';
}

/** @param options `random` gives numbers from 0 to 1, always the same for one seed */
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
      disturb: (piece) => disturb(piece),
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

/** A hub in a process of its own takes the recording and ends itself in the middle of it. */
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
