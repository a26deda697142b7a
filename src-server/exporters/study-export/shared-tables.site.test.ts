/** Corrections, uncorrected days and variability per five minutes: the same in every format, and of a real analysis. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Change, newId, type RecordingRecord } from '../../db/index.ts';
import { MINUTE_MS } from '../../durations.ts';
import type { NewCorrection } from '../../services/corrections.ts';
import { addIntervalRecording } from '../../testing/interval-recording.ts';
import { queryDuckDb } from '../../testing/read-parquet.ts';
import { openTestEngine, type TestEngine } from '../../testing/test-engine.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { csvRecords } from '../../testing/zip-contents.ts';
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
    for (const known of [REASON, 'it was', user.id, user.lastName, strap.id, engine.study.subjectId, '177'])
      expect(everything, known).not.toContain(known);
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
