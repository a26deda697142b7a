/** Computes the exact sample times of pages, and cuts pages to a time range. */
import { sampleTimeUs } from './codec/page.ts';
import type { SignalPage } from './types.ts';

/**
 * Part of a stored page. Its sample times derive from the start of the stored page, not from `startUs`, because rounding would
 * move samples: use {@link sampleTimesUs}.
 */
export interface PageSlice extends SignalPage {
  /** `startUs` of the page as stored. */
  pageStartUs: number;
  /** Index, in the page as stored, of this slice's first sample. */
  firstSample: number;
}

/** Returns the exact time of every sample of a page or slice in epoch microseconds: round(start + i * period) + residual. */
export function sampleTimesUs(page: SignalPage | PageSlice): Float64Array {
  const times = new Float64Array(page.count);
  const start = 'pageStartUs' in page ? page.pageStartUs : page.startUs;
  const first = 'firstSample' in page ? page.firstSample : 0;
  const { periodUs, timeResidualsUs } = page;
  for (let i = 0; i < times.length; i++) times[i] = Math.round(start + (first + i) * periodUs);
  if (timeResidualsUs) for (let i = 0; i < times.length; i++) times[i]! += timeResidualsUs[i]!;
  return times;
}

/** Returns how many samples of a whole page are earlier than `timeUs`. */
export function samplesBefore(page: SignalPage, timeUs: number): number {
  let low = 0;
  let high = page.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sampleTimeUs(page, middle) < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the samples with fromUs <= time <= toUs as views of the page's arrays, or null when there are none. */
export function slicePage(page: SignalPage, fromUs: number, toUs: number): PageSlice | null {
  const start = samplesBefore(page, fromUs);
  const stop = samplesBefore(page, Math.floor(toUs) + 1);
  if (start >= stop) return null;
  const slice: PageSlice = {
    channel: page.channel,
    startUs: page.startUs + start * page.periodUs,
    periodUs: page.periodUs,
    count: stop - start,
    columns: page.columns.map((column) => column.subarray(start, stop)),
    pageStartUs: page.startUs,
    firstSample: start,
  };
  if (page.timeResidualsUs) slice.timeResidualsUs = page.timeResidualsUs.subarray(start, stop);
  return slice;
}
