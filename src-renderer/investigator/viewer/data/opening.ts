/** Where the viewer opens a recording. Pure. */
import type { OverviewChannel, RecordingOverview } from '../../../../src-server/api/contract/index.ts';
import { isElectric } from './samples.ts';

/** A bin with samples; of an electric channel, one whose trace is no flat line, as without electrodes. */
function hasSignal({ type, sampleCounts, minima, maxima, dimensions }: OverviewChannel, bin: number): boolean {
  if (!sampleCounts[bin]) return false;
  return !isElectric(type) || dimensions.some((name) => minima[name]?.[bin] !== maxima[name]?.[bin]);
}

/**
 * Returns where a recording opens, epoch ms: where the analysis first found it readable. Where that is not known, at the first samples of
 * the channel that matters most; where nothing is readable, at the start.
 */
export function openingMs({ startTs, readableFromTs, channels }: RecordingOverview): number {
  if (readableFromTs === null) return startTs;
  if (readableFromTs !== undefined) return readableFromTs;
  const channel = channels.find(({ type }) => isElectric(type)) ?? channels[0];
  const bin = channel ? channel.sampleCounts.findIndex((_, i) => hasSignal(channel, i)) : -1;
  if (!channel || bin <= 0) return startTs;
  // The signal begins somewhere in that bin, which may be a minute long: the next one has it from its start.
  return channel.startTs + (hasSignal(channel, bin + 1) ? bin + 1 : bin) * channel.binMs;
}
