/** Daily metrics of the rhythm, from the stored columns of the day's windows. */
import type { RhythmSeconds, Span, WindowResult } from '../types.ts';
import { AF_STATES, ECG_STATES, NO_ECG, RATE_EPISODES } from './settings.ts';

/** Applied below, stated in heart-metric-names.ts. */
export const RHYTHM_MINIMUM = {
  /** Seconds of a readable ECG from which a day has counts: as of all daily metrics. */
  readableSeconds: 3600,
  /** Seconds in which a valid interval ends from which a day has episodes. */
  rateSeconds: 1800,
  /** Seconds with intervals, and of them with a decision, from which a day has a burden of atrial fibrillation. */
  afSeconds: 3600,
} as const;

/** Adds the seconds of a day in order of time. */
class RhythmSums {
  readonly #states = ECG_STATES.map(() => 0);
  #qualitySum = 0;
  #ecgSeconds = 0;
  #ventricular = 0;
  #supraventricular = 0;
  #supraventricularRuns = 0;
  readonly #afStates = AF_STATES.map(() => 0);
  #pauses = 0;
  #longestPauseMs = 0;
  readonly #episodes = RATE_EPISODES.map(() => ({ count: 0, seconds: 0 }));
  #episode = 0;
  #rateSeconds = 0;

  add(rhythm: RhythmSeconds, i: number, hasRate: boolean): void {
    if (rhythm.quality[i] !== NO_ECG) {
      this.#ecgSeconds++;
      this.#qualitySum += rhythm.quality[i]!;
      this.#states[rhythm.ecgState[i]!]!++;
      this.#ventricular += rhythm.ventricular[i]!;
      this.#supraventricular += rhythm.supraventricular[i]!;
      this.#supraventricularRuns += rhythm.supraventricularRuns[i]!;
      if (rhythm.pauseMs[i]! > 0) this.#pauses++;
      this.#longestPauseMs = Math.max(this.#longestPauseMs, rhythm.pauseMs[i]!);
    }
    this.#afStates[rhythm.afState[i]!]!++;
    const episode = rhythm.rateEpisode[i]!;
    if (episode !== this.#episode) this.#episodes[episode]!.count++;
    this.#episodes[episode]!.seconds++;
    this.#episode = episode;
    if (hasRate) this.#rateSeconds++;
  }

  /** A second without any features ends an episode. */
  skip(): void {
    this.#episode = 0;
  }

  write(metrics: Record<string, number>, validSeconds: Record<string, number>): void {
    if (this.#ecgSeconds > 0) {
      validSeconds.HEART_SIGNAL = this.#ecgSeconds;
      metrics.HEART_SIGNAL_QUALITY = this.#qualitySum / this.#ecgSeconds;
      metrics.HEART_UNRESOLVED_DURATION = this.#states[ECG_STATES.indexOf('UNRESOLVED')]!;
      metrics.HEART_UNREADABLE_DURATION = this.#states[ECG_STATES.indexOf('UNREADABLE')]!;
    }
    if (this.#rateSeconds >= RHYTHM_MINIMUM.rateSeconds) {
      for (const [code, name] of RATE_EPISODES.entries()) {
        if (name === null) continue;
        metrics[`HEART_${name}_EPISODES`] = this.#episodes[code]!.count;
        metrics[`HEART_${name}_DURATION`] = this.#episodes[code]!.seconds;
      }
    }
    this.#writeAf(metrics, validSeconds);
    const readable = this.#states[ECG_STATES.indexOf('READABLE')]!;
    if (readable < RHYTHM_MINIMUM.readableSeconds) return;
    validSeconds.HEART_READABLE = readable;
    const perHour = (beats: number): number => (3600 * beats) / readable;
    metrics.HEART_ECTOPIC_VENTRICULAR = this.#ventricular;
    metrics.HEART_ECTOPIC_VENTRICULAR_RATE = perHour(this.#ventricular);
    metrics.HEART_ECTOPIC_SUPRAVENTRICULAR = this.#supraventricular;
    metrics.HEART_ECTOPIC_SUPRAVENTRICULAR_RATE = perHour(this.#supraventricular);
    metrics.HEART_SUPRAVENTRICULAR_RUNS = this.#supraventricularRuns;
    metrics.HEART_PAUSES = this.#pauses;
    if (this.#pauses > 0) metrics.HEART_LONGEST_PAUSE = this.#longestPauseMs;
  }

  /** The burden of the decided time lies between the two bounds: what is undecided counted as none, and as all. */
  #writeAf(metrics: Record<string, number>, validSeconds: Record<string, number>): void {
    const of = (state: (typeof AF_STATES)[number]): number => this.#afStates[AF_STATES.indexOf(state)]!;
    const [found, decided] = [of('AF'), of('AF') + of('NONE')];
    const analysable = decided + of('UNDECIDED');
    if (analysable < RHYTHM_MINIMUM.afSeconds) return;
    validSeconds.HEART_AF = analysable;
    metrics.HEART_AF_ANALYSABLE_DURATION = analysable;
    metrics.HEART_AF_BURDEN_LOWER = (100 * found) / analysable;
    metrics.HEART_AF_BURDEN_UPPER = (100 * (analysable - of('NONE'))) / analysable;
    if (decided >= RHYTHM_MINIMUM.afSeconds) metrics.HEART_AF_BURDEN = (100 * found) / decided;
  }
}

export function rhythmOfDay(
  day: Span,
  windows: readonly WindowResult[],
): { metrics: Record<string, number>; validSeconds: Record<string, number> } {
  const sums = new RhythmSums();
  for (const { seconds } of windows) {
    const { rhythm, recorded, rrCount } = seconds;
    const from = Math.max(0, Math.ceil((day.startMs - seconds.startMs) / 1000));
    const to = Math.min(seconds.count, Math.ceil((day.stopMs - seconds.startMs) / 1000));
    for (let i = from; i < to; i++) {
      if (rhythm && recorded[i]) sums.add(rhythm, i, rrCount[i]! > 0);
      else sums.skip();
    }
  }
  const found = { metrics: {}, validSeconds: {} };
  sums.write(found.metrics, found.validSeconds);
  return found;
}
