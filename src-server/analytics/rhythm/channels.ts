/** The intraday channels of the rhythm, binned from its seconds. */
import type { SecondColumns } from '../types.ts';
import { AF_STATES, ECG_STATES, NO_ECG, RATE_EPISODES } from './settings.ts';

/** Null without an ECG, episodes of the rate and atrial fibrillation only without beat intervals. */
export const RHYTHM_CHANNEL_UNITS = {
  ectopic_ventricular: 'beats',
  longest_pause: 'milliseconds',
  signal_quality: 'percent',
  rate_episode: '',
  ecg_state: '',
  ectopic_supraventricular: 'beats',
  atrial_fibrillation: '',
} as const;

export type RhythmChannelType = keyof typeof RHYTHM_CHANNEL_UNITS;
export const RHYTHM_CHANNEL_TYPES = Object.keys(RHYTHM_CHANNEL_UNITS) as RhythmChannelType[];

/** Channels whose values are names of states. */
type TextChannel = 'rate_episode' | 'ecg_state' | 'atrial_fibrillation';
type RhythmValues = Record<Exclude<RhythmChannelType, TextChannel>, (number | null)[]> &
  Record<TextChannel, (string | null)[]>;

const to3 = (value: number): number => Math.round(value * 1000) / 1000;

/** Bins of the rhythm, one after the other: sums of beats, the longest pause that ends in it, mean quality, the states of most seconds. */
export class RhythmBins {
  readonly values: RhythmValues = {
    ectopic_ventricular: [],
    longest_pause: [],
    signal_quality: [],
    rate_episode: [],
    ecg_state: [],
    ectopic_supraventricular: [],
    atrial_fibrillation: [],
  };
  readonly #seconds: number;
  #ventricular = 0;
  #supraventricular = 0;
  #pauseMs = 0;
  #qualitySum = 0;
  #ecgSeconds = 0;
  readonly #episodes = new Uint32Array(RATE_EPISODES.length);
  readonly #states = new Uint32Array(ECG_STATES.length);
  readonly #afStates = new Uint32Array(AF_STATES.length);

  constructor(intervalMs: number) {
    this.#seconds = Math.max(1, Math.round(intervalMs / 1000));
  }

  /** Adds the bin that starts at a time. */
  addSpan(windows: readonly SecondColumns[], startMs: number): void {
    this.#ventricular = 0;
    this.#supraventricular = 0;
    this.#pauseMs = 0;
    this.#qualitySum = 0;
    this.#ecgSeconds = 0;
    this.#episodes.fill(0);
    this.#states.fill(0);
    this.#afStates.fill(0);
    for (const window of windows) {
      const from = Math.max(0, Math.floor((startMs - window.startMs) / 1000));
      const to = Math.min(window.count, Math.ceil((startMs - window.startMs) / 1000) + this.#seconds);
      if (to > from) this.#add(window, from, to);
    }
    this.#write();
  }

  #add({ rhythm, recorded }: SecondColumns, from: number, to: number): void {
    if (!rhythm) return;
    for (let i = from; i < to; i++) {
      if (!recorded[i]) continue;
      this.#episodes[rhythm.rateEpisode[i]!]!++;
      this.#afStates[rhythm.afState[i]!]!++;
      if (rhythm.quality[i] === NO_ECG) continue;
      this.#ecgSeconds++;
      this.#qualitySum += rhythm.quality[i]!;
      this.#ventricular += rhythm.ventricular[i]!;
      this.#supraventricular += rhythm.supraventricular[i]!;
      this.#pauseMs = Math.max(this.#pauseMs, rhythm.pauseMs[i]!);
      this.#states[rhythm.ecgState[i]!]!++;
    }
  }

  #write(): void {
    const { values } = this;
    const half = this.#seconds / 2;
    const isRead = this.#states[ECG_STATES.indexOf('READABLE')]! >= half;
    values.ectopic_ventricular.push(isRead ? this.#ventricular : null);
    values.longest_pause.push(this.#pauseMs > 0 ? to3(this.#pauseMs) : null);
    values.signal_quality.push(this.#ecgSeconds > 0 ? to3(this.#qualitySum / this.#ecgSeconds) : null);
    values.rate_episode.push(RATE_EPISODES[longestOf(this.#episodes, half)]!);
    values.ecg_state.push(ECG_STATES[longestOf(this.#states, half)]!);
    values.ectopic_supraventricular.push(isRead ? this.#supraventricular : null);
    values.atrial_fibrillation.push(AF_STATES[longestOf(this.#afStates, half)]!);
  }
}

/** The state of most seconds; 0 where states are known in fewer than `atLeast`. */
function longestOf(seconds: Uint32Array, atLeast: number): number {
  let best = 0;
  let known = 0;
  for (let code = 1; code < seconds.length; code++) {
    known += seconds[code]!;
    if (seconds[code]! > (best === 0 ? 0 : seconds[best]!)) best = code;
  }
  return known >= atLeast ? best : 0;
}
