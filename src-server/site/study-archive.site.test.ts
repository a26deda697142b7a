import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '../analytics/metric-names.ts';
import type { Client } from '../api/contract/client.ts';
import { SYSTEM } from '../db/index.ts';
import { sitePaths } from '../integrity/site-file.ts';
import { studyExportHandler } from '../jobs/handlers/study-export.ts';
import { exportStudy } from '../jobs/workers/export-study.ts';
import type { StudyExportTask, WorkerContext } from '../jobs/workers/tasks.ts';
import { METRICS_HEADER } from '../stored-analytics/csv.ts';
import { fixedZone, midnightWindow } from '../study/day-windows.ts';
import { NO_WORDS } from '../study/export-formats.ts';
import type { JobRow } from '../study/jobs.ts';
import { storeTestAnalytics } from '../testing/test-analytics.ts';
import { WORKER_ENTRY } from '../testing/test-engine.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { csvRecords, zipContents } from '../testing/zip-contents.ts';
import { type RunningSite, startSite } from './server.ts';

const DATES = ['2026-03-07', '2026-03-08'];
const ZONE = 'US/Eastern';

const METRIC = METRICS_HEADER.find((name) => name.startsWith('MOVING_AVG_HR'))!;

/** Prints a metric, a time in ms, a date, whether types are right, and the rows of a day. */
const pythonProgram = (id: string, date: string) => `
import sys; sys.path.insert(0, '.')
import load, pandas as pd
t = load.tables()
print('%.2f' % t['metrics'][${JSON.stringify(METRIC)}][0])
print(int(t['recordings']['recordingStartTs'][0].timestamp() * 1000))
print(t['metrics']['DATE'][0].isoformat())
flags = [t['study']['isArchived'].dtype == 'boolean', t['recordings']['id'].dtype == 'string', list(t['recordings']['channels'][0]) != []]
print(' '.join(str(bool(flag)).upper() for flag in flags))
print(len(load.channels('${id}', '${date}')))
`;

const rProgram = (id: string, date: string) => `
source('load.R')
t <- load_tables('.')
cat(sprintf('%.2f', t$metrics[[${JSON.stringify(METRIC)}]][1]), '\n')
cat(sprintf('%.0f', as.numeric(t$recordings$recordingStartTs[1]) * 1000), '\n')
cat(format(t$metrics$DATE[1]), '\n')
cat(is.logical(t$study$isArchived), is.character(t$recordings$id), length(t$recordings$channels[[1]]) > 0, '\n')
cat(nrow(load_channels('.', '${id}', '${date}')), '\n')
`;

let place: TestSite;
let site: RunningSite;
let client: Client;
let subjectId: string;
let testSubjectId: string;

beforeAll(async () => {
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
  const { store, signalsDir } = site.folder;
  const byAdmin = { actor: { type: 'USER', id: place.userId } } as const;
  const { studyId } = place;
  await client.call('putDefinition', {
    params: { studyId },
    body: {
      subjectMetadataFields: [{ displayName: 'Free, "text"', type: 'FREETEXT' }],
      diaries: [{ displayName: 'Evening', questions: [{ text: 'Pain?', type: 'BOOLEAN' }] }],
    },
  });
  subjectId = place.subjectIds[0]!;
  await store.subjects.update(
    subjectId,
    { metadataFields: [{ displayName: 'Free, "text"', value: 'line\nbreak, 痛み' }] },
    byAdmin,
  );
  const input = { displayName: 'Try-out', timezone: ZONE, isTest: true };
  testSubjectId = (await store.subjects.create(studyId, input, byAdmin)).id;
  for (const id of [subjectId, testSubjectId]) {
    const spans = DATES.map((date) => {
      const startMs = midnightWindow(date, fixedZone(ZONE)).stopMs - 14 * 3_600_000;
      return { startMs, stopMs: startMs + 600_000 };
    });
    for (const { startMs } of spans) {
      const options = { startUs: startMs * 1000, durationSeconds: 600, ecgRateHz: 125 };
      await addTestRecording(store, signalsDir, { studyId, subjectId: id }, options);
    }
    await storeTestAnalytics(store, { studyId, subjectId: id }, ZONE, DATES, spans);
  }
  const definition = { studyId, kind: 'study-definition', targetId: studyId } as const;
  const { sha256: contentSha256 } = await store.signatures.contentOf(definition);
  const signer = (await store.users.get(place.userId))!;
  await store.signatures.sign({ ...definition, meaning: 'APPROVED', contentSha256 }, signer, byAdmin);
  const diary = (await store.studies.getDetail(studyId))!.diaries[0]!;
  await store.annotations.reportTask(
    {
      studyId,
      subjectId,
      taskId: diary.id,
      startTs: 1,
      stopTs: 2,
      answers: [{ questionId: diary.questions[0]!.id, value: 'YES' }],
    },
    { actor: { type: 'SUBJECT', id: subjectId } },
  );
});
afterAll(async () => {
  await site.close();
  await place.remove();
});

const study = () => client.call('getStudy', { params: { studyId: place.studyId } });

/** Requests an archive and waits for its job. */
async function makeArchive(): Promise<void> {
  const response = await client.fetch('requestStudyArchive', { params: { studyId: place.studyId } });
  expect(response.status).toBe(202);
  expect(await response.text()).toBe('');
  const [job] = (await client.call('listJobs', { query: {} })).items;
  expect(job).toMatchObject({ kind: 'archive', studyId: place.studyId });
  expect((await jobEnd(client, job!.id)).state).toBe('done');
}

async function signedAddress(): Promise<string> {
  const { href } = (await study()).export!;
  expect(href).toBe(`/v1/archives/${place.studyId}/archive`);
  const signed = (await (await client.follow(href)).json()) as { href: string; expiration: number };
  expect(signed.expiration).toBeGreaterThan(Date.now() + 3_500_000);
  return signed.href;
}

describe('study archive', () => {
  it('is requested, created by a job, listed on the study, announced, and downloaded from a signed URL', async () => {
    expect((await study()).export).toBeUndefined();
    await expect(client.call('getStudyArchive', { params: { studyId: place.studyId } })).rejects.toMatchObject({
      status: 404,
    });
    const before = Date.now();
    await makeArchive();
    const { export: shown } = await study();
    expect(shown!.requestedTs).toBeGreaterThanOrEqual(before);
    expect((await client.call('listStudies', { params: { accountId: place.accountId } }))[0]!.export).toEqual(shown);

    const address = await signedAddress();
    const whole = await fetch(address);
    expect(whole.headers.get('content-type')).toBe('application/zip');
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes.length).toBe(shown!.sizeBytes);
    const part = await fetch(address, { headers: { range: 'bytes=4-9' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(4, 10));
    const wrong = await fetch(address.replace(/archives\/\d+/, 'archives/1'));
    expect(wrong.status).toBe(403);
    expect(await wrong.json()).toMatchObject({ code: 'FORBIDDEN' });

    const mails = await site.folder.store.outbox.list(place.accountId);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ recipient: 'admin@example.org', subject: 'The archive of Test study is ready' });
  });

  it('contains metadata and analytics of every subject except test subjects, with hashes in its manifest', async () => {
    const members = await zipContents(new Uint8Array(await (await fetch(await signedAddress())).arrayBuffer()));
    const text = (name: string) => members.get(name)!.toString();
    const manifest = JSON.parse(text('manifest.json')) as {
      requestedTs: number;
      files: { path: string; sizeBytes: number; sha256: string }[];
    };
    expect(manifest.requestedTs).toBe((await study()).export!.requestedTs);
    expect([...members.keys()].filter((name) => name !== 'manifest.json')).toEqual(
      manifest.files.map(({ path }) => path),
    );
    for (const { path, sizeBytes, sha256 } of manifest.files) {
      const bytes = members.get(path)!;
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([sizeBytes, sha256]);
    }
    expect(text('signatures.csv').split('\n')[1]).toMatch(/,APPROVED,study-definition,.*,current,/);
    for (const [name, bytes] of members) {
      if (name !== 'manifest.json') expect(bytes.includes(testSubjectId), name).toBe(false);
    }
    const params = { studyId: place.studyId, subjectId };
    for (const date of DATES) {
      const download = await client.fetch('downloadChannelsCsv', { params: { ...params, date } });
      expect(text(`channels/${subjectId}/${date}.csv`)).toBe(await download.text());
    }
    const own = (await (await client.fetch('downloadMetricsCsv', { params })).text()).split('\n');
    const metrics = text('metrics.csv').split('\n');
    expect(metrics[0]).toBe(`subjectId,subject,${own[0]},algorithmVersion`);
    expect(metrics.slice(1, -1)).toEqual(own.slice(1, -1).map((line) => `${subjectId},Subject 1,${line},"test"`));
    expect(JSON.parse(text('manifest.json'))).toMatchObject({ algorithmVersion: 'test' });
    expect(text('subjects.csv')).toContain('"metadata: Free, ""text"""');
    expect(text('subjects.csv')).toContain('"line\nbreak, 痛み"');
    expect(text('recordings.csv').trimEnd().split('\n')).toHaveLength(1 + DATES.length);
    expect(text('annotations.csv')).toContain(',question,Pain?,YES,,1,2,');
    expect(text('metric-dictionary.csv').trimEnd().split('\n')).toHaveLength(1 + METRIC_NAMES.length);
    expect(JSON.parse(text('definition.json'))).toMatchObject({ diaries: [{ displayName: 'Evening' }] });
  });

  it.each([
    ['pandas', '/usr/bin/python3', ['-c', 'import pandas'], pythonProgram],
    ['R', 'Rscript', ['--version'], rProgram],
  ] as const)('loads with types in %s by its own script', async (_name, program, probe, codeOf) => {
    if (spawnSync(program, [...probe]).status !== 0)
      return void process.stderr.write(`No ${_name} on this computer.\n`);
    const members = await zipContents(new Uint8Array(await (await fetch(await signedAddress())).arrayBuffer()));
    const folder = await mkdtemp(join(tmpdir(), 'outpost-archive-'));
    try {
      for (const [name, bytes] of members) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), bytes);
      }
      const { status, stdout, stderr } = spawnSync(program, ['-'], {
        cwd: folder,
        input: codeOf(subjectId, DATES[0]!),
      });
      expect(status, String(stderr)).toBe(0);
      const [rate] = csvRecords(members.get('metrics.csv')!.toString()).map((row) => Number(row[METRIC]));
      const starts = csvRecords(members.get('recordings.csv')!.toString()).map((row) => row.recordingStartTs);
      expect(
        String(stdout)
          .trim()
          .split('\n')
          .map((line) => line.trim()),
      ).toEqual([rate!.toFixed(2), String(starts[0]), DATES[0], 'TRUE TRUE TRUE', '1440']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is replaced by a newer one, and the old URL answers 404', async () => {
    const old = await signedAddress();
    await makeArchive();
    expect((await fetch(old)).status).toBe(404);
    expect((await fetch(await signedAddress())).status).toBe(200);
    expect((await readdir(site.folder.exportsDir)).filter((name) => name.startsWith('study-'))).toHaveLength(1);
  });

  const task = (requestedTs: number): StudyExportTask => ({
    format: 'ARCHIVE',
    options: {
      exportId: 'direct',
      studyId: place.studyId,
      subjectIds: null,
      requestedTs,
      dataTs: requestedTs,
      sinceExportId: null,
      words: NO_WORDS,
    },
    databasePath: sitePaths(place.dir).database,
    signalsDir: site.folder.signalsDir,
    imagesDir: site.folder.imagesDir,
    outputPath: join(site.folder.exportsDir, 'direct.zip'),
    partsDir: join(site.folder.exportsDir, 'direct.parts'),
  });
  const context = (throwIfCancelled: () => void): WorkerContext => ({
    signal: new AbortController().signal,
    progress: () => undefined,
    throwIfCancelled,
  });

  it('excludes data added after the request', async () => {
    const { createdTs } = await site.folder.store.subjects.require(subjectId);
    const { facts } = await exportStudy(
      task(createdTs - 1),
      context(() => undefined),
      WORKER_ENTRY,
    );
    expect(facts).toMatchObject({ subjects: 0, days: 0 });
    const later = await exportStudy(
      task(Date.now()),
      context(() => undefined),
      WORKER_ENTRY,
    );
    expect(later.facts).toMatchObject({ subjects: 2, days: 2 });
  });

  it('can be cancelled at any member and leaves nothing behind', async () => {
    await rm(join(site.folder.exportsDir, 'direct.zip'), { force: true });
    const before = await readdir(site.folder.exportsDir);
    for (const turns of [0, 3, 12]) {
      let left = turns;
      const cancel = () => {
        if (left-- === 0) throw new Error('cancelled here');
      };
      await expect(exportStudy(task(Date.now()), context(cancel), WORKER_ENTRY)).rejects.toThrow('cancelled here');
      expect(await readdir(site.folder.exportsDir)).toEqual(before);
    }
  });

  it('is not created or announced a second time when its job repeats after a restart', async () => {
    const { store, exportsDir } = site.folder;
    const [row] = await store.jobs.list({ kind: 'archive', limit: 1 });
    const mails = (await store.outbox.list(place.accountId)).length;
    const handler = studyExportHandler({ store, exportsDir } as Parameters<typeof studyExportHandler>[0]);
    const run = { job: row as JobRow, signal: new AbortController().signal, progress() {}, async checkpoint() {} };
    expect(await handler(run)).toMatchObject({ fileName: (await store.studies.require(place.studyId)).export!.file });
    expect(await store.outbox.list(place.accountId)).toHaveLength(mails);
  });

  it('requires the permission to export', async () => {
    const { store } = site.folder;
    const reader = await store.users.create(
      {
        accountId: place.accountId,
        email: 'monitor@example.org',
        firstName: 'M',
        lastName: 'M',
        locale: 'en_US',
        timezone: ZONE,
        role: 'MONITOR',
      },
      SYSTEM,
    );
    await store.studies.setMember(place.studyId, reader.id, 'MONITOR', SYSTEM);
    const { accessToken } = await store.tokens.create(reader.id);
    const authorization = `Basic ${btoa(`${reader.id}:${accessToken}`)}`;
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${site.url}/api/v1/archives/${place.studyId}/archive`, {
        method,
        headers: { authorization },
      });
      expect(response.status).toBe(403);
    }
  });
});
