import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EpochMethod } from '../../analytics/types.ts';
import { fixedZone, midnightWindow, noonWindow } from '../../study/day-windows.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { csvRecords } from '../../testing/zip-contents.ts';
import { writeStudyArchive } from './archive.ts';

const ZONE = 'Europe/Berlin';
/** The clocks go forward in the night before the second date. */
const DATES = ['2026-03-28', '2026-03-29', '2026-03-30'];
const HOUR_MS = 3_600_000;
const CALIBRATION = { offsetG: [0, 0, 0], gain: [1, 1, 1], errorBeforeG: 0.02, errorAfterG: 0.01, windows: 900 };
const METHODS = (['hildebrand-adults-wrist-geneactiv', 'esliger-left-wrist', 'freedson-adults-hip'] as const).map(
  (cutPoints): EpochMethod => ({
    ...{ site: 'wrist', cutPoints, nonWear: 'van-hees-2013' },
    calibration: { ...CALIBRATION } as EpochMethod['calibration'],
  }),
);

let api: TestApi;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  api = await startTestApi({ timeZones: [ZONE, ZONE] });
  const [wrist, chest] = api.subjectIds.map((subjectId) => ({ studyId: api.studyId, subjectId }));
  await storeTestAnalytics(
    api.store,
    wrist!,
    ZONE,
    DATES,
    [],
    'test',
    (date) => {
      const midnightMs = midnightWindow(date, fixedZone(ZONE)).startMs;
      return {
        ACCELERATION_AVG_ENMO: 31.25,
        SENSOR_WEAR_DURATION: 23 * 3600,
        SENSOR_NON_WEAR_DURATION: 1800,
        INTENSITY_MVPA_DURATION: 45 * 60,
        RHYTHM_L5_TS: midnightMs + 1.5 * HOUR_MS,
        RHYTHM_L5_ENMO: 4.5,
        RHYTHM_M10_TS: noonWindow(date, fixedZone(ZONE)).startMs,
        RHYTHM_M10_ENMO: 60,
        SLEEPING_ONSET_TS: midnightMs - 0.5 * HOUR_MS,
        SLEEPING_PERIOD_DURATION: 8 * 3600,
        SLEEPING_WASO_DURATION: 3600,
        SLEEPING_EFFICIENCY: 87.5,
        SLEEPING_REGULARITY: 71.2,
      };
    },
    (date) => METHODS[DATES.indexOf(date)]!,
  );
  await storeTestAnalytics(api.store, chest!, ZONE, DATES, []);
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

const archive = (name: string, more = {}) =>
  unpackStudyExport(writeStudyArchive, { store: api.store, signalsDir: api.deps.signalsDir }, join(folder.path, name), {
    studyId: api.studyId,
    ...more,
  });

describe('the tables for scripts of GGIR', () => {
  it('have days and nights in its units, a night under its evening, and only of subjects with a wrist or waist', async () => {
    const { members } = await archive('plain');
    const days = csvRecords(members.get('ggir/part2_daysummary.csv')!.toString());
    expect(days.map(({ calendar_date }) => calendar_date)).toEqual(DATES);
    expect(new Set(days.map(({ ID }) => ID))).toEqual(new Set([api.subjectIds[0]]));
    expect(days[0]).toMatchObject({
      weekday: 'Saturday',
      measurementday: '1',
      'N valid hours': '23',
      'N hours': '23.5',
      'L5hr_ENMO_mg_0-24hr': '25.5',
      'L5_ENMO_mg_0-24hr': '4.5',
      'mean_ENMO_mg_0-24hr': '31.25',
      // Each day under the threshold of its cut points; counts are no mg.
      'MVPA_E5S_T93.2_ENMO_0-24hr': '45',
      'MVPA_E5S_T134_ENMOa_0-24hr': '',
    });
    expect(days.map((day) => day['MVPA_E5S_T134_ENMOa_0-24hr'])).toEqual(['', '45', '']);
    expect(Object.keys(days[0]!).filter((name) => name.startsWith('MVPA'))).toHaveLength(2);
    const nights = csvRecords(members.get('ggir/part4_nightsummary_sleep_cleaned.csv')!.toString());
    expect(nights[0]).toMatchObject({
      calendar_date: '2026-03-27',
      weekday: 'Friday',
      sleeponset: '23.5',
      wakeup: '31.5',
      sleeponset_ts: '23:30:00',
      wakeup_ts: '07:30:00',
      SptDuration: '8',
      SleepDurationInSpt: '7',
      WASO: '1',
      sleepefficiency: '0.875',
      daysleeper: '0',
      SleepRegularityIndex: '71.2',
    });
    // Half past midnight in summer time is half past eleven in winter time, on which the 29th begins.
    expect(nights[1]).toMatchObject({ calendar_date: '2026-03-28', sleeponset: '23.5' });
  });

  it('show shifted dates, true weekdays and times of day when the archive is de-identified', async () => {
    const { members } = await archive('coded', { deidentify: testDeidentifier });
    const days = csvRecords(members.get('ggir/part2_daysummary.csv')!.toString());
    expect(days.map(({ weekday }) => weekday)).toEqual(['Saturday', 'Sunday', 'Monday']);
    for (const [name, bytes] of members) {
      if (!name.startsWith('ggir/')) continue;
      expect(bytes.includes(api.subjectIds[0]!)).toBe(false);
      expect(bytes.includes('2026-')).toBe(false);
    }
    const nights = csvRecords(members.get('ggir/part4_nightsummary_sleep_cleaned.csv')!.toString());
    expect(nights[0]!.sleeponset).toBe('23.5');
  });

  it('are loaded with types by the scripts of the archive', async () => {
    const dir = join(folder.path, 'scripts');
    await archive('scripts');
    const run = (command: string, ...parameters: string[]) => {
      const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: dir, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      return stdout.trim();
    };
    const hasPrograms = spawnSync('Rscript', ['--version']).status === 0;
    if (!hasPrograms && process.env.CI === undefined) return;
    const python = `import load; t = load.tables()['ggir/part4_nightsummary_sleep_cleaned']; print(t['calendar_date'][0], t['SptDuration'].sum())`;
    expect(run('/usr/bin/python3', '-c', python)).toBe('2026-03-27 24');
    const r = `source('load.R'); t <- load_tables('.')[['ggir/part4_nightsummary_sleep_cleaned']]; cat(format(t$calendar_date[1]), sum(t$SptDuration))`;
    expect(run('Rscript', '-e', r)).toBe('2026-03-27 24');
  });
});
