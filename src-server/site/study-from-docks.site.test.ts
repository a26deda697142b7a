/** Whole studies in both forms, from plugged-in recorders and a watched folder to the tables that a paper is written from. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '../db/index.ts';
import { exportEdf } from '../exporters/edf/export.ts';
import { writeStudyArchive } from '../exporters/study-archive/archive.ts';
import type { SimulatedRecording } from '../simulator/physiology/sensor-recordings.ts';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../simulator/physiology/write.ts';
import { cwaOfMotion, type EvenMotion } from '../testing/cwa-of-motion.ts';
import { type DockSite, openDockSite } from '../testing/dock-site.ts';
import { SimulatedWrist } from '../testing/simulated-wrist.ts';
import { unpackStudyExport } from '../testing/test-study-export.ts';
import { csvRecords } from '../testing/zip-contents.ts';

const HOUR_MS = 3_600_000;

let dock: DockSite;
let folder: string;
afterEach(async () => {
  await dock.close();
  await rm(folder, { recursive: true, force: true });
  expect(dock.problems).toEqual([]);
});

const place = () => ({ studyId: dock.site.studyId, subjectId: dock.site.subjectIds[0]! });

/** Takes everything that is offered, and waits until it is analysed. */
async function takeAll(count: number, reason?: string): Promise<void> {
  await dock.look();
  const offered = await dock.shown();
  expect(offered).toHaveLength(count);
  for (const { id } of offered) await dock.docks.take(id, { ...place(), ...(reason && { reason }) }, dock.change);
  for (const { id } of offered) await dock.reach(id, 'STORED');
  await dock.engine.jobs.whenIdle();
  for (const { id } of offered) {
    expect((await dock.docks.confirm(id, dock.change)).row!.state).toBe('CONFIRMED');
  }
}

async function archive(name: string) {
  const source = { store: dock.folder.store, signalsDir: dock.folder.signalsDir };
  return await unpackStudyExport(writeStudyArchive, source, join(folder, name), { studyId: dock.site.studyId });
}

/** What Python reads with the script of the archive. */
function withPandas(name: string, expression: string): string {
  const { status, stdout, stderr } = spawnSync(
    '/usr/bin/python3',
    ['-c', `import load; t = load.tables(); print(${expression})`],
    { cwd: join(folder, name), encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

describe('a study', () => {
  it('of wrists alone goes from the dock to nights and minutes of activity', async () => {
    folder = await mkdtemp(join(tmpdir(), 'outpost-study-'));
    dock = await openDockSite();
    const wrist = new SimulatedWrist({ startMs: Date.UTC(2026, 0, 6, 12), hours: 60, rateHz: 25 });
    const content = cwaOfMotion(motionOfWrist(wrist), { deviceId: 39_434, annotation: '_p=left+wrist' });
    await dock.plug('AX317_39434', content);
    await takeAll(1);
    const { members } = await archive('wrist');
    const [day] = csvRecords(members.get('metrics.csv')!.toString()).filter(({ DATE }) => DATE === '2026-01-08');
    const walking = wrist.minutes.slice(36 * 60, 60 * 60).filter((state) => state === 'walking').length;
    const minutes = Number(day!['INTENSITY_MVPA_DURATION (seconds)']) / 60;
    expect(Math.abs(minutes / walking - 1)).toBeLessThan(0.2);
    expect(Math.abs(Number(day!['SLEEPING_PERIOD_DURATION (seconds)']) - 8 * 3600)).toBeLessThan(900);
    const nights = csvRecords(members.get('ggir/part4_nightsummary_sleep_cleaned.csv')!.toString());
    const night = nights.find(({ calendar_date }) => calendar_date === '2026-01-07')!;
    expect(Math.abs(Number(night.sleeponset) - 23)).toBeLessThan(0.25);
    expect(Math.abs(Number(night.wakeup) - 31)).toBeLessThan(0.25);
    const mvpa = withPandas(
      'wrist',
      `t['ggir/part2_daysummary'].filter(regex='^MVPA_E5S_T[0-9.]+_ENMO_0-24hr$').iloc[-1, 0]`,
    );
    expect(Number(mvpa)).toBeCloseTo(minutes, 1);
  });

  it('of chest and thigh, two recorders and a Holter file, goes to heart, steps and posture, and its corrections show', async () => {
    folder = await mkdtemp(join(tmpdir(), 'outpost-study-'));
    dock = await openDockSite();
    const { store } = dock.folder;
    const startMs = Date.UTC(2026, 0, 7, 8);
    const { truth, recordings } = simulateSubject({
      seed: 11,
      timeZone: 'UTC',
      startMs,
      stopMs: startMs + 6 * HOUR_MS,
      dailyCharging: false,
      dropoutsPerDay: 0,
    });
    const [chest, thigh] = ['MEDIAL_CHEST', 'ANTERIOR_THIGH'].map(
      (location) => recordings.find(({ header }) => header.physicalConfig.location === location)!,
    );
    await store.equipment.register({ accountId: dock.site.accountId, id: 'AX3-555', type: 'SENSOR' }, dock.change);
    await store.equipment.assign('AX3-555', { ...place(), atTs: Date.UTC(2026, 0, 5) }, dock.change);
    await dock.plug('AX317_39434', cwaOfMotion(motionOf(thigh!), { deviceId: 39_434, annotation: '_p=right+thigh' }));
    await dock.plug('AX317_00555', cwaOfMotion(motionOf(chest!), { deviceId: 555, annotation: '_p=chest' }));
    await takeAll(2);

    const watched = join(folder, 'holter');
    await mkdir(watched);
    const { path } = await writeSimulatedRecording(folder, chest!);
    await exportEdf(path, join(watched, 'holter.edf'));
    const rules = { isOn: true, action: 'OFFER', timeZone: 'UTC' } as const;
    const folders = [{ path: watched, studyId: dock.site.studyId, action: 'OFFER' as const }];
    await store.settings.set('docks.rules', { ...rules, folders }, dock.change);
    for (const label of ['AX317_39434', 'AX317_00555']) await dock.unplug(label);
    await dock.look();
    const [edf] = (await dock.shown()).filter(({ row }) => row === undefined);
    await dock.docks.take(edf!.id, { ...place(), reason: 'The nurse attached it.' }, dock.change);
    const { row } = await dock.reach(edf!.id, 'STORED');
    await dock.engine.jobs.whenIdle();

    const first = await archive('first');
    const day = csvRecords(first.members.get('metrics.csv')!.toString()).find(({ DATE }) => DATE === '2026-01-07')!;
    const steps = truth.steps.reduce((sum, count) => sum + count, 0);
    expect(Math.abs(Number(day['MOVING_STEPS (steps)']) / steps - 1)).toBeLessThan(0.05);
    const moving = meanRateInMotion(truth.heartRate, truth.activity);
    expect(Math.abs(Number(day['MOVING_AVG_HR (bpm)']) - moving)).toBeLessThan(2);
    expect(withPandas('first', `str(t['metrics']['DATE'][0])`)).toBe('2026-01-07');

    const recordingId = row!.recordingIds![0]!;
    const startTs = startMs + HOUR_MS;
    const excluded = { id: newId(), kind: 'EXCLUDE', recordingId, startTs, stopTs: startTs + HOUR_MS } as const;
    await store.corrections.add(place(), [excluded], { ...dock.change, reason: 'Loose electrode' });
    await dock.engine.jobs.whenIdle();
    const second = await archive('second');
    const corrected = csvRecords(second.members.get('corrections.csv')!.toString());
    expect(corrected.map(({ kind }) => kind)).toEqual(['EXCLUDE']);
    const [uncorrected] = csvRecords(second.members.get('metrics-uncorrected.csv')!.toString());
    expect(uncorrected!['MOVING_AVG_HR (bpm)']).toBe(day['MOVING_AVG_HR (bpm)']);
  });
});

/** Codes of walking, running, cycling and other movement. */
const isMoving = (activity: number): boolean => activity >= 1 && activity <= 4;

function meanRateInMotion(rates: Float32Array, activity: Uint8Array): number {
  const moving = rates.filter((rate, second) => !Number.isNaN(rate) && isMoving(activity[second]!));
  return moving.reduce((sum, rate) => sum + rate, 0) / moving.length;
}

function motionOfWrist({ input, startUs }: SimulatedWrist): EvenMotion {
  return evenMotion(
    startUs,
    1e6 / input.nominalRateHz!,
    [...input.chunks].map(({ columns }) => columns),
    1 / 2048,
  );
}

function motionOf(recording: SimulatedRecording): EvenMotion {
  const channel = recording.header.channels.findIndex(({ type }) => type === 'ACCEL');
  const pages = [...recording.pages()].filter((page) => page.channel === channel);
  const count = pages.reduce((sum, page) => sum + page.count, 0);
  const last = pages.at(-1)!;
  const periodUs = (last.startUs + last.count * last.periodUs - pages[0]!.startUs) / count;
  const scale = recording.header.channels[channel]!.scale[0]!;
  return evenMotion(
    pages[0]!.startUs,
    periodUs,
    pages.map(({ columns }) => columns),
    scale,
  );
}

type Columns = readonly ArrayLike<number>[];

function evenMotion(startUs: number, periodUs: number, pages: readonly Columns[], scale: number): EvenMotion {
  const count = pages.reduce((sum, columns) => sum + columns[0]!.length, 0);
  const axes = [0, 1, 2].map(() => new Float64Array(count)) as unknown as EvenMotion['axes'];
  let at = 0;
  for (const columns of pages) {
    for (let axis = 0; axis < 3; axis++) {
      for (let i = 0; i < columns[axis]!.length; i++) axes[axis]![at + i] = columns[axis]![i]! * scale;
    }
    at += columns[0]!.length;
  }
  return { startUs, periodUs, axes };
}
