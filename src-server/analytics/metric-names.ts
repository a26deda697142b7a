import type { MethodId } from './dictionary/methods.ts';

/** The states that daily metrics are kept for. */
export type MetricState = 'MOVING' | 'RESTING' | 'SLEEPING';

/** One daily metric: its name and unit on the wire, what it is, and the least data it is given for. */
export interface MetricName {
  name: string;
  /** null for `SENSOR_WEAR_DURATION`, which spans all states. */
  state: MetricState | null;
  unit: string;
  definition: string;
  /** The time that a figure of a date is taken over. */
  window: string;
  minimumData: string;
  /** How it is made: see dictionary/methods.ts. */
  method: MethodId;
}

const DAY = 'Midnight to midnight, local time';
const NIGHT = 'Sleep that begins from noon of the day before to noon, local time';
const windowOf = (state: MetricState): string => (state === 'SLEEPING' ? NIGHT : DAY);

/** Least valid data behind a figure; daily.ts goes by these and the table below tells them. */
export const MINIMUM = {
  /** Recorded seconds of a local day that has an item at all. */
  daySeconds: 3600,
  /** Valid beat intervals within a minute, ms, for its heart rate to count. */
  minuteIntervalsMs: 30_000,
  /** Successive normal differences within five minutes for their RMSSD to count. */
  fiveMinuteDifferences: 60,
  /** Seconds of a state within a minute for its LF/HF or respiration to count. */
  minuteSeconds: 30,
  /** Walking or running seconds for a cadence. */
  gaitSeconds: 60,
} as const;

const WORDS: Record<MetricState, string> = { MOVING: 'moving', RESTING: 'resting', SLEEPING: 'asleep' };
const KNOWN_ACTIVITY = 'A worn motion sensor that tells the activity of at least one second';

function heart(state: MetricState): MetricName[] {
  const while_ = `while ${WORDS[state]}`;
  const of = (kind: 'AVG' | 'MIN' | 'MAX') =>
    kind === 'AVG' ? 'Average' : kind === 'MIN' ? 'Lowest value' : 'Highest value';
  return (['AVG', 'MIN', 'MAX'] as const).flatMap((kind) => [
    {
      name: `${state}_${kind}_HR`,
      state,
      unit: 'bpm',
      definition:
        kind === 'AVG'
          ? `Heart rate ${while_}: beats per valid interval time of all minutes that count.`
          : `${of(kind)} of the heart rate of a minute ${while_}.`,
      window: windowOf(state),
      minimumData: 'One minute with 30 s of valid beat intervals in the state',
      method: 'heart_rate',
    },
    {
      name: `${state}_${kind}_HRV`,
      state,
      unit: 'lf_hf',
      definition: `${of(kind)} of LF/HF (five minutes around each minute, Lomb-Scargle) over the minutes ${while_}.`,
      window: windowOf(state),
      minimumData: 'One minute with 30 s in the state whose five minutes are covered to 80 % by normal intervals',
      method: 'lf_hf',
    },
    {
      name: `${state}_${kind}_HRV_RMSSD`,
      state,
      unit: 'milliseconds',
      definition: `${of(kind)} of RMSSD of normal intervals per five minutes ${while_}${kind === 'AVG' ? ', weighted by their number' : ''}.`,
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
  definition: `${kind === 'AVG' ? 'Average' : kind === 'MIN' ? 'Lowest value' : 'Highest value'} of the breathing rate over the minutes asleep, from the ECG and the movement of the chest.`,
  window: NIGHT,
  minimumData: 'One minute with 30 s asleep in which the breathing rate is sure',
  method: 'respiration',
});

/** All 49 daily metrics, ascending by name: the one table that the API, the CSV, the documents and the desk go by. */
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
  duration('MOVING', 'OTHER_DURATION', 'Time moving in any other way: running, cycling, other.'),
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
  duration('RESTING', 'DURATION', 'Time at rest and awake.'),
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
    definition: 'When the longest sleep period began.',
    window: NIGHT,
    minimumData: 'A sleep period that begins in the window',
    method: 'sleep',
  } as const,
  {
    name: 'SLEEPING_WAKE_TS',
    state: 'SLEEPING',
    unit: 'utc_milliseconds',
    definition: 'When the longest sleep period ended.',
    window: NIGHT,
    minimumData: 'A sleep period that begins in the window',
    method: 'sleep',
  } as const,
  {
    name: 'SLEEPING_POSTURE_TRANSITIONS',
    state: 'SLEEPING',
    unit: 'transitions',
    definition: 'Changes from one lying posture held for 30 s to another held for 30 s, asleep.',
    window: NIGHT,
    minimumData: 'A trunk sensor of known orientation asleep',
    method: 'sleeping_posture',
  } as const,
  {
    name: 'SENSOR_WEAR_DURATION',
    state: null,
    unit: 'seconds',
    definition: 'Time in which any sensor was worn.',
    window: DAY,
    minimumData: 'An hour of recording on the local day; always given then',
    method: 'wear',
  } as const,
].sort((a, b) => (a.name < b.name ? -1 : 1));
