/** Gaps in the signals of a recording, from the index of its file alone. */
import type { SignalFile } from '../../../signals/index.ts';
import type { TimeSpan } from '../../../study/coverage/spans.ts';
import { holdsIntervals } from '../../../vocabulary/channels.ts';

/** Shorter gaps are clock jitter of the sensor or a few lost samples. */
export const GAP_MS = 1000;

/** Beats of two pages lie this many mean intervals apart where one is missing between them. */
const MISSING_BEAT = 1.75;

/**
 * Returns the gaps between stored pages of a channel that touch a window. Beats in succession may lie seconds apart: a gap lasts
 * from a beat to the beginning of the first interval after it.
 */
export function gapsOf(file: SignalFile, channel: number, fromUs: number, toUs: number): TimeSpan[] {
  const gaps: TimeSpan[] = [];
  const pages = file.pageIndex[channel] ?? [];
  const isBeats = holdsIntervals(file.header.channels[channel]!);
  for (let i = 1; i < pages.length; i++) {
    const [before, after] = [pages[i - 1]!, pages[i]!];
    const startUs = before.lastUs + (isBeats ? 0 : before.periodUs);
    const stopUs = after.firstUs - (isBeats ? after.periodUs : 0);
    if (isBeats && after.firstUs - before.lastUs < MISSING_BEAT * Math.max(before.periodUs, after.periodUs)) continue;
    if (stopUs - startUs < GAP_MS * 1000 || stopUs < fromUs || startUs > toUs) continue;
    gaps.push({ startMs: Math.floor(startUs / 1000), stopMs: Math.floor(stopUs / 1000) });
  }
  return gaps;
}
