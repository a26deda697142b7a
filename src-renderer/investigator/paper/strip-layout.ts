/**
 * Layout of an ECG strip on paper: 25 mm/s and 10 mm/mV in lines of ten seconds, several lines a page. Lengths are
 * millimetres, or milliseconds and millivolts where named so. Pure.
 */
import { MINUTE_MS, SECOND_MS } from '../../../src-server/durations.ts';
import type { Extent } from '../viewer/view.ts';

export const MM_PER_S = 25;
export const MM_PER_MV = 10;
export const LINE_MS = 10 * SECOND_MS;
export const LINES_PER_PAGE = 4;
/** A longer strip would take more than 15 pages; the viewer is the place to read it. */
export const LONGEST_MS = 10 * MINUTE_MS;

/** Room above the paper for the time marks. */
export const MARKS_MM = 5;
/** Height of the paper of one line, 3.5 mV. */
export const PAPER_MM = 35;
/** Zero, from the top of the paper: R peaks need more room above than S waves below. */
export const ZERO_MM = 20;
/** Paper before the first second, for the calibration pulse. */
export const LEAD_IN_MM = 10;
export const LINE_WIDTH_MM = LEAD_IN_MM + (LINE_MS / SECOND_MS) * MM_PER_S;
export const LINE_HEIGHT_MM = MARKS_MM + PAPER_MM;

/** Baselines are moved by steps of a bold grid line, so that the grid keeps its meaning. */
const LEVEL_STEP_MV = 0.5;
/** A baseline nearer to zero than this is not moved. */
const LARGEST_UNMOVED_MV = 0.75;

/**
 * Returns the whole seconds that a strip shows of a window: those that overlap the recording, at most {@link LONGEST_MS}.
 * Whole seconds, so that the marks of time stand on bold lines of the grid.
 */
export function stripSpan(window: Extent, recording: Extent): Extent & { isCut: boolean } {
  const down = (ms: number) => Math.floor(ms / SECOND_MS) * SECOND_MS;
  const up = (ms: number) => Math.ceil(ms / SECOND_MS) * SECOND_MS;
  const lastMs = up(recording.stopMs) - SECOND_MS;
  const startMs = Math.min(Math.max(down(window.startMs), down(recording.startMs)), lastMs);
  const wholeMs = Math.max(startMs + SECOND_MS, Math.min(up(window.stopMs), up(recording.stopMs)));
  const stopMs = Math.min(wholeMs, startMs + LONGEST_MS);
  return { startMs, stopMs, isCut: stopMs < wholeMs };
}

/** Returns the lines of each page; the last line may be shorter than the others. */
export function pagesOf({ startMs, stopMs }: Extent): Extent[][] {
  const pages: Extent[][] = [];
  for (let pageMs = startMs; pageMs < stopMs; pageMs += LINES_PER_PAGE * LINE_MS) {
    const lines: Extent[] = [];
    for (let ms = pageMs; ms < Math.min(stopMs, pageMs + LINES_PER_PAGE * LINE_MS); ms += LINE_MS)
      lines.push({ startMs: ms, stopMs: Math.min(ms + LINE_MS, stopMs) });
    pages.push(lines);
  }
  return pages;
}

/** Returns the voltage that stands at the zero line: 0, or the baseline of a lead with an offset that would leave the paper. */
export function levelOf(medianMv: number | undefined): number {
  if (medianMv === undefined || Math.abs(medianMv) <= LARGEST_UNMOVED_MV) return 0;
  return Math.round(medianMv / LEVEL_STEP_MV) * LEVEL_STEP_MV;
}
