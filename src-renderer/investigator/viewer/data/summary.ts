/** What a stretch of a recording holds, in figures: for the sentence below the strip. Pure. */
import type { Beat } from '../../../../src-server/api/contract/index.ts';
import type { Extent } from '../view.ts';

export type Quality = 'good' | 'noisy' | 'unreadable' | 'noContact';

/** Bounds on the scale of 0 to 100 that the analytics gives; below the lower one no beat of the second is used. */
export function qualityOf(value: number): Quality {
  if (value < 0) return 'noContact';
  if (value < 10) return 'unreadable';
  return value < 50 ? 'noisy' : 'good';
}

interface Stretch {
  startTs: number;
  stopTs: number;
}

export interface Summary {
  beats: number;
  /** From the intervals between beats that follow each other without a break; undefined without one. */
  perMinute: number | undefined;
  /** Seconds of each quality. */
  quality: Record<Quality, number>;
  gapMs: number;
  /** Time whose rhythm cannot be resolved into beats. */
  unresolvedMs: number;
}

/** Beats, quality and breaks within a window. `beats` ascend in time and may reach beyond it, as `quality` and `gaps` may. */
export function summaryOf(
  window: Extent,
  beats: readonly Beat[],
  quality: readonly { startTs: number; values: readonly (number | null)[] }[],
  gaps: readonly Stretch[],
  unresolved: readonly Stretch[] = [],
): Summary {
  const inside = beats.filter(({ timeUs }) => timeUs / 1000 >= window.startMs && timeUs / 1000 <= window.stopMs);
  const intervalsUs = inside.flatMap(({ timeUs, isAfterBreak }, i) =>
    i === 0 || isAfterBreak ? [] : [timeUs - inside[i - 1].timeUs],
  );
  const totalUs = intervalsUs.reduce((sum, us) => sum + us, 0);
  const seconds: Record<Quality, number> = { good: 0, noisy: 0, unreadable: 0, noContact: 0 };
  for (const { startTs, values } of quality)
    for (const [i, value] of values.entries()) {
      const ms = startTs + i * 1000;
      const insideMs = Math.min(ms + 1000, window.stopMs) - Math.max(ms, window.startMs);
      if (value !== null && insideMs > 0) seconds[qualityOf(value)] += insideMs / 1000;
    }
  const insideMs = (stretches: readonly Stretch[]): number =>
    stretches.reduce(
      (sum, { startTs, stopTs }) =>
        sum + Math.max(0, Math.min(stopTs, window.stopMs) - Math.max(startTs, window.startMs)),
      0,
    );
  return {
    beats: inside.length,
    perMinute: totalUs > 0 ? (60e6 * intervalsUs.length) / totalUs : undefined,
    quality: seconds,
    gapMs: insideMs(gaps),
    unresolvedMs: insideMs(unresolved),
  };
}
