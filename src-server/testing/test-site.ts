/** Whole sites for tests and benches: a folder with a study and subjects, a server in this process or in its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../api/contract/client.ts';
import type { Routes } from '../api/contract/index.ts';
import type { ResponseOf } from '../api/contract/route.ts';
import { initSite, openSite } from '../site/folder.ts';

type JobAnswer = ResponseOf<Routes['getJob']>;

export const TEST_EMAIL = 'admin@example.org';
export const TEST_PASSWORD = 'correct horse 1';

/** The `outpost` command, as a file for Node. */
export const OUTPOST_COMMAND = join(import.meta.dirname, '..', 'cli', 'main.ts');

export interface TestSite {
  dir: string;
  accountId: string;
  userId: string;
  studyId: string;
  subjectIds: string[];
  remove(): Promise<void>;
}

/** Makes a site in a temporary folder, below `folder` where that is given, and closes it again. */
export async function makeTestSite(options: { timeZones?: string[]; folder?: string } = {}): Promise<TestSite> {
  const parent = await mkdtemp(join(options.folder ?? tmpdir(), 'outpost-site-'));
  const dir = join(parent, 'site');
  const { accountId, userId } = await initSite(dir, {
    account: 'Test clinic',
    email: TEST_EMAIL,
    password: TEST_PASSWORD,
    timeZone: 'US/Eastern',
  });
  const folder = await openSite(dir);
  try {
    const change = { actor: { type: 'USER', id: userId } } as const;
    const study = await folder.store.studies.create({ accountId, displayName: 'Test study' }, change);
    const subjectIds: string[] = [];
    for (const [index, timezone] of (options.timeZones ?? ['US/Eastern', 'US/Eastern']).entries()) {
      const input = { displayName: `Subject ${index + 1}`, timezone };
      subjectIds.push((await folder.store.subjects.create(study.id, input, change)).id);
    }
    const remove = () => rm(parent, { recursive: true, force: true });
    return { dir, accountId, userId, studyId: study.id, subjectIds, remove };
  } finally {
    await folder.close();
  }
}

export interface ServerProcess {
  url: string;
  /** Where devices call; empty without `lan`. */
  lanUrls: string[];
  child: ChildProcess;
  /** Resolves with its exit code, null after a signal. */
  exited: Promise<number | null>;
  /** Everything it wrote to stderr so far. */
  stderr(): string;
  /** Ends it with SIGTERM; answers its exit code. */
  stop(): Promise<number | null>;
  /** Ends it with SIGKILL, without a warning. */
  kill(): Promise<void>;
}

/**
 * Runs `outpost serve` in a process of its own and waits until it is ready; with `lan` at a free port for devices too, and with
 * `program` by the `outpost` command of a built program.
 */
export async function startServerProcess(
  dir: string,
  options: { nodeArguments?: string[]; environment?: Record<string, string>; lan?: boolean; program?: string } = {},
): Promise<ServerProcess> {
  const network = options.lan ? ['--lan-port', '0'] : ['--no-lan'];
  const child = spawn(
    process.execPath,
    [
      ...(options.nodeArguments ?? []),
      ...[options.program ?? OUTPOST_COMMAND, 'serve', '--no-desk', '--data', dir, '--port', '0', ...network],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.environment } },
  );
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const { url, lanUrls } = await new Promise<{ url: string; lanUrls?: string[] }>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.includes('\n')) resolve(JSON.parse(stdout.slice(0, stdout.indexOf('\n'))));
    });
    void exited.then((code) => reject(new Error(`The server ended with code ${code}: ${stderr}`)));
  });
  return {
    url,
    lanUrls: lanUrls ?? [],
    child,
    exited,
    stderr: () => stderr,
    stop: async () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A client with the administrator's credentials. */
export async function signIn(url: string): Promise<Client> {
  const client = createClient({ baseUrl: url, validateResponses: true });
  const session = await client.call('login', { body: { email: TEST_EMAIL, password: TEST_PASSWORD } });
  client.credentials = { userId: session.user.id, accessToken: session.accessToken };
  return client;
}

/** Sends files as one source; answers the queued job. */
export async function upload(
  client: Client,
  params: { studyId: string; subjectId: string },
  paths: readonly string[],
  fields: Record<string, string> = {},
): Promise<JobAnswer> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  for (const path of paths) body.append('file', new Blob([await readFile(path)]), basename(path));
  return client.call('importRecordings', { params, body });
}

/** Asks until the job has ended. */
export async function jobEnd(client: Client, jobId: string): Promise<JobAnswer> {
  for (;;) {
    const job = await client.call('getJob', { params: { jobId } });
    if (job.state !== 'queued' && job.state !== 'running') return job;
    await sleep(50);
  }
}

/** Asks until no job of the account waits or runs. */
export async function allJobsEnd(client: Client): Promise<void> {
  while ((await client.call('listJobs', { query: { state: ['queued', 'running'] } })).size > 0) await sleep(50);
}
