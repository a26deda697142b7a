/** Derives the nine intraday channels of the API from second columns, binned to 1 to 60 s. */
import { ACTIVITIES, LEAN_FORWARDS, LEAN_SIDES, LYING_POSTURES, type SecondColumns } from './types.ts';

/** Bin sizes of the API, ms. */
export const CHANNEL_INTERVALS_MS = [1000, 5000, 10_000, 15_000, 30_000, 60_000] as const;

/** The nine intraday channels in the order of the API, with their units. */
export const CHANNEL_UNITS = {
  heart_rate: 'bpm',
  hrv: 'milliseconds',
  frequency_hrv_ratio: 'lf_hf',
  sleep_respiration: 'breaths_per_minute',
  steps: 'steps',
  combined_act_count: 'activity_counts',
  activity: '',
  resting_posture: '',
  sleeping_posture: '',
} as const;

export type ChannelType = keyof typeof CHANNEL_UNITS;
export const CHANNEL_TYPES = Object.keys(CHANNEL_UNITS) as ChannelType[];

/** Lean of the trunk at rest: `c` to the side, `s` forward or back, with their angles in degrees. */
export interface RestingPosture {
  c: string;
  ca: number;
  s: string;
  sa: number;
}

/** Binned channels: `times[i]` is the start of bin i; every channel has one value per time, null where unknown. */
export interface BinnedChannels {
  times: number[];
  values: {
    heart_rate: (number | null)[];
    hrv: (number | null)[];
    frequency_hrv_ratio: (number | null)[];
    sleep_respiration: (number | null)[];
    steps: (number | null)[];
    combined_act_count: (number | null)[];
    activity: (string | null)[];
    resting_posture: (RestingPosture | null)[];
    sleeping_posture: (string | null)[];
  };
}

/** RMSSD needs at least one successive difference per this many seconds of the bin. */
const SECONDS_PER_DIFFERENCE = 4;

const to3 = (value: number): number => Math.round(value * 1000) / 1000;
const to1 = (value: number): number => Math.round(value * 10) / 10;

/** API name of a code of the `sleepingPosture` column, such as `LYING_CHEST/LYING_RIGHT`; null for none. */
export function sleepingPostureName(code: number): string | null {
  const first = LYING_POSTURES[code & 15];
  const second = LYING_POSTURES[code >> 4];
  if (!first) return null;
  return second ? `${first}/${second}` : first;
}

/** Start of the bin that holds a time: bins begin at multiples of the interval since the epoch. */
export const binStartMs = (timeMs: number, intervalMs: number): number => Math.floor(timeMs / intervalMs) * intervalMs;

/**
 * Returns the nine channels of every bin that starts from `fromMs` (rounded down to the grid) to `toMs`, both included, with
 * or without data. Callers clip the span to what exists and split long spans: a bin does not depend on the split, as long as
 * `windows` hold all its seconds.
 *
 * Heart rate is 60 / mean interval of the beats in the bin; null when at least half of its seconds have no beat and intervals
 * cover less than half of its time. RMSSD uses the successive differences in the bin; null below one per 4 s. LF/HF and
 * respiration are means over the seconds that have a value; null when fewer than half do. Steps and counts are sums; null
 * when no motion sensor was worn. Activity and postures are those that last longest (of equals the first code); null when
 * known in less than half of the seconds.
 *
 * @param windows ascending and disjoint
 */
export function binChannels(
  windows: readonly SecondColumns[],
  intervalMs: number,
  fromMs: number,
  toMs: number,
): BinnedChannels {
  const bins: BinnedChannels = {
    times: [],
    values: {
      heart_rate: [],
      hrv: [],
      frequency_hrv_ratio: [],
      sleep_respiration: [],
      steps: [],
      combined_act_count: [],
      activity: [],
      resting_posture: [],
      sleeping_posture: [],
    },
  };
  const bin = new Bin(Math.max(1, Math.round(intervalMs / 1000)));
  let w = 0;
  for (let start = binStartMs(fromMs, intervalMs); start <= toMs; start += intervalMs) {
    bin.clear();
    while (w < windows.length && windows[w]!.startMs + 1000 * windows[w]!.count <= start) w++;
    for (let k = w; k < windows.length && windows[k]!.startMs < start + intervalMs; k++) {
      const from = Math.max(0, Math.floor((start - windows[k]!.startMs) / 1000));
      const to = Math.min(windows[k]!.count, Math.ceil((start + intervalMs - windows[k]!.startMs) / 1000));
      if (to > from) bin.add(windows[k]!, from, to);
    }
    bins.times.push(start);
    bin.write(bins.values);
  }
  return bins;
}

class Bin {
  private readonly seconds: number;
  private rrSum = 0;
  private rrCount = 0;
  private beatSeconds = 0;
  private squares = 0;
  private differences = 0;
  private ratioSum = 0;
  private ratioCount = 0;
  private breathSum = 0;
  private breathCount = 0;
  private steps = 0;
  private counts = 0;
  private countSeconds = 0;
  private stepSeconds = 0;
  private postureSeconds = 0;
  private sideDegrees = 0;
  private forwardDegrees = 0;
  private readonly activities = new Uint32Array(ACTIVITIES.length);
  private readonly sides = new Uint32Array(LEAN_SIDES.length);
  private readonly forwards = new Uint32Array(LEAN_FORWARDS.length);
  private readonly lying = new Uint32Array(256);

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  clear(): void {
    this.rrSum = 0;
    this.rrCount = 0;
    this.beatSeconds = 0;
    this.squares = 0;
    this.differences = 0;
    this.ratioSum = 0;
    this.ratioCount = 0;
    this.breathSum = 0;
    this.breathCount = 0;
    this.steps = 0;
    this.counts = 0;
    this.countSeconds = 0;
    this.stepSeconds = 0;
    this.postureSeconds = 0;
    this.sideDegrees = 0;
    this.forwardDegrees = 0;
    this.activities.fill(0);
    this.sides.fill(0);
    this.forwards.fill(0);
    this.lying.fill(0);
  }

  add(seconds: SecondColumns, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      if (seconds.rrCount[i]! > 0) {
        this.rrSum += seconds.rrSumMs[i]!;
        this.rrCount += seconds.rrCount[i]!;
        this.beatSeconds++;
      }
      this.squares += seconds.rrDiffSquaredMs2[i]!;
      this.differences += seconds.rrDiffCount[i]!;
      if (!Number.isNaN(seconds.lfHf[i])) {
        this.ratioSum += seconds.lfHf[i]!;
        this.ratioCount++;
      }
      if (!Number.isNaN(seconds.respiration[i])) {
        this.breathSum += seconds.respiration[i]!;
        this.breathCount++;
      }
      this.steps += seconds.steps[i]!;
      if (!Number.isNaN(seconds.counts[i])) {
        this.counts += seconds.counts[i]!;
        this.countSeconds++;
        // A wrist has counts, but no steps that anyone could trust.
        if (seconds.epochs?.bodyKnown[i] !== 0) this.stepSeconds++;
      }
      this.activities[seconds.activity[i]!]!++;
      if (seconds.leanSide[i]! > 0 && seconds.leanForward[i]! > 0) {
        this.sides[seconds.leanSide[i]!]!++;
        this.forwards[seconds.leanForward[i]!]!++;
        this.sideDegrees += seconds.leanSideDegrees[i]!;
        this.forwardDegrees += seconds.leanForwardDegrees[i]!;
        this.postureSeconds++;
      }
      this.lying[seconds.sleepingPosture[i]!]!++;
    }
  }

  write(values: BinnedChannels['values']): void {
    const half = this.seconds / 2;
    const rateKnown = this.rrCount > 0 && (this.beatSeconds > half || this.rrSum >= 500 * this.seconds);
    values.heart_rate.push(rateKnown ? to3((60_000 * this.rrCount) / this.rrSum) : null);
    const enough = Math.max(1, Math.floor(this.seconds / SECONDS_PER_DIFFERENCE));
    values.hrv.push(this.differences >= enough ? to3(Math.sqrt(this.squares / this.differences)) : null);
    values.frequency_hrv_ratio.push(this.ratioCount >= half ? to3(this.ratioSum / this.ratioCount) : null);
    values.sleep_respiration.push(this.breathCount >= half ? to3(this.breathSum / this.breathCount) : null);
    values.steps.push(this.stepSeconds > 0 || this.steps > 0 ? this.steps : null);
    values.combined_act_count.push(this.countSeconds > 0 ? this.counts : null);
    values.activity.push(ACTIVITIES[mostOf(this.activities, half)]!);
    values.resting_posture.push(this.posture(half));
    values.sleeping_posture.push(sleepingPostureName(mostOf(this.lying, half)));
  }

  private posture(half: number): RestingPosture | null {
    if (this.postureSeconds < half || this.postureSeconds === 0) return null;
    const side = LEAN_SIDES[mostOf(this.sides, 0)];
    const forward = LEAN_FORWARDS[mostOf(this.forwards, 0)];
    const ca = to1(this.sideDegrees / this.postureSeconds);
    const sa = to1(this.forwardDegrees / this.postureSeconds);
    return side && forward && Number.isFinite(ca) && Number.isFinite(sa) ? { c: side, ca, s: forward, sa } : null;
  }
}

/** The most frequent code other than 0 (unknown); 0 when fewer than `atLeast` seconds are known. */
function mostOf(tally: Uint32Array, atLeast: number): number {
  let known = 0;
  let best = 0;
  for (let code = 1; code < tally.length; code++) {
    known += tally[code]!;
    if (tally[code]! > (best === 0 ? 0 : tally[best]!)) best = code;
  }
  return known >= atLeast ? best : 0;
}
