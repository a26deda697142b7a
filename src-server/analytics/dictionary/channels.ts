import { CHANNEL_TYPES, CHANNEL_UNITS, type ChannelType } from '../channels.ts';
import type { MethodId } from './methods.ts';

/** One intraday channel: its name and unit on the wire, what it is, and the least data a bin is given for. */
export interface ChannelDefinition {
  name: ChannelType;
  unit: string;
  /** What a value looks like. */
  values: string;
  definition: string;
  window: string;
  /** Below it the bin is null. */
  minimumData: string;
  method: MethodId;
}

const BIN = 'The bin: 1, 5, 10, 15, 30 or 60 s on the grid of the epoch';
const HALF_KNOWN = 'Half of the seconds of the bin';

const WORDS: Record<ChannelType, Omit<ChannelDefinition, 'name' | 'unit'>> = {
  heart_rate: {
    values: 'number',
    definition: '60 over the mean interval of the beats that end in the bin.',
    window: BIN,
    minimumData: 'Beats in more than half of the seconds of the bin, or valid intervals of half of its time',
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
    definition: 'LF/HF: mean over the seconds of the bin of the value of their minute.',
    window: 'Five minutes around each minute, then the bin',
    minimumData: `${HALF_KNOWN}, each in a minute whose five minutes are covered to 80 % by normal intervals`,
    method: 'lf_hf',
  },
  sleep_respiration: {
    values: 'number',
    definition:
      'Breathing rate asleep: mean over the seconds of the bin. Where nothing tells sleep from waking rest, as with an ECG alone, that of any rest; the daily metrics count sleep only.',
    window: '64 s around each 30 s, then the bin',
    minimumData: `${HALF_KNOWN} asleep, or perhaps asleep, with a sure rate`,
    method: 'respiration',
  },
  steps: {
    values: 'number',
    definition: 'Steps in the bin. They add up exactly from bin size to bin size.',
    window: BIN,
    minimumData: 'One second in which a motion sensor was worn',
    method: 'steps',
  },
  combined_act_count: {
    values: 'number',
    definition:
      'Sum of the activity counts (vector magnitude), to a sixteenth. They add up exactly from bin size to bin size.',
    window: BIN,
    minimumData: 'One second in which a motion sensor was worn',
    method: 'counts',
  },
  activity: {
    values:
      'MOVING:WALKING, MOVING:RUNNING, MOVING:CYCLING, MOVING:OTHER, RESTING:STANDING, RESTING:SITTING, RESTING:LYING, RESTING:LEANING, SLEEPING:LYING',
    definition: 'What holds longest in the bin; the earlier in this list wins a tie.',
    window: BIN,
    minimumData: `${HALF_KNOWN} with a known activity`,
    method: 'activity',
  },
  resting_posture: {
    values:
      'c: NEUTRAL, LEAN_LEFT, LEAN_RIGHT; s: NEUTRAL, SLOUCHING, LEAN_FORWARD, RECLINING; ca, sa: degrees to the right and forward',
    definition: 'Lean of the trunk while standing, sitting or leaning: what holds longest, and the mean angles.',
    window: BIN,
    minimumData: `${HALF_KNOWN} at rest, not lying, with a trunk sensor of known orientation`,
    method: 'posture',
  },
  sleeping_posture: {
    values: 'LYING_BACK, LYING_CHEST, LYING_LEFT, LYING_RIGHT, or two joined by /',
    definition: 'How the sleeper lies: what holds longest.',
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
