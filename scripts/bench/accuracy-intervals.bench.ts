/**
 * Accuracy of heart rate and RMSSD from RR intervals alone: the reference beats of real recordings as a strap would send them, in
 * steps of 1/1024 s, with lost notifications and a beat counted twice.
 */

import { type IntervalSeries, intervalsOf } from '../../src-server/analytics/hrv/index.ts';
import { extractIntervalFeatures } from '../../src-server/analytics/index.ts';
import { seededRandom } from '../../src-server/testing/signal-fixtures.ts';
import { strapIntervals } from '../../src-server/testing/strap-intervals.ts';
import { type EcgRecording, ecgRecordings, hasEcgData } from './ecg-data.ts';
import { differences, mean, ownRmssd, ratePerMinute, referenceRmssd, SINUS } from './heart-score.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

const MITDB = 'reference beats of 16 records of the MIT-BIH Arrhythmia Database as RR intervals of a strap';
/** Notifications that a link in a pocket loses. */
const LOST_SHARE = 0.01;
/** Beats that a strap counts twice, or misses, in movement. */
const WRONG_SHARE = 0.002;

interface Score {
  rate: number[];
  rmssd: number[];
  /** Spans of five minutes with a reference RMSSD. */
  spans: number;
  /** Ectopic beats by the reference, and those of them used for variability. */
  ectopic: number;
  ectopicUsed: number;
  normal: number;
  normalLeftOut: number;
}

export function scoreIntervals(recording: EcgRecording, samples: number, isHarmed: boolean): Score {
  const beatsUs = recording.beats.map((sample) => (sample / recording.fs) * 1e6);
  const seconds = samples / recording.fs;
  const random = seededRandom(recording.beats.length);
  const lost = Array.from({ length: Math.ceil(seconds) + 1 }, () => isHarmed && random() < LOST_SHARE);
  const wrong = beatsUs.map(() => (isHarmed ? random() : 1));
  const input = strapIntervals(beatsUs, {
    isLost: (second) => lost[second] === true,
    isDouble: (beat) => wrong[beat]! < WRONG_SHARE,
    isMissed: (beat) => wrong[beat]! > 1 - WRONG_SHARE && wrong[beat]! < 1,
  });
  const series = intervalsOf(extractIntervalFeatures(input, 'RR', -1, 1e15), 0, Math.ceil(seconds));
  const minutes = Math.floor(seconds / 60);
  const spans = Math.floor(seconds / 300);
  const intervals = beatsUs.slice(1).map((us, i) => (us - beatsUs[i]!) / 1000);
  const used = new Set<number>();
  for (const [i, endUs] of series.endUs.entries()) if (series.normal[i]) used.add(nearest(beatsUs, endUs));
  const isNormal = (i: number): boolean => SINUS.includes(recording.labels?.[i] ?? 'N');
  let [ectopic, ectopicUsed, normal, normalLeftOut] = [0, 0, 0, 0];
  for (let i = 1; i < beatsUs.length; i++) {
    if (!isNormal(i)) {
      ectopic++;
      if (used.has(i)) ectopicUsed++;
    } else if (isNormal(i - 1)) {
      normal++;
      if (!used.has(i)) normalLeftOut++;
    }
  }
  const reference = referenceRmssd(recording, beatsUs, spans);
  return {
    rate: differences(
      ratePerMinute(series.endUs, series.intervalMs, minutes),
      ratePerMinute(beatsUs.slice(1), intervals, minutes),
    ),
    rmssd: differences(fitRmssd(series, spans), reference),
    spans: reference.filter((value) => !Number.isNaN(value)).length,
    ...{ ectopic, ectopicUsed, normal, normalLeftOut },
  };
}

/** RMSSD of each span of five minutes, as the daily metrics take it: where most of its intervals are normal. */
function fitRmssd(series: IntervalSeries, spans: number): number[] {
  const intervals = new Float64Array(spans);
  const used = new Float64Array(spans);
  const spanOf = (us: number): number => Math.floor(us / 300e6);
  for (const us of [...series.endUs, ...series.rejectedUs]) if (spanOf(us) < spans) intervals[spanOf(us)]!++;
  for (let i = 1; i < series.endUs.length; i++) {
    const span = spanOf(series.endUs[i]!);
    if (span < spans && series.follows[i] && series.normal[i] && series.normal[i - 1]) used[span]!++;
  }
  return ownRmssd(series, spans).map((value, s) => (used[s]! >= (2 / 3) * intervals[s]! ? value : Number.NaN));
}

function nearest(beatsUs: readonly number[], us: number): number {
  let low = 0;
  let high = beatsUs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (beatsUs[middle]! < us) low = middle + 1;
    else high = middle;
  }
  return low > 0 && us - beatsUs[low - 1]! < beatsUs[low]! - us ? low - 1 : low;
}

export async function run(): Promise<BenchRow[]> {
  if (!hasEcgData()) return [];
  const whole: Score[] = [];
  const harmed: Score[] = [];
  for (const { recording, samples } of ecgRecordings()) {
    if (!recording.name.startsWith('mitdb')) continue;
    whole.push(scoreIntervals(recording, samples.length, false));
    harmed.push(scoreIntervals(recording, samples.length, true));
  }
  const sum = (scores: Score[], of: (score: Score) => number): number => scores.reduce((all, one) => all + of(one), 0);
  const rows = (scores: Score[], name: string): BenchRow[] => [
    {
      ...barRow(
        `RR intervals${name}: heart rate per minute, MAE`,
        mean(scores.flatMap(({ rate }) => rate)),
        'bpm',
        0.5,
      ),
      accuracy: accuracyOf('heart_rate', MITDB),
    },
    {
      ...barRow(
        `RR intervals${name}: RMSSD per five minutes where reported, MAE`,
        mean(scores.flatMap(({ rmssd }) => rmssd)),
        'ms',
        5,
      ),
      accuracy: accuracyOf('rmssd', MITDB),
    },
    {
      name: `RR intervals${name}: share of the five minutes with an RMSSD`,
      value: sum(scores, ({ rmssd }) => rmssd.length) / sum(scores, ({ spans }) => spans),
      unit: '',
      pass: true,
      accuracy: accuracyOf('rmssd', MITDB),
    },
  ];
  return [
    ...rows(whole, ''),
    ...rows(harmed, ', 1 % of notifications lost, 0.4 % of beats doubled or missed'),
    {
      name: 'RR intervals: ectopic beats used for variability',
      value: (100 * sum(whole, (one) => one.ectopicUsed)) / sum(whole, (one) => one.ectopic),
      unit: '%',
      pass: true,
      accuracy: accuracyOf('rmssd', MITDB),
    },
    {
      name: 'RR intervals: normal beats left out of variability',
      value: (100 * sum(whole, (one) => one.normalLeftOut)) / sum(whole, (one) => one.normal),
      unit: '%',
      pass: true,
      accuracy: accuracyOf('rmssd', MITDB),
    },
  ];
}
