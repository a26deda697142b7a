/** The one pipeline of every study and its nine intraday channels. Daily metrics are named in `analytics/metric-names.ts`. */

/** The fixed ids of Get channels. */
export const PIPELINE_ID = 'fdd051b8-d753-11e6-ab51-34363bc84032';
export const MASTER_ID = '4e8a80fd-4778-11e6-a313-34363bc3dbe2';

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

/** Content type of the binary form of Get channels; `channel-table.ts` describes and decodes it. */
export const CHANNEL_TABLE = 'application/vnd.outpost.channels';
