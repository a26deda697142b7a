/**
 * Accuracy of a wrist or waist sensor: sleep by counts against ActiLife, the sleep period of a simulated wrist against its truth and the
 * scores by counts, and counts, ENMO and MVPA of a GT9X file against the samples of ActiLife's own CSV of it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EPOCH_SECONDS } from '../../src-server/analytics/epochs/extract.ts';
import { extractMotionFeatures } from '../../src-server/analytics/motion/features.ts';
import { analyseRecording } from '../../src-server/analytics/recording.ts';
import { coleKripkeSleep, sadehSleep } from '../../src-server/analytics/sleep/count-sleep.ts';
import { COUNT_SLEEP, type SignalChunk } from '../../src-server/analytics/types.ts';
import { analyseWindow, featuresFrom } from '../../src-server/analytics/window.ts';
import { readImport } from '../../src-server/testing/import-fixtures.ts';
import { realData } from '../../src-server/testing/real-data.ts';
import { SimulatedWrist } from '../../src-server/testing/simulated-wrist.ts';
import { cutPointsOf } from '../../src-server/vocabulary/analysis-parameters.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

const ALWAYS = 4e15;
const HOUR_MS = 3_600_000;
const MINUTE_SECONDS = 60;

/** Minutes in which the scores by counts equal those of ActiLife. */
function countSleepRows(path: string): BenchRow[] {
  const day = JSON.parse(readFileSync(path, 'utf8')) as { axis1: number[]; sadeh: string; coleKripke: string };
  const equal = (states: Uint8Array, reference: string): number =>
    states.reduce((sum, is, i) => sum + ((is === 1) === (reference[i] === 'S') ? 1 : 0), 0) / reference.length;
  const accuracy = accuracyOf('count_sleep', '1500 minutes of a GT3X+ scored by ActiLife 6');
  return [
    {
      ...barRow('minutes scored as by ActiLife, Sadeh', equal(sadehSleep(day.axis1), day.sadeh), '', 1, true),
      accuracy,
    },
    {
      ...barRow(
        'minutes scored as by ActiLife, Cole-Kripke',
        equal(coleKripkeSleep(day.axis1), day.coleKripke),
        '',
        1,
        true,
      ),
      accuracy,
    },
  ];
}

/** Nights of a simulated wrist: HDCZA against the hours in bed, and against the two scores by counts in these hours. */
function periodRows(): BenchRow[] {
  const noonMs = Date.UTC(2024, 4, 14, 12);
  let error = 0;
  let nights = 0;
  let minutes = 0;
  const equal = { sadeh: 0, coleKripke: 0 };
  for (const seed of [7, 8, 9]) {
    const wrist = new SimulatedWrist({ startMs: noonMs, hours: 24, rateHz: 30, seed });
    const recording = analyseRecording('wrist', 'WRIST', [wrist.input], wrist.startUs, wrist.stopUs);
    const window = { date: '2024-05-15', startMs: noonMs, stopMs: noonMs + 24 * HOUR_MS };
    const { sleep, seconds } = analyseWindow(window, featuresFrom([recording]), []);
    const [bedMs, riseMs] = [noonMs + 11 * HOUR_MS, noonMs + 19 * HOUR_MS];
    const period = sleep[0] ?? { onsetMs: 0, wakeMs: 0 };
    error += (Math.abs(period.onsetMs - bedMs) + Math.abs(period.wakeMs - riseMs)) / 2 / 60_000;
    nights++;
    for (let ms = bedMs; ms < riseMs; ms += 60_000) {
      const i = (ms - noonMs) / 1000 + MINUTE_SECONDS / 2;
      const state = seconds.asleep[i] === 1 ? 'ASLEEP' : 'AWAKE';
      minutes++;
      for (const score of ['sadeh', 'coleKripke'] as const)
        if (COUNT_SLEEP[seconds.epochs![score][i]!] === state) equal[score]++;
    }
  }
  return [
    barRow('simulated wrists: ends of the sleep period (HDCZA), mean absolute error', error / nights, 'min', 15),
    barRow('simulated nights: minutes alike by HDCZA and Sadeh', equal.sadeh / minutes, '', 0.9, true),
    barRow('simulated nights: minutes alike by HDCZA and Cole-Kripke', equal.coleKripke / minutes, '', 0.9, true),
  ];
}

const NAMES = ['countsX', 'countsY', 'countsZ'] as const;

/** Features of stretches of samples in g. */
function featuresOf(stretches: readonly { startUs: number; g: number[][] }[], perG: number) {
  const chunks = stretches.map(({ startUs, g }): SignalChunk => {
    const columns = g.map((axis) => Int16Array.from(axis, (value) => Math.round(value * perG)));
    return { startUs, periodUs: 10_000, count: columns[0]!.length, columns };
  });
  const scale = [1 / perG, 1 / perG, 1 / perG];
  const input = { type: 'ACCEL' as const, location: 'WRIST', scale, offset: [0, 0, 0], nominalRateHz: 100, chunks };
  return extractMotionFeatures(input, 0, ALWAYS);
}

type Features = ReturnType<typeof featuresOf>;

/** Seconds of moderate or vigorous intensity by epochs of 5 s, and the ENMO of the epochs in mg. */
function intensityOf({ epochs }: Features): { mvpaSeconds: number; enmo: number[] } {
  const { count, enmo, coverage } = epochs!.read(epochs!.firstEpoch, epochs!.stopEpoch);
  const { moderate } = cutPointsOf('hildebrand-adults-wrist-actigraph');
  const known = Array.from({ length: count }, (_, i) => i).filter((i) => coverage[i]! >= 90);
  const mg = known.map((i) => 1000 * enmo[i]!);
  return { mvpaSeconds: EPOCH_SECONDS * mg.filter((value) => value >= moderate).length, enmo: mg };
}

async function fileRows(folder: string): Promise<BenchRow[]> {
  const { channels } = await readImport([join(folder, 'TAS1H30182785_2019-09-17.gt3x')], { timeZone: 'UTC' });
  const { timesUs, values } = channels[0]!;
  const text = gunzipSync(readFileSync(join(folder, 'TAS1H30182785_2019-09-17.csv.gz'))).toString('utf8');
  const rows = text.trim().split(/\r?\n/).slice(11);
  const own: { startUs: number; g: number[][] }[] = [];
  const actilife: typeof own = [];
  timesUs.forEach((time, i) => {
    if (i === 0 || time - timesUs[i - 1]! > 15_000) {
      own.push({ startUs: time, g: [[], [], []] });
      actilife.push({ startUs: time, g: [[], [], []] });
    }
    const row = rows[Math.round((time - timesUs[0]!) / 10_000)]!.split(',').map(Number);
    for (let d = 0; d < 3; d++) {
      own.at(-1)!.g[d]!.push(values[d]![i]!);
      actilife.at(-1)!.g[d]!.push(row[d]!);
    }
  });
  const found = featuresOf(own, 4096);
  const reference = featuresOf(actilife, 4096);
  let difference = 0;
  let total = 0;
  for (const [s, segment] of found.segments.entries()) {
    for (const name of NAMES) {
      for (let row = 0; row < segment.count; row++) {
        const expected = reference.segments[s]!.columns[name][row]!;
        difference += Math.abs(segment.columns[name][row]! - expected);
        total += expected;
      }
    }
  }
  const one = intensityOf(found);
  const other = intensityOf(reference);
  const enmo = one.enmo.reduce((sum, value, i) => sum + Math.abs(value - other.enmo[i]!), 0) / one.enmo.length;
  const data = '330 s of a GT9X, the samples of its GT3X file and those of the CSV of ActiLife';
  const accuracy = accuracyOf('counts', data);
  return [
    {
      ...barRow('counts of GT3X and of ActiLife CSV, mean absolute difference', (100 * difference) / total, '%', 1),
      accuracy,
    },
    barRow('ENMO of GT3X and of ActiLife CSV, mean absolute difference per epoch', enmo, 'mg', 0.5),
    { name: 'MVPA of the GT3X file (Hildebrand, wrist)', value: one.mvpaSeconds / 60, unit: 'min', pass: true },
    barRow(
      'MVPA of GT3X and of ActiLife CSV, difference',
      Math.abs(one.mvpaSeconds - other.mvpaSeconds) / 60,
      'min',
      0.1,
    ),
  ];
}

export async function run(): Promise<BenchRow[]> {
  const day = realData('motion/sleep/actigraph-gt3xplus-day01.json');
  const folder = realData('devices/actigraph');
  return [
    ...(day === null ? [] : countSleepRows(day)),
    ...periodRows(),
    ...(folder === null ? [] : await fileRows(folder)),
  ];
}
