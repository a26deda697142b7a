/** The table of intraday channels: units, values, definitions and minimum data. */
import { CHANNEL_TYPES, CHANNEL_UNITS, type ChannelType } from '../channels.ts';
import type { EpochChannelType } from '../epochs/channels.ts';
import { FURTHER_CHANNEL_TYPES, FURTHER_CHANNEL_UNITS, type FurtherChannelType } from '../further-channels.ts';
import type { MethodId } from './methods.ts';

/** One intraday channel: its name and unit in the API, its definition, and the least data that a bin needs. */
export interface ChannelDefinition {
  name: ChannelType | FurtherChannelType;
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

const FIVE_MINUTES = 'The five minutes, from a multiple of five since the Unix epoch, in which the bin begins';
const ofFiveMinutes = (definition: string, method: MethodId = 'variability') => ({
  values: 'number',
  definition,
  window: FIVE_MINUTES,
  minimumData: 'Normal intervals covering 80 % of the five minutes',
  method,
});

const EPOCH_HALF = `${HALF_KNOWN} in epochs of a wrist, waist or lower back sensor known to be worn`;
const axisCounts = (axis: string): Omit<ChannelDefinition, 'name' | 'unit'> => ({
  values: 'number',
  definition: `Sum of the activity counts of the sensor's ${axis} axis. Sums are exact: smaller bins add up to larger ones.`,
  window: BIN,
  minimumData: 'One second in which the wrist, waist or lower back sensor was worn',
  method: 'counts',
});

const countSleep = (authors: string): Omit<ChannelDefinition, 'name' | 'unit'> => ({
  values: 'ASLEEP, AWAKE',
  definition: `Sleep by counts after ${authors}: the state that lasts longest in the bin, each second with that of its minute. Bins of 60 s have one value each.`,
  window:
    'The minute with those around it (5 on both sides for Sadeh; 4 before and 2 after for Cole and Kripke), then the bin',
  minimumData: `${HALF_KNOWN} in minutes with 54 s of counts of a wrist, waist or lower back sensor known to be worn`,
  method: 'count_sleep',
});

const EPOCH_WORDS: Record<EpochChannelType, Omit<ChannelDefinition, 'name' | 'unit'>> = {
  enmo: {
    values: 'number',
    definition: 'Mean ENMO over the seconds of the bin, each with the value of its epoch of 5 s.',
    window: BIN,
    minimumData: EPOCH_HALF,
    method: 'enmo',
  },
  mad: {
    values: 'number',
    definition: 'Mean amplitude deviation over the seconds of the bin, each with the value of its epoch of 5 s.',
    window: BIN,
    minimumData: EPOCH_HALF,
    method: 'enmo',
  },
  counts_x: axisCounts('x'),
  counts_y: axisCounts('y'),
  counts_z: axisCounts('z'),
  counts_vm3: {
    values: 'number',
    definition:
      'Vector magnitude of the counts of the three axes in the bin (VM3). It depends on the bin: cut points want 60 s.',
    window: BIN,
    minimumData: 'One second in which the wrist, waist or lower back sensor was worn',
    method: 'counts',
  },
  intensity: {
    values: 'SEDENTARY, LIGHT, MODERATE, VIGOROUS; BELOW_MODERATE or MVPA where the cut points do not tell more',
    definition: 'The intensity that lasts longest in the bin; of two with equal time, the one earlier in this list.',
    window: BIN,
    minimumData: EPOCH_HALF,
    method: 'intensity',
  },
  sleep_sadeh: countSleep('Sadeh'),
  sleep_cole_kripke: countSleep('Cole and Kripke'),
};

const FURTHER_WORDS: Record<FurtherChannelType, Omit<ChannelDefinition, 'name' | 'unit'>> = {
  sdnn: ofFiveMinutes('Standard deviation of the normal intervals of the five minutes.'),
  pnn50: ofFiveMinutes('Share of the successive differences of normal intervals that exceed 50 ms.'),
  lf_power: ofFiveMinutes('Power of the normal intervals from 0.04 to 0.15 Hz.', 'lf_hf'),
  hf_power: ofFiveMinutes('Power of the normal intervals from 0.15 to 0.40 Hz.', 'lf_hf'),
  total_power: ofFiveMinutes('Power of the normal intervals up to 0.40 Hz.', 'lf_hf'),
  sd1: ofFiveMinutes('Width of the Poincaré plot of normal intervals across its diagonal.'),
  sd2: ofFiveMinutes('Width of the Poincaré plot of normal intervals along its diagonal.'),
  sample_entropy: {
    ...ofFiveMinutes('Sample entropy of the normal intervals (m = 2, r = 0.2 SD).'),
    minimumData: 'Normal intervals covering 80 % of the five minutes, and 100 stretches of three in a row',
  },
  ...EPOCH_WORDS,
  ectopic_ventricular: {
    values: 'number',
    definition:
      'Beats of the bin with another QRS shape that come early, are followed by a pause or are quite unlike the others. Sums are exact. For research.',
    window: BIN,
    minimumData: `${HALF_KNOWN} with a readable ECG`,
    method: 'ectopy',
  },
  longest_pause: {
    values: 'number',
    definition: 'The longest pause (3 to 15 s between two clear beats) that ends in the bin. For research.',
    window: BIN,
    minimumData: 'A pause',
    method: 'rhythm',
  },
  signal_quality: {
    values: '0 to 100',
    definition: 'Mean quality of the ECG: 0 without a readable heartbeat, 100 where every complex stands out clearly.',
    window: BIN,
    minimumData: 'One second of ECG',
    method: 'signal_quality',
  },
  rate_episode: {
    values: 'BRADYCARDIA, TACHYCARDIA',
    definition:
      'Stretch of 30 s or more with a heart rate below 50 or above 100 beats/min, or by the thresholds that the study chose. For research.',
    window: BIN,
    minimumData: `${HALF_KNOWN} in such a stretch; null outside`,
    method: 'rhythm',
  },
  ecg_state: {
    values: 'READABLE, UNRESOLVED, UNREADABLE',
    definition:
      'UNRESOLVED: an oscillation without QRS complexes, as in ventricular flutter, or strong interference; UNREADABLE: the lead has contact, but no heartbeat can be read. Neither has a heart rate. For research.',
    window: BIN,
    minimumData: `${HALF_KNOWN} with an ECG in contact`,
    method: 'rhythm',
  },
  ectopic_supraventricular: {
    values: 'number',
    definition:
      'Beats of the bin with the prevailing QRS shape that come a tenth or more early in a rhythm with P waves; 0 in atrial fibrillation. Sums are exact. For research.',
    window: BIN,
    minimumData: `${HALF_KNOWN} with a readable ECG`,
    method: 'ectopy',
  },
  atrial_fibrillation: {
    values: 'NONE, AF, UNDECIDED',
    definition:
      'AF: irregular intervals and, with an ECG, no P waves that repeat, for 30 s or more; UNDECIDED: neither shown nor ruled out, or too few clean intervals. For research, not a diagnosis.',
    window: '30 clean intervals around the beats of the bin',
    minimumData: `${HALF_KNOWN} within intervals between heartbeats`,
    method: 'atrial_fibrillation',
  },
};

/** The nine channels in the order of the interface, then the further ones. */
export const CHANNEL_DEFINITIONS: readonly ChannelDefinition[] = [
  ...CHANNEL_TYPES.map((name) => ({ name, unit: CHANNEL_UNITS[name], ...WORDS[name] })),
  ...FURTHER_CHANNEL_TYPES.map((name) => ({ name, unit: FURTHER_CHANNEL_UNITS[name], ...FURTHER_WORDS[name] })),
];
