/**
 * A server imports uploaded files. Afterwards the files are intact, no acknowledged upload is lost, jobs resume automatically, and in
 * the end there is exactly one recording of each file.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../api/contract/client.ts';
import { HOUR_MS } from '../../durations.ts';
import { ORPHANED } from '../../files/inbox.ts';
import { verifySite } from '../../integrity/verify.ts';
import { openSignalFileSync } from '../../signals/index.ts';
import { simulateSubject } from '../../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../simulator/physiology/write.ts';
import { openSite } from '../../site/folder.ts';
import { realData } from '../real-data.ts';
import { allJobsEnd, jobEnd, makeTestSite, signIn, startServerProcess, type TestSite, upload } from '../test-site.ts';
import { type Activity, type Interruption, KILL_HOOK, type WorkEnd } from './activity.ts';

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

/** The result of an undisturbed import. */
async function undisturbed(site: TestSite, sources: Source[]): Promise<Contents> {
  const server = await startServerProcess(site.dir);
  const client = await signIn(server.url);
  await uploadAll(client, site, sources, () => undefined);
  await allJobsEnd(client);
  await server.stop();
  return await contentsOf(site);
}

export interface ImportTemplate {
  site: TestSite;
  sources: Source[];
  expected: Contents;
}

/** @param folder for the files to import @param hours length of the simulated recordings among them */
export async function makeImportTemplate(folder: string, hours: number): Promise<ImportTemplate> {
  const site = await makeTestSite({ timeZones: ['US/Eastern'] });
  await mkdir(join(folder, 'sources'));
  const sources = await makeSources(join(folder, 'sources'), hours);
  const reference = { ...site, dir: join(folder, 'reference') };
  await cp(site.dir, reference.dir, { recursive: true });
  return { site, sources, expected: await undisturbed(reference, sources) };
}

export function importActivity({ site: template, sources, expected }: ImportTemplate, folder: string): Activity {
  const site = { ...template, dir: join(folder, 'site') };
  return {
    name: 'import',
    // Reading and storing come early, the analyses take the rest of the time.
    isEarly: true,
    prepare: () => cp(template.dir, site.dir, { recursive: true }),
    work: (interruption) => serveAndImport(site, sources, interruption),
    problems: (acknowledged) => aftermath(site, sources, acknowledged, expected),
  };
}

/** Acknowledges the jobs of the uploads. Time counts from the first of them. */
async function serveAndImport(
  site: TestSite,
  sources: Source[],
  { environment = {}, killAfterMs, gone, acknowledge }: Interruption,
): Promise<WorkEnd> {
  const options = { nodeArguments: ['--import', KILL_HOOK], environment };
  const server = await startServerProcess(site.dir, options).catch(() => undefined);
  // The moment may come while the site opens, before it serves.
  if (!server) return { wasKilled: true, durationMs: 0 };
  let firstMs: number | undefined;
  const work = (async () => {
    const client = await signIn(server.url);
    await uploadAll(client, site, sources, (id) => {
      acknowledge(id);
      if (firstMs !== undefined) return;
      firstMs = performance.now();
      if (killAfterMs !== undefined) void sleep(killAfterMs).then(server.kill);
    });
    // On a disk that is gone, jobs wait for its return.
    await Promise.race([allJobsEnd(client), ...(gone ? [gone] : [])]);
  })();
  await Promise.race([work.catch(() => undefined), server.exited]);
  const durationMs = performance.now() - (firstMs ?? performance.now());
  const code = server.child.signalCode === 'SIGKILL' ? null : await server.stop();
  await work.catch(() => undefined);
  return { wasKilled: code === null, durationMs };
}

async function aftermath(
  site: TestSite,
  sources: Source[],
  acknowledged: readonly string[],
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
