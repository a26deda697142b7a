/**
 * Kills a server with SIGKILL at random moments of imports and checks the result: intact files, no acknowledged upload lost, jobs
 * that resume automatically, and exactly one recording of each file in the end.
 */

import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../api/contract/client.ts';
import { HOUR_MS } from '../durations.ts';
import { ORPHANED } from '../files/inbox.ts';
import { verifySite } from '../integrity/verify.ts';
import { openSignalFileSync } from '../signals/index.ts';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../simulator/physiology/write.ts';
import { openSite } from '../site/folder.ts';
import { realData } from './real-data.ts';
import { allJobsEnd, jobEnd, makeTestSite, signIn, startServerProcess, type TestSite, upload } from './test-site.ts';

export type DurableStep = 'sync' | 'rename' | 'commit';

export interface KillRound {
  /** `after 812 ms` or `before commit 17`. */
  moment: string;
  /** Uploads that were acknowledged before the end. */
  acknowledged: number;
  /** Violations found; empty when there are none. */
  problems: string[];
}

interface Source {
  paths: string[];
  fields: Record<string, string>;
}

/** The data of a site's subject, without ids and upload times. */
interface Contents {
  recordings: string[];
  labels: string[];
  days: string[];
}

const HOOK = join(import.meta.dirname, 'kill-hook.ts');

async function makeSources(folder: string, hours: number): Promise<Source[]> {
  const startMs = Date.UTC(2024, 4, 14, 13);
  const { recordings } = simulateSubject({
    seed: 7,
    timeZone: 'US/Eastern',
    startMs,
    stopMs: startMs + hours * HOUR_MS,
    dailyCharging: false,
  });
  const sources: Source[] = [];
  for (const recording of recordings) {
    sources.push({ paths: [(await writeSimulatedRecording(folder, recording)).path], fields: {} });
  }
  const formats = realData('formats');
  if (formats) {
    const record100 = ['100.hea', '100.dat', '100.atr'].map((name) => join(formats, 'wfdb', name));
    sources.push({ paths: record100, fields: { startTs: '1700000000000' } });
    sources.push({ paths: [join(formats, 'mc10', 'reflex-hammer.zip')], fields: {} });
  }
  return sources;
}

function hashOfSamples(path: string): string {
  const hash = createHash('sha256');
  const file = openSignalFileSync(path);
  try {
    const { recordingId: _id, ...header } = file.header;
    hash.update(JSON.stringify(header));
    for (let channel = 0; channel < file.header.channels.length; channel++) {
      for (const page of file.pages(channel)) {
        hash.update(`${channel} ${page.startUs} ${page.periodUs} ${page.count}`);
        for (const array of [...page.columns, page.timeResidualsUs]) {
          if (array) hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
        }
      }
    }
    return hash.digest('hex');
  } finally {
    file.closeSync();
  }
}

/** Reads a closed site. */
async function contentsOf(site: TestSite): Promise<Contents> {
  const folder = await openSite(site.dir);
  try {
    const recordings = await folder.store.recordings.listForSubject(site.subjectIds[0]!);
    const labels = await folder.store.annotations.list(site.subjectIds[0]!);
    const days = await folder.store.analytics.days(site.subjectIds[0]!);
    return {
      recordings: recordings
        .map(
          ({ id, startUs, dataState }) =>
            `${startUs} ${dataState} ${hashOfSamples(join(folder.signalsDir, `${id}.sig`))}`,
        )
        .sort(),
      labels: labels.map(({ startTs, displayName, value }) => `${startTs} ${displayName} ${value ?? ''}`).sort(),
      days: days.map(({ date, metrics }) => `${date} ${JSON.stringify(metrics)}`),
    };
  } finally {
    await folder.close();
  }
}

async function uploadAll(
  client: Client,
  site: TestSite,
  sources: Source[],
  onAnswer: (jobId: string) => void,
): Promise<void> {
  const params = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
  for (const { paths, fields } of sources) onAnswer((await upload(client, params, paths, fields)).id);
}

/** An undisturbed import: its duration, its durable steps and its result. */
async function undisturbed(site: TestSite, sources: Source[], countsFile: string) {
  const server = await startServerProcess(site.dir, {
    nodeArguments: ['--import', HOOK],
    environment: { COUNT_TO: countsFile },
  });
  const client = await signIn(server.url);
  const started = performance.now();
  await uploadAll(client, site, sources, () => undefined);
  await allJobsEnd(client);
  const durationMs = performance.now() - started;
  await server.stop();
  const counts = JSON.parse(await readFile(countsFile, 'utf8')) as Record<DurableStep, number>;
  return { durationMs, counts, contents: await contentsOf(site) };
}

/**
 * Runs rounds, each on a site of its own. Every second one ends at a random time, the others right before or after a random
 * fsync, rename or commit. In the first round the time counts from the first answer, so that something was acknowledged.
 */
export async function killRounds(options: {
  random: () => number;
  rounds: number;
  /** Length of the simulated recordings among the imported files. */
  hours: number;
  onRound?: (round: KillRound, index: number) => void;
}): Promise<KillRound[]> {
  const { random } = options;
  const folder = await mkdtemp(join(tmpdir(), 'outpost-kill-'));
  const template = await makeTestSite({ timeZones: ['US/Eastern'] });
  const rounds: KillRound[] = [];
  const copy = async (name: string): Promise<TestSite> => {
    const dir = join(folder, name);
    await cp(template.dir, dir, { recursive: true });
    return { ...template, dir };
  };
  try {
    await mkdir(join(folder, 'sources'));
    const sources = await makeSources(join(folder, 'sources'), options.hours);
    const reference = await undisturbed(await copy('reference'), sources, join(folder, 'counts.json'));
    for (let index = 0; index < options.rounds; index++) {
      const site = await copy(`round-${index}`);
      const step = (['commit', 'rename', 'commit', 'sync'] as const)[Math.floor(random() * 4)]!;
      // Squared: reading and storing come early, the analyses take the rest of the time.
      const killAfterMs = index % 2 === 0 ? random() ** 2 * reference.durationMs : undefined;
      const side = random() < 0.5 ? 'before' : 'after';
      const nth = 1 + Math.floor(random() * Math.max(1, reference.counts[step]));
      const moment = killAfterMs === undefined ? `${side} ${step} ${nth}` : `after ${Math.round(killAfterMs)} ms`;
      const killed = await killDuringImport(site, sources, killAfterMs ?? `${step}:${side}:${nth}`, index === 0);
      const round = {
        moment,
        acknowledged: killed.length,
        problems: await aftermath(site, sources, killed, reference.contents),
      };
      rounds.push(round);
      options.onRound?.(round, index);
      await rm(site.dir, { recursive: true, force: true });
    }
    return rounds;
  } finally {
    await template.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ends the server at the moment; answers the jobs of the uploads that it had acknowledged. */
async function killDuringImport(
  site: TestSite,
  sources: Source[],
  moment: number | string,
  fromFirstAnswer: boolean,
): Promise<string[]> {
  const jobIds: string[] = [];
  const server = await startServerProcess(site.dir, {
    nodeArguments: ['--import', HOOK],
    environment: typeof moment === 'string' ? { KILL_AT: moment } : {},
  }).catch(() => undefined);
  // The step may come while the site opens, before it serves.
  if (!server) return jobIds;
  const work = (async () => {
    const client = await signIn(server.url);
    const killAfter = (ms: number) => void sleep(ms).then(server.kill);
    if (typeof moment === 'number' && !fromFirstAnswer) killAfter(moment);
    await uploadAll(client, site, sources, (id) => {
      if (typeof moment === 'number' && fromFirstAnswer && jobIds.length === 0) killAfter(moment);
      jobIds.push(id);
    });
    await allJobsEnd(client);
  })();
  await Promise.race([work.catch(() => undefined), server.exited]);
  await server.kill();
  await work.catch(() => undefined);
  return jobIds;
}

async function aftermath(
  site: TestSite,
  sources: Source[],
  acknowledged: string[],
  expected: Contents,
): Promise<string[]> {
  // An upload that was killed between its rename and its row was not acknowledged. Its files are set aside, because they look
  // like those of an upload that a restored older database does not know.
  const unacknowledged = (sources[acknowledged.length]?.paths ?? []).map((path) => basename(path));
  const problems = await verifyProblems(site, 'after the kill');
  const server = await startServerProcess(site.dir);
  try {
    const client = await signIn(server.url);
    await allJobsEnd(client);
    for (const jobId of acknowledged) {
      const job = await jobEnd(client, jobId).catch((error: unknown) => ({ state: String(error), error: undefined }));
      if (job.state !== 'done') problems.push(`An acknowledged upload is ${job.state}: ${job.error?.message ?? ''}`);
    }
    const again: string[] = [];
    await uploadAll(client, site, sources, (id) => again.push(id));
    await allJobsEnd(client);
    for (const jobId of again) {
      const job = await jobEnd(client, jobId);
      if (job.state !== 'done') problems.push(`The import again is ${job.state}: ${job.error?.message ?? ''}`);
    }
  } finally {
    if ((await server.stop()) !== 0) problems.push(`The server did not end cleanly: ${server.stderr()}`);
  }
  const setAside = await filesBelow(join(site.dir, 'inbox', ORPHANED));
  const isExpected = setAside.length > 0 && setAside.every((name) => unacknowledged.includes(name));
  problems.push(...(await verifyProblems(site, 'in the end', isExpected ? ['INBOX_SET_ASIDE'] : [])));
  const contents = await contentsOf(site);
  for (const part of ['recordings', 'labels', 'days'] as const) {
    if (JSON.stringify(contents[part]) !== JSON.stringify(expected[part])) {
      problems.push(`${part}: ${contents[part].length}, expected the same ${expected[part].length} as undisturbed`);
    }
  }
  const signals = (await readdir(join(site.dir, 'signals'))).filter((name) => name.endsWith('.sig'));
  if (signals.length !== expected.recordings.length) problems.push(`${signals.length} signal files are left.`);
  const inbox = await filesBelow(join(site.dir, 'inbox'));
  if (inbox.length > (isExpected ? setAside.length : 0)) problems.push(`The inbox still holds ${inbox.join(', ')}.`);
  return problems;
}

/** Returns the names of all files in a folder and below; none when it does not exist. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function verifyProblems(site: TestSite, when: string, expectedCodes: readonly string[] = []): Promise<string[]> {
  const { problems } = await verifySite(site.dir);
  const unexpected = problems.filter(({ code }) => code === undefined || !expectedCodes.includes(code));
  return unexpected.map(({ step, message }) => `${when}, ${step}: ${message}`);
}
