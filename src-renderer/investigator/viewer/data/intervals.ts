/** Beat intervals as a tachogram shows them: their range, and which of them variability uses. Pure. */
import type { Beat, OverviewChannel } from '../../../../src-server/api/contract/index.ts';

/** Room above and below the intervals, as a share of their range. */
const MARGIN = 0.1;
/** A steady heart still has a range to read: 100 ms. */
const LEAST_RANGE_MS = 100;
const MS_PER_S = 1000;
/** Beats of the detector and times of samples differ by rounding. */
const SAME_BEAT_MS = 2;

/** The range of the whole recording without its most extreme hundredth, so that panning does not change the scale. */
export function intervalRange({
  dimensions,
  minima,
  maxima,
}: Pick<OverviewChannel, 'dimensions' | 'minima' | 'maxima'>): { lowMs: number; highMs: number } {
  const name = dimensions[0] ?? '';
  const sorted = (values: readonly (number | null)[] = []) =>
    values.filter((value) => value !== null).sort((a, b) => a - b);
  const [lows, highs] = [sorted(minima[name]), sorted(maxima[name])];
  const low = MS_PER_S * (lows[Math.floor(lows.length * 0.01)] ?? 0.6);
  const high = MS_PER_S * (highs[Math.ceil(highs.length * 0.99) - 1] ?? 1);
  const range = Math.max(LEAST_RANGE_MS, high - low) * (1 + 2 * MARGIN);
  const middle = (low + high) / 2;
  return { lowMs: middle - range / 2, highMs: middle + range / 2 };
}

/** Whether the interval that ends at each beat is used for variability: both of its beats are. */
export function usedIntervals(beats: readonly Beat[]): (timeMs: number) => boolean {
  const times = beats.map(({ timeUs }) => timeUs / 1000);
  return (timeMs) => {
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! < timeMs - SAME_BEAT_MS) low = middle + 1;
      else high = middle;
    }
    const beat = beats[low];
    // Not judged yet.
    if (!beat || Math.abs(times[low]! - timeMs) > SAME_BEAT_MS) return true;
    return beat.use === 'USED' && !beat.isAfterBreak && (beats[low - 1]?.use ?? 'USED') === 'USED';
  };
}
