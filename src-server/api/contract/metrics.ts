/** The 49 daily metrics and the nine intraday channels: names and units, in the order of the CSV downloads. */

const RATE_METRICS = [
  'AVG_HR',
  'AVG_HRV',
  'AVG_HRV_RMSSD',
  'MAX_HR',
  'MAX_HRV',
  'MAX_HRV_RMSSD',
  'MIN_HR',
  'MIN_HRV',
  'MIN_HRV_RMSSD',
];

const METRICS_OF_STATE: Record<string, readonly string[]> = {
  MOVING: [
    ...RATE_METRICS,
    'AVG_GAIT_CADENCE',
    'COMBINED_ACT_COUNT',
    'DURATION',
    'OTHER_DURATION',
    'STEPS',
    'WALKING_DURATION',
  ],
  RESTING: [
    ...RATE_METRICS,
    'COMBINED_ACT_COUNT',
    'DURATION',
    'LEANING_POSTURE_DURATION',
    'LYING_DURATION',
    'SITTING_DURATION',
    'STANDING_DURATION',
    'UPRIGHT_POSTURE_DURATION',
  ],
  SLEEPING: [
    ...RATE_METRICS,
    'AVG_RESPIRATION',
    'COMBINED_ACT_COUNT',
    'DURATION',
    'MAX_RESPIRATION',
    'MIN_RESPIRATION',
    'ONSET_TS',
    'POSTURE_TRANSITIONS',
    'WAKE_TS',
  ],
};

function unitOf(name: string): string {
  if (name.endsWith('_GAIT_CADENCE')) return 'steps_per_minute';
  if (name.endsWith('_HR')) return 'bpm';
  if (name.endsWith('_HRV_RMSSD')) return 'milliseconds';
  if (name.endsWith('_HRV')) return 'lf_hf';
  if (name.endsWith('_ACT_COUNT')) return 'count';
  if (name.endsWith('_DURATION')) return 'seconds';
  if (name.endsWith('_STEPS')) return 'steps';
  if (name.endsWith('_RESPIRATION')) return 'breaths_per_minute';
  if (name.endsWith('_TRANSITIONS')) return 'transitions';
  return 'utc_milliseconds';
}

export interface MetricDefinition {
  name: string;
  unit: string;
}

/** Alphabetical by name, as the columns of the metrics CSV. */
export const METRICS: readonly MetricDefinition[] = [
  ...Object.entries(METRICS_OF_STATE).flatMap(([state, names]) => names.map((name) => `${state}_${name}`)),
  'SENSOR_WEAR_DURATION',
]
  .sort()
  .map((name) => ({ name, unit: unitOf(name) }));

/** Types and units of the intraday channels, in the order of the answer. */
export const CHANNELS = [
  { type: 'heart_rate', units: 'bpm' },
  { type: 'hrv', units: 'milliseconds' },
  { type: 'frequency_hrv_ratio', units: 'lf_hf' },
  { type: 'sleep_respiration', units: 'breaths_per_minute' },
  { type: 'steps', units: 'steps' },
  { type: 'combined_act_count', units: 'activity_counts' },
  { type: 'activity', units: '' },
  { type: 'resting_posture', units: '' },
  { type: 'sleeping_posture', units: '' },
] as const;
export type ChannelType = (typeof CHANNELS)[number]['type'];
