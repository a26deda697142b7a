import { firstAtOrAfter } from '../data/measure.ts';
import type { ChannelSamples } from '../data/samples.ts';

/** The instant of the sample near a time that is furthest from the median of those around it: an R peak, upright or not. */
export function peakNear(runs: readonly ChannelSamples[], ms: number, reachMs: number): number | undefined {
  const found: { ms: number; value: number }[] = [];
  const around: number[] = [];
  for (const { timesMs, values } of runs) {
    const [column] = values;
    if (!column) continue;
    for (let i = firstAtOrAfter(timesMs, ms - 2 * reachMs); i < timesMs.length; i++) {
      const at = timesMs[i]!;
      if (at > ms + 2 * reachMs) break;
      around.push(column[i]!);
      if (Math.abs(at - ms) <= reachMs) found.push({ ms: at, value: column[i]! });
    }
  }
  if (found.length === 0) return undefined;
  const median = around.sort((a, b) => a - b)[around.length >> 1]!;
  return found.reduce((best, one) => (Math.abs(one.value - median) > Math.abs(best.value - median) ? one : best)).ms;
}
