/** The daily metrics of the heart over a whole local day; a part of the table in metric-names.ts. */
import type { MethodId } from './dictionary/methods.ts';

/** A metric of the whole day; its window is that of all daily metrics from midnight to midnight. */
export interface HeartMetricName {
  name: string;
  unit: string;
  definition: string;
  minimumData: string;
  method: MethodId;
}

/** Applied by heart-day.ts, stated in the table below. */
export const HEART_MINIMUM = {
  /** Five minutes with variability for a figure that compares them: an hour. */
  longTermFiveMinutes: 12,
} as const;

const FIVE_MINUTES = 'Five minutes with normal intervals covering 80 % of them';
const LONG_TERM =
  'An hour of such five minutes, not necessarily in a row; comparable between days from 18 h (Task Force 1996)';
const mean = (what: string): string => `${what}: mean of the five minutes of the day with enough normal intervals.`;

const variability = (
  name: string,
  unit: string,
  definition: string,
  minimumData: string = FIVE_MINUTES,
  method: MethodId = 'variability',
): HeartMetricName => ({ name: `HEART_${name}`, unit, definition, minimumData, method });

const ONE_ECG_HOUR = 'An hour of readable ECG';
const ONE_AF_HOUR = 'An hour of analysable time';
const rhythm = (
  name: string,
  unit: string,
  definition: string,
  minimumData: string,
  method: MethodId = 'rhythm',
): HeartMetricName => ({ name: `HEART_${name}`, unit, definition, minimumData, method });
const episodes = (name: 'BRADYCARDIA' | 'TACHYCARDIA', rate: string): HeartMetricName[] => [
  rhythm(
    `${name}_EPISODES`,
    'episodes',
    `Stretches of 30 s or more with a heart rate ${rate} beats/min (mean of eight intervals), or by the thresholds that the study chose. For research.`,
    'Half an hour of seconds in which a valid interval ends',
  ),
  rhythm(
    `${name}_DURATION`,
    'seconds',
    `Time in stretches of 30 s or more with a heart rate ${rate} beats/min, or by the thresholds that the study chose. For research.`,
    'Half an hour of seconds in which a valid interval ends',
  ),
];

export const HEART_METRIC_NAMES: readonly HeartMetricName[] = [
  variability('SDNN', 'milliseconds', 'Standard deviation of all normal intervals of the day.', LONG_TERM),
  variability(
    'SDANN',
    'milliseconds',
    'Standard deviation of the mean normal intervals of the five minutes of the day.',
    LONG_TERM,
  ),
  variability('SDNN_INDEX', 'milliseconds', mean('Standard deviation of normal intervals')),
  variability(
    'PNN50',
    'percent',
    'Share of the successive differences of normal intervals of the day that exceed 50 ms.',
  ),
  variability('LF_POWER', 'milliseconds_squared', mean('Power from 0.04 to 0.15 Hz'), FIVE_MINUTES, 'lf_hf'),
  variability('HF_POWER', 'milliseconds_squared', mean('Power from 0.15 to 0.40 Hz'), FIVE_MINUTES, 'lf_hf'),
  variability('TOTAL_POWER', 'milliseconds_squared', mean('Power up to 0.40 Hz'), FIVE_MINUTES, 'lf_hf'),
  variability('SD1', 'milliseconds', mean('Width of the Poincaré plot across its diagonal')),
  variability('SD2', 'milliseconds', mean('Width of the Poincaré plot along its diagonal')),
  variability(
    'SAMPLE_ENTROPY',
    'nats',
    mean('Sample entropy (m = 2, r = 0.2 SD)'),
    `${FIVE_MINUTES}, among them 100 stretches of three in a row`,
  ),
  rhythm(
    'ECTOPIC_VENTRICULAR',
    'beats',
    'Beats with another QRS shape that come early, are followed by a pause or are quite unlike the others. For research.',
    ONE_ECG_HOUR,
    'ectopy',
  ),
  rhythm(
    'ECTOPIC_VENTRICULAR_RATE',
    'beats_per_hour',
    'The same beats per hour of readable ECG. For research.',
    ONE_ECG_HOUR,
    'ectopy',
  ),
  rhythm(
    'ECTOPIC_SUPRAVENTRICULAR',
    'beats',
    'Beats with the prevailing QRS shape that come a tenth or more early in a rhythm with P waves. For research.',
    ONE_ECG_HOUR,
    'ectopy',
  ),
  rhythm(
    'ECTOPIC_SUPRAVENTRICULAR_RATE',
    'beats_per_hour',
    'The same beats per hour of readable ECG. For research.',
    ONE_ECG_HOUR,
    'ectopy',
  ),
  rhythm(
    'SUPRAVENTRICULAR_RUNS',
    'runs',
    'Three or more supraventricular ectopic beats in a row. For research.',
    ONE_ECG_HOUR,
    'ectopy',
  ),
  rhythm(
    'AF_BURDEN',
    'percent',
    'Share of the decided time with intervals as in atrial fibrillation and, with an ECG, no P waves that repeat. For research, not a diagnosis.',
    'An hour of decided time',
    'atrial_fibrillation',
  ),
  rhythm(
    'AF_BURDEN_LOWER',
    'percent',
    'Lower bound of the burden: share of the analysable time, with undecided time counted as none. For research, not a diagnosis.',
    ONE_AF_HOUR,
    'atrial_fibrillation',
  ),
  rhythm(
    'AF_BURDEN_UPPER',
    'percent',
    'Upper bound of the burden: share of the analysable time, with undecided time counted as all. For research, not a diagnosis.',
    ONE_AF_HOUR,
    'atrial_fibrillation',
  ),
  rhythm(
    'AF_ANALYSABLE_DURATION',
    'seconds',
    'Time with intervals between heartbeats, decided or not, over which the bounds of the burden are. For research.',
    ONE_AF_HOUR,
    'atrial_fibrillation',
  ),
  rhythm(
    'PAUSES',
    'pauses',
    'Intervals of 3 s, or the threshold that the study chose, to 15 s between two clear beats of an ECG. For research.',
    ONE_ECG_HOUR,
  ),
  rhythm('LONGEST_PAUSE', 'milliseconds', 'The longest of the pauses.', `${ONE_ECG_HOUR}, and a pause`),
  ...episodes('BRADYCARDIA', 'below 50'),
  ...episodes('TACHYCARDIA', 'above 100'),
  rhythm(
    'UNRESOLVED_DURATION',
    'seconds',
    'Time in which the ECG oscillates without QRS complexes, as in ventricular flutter, so that there is no heart rate. For research.',
    'One second of ECG',
  ),
  rhythm(
    'UNREADABLE_DURATION',
    'seconds',
    'Time with an ECG in contact in which no heartbeat can be read.',
    'One second of ECG',
  ),
  rhythm('SIGNAL_QUALITY', 'percent', 'Mean signal quality of the ECG.', 'One second of ECG', 'signal_quality'),
];
