/** The table of daily metrics: names, units, definitions and minimum data. */
import type { MethodId } from './dictionary/methods.ts';
import { EPOCH_METRICS } from './epochs/metric-names.ts';
import { HEART_METRIC_NAMES } from './heart-metric-names.ts';
import type { MetricName, MetricState } from './metric-type.ts';

export type { MetricName, MetricState } from './metric-type.ts';

const DAY = 'Midnight to midnight, local time';
const NIGHT = 'Sleep that begins from noon of the day before to noon, local time';
const windowOf = (state: MetricState): string => (state === 'SLEEPING' ? NIGHT : DAY);

/** Minimum valid data of the metrics: applied by daily.ts, stated in the table below. */
export const MINIMUM = {
  /** Recorded seconds of a local day for it to have metrics at all. */
  daySeconds: 3600,
  /** Valid beat intervals within a minute, ms, for its heart rate to count. */
  minuteIntervalsMs: 30_000,
  /** Successive normal differences within five minutes for their RMSSD to count. */
  fiveMinuteDifferences: 60,
  /** Part of the RR intervals of five minutes that must be normal: without an ECG nothing else shows the rhythm. */
  fiveMinuteNormalPart: 2 / 3,
  /** Seconds of a state within a minute for its LF/HF or respiration to count. */
  minuteSeconds: 30,
  /** Walking or running seconds for a cadence. */
  gaitSeconds: 60,
} as const;

const WORDS: Record<MetricState, string> = { MOVING: 'moving', RESTING: 'resting', SLEEPING: 'asleep' };
const KNOWN_ACTIVITY = 'At least one second of known activity from a worn motion sensor';

const AGGREGATES = { AVG: 'Average', MIN: 'Lowest', MAX: 'Highest' } as const;

function heart(state: MetricState): MetricName[] {
  const whileInState = `while ${WORDS[state]}`;
  return (['AVG', 'MIN', 'MAX'] as const).flatMap((kind) => [
    {
      name: `${state}_${kind}_HR`,
      state,
      unit: 'bpm',
      definition:
        kind === 'AVG'
          ? `Mean heart rate ${whileInState}: beats per time of valid intervals, over all minutes with enough data.`
          : `${AGGREGATES[kind]} heart rate of any minute ${whileInState}.`,
      window: windowOf(state),
      minimumData: 'One minute with 30 s of valid beat intervals in the state',
      method: 'heart_rate',
    },
    {
      name: `${state}_${kind}_HRV`,
      state,
      unit: 'lf_hf',
      definition: `${AGGREGATES[kind]} LF/HF (five minutes around each minute, Lomb-Scargle) of the minutes ${whileInState}.`,
      window: windowOf(state),
      minimumData:
        'One minute with 30 s in the state, with normal intervals covering 80 % of the five minutes around it',
      method: 'lf_hf',
    },
    {
      name: `${state}_${kind}_HRV_RMSSD`,
      state,
      unit: 'milliseconds',
      definition: `${AGGREGATES[kind]} RMSSD of normal intervals per five minutes ${whileInState}${kind === 'AVG' ? ', weighted by the number of successive differences' : ''}.`,
      window: windowOf(state),
      minimumData: 'Five minutes with 60 successive differences of normal intervals in the state',
      method: 'rmssd',
    },
  ]);
}

function duration(
  state: MetricState,
  part: string,
  definition: string,
  minimumData = KNOWN_ACTIVITY,
  method: MethodId = 'activity',
): MetricName {
  return { name: `${state}_${part}`, state, unit: 'seconds', definition, window: windowOf(state), minimumData, method };
}

const counts = (state: MetricState): MetricName => ({
  name: `${state}_COMBINED_ACT_COUNT`,
  state,
  unit: 'count',
  definition: `Sum of the activity counts (vector magnitude) while ${WORDS[state]}.`,
  window: windowOf(state),
  minimumData: 'One second with counts in the state',
  method: 'counts',
});

const respiration = (kind: 'AVG' | 'MIN' | 'MAX'): MetricName => ({
  name: `SLEEPING_${kind}_RESPIRATION`,
  state: 'SLEEPING',
  unit: 'breaths_per_minute',
  definition: `${AGGREGATES[kind]} breathing rate of the minutes asleep, from the ECG and the movement of the chest.`,
  window: NIGHT,
  minimumData: 'One minute with 30 s asleep with a reliable breathing rate',
  method: 'respiration',
});

/** All daily metrics, ascending by name: the 49 of the interface, those of the whole day and those of epochs. The single table behind the API, the CSV, the documents and the desk. */
export const METRIC_NAMES: readonly MetricName[] = [
  ...heart('MOVING'),
  {
    name: 'MOVING_AVG_GAIT_CADENCE',
    state: 'MOVING',
    unit: 'steps_per_minute',
    definition: 'Steps per minute of walking and running.',
    window: DAY,
    minimumData: '60 s of walking or running',
    method: 'steps',
  } as const,
  counts('MOVING'),
  duration('MOVING', 'DURATION', 'Time moving.'),
  duration('MOVING', 'WALKING_DURATION', 'Time walking, stairs included.'),
  duration('MOVING', 'OTHER_DURATION', 'Time in any other movement: running, cycling, other.'),
  {
    name: 'MOVING_STEPS',
    state: 'MOVING',
    unit: 'steps',
    definition: 'Steps counted while moving.',
    window: DAY,
    minimumData: KNOWN_ACTIVITY,
    method: 'steps',
  } as const,
  ...heart('RESTING'),
  counts('RESTING'),
  duration('RESTING', 'DURATION', 'Time resting awake.'),
  duration('RESTING', 'LYING_DURATION', 'Time lying awake.'),
  duration('RESTING', 'SITTING_DURATION', 'Time sitting.'),
  duration('RESTING', 'STANDING_DURATION', 'Time standing.'),
  duration(
    'RESTING',
    'LEANING_POSTURE_DURATION',
    'Time at rest, not lying, with the trunk leaning to a side, forward or back.',
    'A worn trunk sensor of known orientation in at least one second at rest',
    'posture',
  ),
  duration(
    'RESTING',
    'UPRIGHT_POSTURE_DURATION',
    'Time at rest, not lying, with the trunk upright.',
    'A worn trunk sensor of known orientation in at least one second at rest',
    'posture',
  ),
  ...heart('SLEEPING'),
  respiration('AVG'),
  respiration('MIN'),
  respiration('MAX'),
  counts('SLEEPING'),
  duration('SLEEPING', 'DURATION', 'Time asleep, naps included.', 'A sleep period', 'sleep'),
  {
    name: 'SLEEPING_ONSET_TS',
    state: 'SLEEPING',
    unit: 'utc_milliseconds',
    definition: 'Start of the longest sleep period.',
    window: NIGHT,
    minimumData: 'A sleep period that begins in the window',
    method: 'sleep',
  } as const,
  {
    name: 'SLEEPING_WAKE_TS',
    state: 'SLEEPING',
    unit: 'utc_milliseconds',
    definition: 'End of the longest sleep period.',
    window: NIGHT,
    minimumData: 'A sleep period that begins in the window',
    method: 'sleep',
  } as const,
  {
    name: 'SLEEPING_POSTURE_TRANSITIONS',
    state: 'SLEEPING',
    unit: 'transitions',
    definition: 'Changes from one lying posture held for 30 s to another held for 30 s, while asleep.',
    window: NIGHT,
    minimumData: 'A worn trunk sensor of known orientation while asleep',
    method: 'sleeping_posture',
  } as const,
  {
    name: 'SENSOR_WEAR_DURATION',
    state: null,
    unit: 'seconds',
    definition: 'Time during which any sensor was worn.',
    window: DAY,
    minimumData: 'One hour of recording on the local day; then always given',
    method: 'wear',
  } as const,
  ...EPOCH_METRICS,
  ...HEART_METRIC_NAMES.map((metric) => ({ ...metric, state: null, window: DAY })),
].sort((a, b) => (a.name < b.name ? -1 : 1));
