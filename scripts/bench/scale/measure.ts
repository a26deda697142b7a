/** Measures one site: each read of the desk, starts, backups and verification. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { basicAuthorization, type Credentials } from '../../../src-server/api/contract/client.ts';
import { addressOf, READS, type Read } from '../../../src-server/testing/full-site/desk-reads.ts';
import { copyOfSite, type FullSite } from '../../../src-server/testing/full-site/site-folder.ts';
import { signIn } from '../../../src-server/testing/test-site.ts';
import { type MeteredServer, runCommand, startMetered } from './processes.ts';
import { hashingSeconds, sizingSeconds, verifyFiles, verifyParts } from './verify-costs.ts';

export interface ReadFigure {
  read: string;
  status: number;
  bytes: number;
  /** CPU of the server thread per request. */
  cpuMs: number;
  wallMs: number;
  /** The same for an address that was answered just before. */
  keptCpuMs: number;
}

export interface ProcessFigure {
  name: string;
  value: number;
  unit: string;
  wallMs?: number;
}

export interface SiteFigures {
  size: string;
  subjects: number;
  days: number;
  reads: ReadFigure[];
  processes: ProcessFigure[];
}

/** Requests per read: as many as fit into the budget, at least one and at most these. */
const MOST_REQUESTS = 12;
const BUDGET_CPU_MS = 400;

/** Answers are kept by their whole address, so a parameter that no route knows asks for a new one. */
const unkept = (address: string, n: number) => `${address}${address.includes('?') ? '&' : '?'}unkept=${n}`;

async function measureRead(
  server: MeteredServer,
  authorization: string,
  site: FullSite,
  read: Read,
): Promise<ReadFigure> {
  const address = `${server.url}/api/v1${addressOf(read, site)}`;
  let status = 0;
  let bytes = 0;
  const ask = async (url: string) => {
    const response = await fetch(url, { headers: { authorization } });
    status = response.status;
    bytes = (await response.arrayBuffer()).byteLength;
  };
  const measured = async (count: number, urlOf: (n: number) => string) => {
    const before = await server.usage();
    const started = performance.now();
    for (let n = 0; n < count; n++) await ask(urlOf(n));
    const wallMs = (performance.now() - started) / count;
    // The reading itself costs the thread some tenths of a millisecond.
    const after = await server.usage();
    return { cpuMs: Math.max(0, after.threadMs - before.threadMs) / count, wallMs };
  };
  const first = await measured(1, () => unkept(address, -1));
  const count = Math.max(1, Math.min(MOST_REQUESTS, Math.floor(BUDGET_CPU_MS / Math.max(1, first.cpuMs))));
  const figure = await measured(count, (n) => unkept(address, n));
  await ask(address);
  const kept = await measured(count, () => address);
  return { read: read.name, status, bytes, ...figure, keptCpuMs: kept.cpuMs };
}

export interface MeasureOptions {
  /** Names of reads and processes that contain one of these; default: all. */
  only: readonly string[];
  /** For copies of the site, on its disk. */
  folder: string;
  say(text: string): void;
  /** Called after each part with the figures so far: the first backup of a full site takes minutes. */
  keep(figures: SiteFigures): void;
}

const isWanted = (name: string, only: readonly string[]) =>
  only.length === 0 || only.some((word) => name.includes(word));

export async function measureSite(site: FullSite, options: MeasureOptions): Promise<SiteFigures> {
  const { only, folder, say, keep } = options;
  const size = `${site.subjects}x${site.days}`;
  const figures: SiteFigures = { size, subjects: site.subjects, days: site.days, reads: [], processes: [] };
  const add = (name: string, value: number, unit: string, wallMs?: number) => {
    figures.processes.push({ name, value, unit, ...(wallMs !== undefined && { wallMs }) });
    keep(figures);
  };
  const work = await mkdtemp(join(folder, `run-${size}-`));
  try {
    const own = await copyOfSite(site, work);
    say(`${size}: reads`);
    const server = await startMetered(own, work);
    try {
      await server.settle();
      const { credentials } = await signIn(server.url);
      const authorization = basicAuthorization(credentials as Credentials);
      for (const read of READS) {
        if (!isWanted(read.name, only)) continue;
        figures.reads.push(await measureRead(server, authorization, own, read));
      }
      add('server: peak memory', (await server.usage()).peakBytes / 1e6, 'MB');
    } finally {
      await server.stop();
    }
    if (isWanted('start', only)) await measureStarts(own, work, add, say);
    if (isWanted('site.db', only)) add('site.db', (await stat(join(own.dir, 'site.db'))).size / 1e9, 'GB');
    if (isWanted('backup', only) || isWanted('verify', only)) await measureCommands(own, work, add, say);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return figures;
}

type Add = (name: string, value: number, unit: string, wallMs?: number) => void;

/** Of as many starts: the fastest is the one that other programs on the computer disturbed least. */
const STARTS = 3;

async function measureStarts(site: FullSite, folder: string, add: Add, say: (text: string) => void): Promise<void> {
  say(`${site.subjects}x${site.days}: starts`);
  const measured = async (name: string, end: (server: MeteredServer) => Promise<unknown>) => {
    const ready: MeteredServer['ready'][] = [];
    const settledMs: number[] = [];
    for (let n = 0; n < STARTS; n++) {
      const server = await startMetered(site, folder);
      ready.push(server.ready);
      settledMs.push(await server.settle());
      await end(server);
    }
    add(`${name}: to ready`, Math.min(...ready.map(({ wallMs }) => wallMs)), 'ms');
    add(`${name}: CPU to ready`, Math.min(...ready.map(({ cpuMs }) => cpuMs)), 'ms CPU');
    add(`${name}: with its background work`, Math.min(...settledMs), 'ms CPU');
  };
  const killAfterWrites = async (server: MeteredServer) => {
    // Writes that stay in the write-ahead log.
    const client = await signIn(server.url);
    const params = { studyId: site.studyId, subjectId: site.subjectIds[0] ?? '' };
    for (let n = 0; n < 50; n++) await client.call('sendMessage', { params, body: messageOf(n) });
    await server.kill();
  };
  await measured('start', (server) => server.stop());
  await killAfterWrites(await startMetered(site, folder));
  await measured('start after SIGKILL', killAfterWrites);
  // Leaves a site that was closed properly.
  await (await startMetered(site, folder)).stop();
}

function messageOf(n: number): FormData {
  const form = new FormData();
  form.set('body', `Message ${n}`);
  return form;
}

async function filesIn(folder: string): Promise<{ count: number; bytes: number }> {
  const found = { count: 0, bytes: 0 };
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    found.count += 1;
    found.bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return found;
}

/** Files per second of one core: of recordings and column files by `verify`, and by sha256sum, which compares them with nothing. */
async function compareVerify({ dir }: FullSite, ownSeconds: number, add: Add): Promise<void> {
  const folders = ['signals', 'columns'].map((name) => join(dir, name));
  let count = 0;
  for (const folder of folders) count += (await filesIn(folder)).count;
  const peerSeconds = hashingSeconds(folders);
  add('verify: recordings and columns', count / ownSeconds, 'files/s per core');
  if (peerSeconds !== undefined) add('verify: the same by find and sha256sum', count / peerSeconds, 'files/s per core');
}

async function measureCommands(site: FullSite, folder: string, add: Add, say: (text: string) => void): Promise<void> {
  const size = `${site.subjects}x${site.days}`;
  say(`${size}: verify`);
  const { bytes } = await filesIn(site.dir);
  add('site: all files', bytes / 1e9, 'GB');
  const verified = await runCommand(site, folder, ['verify', '--data', site.dir, '--json']);
  if (verified.exitCode !== 0) throw new Error(`verify found problems: ${verified.stdout.slice(0, 1000)}`);
  add('verify', bytes / 1e6 / (verified.cpuMs / 1000), 'MB/s per core', verified.wallMs);
  add('verify: peak memory', verified.peakBytes / 1e6, 'MB');
  const parts = await verifyParts(site);
  for (const [step, seconds] of parts) add(`verify: ${step}`, seconds, 's CPU');
  await compareVerify(site, (parts.get('recordings') ?? 0) + (parts.get('analytics') ?? 0), add);
  for (const { size: fileSize, bytesPerFile, cpuUsPerFile } of await verifyFiles(folder)) {
    add(`verify of files of ${fileSize}`, bytesPerFile / cpuUsPerFile, 'MB/s per core');
    add(`verify of a file of ${fileSize}`, cpuUsPerFile, 'us CPU');
  }
  for (const name of ['backup', 'second backup']) {
    say(`${size}: ${name}`);
    const made = await runCommand(site, folder, [
      'backup',
      '--data',
      site.dir,
      '--to',
      join(folder, 'backups'),
      '--json',
    ]);
    if (made.exitCode !== 0) throw new Error(`The backup failed: ${made.stdout.slice(0, 1000)}`);
    add(name, made.cpuMs / 1000, 's CPU', made.wallMs);
    add(`${name}: peak memory`, made.peakBytes / 1e6, 'MB');
  }
  const sizing = sizingSeconds([site.dir, join(folder, 'backups')]);
  if (sizing !== undefined) add('second backup: find of all sizes on both sides', sizing, 's CPU');
}
