import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordingRecord } from '../../db/index.ts';
import { HOUR_MS } from '../../durations.ts';
import { localTimeOn } from '../../study/day-windows.ts';
import { addMadeMotion } from '../../testing/made-motion.ts';
import type { Episode } from '../../testing/synthetic-motion.ts';
import { openTestEngine, type TestEngine } from '../../testing/test-engine.ts';

const ZONE = 'US/Eastern';
/** Tolerance between lying down or getting up and the detected start or end of sleep. */
const CLOSE_MS = 90_000;

interface Life {
  /** Local times as date and hh:mm. */
  from: [string, string];
  asleep: [string, string];
  awake: [string, string];
  /** The boundaries between consecutive sets of recordings. */
  split: [string, string];
  to: [string, string];
}

const at = ([date, time]: [string, string]): number => localTimeOn(date, time, ZONE);
const WALK_SECONDS = 900;

/** Simulates a time span: walking, sitting, supine sleep with one turn, walking and sitting. */
function episodesOf(life: Life, fromMs: number, toMs: number): Episode[] {
  const asleepMs = at(life.asleep);
  const awakeMs = at(life.awake);
  const plan: [Episode['doing'], number, number][] = [
    ['walk', at(life.from), at(life.from) + WALK_SECONDS * 1000],
    ['sit', at(life.from) + WALK_SECONDS * 1000, asleepMs],
    ['lieBack', asleepMs, (asleepMs + awakeMs) / 2],
    ['lieLeft', (asleepMs + awakeMs) / 2, awakeMs],
    ['walk', awakeMs, awakeMs + WALK_SECONDS * 1000],
    ['sit', awakeMs + WALK_SECONDS * 1000, at(life.to)],
  ];
  return plan.flatMap(([doing, startMs, stopMs]) => {
    const seconds = (Math.min(stopMs, toMs) - Math.max(startMs, fromMs)) / 1000;
    return seconds > 0 ? [{ doing, seconds }] : [];
  });
}

let engine: TestEngine;
beforeEach(async () => {
  engine = await openTestEngine();
});
afterEach(async () => {
  const { problems } = engine;
  await engine.close();
  expect(problems).toEqual([]);
});

async function analysed(rows: RecordingRecord[]): Promise<void> {
  const { queue, study } = engine;
  const job = await queue.enqueue('analyse', {
    studyId: study.studyId,
    subjectId: study.subjectId,
    fromMs: Math.floor(Math.min(...rows.map((row) => row.startUs)) / 1000),
    toMs: Math.ceil(Math.max(...rows.map((row) => row.stopUs)) / 1000),
    recordingIds: rows.map((row) => row.id),
  });
  expect(await queue.whenEnded(job.id)).toMatchObject({ state: 'done', result: { problems: [] } });
}

async function recorded(life: Life, fromMs: number, toMs: number): Promise<RecordingRecord[]> {
  const episodes = episodesOf(life, fromMs, toMs);
  const add = (site: 'chest' | 'thigh') =>
    addMadeMotion(engine.store, engine.signalsDir, engine.study, { site, startMs: fromMs, episodes });
  return [await add('chest'), await add('thigh')];
}

async function stored() {
  const { store, study } = engine;
  const windows = await store.analytics.windows(study.subjectId);
  const bytes = new Map<string, Uint8Array | undefined>();
  let asleep = 0;
  for (const { date } of windows) {
    bytes.set(date, await store.analytics.windowBytes(study.subjectId, date));
    const { asleep: flags } = (await store.analytics.seconds(study.subjectId, date))!;
    for (const one of flags) asleep += one;
  }
  const days = await store.analytics.days(study.subjectId);
  return {
    bytes,
    asleep,
    sleep: windows.map((one) => one.sleep),
    days: new Map(days.map((day) => [day.date, day.metrics])),
  };
}

const LIVES: [string, string, Life][] = [
  [
    'somebody who sleeps past noon',
    '2026-03-04',
    {
      from: ['2026-03-03', '20:00'],
      asleep: ['2026-03-04', '04:00'],
      split: ['2026-03-04', '10:00'],
      awake: ['2026-03-04', '13:30'],
      to: ['2026-03-04', '20:00'],
    },
  ],
  [
    'a shift worker who goes to bed in the morning',
    '2026-03-04',
    {
      from: ['2026-03-03', '22:00'],
      asleep: ['2026-03-04', '08:30'],
      split: ['2026-03-04', '12:40'],
      awake: ['2026-03-04', '16:30'],
      to: ['2026-03-04', '21:00'],
    },
  ],
  [
    'a sleep that begins just before noon',
    '2026-03-04',
    {
      from: ['2026-03-04', '06:00'],
      asleep: ['2026-03-04', '11:50'],
      split: ['2026-03-04', '15:00'],
      awake: ['2026-03-04', '18:00'],
      to: ['2026-03-04', '22:00'],
    },
  ],
  [
    'a night over the change of the clock',
    '2026-03-08',
    {
      from: ['2026-03-07', '18:00'],
      asleep: ['2026-03-08', '01:00'],
      split: ['2026-03-08', '12:00'],
      awake: ['2026-03-08', '12:45'],
      to: ['2026-03-08', '17:00'],
    },
  ],
];

describe.each(LIVES)('the sleep of %s', (_name, date, life) => {
  it('belongs entirely to the date on which it begins, with true times, regardless of the parts in which it arrives', async () => {
    // Import the later part first, so that its first analysis does not see the start of the sleep.
    const rows = await recorded(life, at(life.split), at(life.to));
    await analysed(rows);
    rows.push(...(await recorded(life, at(life.from), at(life.split))));
    await analysed(rows.slice(2));
    const found = await stored();
    const { days, asleep } = found;
    const own = days.get(date)!;
    expect(Math.abs(own.SLEEPING_ONSET_TS! - at(life.asleep))).toBeLessThan(CLOSE_MS);
    expect(Math.abs(own.SLEEPING_WAKE_TS! - at(life.awake))).toBeLessThan(CLOSE_MS);
    const duration = (at(life.awake) - at(life.asleep)) / 1000;
    expect(Math.abs(own.SLEEPING_DURATION! - duration)).toBeLessThan(180);
    expect(own.SLEEPING_POSTURE_TRANSITIONS).toBe(1);
    // Each second of sleep counts once.
    const all = [...days.values()].reduce((sum, metrics) => sum + (metrics.SLEEPING_DURATION ?? 0), 0);
    expect(all).toBe(asleep);
    const nights = [...days].filter(([, metrics]) => metrics.SLEEPING_DURATION !== undefined);
    expect(nights.map(([one]) => one)).toEqual([date]);

    // Analysing everything again in one run gives the same bytes.
    await analysed(rows);
    expect(await stored()).toEqual(found);
  });
});

it('ends with the data if the data ends at noon', async () => {
  const life: Life = {
    from: ['2026-03-03', '20:00'],
    asleep: ['2026-03-04', '03:00'],
    split: ['2026-03-04', '10:00'],
    awake: ['2026-03-04', '14:00'],
    to: ['2026-03-04', '20:00'],
  };
  const noonMs = at(['2026-03-04', '12:00']);
  await analysed(await recorded(life, at(life.from), noonMs));
  const { days } = await stored();
  expect(Math.abs(days.get('2026-03-04')!.SLEEPING_WAKE_TS! - noonMs)).toBeLessThan(CLOSE_MS);
});

it('is split at noon if it never ends, so that a bedridden subject has sleep on each date', async () => {
  const life: Life = {
    from: ['2026-03-03', '18:00'],
    asleep: ['2026-03-03', '20:00'],
    split: ['2026-03-04', '10:00'],
    awake: ['2026-03-05', '11:00'],
    to: ['2026-03-05', '11:30'],
  };
  await analysed(await recorded(life, at(life.from), at(life.to)));
  const { days, asleep } = await stored();
  const durations = ['2026-03-04', '2026-03-05'].map((date) => days.get(date)!.SLEEPING_DURATION!);
  expect(Math.min(...durations)).toBeGreaterThan((15 * HOUR_MS) / 1000);
  const all = [...days.values()].reduce((sum, metrics) => sum + (metrics.SLEEPING_DURATION ?? 0), 0);
  expect(all).toBe(asleep);
});
