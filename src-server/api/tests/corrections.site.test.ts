import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beatEdits } from '../../analytics/index.ts';
import { newId } from '../../db/index.ts';
import { beatText } from '../../exporters/beats/files.ts';
import { writeStudyArchive } from '../../exporters/study-archive/archive.ts';
import { writeSubjectData } from '../../exporters/subject-data/writer.ts';
import { verifyCorrections } from '../../integrity/verify-corrections.ts';
import type { VerifyReport } from '../../integrity/verify-report.ts';
import { addIntervalRecording, writeIntervalRecording } from '../../testing/interval-recording.ts';
import { addRecordingRow } from '../../testing/recording-row.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';

const START_MS = Date.UTC(2026, 0, 15, 11);
const MINUTE_MS = 60_000;
const START_US = START_MS * 1000;
/** Ten minutes of beats 0.8 s apart. */
const beatsUs = Array.from({ length: 750 }, (_, i) => START_US + i * 800_000);

let api: TestApi;
let place: { studyId: string; subjectId: string };
let recordingId: string;

beforeAll(async () => {
  api = await startTestApi();
  place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  recordingId = (await addIntervalRecording(api.store, api.deps.signalsDir, place, beatsUs)).id;
});
afterAll(() => api.close());

/** What somebody does past Outpost. */
function written(statement: string, ...values: string[]): void {
  const database = new BetterSqlite3(api.store.path);
  expect(database.prepare(statement).run(...values).changes).toBeGreaterThan(0);
  database.close();
}

const beat = (kind: string, i: number, more: object = {}) => ({
  id: newId(),
  kind,
  recordingId,
  timeUs: beatsUs[i]!,
  ...more,
});
type Batch = Parameters<typeof send>[0];
const send = (
  corrections: { id: string; kind: string; [name: string]: unknown }[],
  reason?: string,
  params: { studyId: string; subjectId: string } = place,
) =>
  api.client.call('addCorrections', {
    params,
    body: { corrections: corrections as never, ...(reason !== undefined && { reason }) },
  });
const listed = async () =>
  (await api.client.call('listRecordingCorrections', { params: { studyId: api.studyId, recordingId } })).items;
const beatsOf = (detected?: boolean) =>
  api.client.call('getRecordingBeats', {
    params: { studyId: api.studyId, recordingId },
    query: { from: START_MS, to: START_MS + MINUTE_MS, ...(detected && { detected }) },
  });
const failure = async (batch: Batch, ...more: [string?, typeof place?]) =>
  await send(batch, ...more).then(
    () => undefined,
    (thrown: { code?: string }) => thrown.code,
  );

describe('corrections of beats', () => {
  it('are stored once, listed with their author, and applied to the beats that are shown', async () => {
    const before = await beatsOf();
    const batch = [
      beat('BEAT_DELETE', 10),
      beat('BEAT_LABEL', 20, { code: 'V' }),
      beat('BEAT_MOVE', 30, { toUs: beatsUs[30]! + 30_000 }),
      beat('BEAT_ADD', 40, { timeUs: beatsUs[40]! + 400_000, code: 'N' }),
      { id: newId(), kind: 'EXCLUDE', recordingId, startTs: START_MS + 48_000, stopTs: START_MS + 50_000 },
    ];
    const first = await send(batch, 'Read by two people');
    expect(await send(batch, 'Read by two people')).toEqual(first);
    const items = await listed();
    expect(items.map(({ id, kind }) => [id, kind])).toEqual(batch.map(({ id, kind }) => [id, kind]));
    expect(items[1]).toMatchObject({
      authorId: api.admin.userId,
      authorName: expect.any(String),
      reason: 'Read by two people',
      code: 'V',
      isInForce: true,
      steps: [],
    });
    const after = await beatsOf();
    expect(after.gone?.map(({ correction }) => correction)).toEqual(['DELETED', 'EXCLUDED', 'EXCLUDED', 'EXCLUDED']);
    expect(after.excluded).toEqual([{ startTs: START_MS + 48_000, stopTs: START_MS + 50_000 }]);
    const changed = after.beats.filter(({ correction }) => correction !== undefined);
    expect(changed).toMatchObject([
      { correction: 'RELABELLED', code: 'V', use: 'EARLY_OR_ODD', originalUse: 'USED' },
      { correction: 'MOVED', timeUs: beatsUs[30]! + 30_000 },
      { correction: 'ADDED', timeUs: beatsUs[40]! + 400_000, code: 'N' },
    ]);
    expect(after.beats).toHaveLength(before.beats.length - 4 + 1);
    expect(await beatsOf(true)).toEqual(before);
    const [job] = await api.store.jobs.list({ studyIds: [api.studyId], states: ['queued'], limit: 5 });
    expect(job?.payload).toMatchObject({ ...place, recordingIds: [recordingId] });
  });

  it('are undone and redone at the end of their chain, each step with its author', async () => {
    const [first] = await listed();
    const params = { ...place, correctionId: first!.lastId };
    const undo = { id: newId(), reason: 'It was a beat' };
    await api.client.call('undoCorrection', { params, body: undo });
    await api.client.call('undoCorrection', { params, body: undo });
    expect((await beatsOf()).gone?.some(({ correction }) => correction === 'DELETED')).toBe(false);
    await expect(api.client.call('undoCorrection', { params, body: { id: newId() } })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const [undone] = await listed();
    expect(undone).toMatchObject({ isInForce: false, lastId: undo.id, steps: [{ id: undo.id, reason: undo.reason }] });
    await send([{ id: newId(), kind: 'UNDO', undoes: undo.id }]);
    expect((await listed())[0]).toMatchObject({ isInForce: true, steps: [{}, {}] });
    expect((await beatsOf()).gone?.[0]?.correction).toBe('DELETED');
  });

  it('are refused as a whole where one of them cannot be', async () => {
    const before = await listed();
    const good = beat('BEAT_DELETE', 100);
    const other = api.subjectIds[1];
    expect(await failure([good, beat('BEAT_ADD', 101)])).toBe('INVALID_INPUT');
    expect(await failure([good, { ...good, id: newId(), timeUs: START_US - 1e9 }])).toBe('INVALID_INPUT');
    expect(await failure([good, { ...good, id: newId(), recordingId: newId() }])).toBe('NOT_FOUND');
    expect(await failure([good, { id: newId(), kind: 'UNDO', undoes: newId() }])).toBe('NOT_FOUND');
    expect(await failure([{ ...good, id: before[0]!.id, kind: 'BEAT_LABEL', code: 'N' }])).toBe('CONFLICT');
    if (other) expect(await failure([good], undefined, { ...place, subjectId: other })).toBe('NOT_FOUND');
    expect(await listed()).toEqual(before);
  });

  it('are exported with what was detected beside them', async () => {
    const path = join(api.deps.signalsDir, `${recordingId}.sig`);
    const recording = (await api.store.recordings.get(recordingId))!;
    const corrections = beatEdits(await api.store.corrections.ofBeats(recording), recordingId);
    const text = async (form: 'csv' | 'kubios', options: object) =>
      (await Array.fromAsync(beatText(form, path, options))).join('').trim().split('\n');
    const plain = await text('csv', {});
    const csv = await text('csv', { corrections });
    expect(plain[0]).toBe('time_us,time_utc,rr_ms,is_nn,use,is_after_break');
    expect(csv[0]).toBe(`${plain[0]},code,correction,original_time_us,original_use`);
    // The added one in addition; those taken out keep their rows.
    expect(csv).toHaveLength(plain.length + 1);
    const cells = csv.slice(1).map((row) => row.split(','));
    const times = cells.map(([us]) => Number(us));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(cells.filter(([, , , , use]) => use === 'DELETED')).toMatchObject([
      { 2: '', 3: '0', 7: 'DELETED', 9: 'USED' },
    ]);
    expect(cells.find((row) => row[7] === 'RELABELLED')).toMatchObject({ 4: 'EARLY_OR_ODD', 6: 'V', 9: 'USED' });
    // A de-identified file has all times moved alike.
    const shiftUs = -86_400_000_000;
    const view = { header: (stored: object) => stored, reason: (stored: string) => stored, shiftUs };
    const moved = (await text('csv', { corrections, view })).slice(1).map((row) => row.split(','));
    expect(moved.map(([us]) => Number(us) - shiftUs)).toEqual(times);
    expect((await text('kubios', { corrections })).length).not.toBe((await text('kubios', {})).length);
    expect(await text('kubios', { corrections: [] })).toEqual(await text('kubios', {}));
  });

  it('are excluded while a person says that the sensors were not worn, in views, files and what is cached of them', async () => {
    const recording = (await api.store.recordings.get(recordingId))!;
    const before = await beatsOf();
    const state = await api.store.corrections.stateOf(recording);
    const span = { startTs: START_MS + 16_000, stopTs: START_MS + 18_000 };
    const off = { id: newId(), kind: 'NOT_WORN', ...span };
    await send([off]);
    expect(await api.store.corrections.stateOf(recording)).not.toBe(state);
    const after = await beatsOf();
    expect(after.excluded).toContainEqual(span);
    expect(after.beats).toHaveLength(before.beats.length - 3);
    expect(after.quality?.values.slice(15, 19).map((value) => value === null)).toEqual([false, true, true, false]);
    const path = join(api.deps.signalsDir, `${recordingId}.sig`);
    const text = async () => {
      const corrections = beatEdits(await api.store.corrections.ofBeats(recording), recordingId);
      return (await Array.fromAsync(beatText('csv', path, { corrections }))).join('');
    };
    expect((await text()).match(/EXCLUDED/g)?.length).toBeGreaterThan(3);
    // Of another day, and of sleep: neither changes a beat.
    const day = 86_400_000;
    await send([
      { id: newId(), kind: 'NOT_WORN', startTs: START_MS + day, stopTs: START_MS + day + 1000 },
      { id: newId(), kind: 'ASLEEP', ...span },
    ]);
    expect(await beatsOf()).toEqual(after);
    await send([{ id: newId(), kind: 'UNDO', undoes: off.id }]);
    expect(await beatsOf()).toEqual(before);
  });

  it('make what was signed another content, and are in the archive and in the copy of the subject', async () => {
    const target = { studyId: api.studyId, kind: 'recording', targetId: recordingId } as const;
    const { sha256 } = await api.store.signatures.contentOf(target);
    await send([beat('BEAT_LABEL', 60, { code: 'S' })]);
    expect((await api.store.signatures.contentOf(target)).sha256).not.toBe(sha256);
    const { signalsDir, exportsDir } = api.deps;
    const source = { store: api.store, signalsDir };
    const of = { studyId: api.studyId, asOfTs: Number.MAX_SAFE_INTEGER };
    const archive = await unpackStudyExport(writeStudyArchive, source, join(exportsDir, 'archive'), of);
    const rows = archive.members.get('corrections.csv')!.toString().trim().split('\n');
    expect(rows).toHaveLength(1 + 9);
    expect(archive.members.has('metrics-uncorrected.csv')).toBe(true);
    const hidden = { ...of, deidentify: testDeidentifier };
    const coded = await unpackStudyExport(writeStudyArchive, source, join(exportsDir, 'coded'), hidden);
    const text = coded.members.get('corrections.csv')!.toString();
    for (const known of [recordingId, place.subjectId, api.admin.userId, String(START_MS).slice(0, 6), 'two people'])
      expect(text).not.toContain(known);
    const copy = await unpackStudyExport(writeSubjectData, source, join(exportsDir, 'copy'), {
      ...of,
      subjectIds: [place.subjectId],
    });
    const own = JSON.parse(copy.members.get('corrections.json')!.toString()) as object[];
    expect(own).toHaveLength(12);
  });

  it('are compared with the audit trail', async () => {
    const problems = async () => {
      const report = { problems: [] } as unknown as VerifyReport;
      await verifyCorrections(api.store.path, report, {});
      return report.problems.map(({ code, id }) => [code, id]);
    };
    expect(await problems()).toEqual([]);
    const [, second] = await listed();
    written('UPDATE correction SET timeUs = 5 WHERE id = ?', second!.id);
    expect(await problems()).toEqual([['CORRECTION_CHANGED', second!.id]]);
  });
});

describe('corrections of sleep and wear', () => {
  const asleep = () => ({ id: newId(), kind: 'ASLEEP', startTs: START_MS, stopTs: START_MS + 30 * MINUTE_MS });

  it('are of the subject, found by their time', async () => {
    const one = asleep();
    await send([one]);
    const find = async (from: number, to: number) => {
      const { items } = await api.client.call('listCorrections', { params: place, query: { from, to } });
      return items.filter(({ kind }) => kind === 'ASLEEP').map(({ id }) => id);
    };
    expect(await find(START_MS + 29 * MINUTE_MS, START_MS + 90 * MINUTE_MS)).toEqual([one.id]);
    expect(await find(START_MS + 30 * MINUTE_MS, START_MS + 90 * MINUTE_MS)).toEqual([]);
    const page = await api.client.call('listCorrections', { params: place, query: { limit: 1, newest: true } });
    expect([page.items[0]?.id, page.links?.length]).toEqual([one.id, 1]);
  });

  it('queue every day that they change, of wear and sleep of a wrist', async () => {
    const { store } = api;
    const DAY_MS = 86_400_000;
    const startUs = START_US + 40 * DAY_MS * 1000;
    const { header, summary } = await writeIntervalRecording(api.deps.signalsDir, beatsUs);
    await addRecordingRow(
      store,
      place,
      { ...header, physicalConfig: { location: 'WRIST', side: 'LEFT' } },
      { ...summary, startUs, stopUs: startUs + 6 * DAY_MS * 1000 },
    );
    const startMs = startUs / 1000;
    const queued = async (kind: string, fromDay: number) => {
      const before = new Set((await store.jobs.list({ studyIds: [api.studyId], limit: 50 })).map((job) => job.id));
      const span = { startTs: startMs + fromDay * DAY_MS, stopTs: startMs + (fromDay + 0.25) * DAY_MS };
      const correction = { id: newId(), kind, ...span };
      await send([correction]);
      const jobs = await store.jobs.list({ studyIds: [api.studyId], limit: 50 });
      const job =
        jobs.find((one) => !before.has(one.id)) ??
        jobs.find(({ payload }) => 'toMs' in payload && payload.toMs >= span.stopTs)!;
      const { fromMs, toMs } = job.payload as { fromMs: number; toMs: number };
      return { days: [fromMs, toMs].map((ms) => (ms - startMs) / DAY_MS), correction };
    };
    // A night changes the regularity of the next one.
    expect((await queued('AWAKE', 2)).days).toEqual([2, 3.25]);
    // Wear changes the rhythm of the whole recording.
    expect((await queued('NOT_WORN', 4)).days).toEqual([0, 6]);
  });

  it('need a reason once the study is complete, and are refused while it is locked', async () => {
    const params = { studyId: api.studyId };
    await api.client.call('startStudy', { params });
    await api.client.call('stopStudy', { params });
    expect(await failure([asleep()])).toBe('STUDY_STATE');
    expect(await failure([asleep()], '  ')).toBe('STUDY_STATE');
    const one = asleep();
    await send([one], 'The diary says so');
    const signer = (await api.store.users.get(api.admin.userId))!;
    const change = { actor: { type: 'USER' as const, id: signer.id }, reason: 'Data are final' };
    written("UPDATE job SET state = 'done'");
    await api.store.studyLocks.lock(api.studyId, signer, change);
    expect(await failure([asleep()], 'Late')).toBe('STUDY_LOCKED');
    expect(await failure([{ id: newId(), kind: 'UNDO', undoes: one.id }], 'Late')).toBe('STUDY_LOCKED');
    await api.store.studyLocks.unlock(api.studyId, change);
  });

  it('leave with the person', async () => {
    const subject = await api.store.subjects.require(place.subjectId);
    const change = { actor: { type: 'USER' as const, id: api.admin.userId }, reason: 'Consent withdrawn' };
    const { id } = await api.store.erasures.order({ ...place, confirmation: subject.displayName }, change);
    await api.store.erasures.eraseRows(id);
    expect(await api.store.corrections.slice(0, 10)).toEqual([]);
    const report = { problems: [] } as unknown as VerifyReport;
    await verifyCorrections(api.store.path, report, {});
    expect(report.problems).toEqual([]);
  });
});
