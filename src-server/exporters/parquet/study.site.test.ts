import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import type { RecordingRecord } from '../../db/index.ts';
import { addDays, fixedZone, midnightWindow } from '../../study/day-windows.ts';
import { queryDuckDb, readHyparquet } from '../../testing/read-parquet.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording, TEST_SCALE, testCount } from '../../testing/test-recording.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { writeParquetStudy } from './study.ts';

const ZONE = 'Asia/Tokyo';
const DATES = ['2026-01-10', '2026-01-11'];
/** Before 09:00 in Tokyo: another date in UTC. */
const startOf = (date: string) => midnightWindow(date, fixedZone(ZONE)).startMs + 3_600_000;
const MINUTES = 5;

let api: TestApi;
let folder: ReturnType<typeof temporaryFolder>;
let recordings: RecordingRecord[];
beforeAll(async () => {
  folder = temporaryFolder();
  api = await startTestApi({ timeZones: [ZONE] });
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const spans = DATES.map((date) => ({ startMs: startOf(date), stopMs: startOf(date) + MINUTES * 60_000 }));
  recordings = [];
  for (const { startMs } of spans) {
    const options = { startUs: startMs * 1000 + 7, durationSeconds: MINUTES * 60 };
    recordings.push(await addTestRecording(api.store, api.deps.signalsDir, place, options));
  }
  await storeTestAnalytics(api.store, place, ZONE, DATES, spans);
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

const source = () => ({ store: api.store, signalsDir: api.deps.signalsDir });

describe('a study as Parquet', () => {
  it('holds metrics, channels, recordings and samples that DuckDB reads and joins', async () => {
    const dir = join(folder.path, 'plain');
    const { facts, members } = await unpackStudyExport(writeParquetStudy, source(), dir, { studyId: api.studyId });
    expect(facts).toMatchObject({ subjects: 1, recordings: 2 });
    const manifest = JSON.parse(String(members.get('manifest.json')));
    expect(manifest).toMatchObject({ isDeidentified: false, problems: [], study: { displayName: 'Test study' } });
    for (const { path, sha256 } of manifest.files) {
      expect(createHash('sha256').update(members.get(path)!).digest('hex')).toBe(sha256);
    }

    const metrics = await queryDuckDb(
      `SELECT date::VARCHAR AS date, utc_offset, epoch_ms(day_start)::VARCHAR AS start, MOVING_AVG_HR AS hr, RESTING_AVG_HR AS missing,
       SENSOR_WEAR_DURATION AS worn FROM '${dir}/metrics/*.parquet' ORDER BY date`,
    );
    expect(metrics).toEqual(
      DATES.map((date, i) => ({
        date,
        utc_offset: '+09:00',
        start: `${midnightWindow(date, fixedZone(ZONE)).startMs}`,
        hr: 72.345,
        missing: null,
        worn: 3600 + i,
      })),
    );
    const versions = await queryDuckDb(`SELECT DISTINCT algorithm_version AS version FROM '${dir}/metrics/*.parquet'`);
    expect(versions).toEqual([{ version: 'test' }]);
    const file = `${api.subjectIds[0]}.parquet`;
    for (const table of ['metrics', 'channels']) {
      const { facts } = await readHyparquet(join(dir, table, file));
      expect(facts.algorithm_version, table).toBe('test');
    }
    const { facts: described } = await readHyparquet(join(dir, 'metrics', file));
    expect(described.units).toMatchObject(Object.fromEntries(METRIC_NAMES.map(({ name, unit }) => [name, unit])));

    const channels = await queryDuckDb(
      `SELECT date::VARCHAR AS date, count(*)::INTEGER AS n, min(epoch_ms(time))::VARCHAR AS first, sum(steps) AS steps,
       any_value(activity) AS activity FROM '${dir}/channels/*.parquet' GROUP BY date ORDER BY date`,
    );
    expect(channels).toEqual(
      DATES.map((date) => ({
        date,
        n: MINUTES,
        first: `${startOf(date)}`,
        steps: MINUTES * 60,
        activity: expect.any(String),
      })),
    );

    const [joined] = await queryDuckDb(
      `SELECT count(*)::INTEGER AS n, min(epoch_us(time))::VARCHAR AS first FROM '${dir}/recordings/*.parquet' r
       JOIN read_parquet('${dir}/raw/*/*.parquet', filename = true) s ON s.filename = '${dir}/' || r.file
       WHERE r.recording_id = '${recordings[1]!.id}' AND s.type = 'ECG' AND s.time BETWEEN r.start AND r.stop`,
    );
    expect(joined).toEqual({ n: MINUTES * 60 * 250, first: `${recordings[1]!.startUs}` });
    const { rows } = await readHyparquet(join(dir, 'raw', api.subjectIds[0]!, `${recordings[0]!.id}.parquet`));
    const ecg = rows.filter(({ type }) => type === 'ECG').map(({ v }) => v);
    expect(ecg).toEqual(ecg.map((_, i) => testCount(i, 0) * TEST_SCALE.ECG));
  });

  it('names nobody and no day when de-identified, and keeps intervals and local times', async () => {
    const dir = join(folder.path, 'coded');
    const options = { studyId: api.studyId, deidentify: testDeidentifier };
    const { members } = await unpackStudyExport(writeParquetStudy, source(), dir, options);
    const subjectId = api.subjectIds[0]!;
    const code = testDeidentifier.code('subject', subjectId);
    const names = [...members.keys()].join('\n');
    expect(names).toContain(`raw/${code}/${testDeidentifier.code('recording', recordings[0]!.id)}.parquet`);
    const tables = ['metrics', 'channels', 'recordings'].map((name) => `SELECT * FROM '${dir}/${name}/*.parquet'`);
    const rows = JSON.stringify(await Promise.all(tables.map(queryDuckDb)));
    expect(rows).toContain(code);
    // Pages are compressed, so the tables are looked through as rows.
    const everything = `${rows}\n${names}\n${[...members].map(([, bytes]) => bytes.toString('latin1')).join('\n')}`;
    const forbidden = [subjectId, api.studyId, ...recordings.map(({ id }) => id), 'Subject 1', 'AA:BB:CC', 'Tokyo'];
    for (const secret of forbidden) expect(everything).not.toContain(secret);

    const [row] = await queryDuckDb(
      `SELECT min(epoch_us(start))::VARCHAR AS start, (max(epoch_us(start)) - min(epoch_us(start)))::VARCHAR AS apart FROM '${dir}/recordings/*.parquet'`,
    );
    // Weeks, and nine hours to the local time that is written as UTC.
    const shiftUs = (testDeidentifier.shiftMs(subjectId) + 9 * 3_600_000) * 1000;
    expect(row).toEqual({
      start: `${recordings[0]!.startUs + shiftUs}`,
      apart: `${recordings[1]!.startUs - recordings[0]!.startUs}`,
    });
    const dates = await queryDuckDb(
      `SELECT DISTINCT m.date::VARCHAR AS date FROM '${dir}/metrics/*.parquet' m JOIN '${dir}/channels/*.parquet' c USING (date, subject_id) ORDER BY 1`,
    );
    const shiftDays = testDeidentifier.shiftMs(subjectId) / 86_400_000;
    expect(dates.map(({ date }) => date)).toEqual(DATES.map((date) => addDays(date, shiftDays)));
  });

  // Debian has no package that reads Parquet for Python or R, so a computer may have none.
  it.each([
    [
      'pandas',
      '/usr/bin/python3',
      ['-c', 'import pandas'],
      ['-c', 'import pyarrow'],
      `import load; m = load.table('metrics'); c = load.table('channels'); r = load.table('recordings')
x = load.samples(r['file'][0], 'ECG'); print(len(m), m['date'][0], len(c), len(x), int(x['time'][0].timestamp()), load.table('corrections').empty)`,
    ],
    [
      'R',
      'Rscript',
      ['--version'],
      [
        '-e',
        'if (!any(sapply(c("arrow", "nanoparquet", "duckdb"), requireNamespace, quietly = TRUE))) quit(status = 1)',
      ],
      `source('load.R'); m <- load_table('metrics'); c <- load_table('channels'); r <- load_table('recordings')
x <- load_samples(r$file[1], type = 'ECG'); cat(nrow(m), format(m$date[1]), nrow(c), nrow(x), floor(as.numeric(x$time[1])), is.null(load_table('corrections')))`,
    ],
  ] as const)(
    'is loaded in %s by its script, which names what it lacks',
    async (name, program, probe, reader, code) => {
      if (spawnSync(program, [...probe]).status !== 0)
        return void console.warn(`Skipped: no ${name} on this computer.`);
      const dir = join(folder.path, `load-${name}`);
      await unpackStudyExport(writeParquetStudy, source(), dir, { studyId: api.studyId });
      const { status, stdout, stderr } = spawnSync(program, [name === 'R' ? '-e' : '-c', code], {
        cwd: dir,
        encoding: 'utf8',
      });
      if (spawnSync(program, [...reader]).status !== 0) {
        expect([status, stderr]).toEqual([1, expect.stringMatching(/Install .* to read Parquet files\./)]);
        if (name === 'R') {
          const listed = `source('load.R'); read_parquet_file <- function(path) data.frame(path = path); cat(load_table('metrics')$path)`;
          const { stdout: paths } = spawnSync(program, ['-e', listed], { cwd: dir, encoding: 'utf8' });
          expect(paths.trim()).toBe(`./metrics/${api.subjectIds[0]}.parquet`);
        }
        // What the script reads, read by another program.
        const [counted] = await queryDuckDb(
          `SELECT (SELECT count(*) FROM '${dir}/metrics/*.parquet')::INTEGER AS m, (SELECT count(*) FROM '${dir}/channels/*.parquet')::INTEGER AS c`,
        );
        expect(counted).toEqual({ m: DATES.length, c: DATES.length * MINUTES });
        return;
      }
      expect(status, stderr).toBe(0);
      const [first] = recordings;
      expect(stdout.trim().split(' ').slice(0, 5)).toEqual([
        String(DATES.length),
        DATES[0],
        String(DATES.length * MINUTES),
        String(MINUTES * 60 * 250),
        String(Math.floor(first!.startUs / 1e6)),
      ]);
      expect(stdout).toMatch(/true$/im);
    },
  );

  it('continues without a recording whose file is missing, and reports it', async () => {
    await rm(join(api.deps.signalsDir, `${recordings[0]!.id}.sig`));
    const dir = join(folder.path, 'lost');
    const { facts, members } = await unpackStudyExport(writeParquetStudy, source(), dir, { studyId: api.studyId });
    expect(facts.recordings).toBe(1);
    expect(JSON.parse(String(members.get('manifest.json'))).problems).toEqual([
      { recordingId: recordings[0]!.id, problems: ['The stored file is missing.'] },
    ]);
  });
});
