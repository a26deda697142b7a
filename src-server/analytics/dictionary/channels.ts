/** The table of intraday channels: units, values, definitions and minimum data. */
import { CHANNEL_TYPES, CHANNEL_UNITS, type ChannelType } from '../channels.ts';
import type { MethodId } from './methods.ts';

/** One intraday channel: its name and unit in the API, its definition, and the least data that a bin needs. */
export interface ChannelDefinition {
  name: ChannelType;
  unit: string;
  /** Form or list of the values. */
  values: string;
  definition: string;
  window: string;
  /** With less, the bin is null. */
  minimumData: string;
  method: MethodId;
}

const BIN = 'The bin: 1, 5, 10, 15, 30 or 60 s, aligned to the Unix epoch';
const HALF_KNOWN = 'Half of the seconds of the bin';

const WORDS: Record<ChannelType, Omit<ChannelDefinition, 'name' | 'unit'>> = {
  heart_rate: {
    values: 'number',
    definition: '60 over the mean interval of the beats that end in the bin.',
    window: BIN,
    minimumData: 'Beats in more than half of the seconds of the bin, or valid intervals covering half of its time',
    method: 'heart_rate',
  },
  hrv: {
    values: 'number',
    definition: 'RMSSD of the normal beats of the bin.',
    window: BIN,
    minimumData: 'One successive difference of normal intervals per 4 s of the bin, at least one',
    method: 'rmssd',
  },
  frequency_hrv_ratio: {
    values: 'number',
    definition: 'LF/HF: mean over the seconds of the bin, each with the value of its minute.',
    window: 'Five minutes around each minute, then the bin',
    minimumData: `${HALF_KNOWN}, with normal intervals covering 80 % of the five minutes around their minute`,
    method: 'lf_hf',
  },
  sleep_respiration: {
    values: 'number',
    definition:
      'Breathing rate while asleep: mean over the seconds of the bin. Where sleep cannot be distinguished from waking rest, as with an ECG alone, that of any rest; the daily metrics use sleep only.',
    window: '64 s around each 30 s, then the bin',
    minimumData: `${HALF_KNOWN} asleep, or possibly asleep, with a reliable rate`,
    method: 'respiration',
  },
  steps: {
    values: 'number',
    definition: 'Steps in the bin. Sums are exact: smaller bins add up to larger ones.',
    window: BIN,
    minimumData: 'One second in which a motion sensor was worn',
    method: 'steps',
  },
  combined_act_count: {
    values: 'number',
    definition:
      'Sum of the activity counts (vector magnitude), in sixteenths. Sums are exact: smaller bins add up to larger ones.',
    window: BIN,
    minimumData: 'One second in which a motion sensor was worn',
    method: 'counts',
  },
  activity: {
    values:
      'MOVING:WALKING, MOVING:RUNNING, MOVING:CYCLING, MOVING:OTHER, RESTING:STANDING, RESTING:SITTING, RESTING:LYING, RESTING:LEANING, SLEEPING:LYING',
    definition: 'The activity that lasts longest in the bin; of two with equal time, the one earlier in this list.',
    window: BIN,
    minimumData: `${HALF_KNOWN} with a known activity`,
    method: 'activity',
  },
  resting_posture: {
    values:
      'c: NEUTRAL, LEAN_LEFT, LEAN_RIGHT; s: NEUTRAL, SLOUCHING, LEAN_FORWARD, RECLINING; ca, sa: degrees to the right and forward',
    definition:
      'Lean of the trunk while standing, sitting or leaning: the one that lasts longest, and the mean angles.',
    window: BIN,
    minimumData: `${HALF_KNOWN} at rest, not lying, with a trunk sensor of known orientation`,
    method: 'posture',
  },
  sleeping_posture: {
    values: 'LYING_BACK, LYING_CHEST, LYING_LEFT, LYING_RIGHT, or two joined by /',
    definition: 'Lying posture while asleep: the one that lasts longest.',
    window: BIN,
    minimumData: `${HALF_KNOWN} asleep with a trunk sensor of known orientation`,
    method: 'sleeping_posture',
  },
};

/** The nine channels in the order of the interface. */
export const CHANNEL_DEFINITIONS: readonly ChannelDefinition[] = CHANNEL_TYPES.map((name) => ({
  name,
  unit: CHANNEL_UNITS[name],
  ...WORDS[name],
}));
