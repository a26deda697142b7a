/** Gaps in the signals of a recording, from the index of its file alone. */
import type { SignalFile } from '../../../signals/index.ts';
import type { TimeSpan } from '../../../study/coverage/spans.ts';

/** Shorter gaps are clock jitter of the sensor or a few lost samples. */
export const GAP_MS = 1000;

/** Returns the gaps between stored pages of a channel that touch a window. */
export function gapsOf(file: SignalFile, channel: number, fromUs: number, toUs: number): TimeSpan[] {
  const gaps: TimeSpan[] = [];
  const pages = file.pageIndex[channel] ?? [];
  for (let i = 1; i < pages.length; i++) {
    const startUs = pages[i - 1]!.lastUs + pages[i - 1]!.periodUs;
    const stopUs = pages[i]!.firstUs;
    if (stopUs - startUs < GAP_MS * 1000 || stopUs < fromUs || startUs > toUs) continue;
    gaps.push({ startMs: Math.floor(startUs / 1000), stopMs: Math.floor(stopUs / 1000) });
  }
  return gaps;
}
