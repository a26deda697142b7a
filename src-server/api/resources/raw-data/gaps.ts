/** Breaks of the signals within a recording, from the index of its file alone. */
import type { SignalFile } from '../../../signals/index.ts';
import type { TimeSpan } from '../../../study/coverage/spans.ts';

/** A break shorter than this is the jitter of a sensor's clock, or a sample or two that were lost. */
export const GAP_MS = 1000;

/** Breaks between stored pages of a channel that touch a window. */
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
