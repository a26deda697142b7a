/** The axis of elapsed time of a plot (milliseconds to CSS pixels and back), and rounded ranges of value axes. Pure. */
export interface TimeScale {
  startMs: number;
  stopMs: number;
  widthPx: number;
}

export const toPx = (scale: TimeScale, ms: number): number =>
  ((ms - scale.startMs) / (scale.stopMs - scale.startMs)) * scale.widthPx;

export const toMs = (scale: TimeScale, px: number): number =>
  scale.startMs + (px / scale.widthPx) * (scale.stopMs - scale.startMs);

/** Returns bounds for a value axis: multiples of a 1-2-5 step around the data, never an empty range. */
export function niceRange(low: number, high: number, steps: number): { low: number; high: number; step: number } {
  const span = Math.max(high - low, Number.EPSILON * Math.max(1, Math.abs(high)));
  const raw = (span > 1e-9 ? span : 1) / steps;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw - 1e-12)!;
  const bottom = Math.floor(low / step) * step;
  const top = Math.ceil(high / step) * step;
  if (high === low) return { low: bottom - (bottom === low ? step : 0), high: top + (top === high ? step : 0), step };
  return { low: bottom, high: top, step };
}
