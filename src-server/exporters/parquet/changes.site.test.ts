import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecondColumns } from '../../analytics/seconds.ts';
import { FIVE_MINUTE_COLUMNS, type FiveMinutes } from '../../analytics/types.ts';
import { SYSTEM } from '../../db/index.ts';
import { openSignalFileSync } from '../../signals/index.ts';
import { addDays, fixedZone, midnightWindow, noonWindow } from '../../study/day-windows.ts';
import { queryDuckDb } from '../../testing/read-parquet.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { makePart } from '../study-export/make-part.ts';
import { APPLY_PYTHON } from './load-scripts.ts';
import type { Partition } from './partitions.ts';
import { writeParquetStudy } from './study.ts';

const ZONE = 'Asia/Tokyo';
const DATE = '2026-01-10';
const PYTHON = '/usr/bin/python3';

interface Manifest {
  exportId: string;
  base?: { exportId: string };
  files: Partition[];
  removed?: string[];
  problems: { recordingId: string; problems: string[] }[];
}

let api: TestApi;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  api = await startTestApi({ timeZones: [ZONE, ZONE, ZONE] });
  for (const subjectId of api.subjectIds) await record(subjectId, DATE);
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

/** Two minutes of a day, with analytics of the day. */
async function record(subjectId: string, ...dates: string[]): Promise<void> {
  const place = { studyId: api.studyId, subjectId };
  const spans = dates.map((date) => {
    const startMs = midnightWindow(date, fixedZone(ZONE)).startMs + 3_600_000;
    return { startMs, stopMs: startMs + 120_000 };
  });
  for (const { startMs } of spans) {
    const options = { startUs: startMs * 1000, durationSeconds: 120, ecgRateHz: 125 };
    await addTestRecording(api.store, api.deps.signalsDir, place, options);
  }
  await storeTestAnalytics(api.store, place, ZONE, dates, spans);
}

/** A day with five minutes of known variability. */
async function variability(subjectId: string, date: string, algorithmVersion: string): Promise<void> {
  const window = noonWindow(date, fixedZone(ZONE));
  const seconds = createSecondColumns(window.startMs, (window.stopMs - window.startMs) / 1000);
  const rows = seconds.count / 300;
  const columns = FIVE_MINUTE_COLUMNS.map((name) => [name, new Float32Array(rows).fill(50)]);
  const counts = ['nnCount', 'differences', 'differencesOver50'].map((name) => [
    name,
    new Uint16Array(rows).fill(3, 0, 1),
  ]);
  seconds.fiveMinutes = { startMs: window.startMs, ...Object.fromEntries([...columns, ...counts]) } as FiveMinutes;
  const windows = [{ window, seconds, timezone: ZONE, sleep: [], inputsHash: date }];
  await api.store.analytics.store({ studyId: api.studyId, subjectId, algorithmVersion, windows, days: [] }, SYSTEM);
}

let encoded = 0;

/** Exports to an unpacked folder; continues the export in `base`. */
async function exported(name: string, isCoded: boolean, base?: string) {
  const dir = join(folder.path, name);
  encoded = 0;
  const make: typeof makePart = (...request) => {
    encoded += 1;
    return makePart(...request);
  };
  const source = { store: api.store, signalsDir: api.deps.signalsDir, make };
  await unpackStudyExport(writeParquetStudy, source, dir, {
    ...{ studyId: api.studyId, exportId: name },
    ...(isCoded && { deidentify: testDeidentifier }),
    ...(base !== undefined && { baseManifest: manifestIn(base) as object }),
  });
  rmSync(join(dir, '.parts'), { recursive: true, force: true });
  return dir;
}

const manifestIn = (dir: string) => JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Manifest;

/** SHA-256 of every file but the manifest, by its path. */
function contentOf(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !['manifest.json', 'export.zip'].includes(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    files
      .map((path) => [relative(dir, path), createHash('sha256').update(readFileSync(path)).digest('hex')])
      .sort(([a], [b]) => (a! < b! ? -1 : 1)),
  );
}

const apply = (changes: string, onto: string) => {
  const script = [join(onto, 'apply.py'), join(changes, 'export.zip')];
  const { status, stdout, stderr } = spawnSync(PYTHON, script, { encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
};

const hasPython = spawnSync(PYTHON, ['--version']).status === 0 || process.env.CI !== undefined;
if (!hasPython) console.warn('Skipped: there is no Python to put exports of changes together.');

describe.runIf(hasPython).each([false, true])('an export of changes (de-identified: %s)', (isCoded) => {
  it('put onto the earlier one equals a full export, file by file, time after time', async () => {
    const tag = isCoded ? 'coded' : 'plain';
    const base = await exported(`${tag}-base`, isCoded);
    expect(manifestIn(base).files.every(({ state }) => state === undefined)).toBe(true);
    const working = join(folder.path, `${tag}-working`);
    cpSync(base, working, { recursive: true });
    rmSync(join(working, 'export.zip'));

    const nothing = await exported(`${tag}-nothing`, isCoded, base);
    expect(encoded).toBe(0);
    expect(manifestIn(nothing).files.every(({ state }) => state === 'UNCHANGED')).toBe(true);
    expect(Object.keys(contentOf(nothing))).toEqual([]);

    const [first, second] = api.subjectIds as [string, string, string];
    const codeOf = (id: string) => (isCoded ? testDeidentifier.code('subject', id) : id);
    const date = addDays(DATE, isCoded ? 2 : 1);
    await record(first, date);
    await api.store.subjects.update(second, { displayName: `Renamed ${tag}` }, SYSTEM);
    const changes = await exported(`${tag}-changes`, isCoded, base);
    expect(encoded).toBe(1);
    const { files, removed, base: named, exportId } = manifestIn(changes);
    expect(named).toEqual({ exportId: manifestIn(base).exportId });
    expect(removed).toEqual([]);
    const written = files.filter(({ state }) => state !== 'UNCHANGED');
    expect(Object.keys(contentOf(changes)).sort()).toEqual(written.map(({ path }) => path).sort());
    const folders = (id: string) =>
      written.flatMap(({ path, state }) => (path.includes(codeOf(id)) ? [`${path.split('/')[0]} ${state}`] : []));
    expect(folders(first)).toEqual(['metrics REPLACED', 'channels REPLACED', 'recordings REPLACED', 'raw ADDED']);
    // A name is in every table; it does not leave a de-identified export.
    const tables = ['metrics REPLACED', 'channels REPLACED', 'recordings REPLACED'];
    expect(folders(second)).toEqual(isCoded ? [] : tables);
    expect(apply(changes, working)).toMatchObject({ status: 0 });
    expect(contentOf(working)).toEqual(contentOf(await exported(`${tag}-whole`, isCoded)));
    expect(manifestIn(working).exportId).toBe(exportId);

    // The second turn continues the first, and takes away what was removed.
    const { studyId } = api;
    const [, , third] = api.subjectIds as [string, string, string];
    await api.store.analytics.store(
      { studyId, subjectId: third, algorithmVersion: 'test', windows: [], days: [], removedDates: [DATE] },
      SYSTEM,
    );
    const again = await exported(`${tag}-again`, isCoded, changes);
    expect(encoded).toBe(0);
    expect(manifestIn(again).removed).toEqual([
      `metrics/${codeOf(third)}.parquet`,
      `channels/${codeOf(third)}.parquet`,
    ]);
    expect(apply(again, working)).toMatchObject({ status: 0 });
    expect(contentOf(working)).toEqual(contentOf(await exported(`${tag}-whole-again`, isCoded)));
    await record(third, DATE);
  });

  it('is refused onto another archive, and onto one that was altered, before anything is changed', async () => {
    const tag = isCoded ? 'coded' : 'plain';
    const base = await exported(`${tag}-base-2`, isCoded);
    await record(api.subjectIds[0]!, addDays(DATE, isCoded ? 12 : 11));
    const changes = await exported(`${tag}-changes-2`, isCoded, base);
    const other = join(folder.path, `${tag}-whole`);
    expect(apply(changes, other)).toMatchObject({ status: 1, text: expect.stringContaining('The changes continue') });
    const altered = readdirSync(join(base, 'raw'), { recursive: true, withFileTypes: true }).find((one) =>
      one.isFile(),
    )!;
    writeFileSync(join(altered.parentPath, altered.name), 'x');
    const before = contentOf(base);
    expect(apply(changes, base)).toMatchObject({ status: 1, text: expect.stringContaining('Nothing was changed') });
    expect(contentOf(base)).toEqual(before);
  });

  it('reads a recording again that the earlier export has with damage', async () => {
    const tag = isCoded ? 'coded' : 'plain';
    const { id, subjectId } = (await api.store.recordings.listForSubject(api.subjectIds[1]!))[0]!;
    const path = join(api.deps.signalsDir, `${id}.sig`);
    const whole = readFileSync(path);
    const file = openSignalFileSync(path);
    const { offset, payloadLength } = file.pageIndex[1]![0]!;
    file.closeSync();
    const damaged = Buffer.from(whole);
    damaged.fill(0x5a, offset + Math.floor(payloadLength / 2), offset + Math.floor(payloadLength / 2) + 8);
    writeFileSync(path, damaged);
    const base = await exported(`${tag}-base-4`, isCoded);
    const shownId = isCoded ? testDeidentifier.code('recording', id) : id;
    const found = (dir: string) => {
      const { files, problems } = manifestIn(dir);
      return [
        files.find(({ path: one }) => one.endsWith(`${shownId}.parquet`))?.state,
        problems.map(({ recordingId }) => recordingId),
      ];
    };
    expect(found(base)).toEqual([undefined, [shownId]]);
    expect(found(await exported(`${tag}-still-4`, isCoded, base))).toEqual(['UNCHANGED', [shownId]]);
    // While nothing can be read of it, what the earlier export holds stays, with both problems.
    rmSync(path);
    const lost = await exported(`${tag}-lost-4`, isCoded, base);
    expect(found(lost)).toEqual(['UNCHANGED', [shownId]]);
    const [before] = manifestIn(base).problems;
    expect(manifestIn(lost).problems[0]!.problems).toEqual([...before!.problems, 'The stored file is missing.']);
    writeFileSync(path, whole);
    const returned = await exported(`${tag}-returned-4`, isCoded, lost);
    expect([encoded, found(returned)]).toEqual([1, ['REPLACED', []]]);
    const fresh = contentOf(await exported(`${tag}-whole-4`, isCoded));
    const name = `raw/${isCoded ? testDeidentifier.code('subject', subjectId) : subjectId}/${shownId}.parquet`;
    expect(contentOf(returned)).toEqual({ [name]: fresh[name] });
  });

  it('keeps a recording whose file was lost since, and refuses the manifest of another layout', async () => {
    const tag = isCoded ? 'coded' : 'plain';
    const base = await exported(`${tag}-base-3`, isCoded);
    const { id, subjectId } = (await api.store.recordings.listForSubject(api.subjectIds[1]!))[0]!;
    const path = join(api.deps.signalsDir, `${id}.sig`);
    const bytes = readFileSync(path);
    rmSync(path);
    const changes = await exported(`${tag}-changes-3`, isCoded, base);
    writeFileSync(path, bytes);
    const name = isCoded
      ? `raw/${testDeidentifier.code('subject', subjectId)}/${testDeidentifier.code('recording', id)}.parquet`
      : `raw/${subjectId}/${id}.parquet`;
    const found = (dir: string) => {
      const { files, problems } = manifestIn(dir);
      return [files.find((file) => file.path === name)?.state, problems.flatMap((one) => one.problems)];
    };
    expect(found(changes)).toEqual(['UNCHANGED', ['The stored file is missing.']]);
    // The continuation of that one reads the file again, and finds the same.
    const returned = await exported(`${tag}-returned-3`, isCoded, changes);
    expect([encoded, found(returned)]).toEqual([1, ['UNCHANGED', []]]);
    const older = join(folder.path, `${tag}-older`);
    mkdirSync(older, { recursive: true });
    writeFileSync(join(older, 'manifest.json'), JSON.stringify({ ...manifestIn(base), formatVersion: 1 }));
    await expect(exported(`${tag}-refused`, isCoded, older)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe.each([false, true])('the variability of an export of changes (de-identified: %s)', (isCoded) => {
  it('names the present version of each window, also where the versions of the subject are the same together', async () => {
    const tag = isCoded ? 'coded' : 'plain';
    const subjectId = api.subjectIds[2]!;
    const dates = [addDays(DATE, 30), addDays(DATE, 31)];
    const computedBy = async (...versions: string[]) => {
      for (const [i, date] of dates.entries()) await variability(subjectId, date, versions[i]!);
    };
    const versionsIn = async (dir: string) => {
      const rows = await queryDuckDb(
        `SELECT algorithm_version FROM read_parquet('${dir}/hrv_5min/*.parquet') ORDER BY start`,
      );
      return rows.map(({ algorithm_version: version }) => version);
    };
    await computedBy('1', '2');
    const base = await exported(`${tag}-base-5`, isCoded);
    expect(await versionsIn(base)).toEqual(['1', '2']);
    await computedBy('2', '1');
    const changes = await exported(`${tag}-changes-5`, isCoded, base);
    expect(await versionsIn(changes)).toEqual(['2', '1']);
  });
});

it.runIf(hasPython)('apply.py completes what an interrupted run of it began, emptied folders included', () => {
  const [onto, changes] = [join(folder.path, 'interrupted'), join(folder.path, 'interrupted-changes')];
  // The table of corrections is gone, and its folder with it; the table of metrics is still to be removed.
  mkdirSync(join(onto, 'metrics'), { recursive: true });
  writeFileSync(join(onto, 'metrics', 'a.parquet'), 'x');
  writeFileSync(join(onto, 'apply.py'), APPLY_PYTHON);
  writeFileSync(join(onto, 'manifest.json'), JSON.stringify({ exportId: 'earlier' }));
  mkdirSync(changes);
  const removed = ['corrections/a.parquet', 'corrections/b.parquet', 'metrics/a.parquet'];
  const manifest = { exportId: 'later', base: { exportId: 'earlier' }, files: [], removed };
  writeFileSync(join(changes, 'manifest.json'), JSON.stringify(manifest));
  const { status, stderr } = spawnSync(PYTHON, [join(onto, 'apply.py'), changes], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(readdirSync(onto).sort()).toEqual(['apply.py', 'manifest.json']);
  expect(manifestIn(onto).exportId).toBe('later');
});
