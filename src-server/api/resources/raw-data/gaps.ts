/** Gaps in the signals of a recording, from the index of its file alone. */
import type { SignalFile } from '../../../signals/index.ts';
import type { SignalMark } from '../../../signals/types.ts';
import type { TimeSpan } from '../../../study/coverage/spans.ts';
import { holdsIntervals } from '../../../vocabulary/channels.ts';
import { GAP_REASONS, type GapReason } from '../../../vocabulary/coverage.ts';

/** Shorter gaps are clock jitter of the sensor or a few lost samples. */
export const GAP_MS = 1000;

/** Beats of two pages lie this many mean intervals apart where one is missing between them. */
const MISSING_BEAT = 1.75;

/** Marks lie at the last sample before a gap; clock correction moves the two by different roundings. */
const MARK_SLACK_US = 500_000;

export interface ChannelGap extends TimeSpan {
  /** The last sample before it. */
  lastUs: number;
}

/**
 * Returns the gaps between stored pages of a channel that touch a window. Beats in succession may lie seconds apart: a gap lasts
 * from a beat to the beginning of the first interval after it.
 */
export function gapsOf(file: SignalFile, channel: number, fromUs: number, toUs: number): ChannelGap[] {
  const gaps: ChannelGap[] = [];
  const pages = file.pageIndex[channel] ?? [];
  const isBeats = holdsIntervals(file.header.channels[channel]!);
  for (let i = 1; i < pages.length; i++) {
    const [before, after] = [pages[i - 1]!, pages[i]!];
    const startUs = before.lastUs + (isBeats ? 0 : before.periodUs);
    const stopUs = after.firstUs - (isBeats ? after.periodUs : 0);
    if (isBeats && after.firstUs - before.lastUs < MISSING_BEAT * Math.max(before.periodUs, after.periodUs)) continue;
    if (stopUs - startUs < GAP_MS * 1000 || stopUs < fromUs || startUs > toUs) continue;
    gaps.push({ startMs: Math.floor(startUs / 1000), stopMs: Math.floor(stopUs / 1000), lastUs: before.lastUs });
  }
  return gaps;
}

const isReason = (reason: string): reason is GapReason => (GAP_REASONS as readonly string[]).includes(reason);

/** Returns why a channel has no samples after one of them, as the marks of its file give it; undefined when none does. */
export function markedReason(
  marks: readonly SignalMark[],
  channel: number,
  lastUs: number,
  stopUs = Number.POSITIVE_INFINITY,
): GapReason | undefined {
  const found = marks.find(
    (mark) =>
      mark.channel === channel &&
      mark.timeUs >= lastUs - MARK_SLACK_US &&
      mark.timeUs < stopUs &&
      isReason(mark.reason),
  );
  return found && isReason(found.reason) ? found.reason : undefined;
}
