import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Change, newId, type RecordingRecord } from '../../db/index.ts';
import { MINUTE_MS } from '../../durations.ts';
import type { NewCorrection } from '../../services/corrections.ts';
import { addIntervalRecording } from '../../testing/interval-recording.ts';
import { addSimulatedRecordings, openTestEngine, type TestEngine } from '../../testing/test-engine.ts';
import type { CorrectionKind } from '../../vocabulary/corrections.ts';

/** Early afternoon in New York: in the window that starts at noon of this day. */
const START_MS = Date.UTC(2026, 2, 3, 18);
const MINUTES = 75;

let engine: TestEngine;
let change: Change;
let strap: RecordingRecord;

/** Beats about 0.8 s apart. */
const beatsUs = [START_MS * 1000];
while (beatsUs.at(-1)! < (START_MS + MINUTES * MINUTE_MS) * 1000)
  beatsUs.push(beatsUs.at(-1)! + 1000 * Math.round(800 + 25 * Math.sin(beatsUs.length / 3)));

beforeEach(async () => {
  engine = await openTestEngine();
  change = { actor: { type: 'USER', id: engine.study.userId } };
  const rows = await addSimulatedRecordings(engine, { startMs: START_MS, minutes: MINUTES });
  strap = await addIntervalRecording(engine.store, engine.signalsDir, engine.study, beatsUs);
  const { studyId, subjectId } = engine.study;
  const toMs = START_MS + MINUTES * MINUTE_MS;
  const recordingIds = [...rows, strap].map(({ id }) => id);
  const job = await engine.queue.enqueue('analyse', { studyId, subjectId, fromMs: START_MS, toMs, recordingIds });
  expect((await engine.queue.whenEnded(job.id)).state).toBe('done');
});
afterEach(async () => {
  const { problems } = engine;
  await engine.close();
  expect(problems).toEqual([]);
});

async function stored() {
  const { store, study } = engine;
  const windows = await store.analytics.windows(study.subjectId);
  const bytes: (Uint8Array | undefined)[] = [];
  for (const { date } of windows) bytes.push(await store.analytics.windowBytes(study.subjectId, date));
  const days = await store.analytics.days(study.subjectId);
  const ofResult = <T extends { computedTs: number }>({ computedTs: _computedTs, ...row }: T) => row;
  return { windows: windows.map(ofResult), bytes, days: days.map(ofResult) };
}

const uncorrected = () => engine.store.analytics.uncorrectedDays(engine.study.subjectId);

/** Stores a batch and waits for the analyses that it causes. */
async function corrected(batch: NewCorrection[]): Promise<void> {
  const { store, queue, study } = engine;
  await store.corrections.add(study, batch, change);
  const jobs = await store.jobs.list({ studyIds: [study.studyId], states: ['queued', 'running'], limit: 10 });
  expect(jobs).toHaveLength(1);
  expect((await queue.whenEnded(jobs[0]!.id)).state).toBe('done');
}

const beat = (kind: CorrectionKind, place: number, more: object = {}): NewCorrection => ({
  id: newId(),
  kind,
  recordingId: strap.id,
  timeUs: beatsUs[place]!,
  ...more,
});
const span = (kind: CorrectionKind, fromMinute: number, toMinute: number, recordingId?: string): NewCorrection => ({
  id: newId(),
  kind,
  ...(recordingId !== undefined && { recordingId }),
  startTs: START_MS + fromMinute * MINUTE_MS,
  stopTs: START_MS + toMinute * MINUTE_MS,
});

it('computes the days again from corrected beats, keeps both results, and the first one alone after undoing', async () => {
  const before = await stored();
  const batch = [
    ...[300, 301, 340].map((place) => beat('BEAT_DELETE', place)),
    beat('BEAT_LABEL', 600, { code: 'V' }),
    beat('BEAT_MOVE', 900, { toUs: beatsUs[900]! + 40_000 }),
    beat('BEAT_ADD', 1200, { timeUs: beatsUs[1200]! + 390_000, code: 'N' }),
    span('EXCLUDE', 50, 57, strap.id),
  ];
  await corrected(batch);
  const after = await stored();
  const [day] = after.days;
  const [original] = before.days;
  expect(day!.inputsHash).not.toBe(original!.inputsHash);
  expect(day!.metrics.HEART_SDNN).not.toBe(original!.metrics.HEART_SDNN);
  expect(day!.metrics.HEART_PNN50).toBeGreaterThan(original!.metrics.HEART_PNN50!);
  expect(day!.metrics.SENSOR_WEAR_DURATION).toBe(original!.metrics.SENSOR_WEAR_DURATION);
  expect(day!.validSeconds.HEART_EXCLUDED).toBeGreaterThan(6.9 * 60);
  expect(day!.validSeconds.HEART_NN).toBeLessThan(original!.validSeconds.HEART_NN!);
  expect(await uncorrected()).toMatchObject([
    { date: day!.date, metrics: original!.metrics, validSeconds: original!.validSeconds },
  ]);

  await corrected(batch.map(({ id }) => ({ id: newId(), kind: 'UNDO', undoes: id })));
  expect(await stored()).toEqual(before);
  expect(await uncorrected()).toEqual([]);
  expect((await engine.store.corrections.ofRecording(strap.id)).length).toBe(2 * batch.length);
});

it('takes what a person says of wear and sleep over what was found', async () => {
  const [original] = (await stored()).days;
  expect(original!.metrics.SLEEPING_DURATION).toBeUndefined();
  const off = span('NOT_WORN', 0, 20);
  await corrected([off, span('ASLEEP', 40, 70)]);
  const [day] = (await stored()).days;
  expect(day!.metrics.SENSOR_WEAR_DURATION).toBe(original!.metrics.SENSOR_WEAR_DURATION! - 20 * 60);
  expect(day!.validSeconds.BEAT_INTERVALS).toBeLessThan(0.8 * original!.validSeconds.BEAT_INTERVALS!);
  expect(day!.validSeconds.HEART_EXCLUDED).toBeUndefined();
  // The night of the next date: its window begins at noon of this one.
  const [window] = await engine.store.analytics.windows(engine.study.subjectId);
  expect(window!.sleep).toEqual([{ onsetMs: START_MS + 40 * MINUTE_MS, wakeMs: START_MS + 70 * MINUTE_MS }]);
  expect((await uncorrected())[0]?.metrics).toEqual(original!.metrics);

  await corrected([{ id: newId(), kind: 'UNDO', undoes: off.id }]);
  const [redone] = (await stored()).days;
  expect(redone!.metrics.SENSOR_WEAR_DURATION).toBe(original!.metrics.SENSOR_WEAR_DURATION);
});
