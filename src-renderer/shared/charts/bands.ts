/** Bands: spans of time with one category. Merged from a regular grid, and laid out so that no short event disappears. */
import { type TimeScale, toPx } from './scale.ts';

export interface Band<T> {
  startMs: number;
  stopMs: number;
  value: T;
}

export interface BandBox<T> extends Band<T> {
  leftPx: number;
  widthPx: number;
}

/** Narrower bands are widened to this, so that a short walk stays visible in a day. */
export const MIN_BAND_PX = 2;

/**
 * Merges equal neighbours into bands. `times` are the starts of bins of `intervalMs`. A null value and a hole in the grid both
 * end a band.
 */
export function mergeBands<T>(times: readonly number[], values: readonly (T | null)[], intervalMs: number): Band<T>[] {
  const bands: Band<T>[] = [];
  let open: Band<T> | undefined;
  for (const [i, startMs] of times.entries()) {
    const value = values[i];
    if (value === null || value === undefined) {
      open = undefined;
      continue;
    }
    if (open && open.value === value && open.stopMs === startMs) {
      open.stopMs = startMs + intervalMs;
      continue;
    }
    open = { startMs, stopMs: startMs + intervalMs, value };
    bands.push(open);
  }
  return bands;
}

/** Returns the parts of `spans` inside [startMs, stopMs), joined where they touch or overlap, in time order. */
export function unionSpans(
  spans: readonly { startMs: number; stopMs: number }[],
  startMs: number,
  stopMs: number,
): { startMs: number; stopMs: number }[] {
  const cut = spans
    .map((span) => ({ startMs: Math.max(span.startMs, startMs), stopMs: Math.min(span.stopMs, stopMs) }))
    .filter((span) => span.stopMs > span.startMs)
    .sort((a, b) => a.startMs - b.startMs);
  const joined: { startMs: number; stopMs: number }[] = [];
  for (const span of cut) {
    const last = joined.at(-1);
    if (last && span.startMs <= last.stopMs) last.stopMs = Math.max(last.stopMs, span.stopMs);
    else joined.push(span);
  }
  return joined;
}

/** Returns the parts of [startMs, stopMs) that no span covers. */
export function holes(
  spans: readonly { startMs: number; stopMs: number }[],
  startMs: number,
  stopMs: number,
): { startMs: number; stopMs: number }[] {
  const open: { startMs: number; stopMs: number }[] = [];
  let reached = startMs;
  for (const span of unionSpans(spans, startMs, stopMs)) {
    if (span.startMs > reached) open.push({ startMs: reached, stopMs: span.startMs });
    reached = span.stopMs;
  }
  if (reached < stopMs) open.push({ startMs: reached, stopMs });
  return open;
}

/** Returns the boxes of the bands within the scale. Widened ones come last, so that they are drawn over their neighbours. */
export function layoutBands<T>(bands: readonly Band<T>[], scale: TimeScale): BandBox<T>[] {
  const boxes: BandBox<T>[] = [];
  for (const band of bands) {
    const left = Math.max(0, toPx(scale, band.startMs));
    const right = Math.min(scale.widthPx, toPx(scale, band.stopMs));
    if (right <= 0 || left >= scale.widthPx) continue;
    const width = Math.max(MIN_BAND_PX, right - left);
    boxes.push({ ...band, leftPx: Math.min(left, scale.widthPx - width), widthPx: width });
  }
  return boxes.sort(
    (a, b) => Number(a.widthPx <= MIN_BAND_PX) - Number(b.widthPx <= MIN_BAND_PX) || a.leftPx - b.leftPx,
  );
}

/** Returns the total milliseconds of each value, longest first. */
export function durations<T>(bands: readonly Band<T>[]): { value: T; durationMs: number }[] {
  const sums = new Map<T, number>();
  for (const band of bands) sums.set(band.value, (sums.get(band.value) ?? 0) + band.stopMs - band.startMs);
  return [...sums].map(([value, durationMs]) => ({ value, durationMs })).sort((a, b) => b.durationMs - a.durationMs);
}

/** Returns the band at an instant. Bands must be in time order without overlaps. */
export function bandAt<T>(bands: readonly Band<T>[], ms: number): Band<T> | undefined {
  let low = 0;
  let high = bands.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const band = bands[middle]!;
    if (band.stopMs <= ms) low = middle + 1;
    else if (band.startMs > ms) high = middle - 1;
    else return band;
  }
  return undefined;
}
