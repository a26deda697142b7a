import { afterEach, beforeEach, expect, it } from 'vitest';
import { HOUR_MS } from '../../durations.ts';
import type { SimulatedRecording } from '../../simulator/physiology/sensor-recordings.ts';
import { simulateSubject } from '../../simulator/physiology/subject.ts';
import { SimulatedWrist } from '../../testing/simulated-wrist.ts';
import { openTestEngine, storeSimulated, type TestEngine } from '../../testing/test-engine.ts';
import { completeParameters, DEFAULT_ANALYSIS_PARAMETERS } from '../../vocabulary/analysis-parameters.ts';

/** Morning in New York, so that the recording lies in one day. */
const START_MS = Date.UTC(2026, 2, 3, 12);
const HOURS = 8;
const RATE_HZ = 25;

let engine: TestEngine;
let recordingIds: string[];

beforeEach(async () => {
  engine = await openTestEngine();
  const hip = new SimulatedWrist({ startMs: START_MS, hours: HOURS, rateHz: RATE_HZ, location: 'HIP', off: [3, 4.5] });
  const { startUs, stopUs, input } = hip;
  const [like] = simulateSubject({
    ...{ seed: 1, timeZone: 'UTC', startMs: START_MS, stopMs: START_MS + 60_000 },
    sensors: [{ location: 'HIP', side: 'RIGHT', part: 'chest', ecg: false }],
  }).recordings;
  const header = {
    ...like!.header,
    channels: like!.header.channels.map((channel) => ({
      ...channel,
      ...{ nominalRateHz: RATE_HZ, scale: [...input.scale], offset: [0, 0, 0] },
    })),
  };
  function* pages() {
    for (const chunk of input.chunks) yield { channel: 0, ...chunk };
  }
  const recording: SimulatedRecording = { header, startUs, stopUs, dropouts: [], pages };
  const rows = await storeSimulated(engine.store, engine.signalsDir, engine.study, [recording]);
  recordingIds = rows.map(({ id }) => id);
});
afterEach(async () => {
  const { problems } = engine;
  await engine.close();
  expect(problems).toEqual([]);
});

async function analysed() {
  const { store, queue, study } = engine;
  const { studyId, subjectId } = study;
  const span = { fromMs: START_MS, toMs: START_MS + HOURS * HOUR_MS };
  const job = await queue.enqueue('analyse', { studyId, subjectId, ...span, recordingIds });
  expect(await queue.whenEnded(job.id)).toMatchObject({ state: 'done', result: { problems: [] } });
  const [day] = await store.analytics.days(subjectId);
  const windows = await store.analytics.windows(subjectId);
  return { day: day!, windows, bytes: await store.analytics.windowBytes(subjectId, windows[0]!.date) };
}

const choose = (parameters: Parameters<typeof completeParameters>[0]) =>
  engine.store.studies.putDefinition(
    engine.study.studyId,
    { analysisParameters: completeParameters(parameters) },
    { actor: { type: 'USER', id: engine.study.userId } },
  );

it('gives other minutes by other cut points and another rule of non-wear, and the first ones by the defaults again', async () => {
  const first = await analysed();
  expect(first.day.parameters).toBeUndefined();
  expect(first.day.epochMethod).toMatchObject({
    site: 'waist',
    cutPoints: 'hildebrand-adults-hip-actigraph',
    nonWear: 'van-hees-2013',
    calibration: { fault: 'SPHERE_NOT_COVERED' },
  });
  const chosen = { cutPoints: { waist: 'freedson-adults-hip' }, nonWear: 'choi-2011' } as const;
  await choose(chosen);
  const other = await analysed();
  expect(other.day.epochMethod).toMatchObject({ cutPoints: 'freedson-adults-hip', nonWear: 'choi-2011' });
  expect(other.day.parameters).toEqual(chosen);
  expect(other.windows.map(({ parameters }) => parameters)).toEqual(other.windows.map(() => chosen));
  for (const name of ['INTENSITY_MVPA_DURATION', 'INTENSITY_SEDENTARY_DURATION', 'SENSOR_NON_WEAR_DURATION'])
    expect(other.day.metrics[name], name).not.toBe(first.day.metrics[name]);
  // Acceleration itself has no cut points.
  expect(other.day.metrics.CALIBRATION_WINDOWS).toBe(first.day.metrics.CALIBRATION_WINDOWS);
  expect(other.day.inputsHash).not.toBe(first.day.inputsHash);
  await choose(DEFAULT_ANALYSIS_PARAMETERS);
  const again = await analysed();
  expect(again.day).toEqual({ ...first.day, computedTs: again.day.computedTs });
  expect(again.bytes).toEqual(first.bytes);
});

it('fixes the parameters once the study has started', async () => {
  await choose({ nonWear: 'choi-2011' });
  await engine.store.studies.move(engine.study.studyId, 'start', { actor: { type: 'USER', id: engine.study.userId } });
  await expect(choose({ nonWear: 'troiano-2008' })).rejects.toMatchObject({
    code: 'STUDY_STATE',
    message: expect.stringContaining('parameters of its analysis are fixed'),
  });
  // What stays the same is no change.
  await choose({ nonWear: 'choi-2011' });
});
