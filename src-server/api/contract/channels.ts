/** The one pipeline of every study and its intraday channels: the nine of the interface, and further ones. Daily metrics are named in `analytics/metric-names.ts`. */

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

/** Types and units of the channels that are given on request only, in the order of the answer. */
export const FURTHER_CHANNELS = [
  { type: 'sdnn', units: 'milliseconds' },
  { type: 'pnn50', units: 'percent' },
  { type: 'lf_power', units: 'milliseconds_squared' },
  { type: 'hf_power', units: 'milliseconds_squared' },
  { type: 'total_power', units: 'milliseconds_squared' },
  { type: 'sd1', units: 'milliseconds' },
  { type: 'sd2', units: 'milliseconds' },
  { type: 'sample_entropy', units: 'nats' },
  { type: 'enmo', units: 'milli_g' },
  { type: 'mad', units: 'milli_g' },
  { type: 'counts_x', units: 'activity_counts' },
  { type: 'counts_y', units: 'activity_counts' },
  { type: 'counts_z', units: 'activity_counts' },
  { type: 'counts_vm3', units: 'activity_counts' },
  { type: 'intensity', units: '' },
  { type: 'sleep_sadeh', units: '' },
  { type: 'sleep_cole_kripke', units: '' },
  { type: 'ectopic_ventricular', units: 'beats' },
  { type: 'longest_pause', units: 'milliseconds' },
  { type: 'signal_quality', units: 'percent' },
  { type: 'rate_episode', units: '' },
  { type: 'ecg_state', units: '' },
  { type: 'ectopic_supraventricular', units: 'beats' },
  { type: 'atrial_fibrillation', units: '' },
] as const;

/** Content type of the binary form of Get channels; `channel-table.ts` describes and decodes it. */
export const CHANNEL_TABLE = 'application/vnd.outpost.channels';
