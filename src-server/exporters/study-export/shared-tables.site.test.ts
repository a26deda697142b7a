/** Corrections, uncorrected days and variability per five minutes: the same in every format, and of a real analysis. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Change, newId, type RecordingRecord } from '../../db/index.ts';
import { MINUTE_MS } from '../../durations.ts';
import type { NewCorrection } from '../../services/corrections.ts';
import { bidsErrors, isBidsValidatorMissing } from '../../testing/bids-validator.ts';
import { addIntervalRecording } from '../../testing/interval-recording.ts';
import { queryDuckDb } from '../../testing/read-parquet.ts';
import { openTestEngine, type TestEngine } from '../../testing/test-engine.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { csvRecords } from '../../testing/zip-contents.ts';
import { declaredText } from '../bids/declared.ts';
import { writeBidsStudy } from '../bids/study.ts';
import { writeParquetStudy } from '../parquet/study.ts';
import { writeStudyArchive } from '../study-archive/archive.ts';
import { snakeOf } from './snake-case.ts';
import type { StudyExportWriter } from './types.ts';

/** Early afternoon in New York. */
const START_MS = Date.UTC(2026, 2, 3, 18);
const MINUTES = 78;
const REASON = 'seen with Dr Sato';

/** Intervals of 780 and 840 ms in turn, so that successive ones differ by 60. */
const beatsUs = [START_MS * 1000];
while (beatsUs.at(-1)! < (START_MS + MINUTES * MINUTE_MS) * 1000)
  beatsUs.push(beatsUs.at(-1)! + (beatsUs.length % 2 === 0 ? 780_000 : 840_000));

let engine: TestEngine;
let change: Change;
let strap: RecordingRecord;

async function ended(): Promise<void> {
  const { store, queue, study } = engine;
  const jobs = await store.jobs.list({ studyIds: [study.studyId], states: ['queued', 'running'], limit: 10 });
  for (const { id } of jobs) expect((await queue.whenEnded(id)).state).toBe('done');
}

beforeAll(async () => {
  engine = await openTestEngine();
  const { store, study, queue } = engine;
  change = { actor: { type: 'USER', id: study.userId }, reason: REASON };
  strap = await addIntervalRecording(store, engine.signalsDir, study, beatsUs);
  const { studyId, subjectId } = study;
  const toMs = START_MS + MINUTES * MINUTE_MS;
  await queue.enqueue('analyse', { studyId, subjectId, fromMs: START_MS, toMs, recordingIds: [strap.id] });
  await ended();
  const beat = (kind: 'BEAT_DELETE' | 'BEAT_MOVE', place: number, more: object = {}): NewCorrection => ({
    ...{ id: newId(), kind, recordingId: strap.id, timeUs: beatsUs[place]! },
    ...more,
  });
  const undone = beat('BEAT_DELETE', 700);
  // In the second five minutes.
  const moved = beat('BEAT_MOVE', 500, { toUs: beatsUs[500]! + 40_000 });
  await store.corrections.add(study, [beat('BEAT_DELETE', 480), moved, undone], change);
  await store.corrections.add(study, [{ id: newId(), kind: 'UNDO', undoes: undone.id }], {
    ...change,
    reason: 'it was a beat',
  });
  await ended();
});
afterAll(async () => {
  const { problems } = engine;
  await engine.close();
  expect(problems).toEqual([]);
});

const exported = (writer: StudyExportWriter, name: string, more: object = {}) =>
  unpackStudyExport(writer, engine, join(engine.exportsDir, name), { studyId: engine.study.studyId, ...more });

/** The rows of a CSV table under the names of Parquet; what is empty there is null here. */
function asParquet(csv: Buffer | undefined): Record<string, string | null>[] {
  return csvRecords(String(csv)).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [snakeOf(name.replace(/Ts$/, '')), cell === '' ? null : cell]),
    ),
  );
}

/** The rows of a Parquet table as text, instants as epoch milliseconds. */
async function parquetRows(dir: string, table: string): Promise<Record<string, string | null>[]> {
  const from = `FROM read_parquet('${dir}/${table}/*.parquet')`;
  const columns = await queryDuckDb(`DESCRIBE SELECT * ${from}`);
  const cells = columns.map(({ column_name: name, column_type: type }) =>
    String(type).startsWith('TIMESTAMP')
      ? `epoch_ms("${name}")::VARCHAR AS "${name}"`
      : `regexp_replace("${name}"::VARCHAR, '\\.0$', '') AS "${name}"`,
  );
  return (await queryDuckDb(`SELECT ${cells.join(', ')} ${from}`)) as Record<string, string | null>[];
}

describe.each([false, true])('the archive and Parquet (de-identified: %s)', (isCoded) => {
  const options = isCoded ? { deidentify: testDeidentifier } : {};
  let csv: Map<string, Buffer>;
  let dir: string;
  beforeAll(async () => {
    csv = (await exported(writeStudyArchive, `csv-${isCoded}`, options)).members;
    await exported(writeParquetStudy, `parquet-${isCoded}`, options);
    dir = join(engine.exportsDir, `parquet-${isCoded}`);
  });
  const secret = (row: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !/name$|reason$|^subject$/.test(name)));

  it('have the same corrections, with author and reason of each step where these may leave', async () => {
    const rows = await parquetRows(dir, 'corrections');
    expect(rows.map(secret)).toEqual(asParquet(csv.get('corrections.csv')).map(secret));
    const [undone, ...inForce] = [...rows].sort((a, b) => (a.is_in_force! < b.is_in_force! ? -1 : 1));
    expect(inForce.map(({ kind }) => kind).sort()).toEqual(['BEAT_DELETE', 'BEAT_MOVE']);
    const moved = inForce.find(({ kind }) => kind === 'BEAT_MOVE')!;
    expect(Number(moved.moved_to) - Number(moved.beat)).toBe(40);
    expect(undone!.undone_by_id).toBe(undone!.author_id);
    const user = (await engine.store.users.get(engine.study.userId))!;
    if (!isCoded) {
      expect(undone).toMatchObject({ reason: REASON, undone_reason: 'it was a beat', author_id: user.id });
      expect(undone!.author_name).toBe(`${user.firstName} ${user.lastName}`);
      return;
    }
    const everything = JSON.stringify([rows, csv.get('corrections.csv')!.toString()]);
    for (const known of [REASON, 'it was', user.id, user.lastName, strap.id, engine.study.subjectId])
      expect(everything, known).not.toContain(known);
    // Instants of 2026 have 13 digits; the dates of an export are shifted by many years, and have 12.
    expect(everything).not.toMatch(/\b177\d{10}\b/);
    expect(undone!.author_id).toBe(testDeidentifier.code('person', user.id));
    const shiftMs = Number(moved.beat) - Math.round(beatsUs[500]! / 1000);
    expect((shiftMs - testDeidentifier.shiftMs(engine.study.subjectId)) % 3_600_000 === 0).toBe(true);
  });

  it('have the uncorrected days beside the corrected ones', async () => {
    const [corrected] = await parquetRows(dir, 'metrics');
    const [without] = await parquetRows(dir, 'metrics_uncorrected');
    expect(Object.keys(without!)).toEqual(Object.keys(corrected!));
    expect(without!.date).toBe(corrected!.date);
    expect(without!.HEART_SDNN).not.toBe(corrected!.HEART_SDNN);
    const sdnn = 'HEART_SDNN (milliseconds)';
    const [row] = csvRecords(csv.get('metrics-uncorrected.csv')!.toString());
    expect(Number(row![sdnn])).toBeCloseTo(Number(without!.HEART_SDNN), 1);
  });

  it('have the same variability per five minutes, empty where too few intervals are normal', async () => {
    const rows = await parquetRows(dir, 'hrv_5min');
    expect(rows.map(secret)).toEqual(asParquet(csv.get('hrv-5min.csv')));
    // 78 minutes, of which the last three are no five.
    expect(rows).toHaveLength(16);
    expect(rows.map(({ start }) => Number(start) - Number(rows[0]!.start))).toEqual(rows.map((_, i) => i * 300_000));
    expect(rows.slice(0, 15).every(({ sdnn_ms }) => sdnn_ms !== null)).toBe(true);
    const last = rows.at(-1)!;
    expect(Number(last.nn_count)).toBeGreaterThan(200);
    expect([last.sdnn_ms, last.rmssd_ms, last.lf_power_ms2, last.sd1_ms]).toEqual([null, null, null, null]);
    const third = rows[2]!;
    expect(Number(third.mean_nn_ms)).toBeCloseTo(810, 0);
    expect(Number(third.rmssd_ms)).toBeCloseTo(60, 0);
    expect(Number(third.sdnn_ms)).toBeCloseTo(30, 0);
    expect(third.pnn50_percent).toBe('100');
    // Brennan 2001: SD1 is RMSSD over the root of two.
    expect(Number(third.sd1_ms)).toBeCloseTo(60 / Math.SQRT2, 0);
    for (const name of ['lf_power_ms2', 'hf_power_ms2', 'total_power_ms2', 'sd2_ms', 'sample_entropy_nats'])
      expect(third[name], name).not.toBeNull();
    expect([370, 371]).toContain(Number(third.nn_count));
    expect(Number(rows[1]!.nn_count)).toBeLessThan(370);
  });
});

describe.each([false, true])('the computed tables of BIDS (de-identified: %s)', (isCoded) => {
  const options = isCoded ? { deidentify: testDeidentifier } : {};
  let dir: string;
  let members: Map<string, Buffer>;
  beforeAll(async () => {
    dir = join(engine.exportsDir, `bids-${isCoded}`);
    members = (await exported(writeBidsStudy, `bids-${isCoded}`, options)).members;
  });
  const table = (desc: string): Record<string, string>[] => {
    const [path, bytes] = [...members].find(([name]) => name.endsWith(`_desc-${desc}_beh.tsv`))!;
    expect(path).toMatch(/^derivatives\/outpost\/sub-/);
    const [header = [], ...rows] = String(bytes)
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    return rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [header[i]!, cell])));
  };

  it.runIf(isCoded)('streams minutes and variability, which hold nothing that the allowlist drops', () => {
    for (const desc of ['minutes', 'hrv5min']) {
      const [path, bytes] = [...members].find(([name]) => name.endsWith(`_desc-${desc}_beh.tsv`))!;
      expect(declaredText(path), desc).toBeUndefined();
      if (desc === 'hrv5min') expect(declaredText('x_scans.tsv')!(String(bytes))).toBe(String(bytes));
    }
  });

  it('hold what Parquet holds', async () => {
    await exported(writeParquetStudy, `beside-${isCoded}`, options);
    for (const [desc, name] of Object.entries({
      ...{ metrics: 'metrics', uncorrected: 'metrics_uncorrected' },
      ...{ minutes: 'channels', hrv5min: 'hrv_5min', corrections: 'corrections' },
    })) {
      const rows = table(desc);
      const others = await parquetRows(join(engine.exportsDir, `beside-${isCoded}`), name);
      expect(rows.length, desc).toBe(others.length);
      for (const [i, row] of rows.entries()) {
        for (const [column, cell] of Object.entries(row)) {
          const other = others[i]![column];
          // Shifted dates lie in 1925 or before here.
          if (/^\d{4}-\d\d-\d\d/.test(cell)) {
            const instant = Date.parse(cell);
            const shown = column === 'date' ? Date.parse(other!) : Number(other);
            expect(shown - instant, `${desc} ${column}`).toBe(isCoded ? 5218 * 7 * 86_400_000 : 0);
          } else if (other === null) expect(cell, `${desc} ${column}`).toBe('n/a');
          else if (/^-?[\d.e-]+$/.test(cell)) expect(Number(cell), `${desc} ${column}`).toBe(Number(other));
          else expect(cell.replace(/^'/, ''), `${desc} ${column}`).toBe(other);
        }
      }
    }
  });

  it('hold every beat with what people did, and say with what it was found', () => {
    const beats = table('beats');
    const gone = beats.filter(({ use }) => use === 'DELETED');
    expect(gone).toHaveLength(1);
    expect(Number(gone[0]!.onset)).toBeCloseTo((beatsUs[480]! - strap.startUs) / 1e6, 2);
    const moved = beats.find(({ correction }) => correction === 'MOVED')!;
    expect(Number(moved.onset) - Number(moved.original_onset)).toBeCloseTo(0.04, 3);
    expect(beats.filter(({ is_nn }) => is_nn === '1').length).toBeGreaterThan(5000);
    const side = [...members].find(([name]) => name.endsWith('_desc-beats_beh.json'))!;
    const method = JSON.parse(String(side[1]));
    expect(method).toMatchObject({ beatsFrom: 'RR', corrections: 2, onset: { Units: 's' } });
    expect(method.inputs?.recordingSha256).toBe(isCoded ? undefined : strap.sha256);
  });

  it.skipIf(isBidsValidatorMissing())('are valid', async () => {
    const root = 'derivatives/outpost/';
    const own = [...members].flatMap(([name, bytes]) =>
      name.startsWith(root) ? [[name.slice(root.length), bytes] as const] : [],
    );
    expect(await bidsErrors(members)).toEqual([]);
    expect(await bidsErrors(new Map(own))).toEqual([]);
  });

  it.runIf(spawnSync('Rscript', ['--version']).status === 0 || process.env.CI !== undefined)(
    'are loaded by the scripts of the dataset, in pandas and in R alike',
    () => {
      const run = (command: string, ...parameters: string[]) => {
        const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: dir, encoding: 'utf8' });
        expect(status, stderr).toBe(0);
        return stdout.trim().split(/\s+/);
      };
      const python = `import sys; sys.path.insert(0, 'code'); import load
h = load.derived('hrv5min'); b = load.beats(); c = load.derived('corrections'); s = load.scans(); x = load.samples(s['path'][0])
print(len(h), '%.1f' % h['rmssd_ms'][2], int(h['start'][0].timestamp()), len(b), int(b['is_nn'].sum()), len(c), len(x), list(x.columns)[0], h['date'][0])`;
      const r = `source('code/load.R'); h <- load_derived('hrv5min'); b <- load_beats(); c <- load_derived('corrections'); s <- load_scans(); x <- load_samples(s$path[1])
cat(nrow(h), sprintf('%.1f', h$rmssd_ms[3]), sprintf('%.0f', as.numeric(h$start[1])), nrow(b), sum(b$is_nn), nrow(c), nrow(x), names(x)[1], format(h$date[1]))`;
      const ofPython = run('/usr/bin/python3', '-c', python);
      expect(run('Rscript', '-e', r)).toEqual(ofPython);
      expect(ofPython.slice(0, 2)).toEqual([String(table('hrv5min').length), '60.0']);
      expect(Number(ofPython[2]) * 1000).toBe(Date.parse(table('hrv5min')[0]!.start!));
      expect(Number(ofPython[3])).toBe(table('beats').length);
      expect(ofPython[5]).toBe('3');
      expect(Number(ofPython[6])).toBeGreaterThan(5000);
      expect(ofPython[7]).toBe('timestamp');
    },
  );
});
