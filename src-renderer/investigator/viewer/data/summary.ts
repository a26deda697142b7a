/** Numbers about a window of a recording, for the sentence below the detail strip. Pure. */
import type { Beat } from '../../../../src-server/api/contract/index.ts';
import type { Extent } from '../view.ts';

export type Quality = 'good' | 'noisy' | 'unreadable' | 'noContact';

/** Classes of the analytics' scale of 0 to 100. Seconds below 10 contribute no beats. */
export function qualityOf(value: number): Quality {
  if (value < 0) return 'noContact';
  if (value < 10) return 'unreadable';
  return value < 50 ? 'noisy' : 'good';
}

interface TimeSpan {
  startTs: number;
  stopTs: number;
}

export interface Summary {
  beats: number;
  /** Mean rate over the intervals between consecutive beats; undefined without an interval. */
  perMinute: number | undefined;
  /** Seconds by quality. */
  quality: Record<Quality, number>;
  gapMs: number;
  /** Time whose rhythm cannot be resolved into beats. */
  unresolvedMs: number;
}

/** Summarises a window. `beats` ascend in time; they, `quality` and `gaps` may reach beyond the window. */
export function summaryOf(
  window: Extent,
  beats: readonly Beat[],
  quality: readonly { startTs: number; values: readonly (number | null)[] }[],
  gaps: readonly TimeSpan[],
  unresolved: readonly TimeSpan[] = [],
): Summary {
  const inside = beats.filter(({ timeUs }) => timeUs / 1000 >= window.startMs && timeUs / 1000 <= window.stopMs);
  const intervalsUs = inside.flatMap(({ timeUs, isAfterBreak }, i) => {
    const previous = inside[i - 1];
    return !previous || isAfterBreak ? [] : [timeUs - previous.timeUs];
  });
  const totalUs = intervalsUs.reduce((sum, us) => sum + us, 0);
  const seconds: Record<Quality, number> = { good: 0, noisy: 0, unreadable: 0, noContact: 0 };
  for (const { startTs, values } of quality)
    for (const [i, value] of values.entries()) {
      const ms = startTs + i * 1000;
      const insideMs = Math.min(ms + 1000, window.stopMs) - Math.max(ms, window.startMs);
      if (value !== null && insideMs > 0) seconds[qualityOf(value)] += insideMs / 1000;
    }
  const totalInsideMs = (spans: readonly TimeSpan[]): number =>
    spans.reduce(
      (sum, { startTs, stopTs }) =>
        sum + Math.max(0, Math.min(stopTs, window.stopMs) - Math.max(startTs, window.startMs)),
      0,
    );
  return {
    beats: inside.length,
    perMinute: totalUs > 0 ? (60e6 * intervalsUs.length) / totalUs : undefined,
    quality: seconds,
    gapMs: totalInsideMs(gaps),
    unresolvedMs: totalInsideMs(unresolved),
  };
}
