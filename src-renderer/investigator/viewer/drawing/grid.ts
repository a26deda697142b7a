/**
 * Paper and scale of the ECG strip, in true units: a millimetre is 40 ms and 0.1 mV at 25 mm/s and 10 mm/mV. Where
 * lines would run together the grid steps up a ladder, and the caption says so; a millimetre grid is never imitated. Pure.
 */

/** CSS defines an inch as 96 px; a screen that differs is calibrated with a bank card. */
export const CSS_PX_PER_MM = 96 / 25.4;
/** Width of a bank card, ISO/IEC 7810 ID-1. */
export const CARD_WIDTH_MM = 85.6;
export const SPEEDS_MM_PER_S = [12.5, 25, 50] as const;
export const GAINS_MM_PER_MV = [5, 10, 20] as const;

/** Lines nearer than this are a grey field. */
const MIN_LINE_GAP_PX = 3.4;
const TIME_LADDER_MS = [40, 200, 1000, 10_000, 60_000, 600_000, 3_600_000] as const;
const VALUE_LADDER_MV = [0.1, 0.5, 1, 5, 10] as const;

export interface Grid {
  /** Distances of thin and strong lines; a strong line is always the next rung. */
  fineMs: number;
  boldMs: number;
  fineMv: number;
  boldMv: number;
}

function rungs(ladder: readonly number[], pxPerUnit: number): [number, number] {
  const at = ladder.findIndex((step) => step * pxPerUnit >= MIN_LINE_GAP_PX);
  const fine = at < 0 ? ladder.length - 1 : at;
  return [ladder[fine], ladder[Math.min(fine + 1, ladder.length - 1)]];
}

export function gridOf(pxPerMs: number, pxPerMv: number): Grid {
  const [fineMs, boldMs] = rungs(TIME_LADDER_MS, pxPerMs);
  const [fineMv, boldMv] = rungs(VALUE_LADDER_MV, pxPerMv);
  return { fineMs, boldMs, fineMv, boldMv };
}

/** Paper speed of a view, and whether it is one of the standard ones (to half a per cent). */
export function speedOf(
  widthPx: number,
  lengthMs: number,
  pxPerMm: number,
): { mmPerS: number; standard: number | undefined } {
  const mmPerS = widthPx / pxPerMm / (lengthMs / 1000);
  return { mmPerS, standard: SPEEDS_MM_PER_S.find((speed) => Math.abs(mmPerS / speed - 1) < 0.005) };
}

/** Length of the view at which the paper moves at a speed. */
export function lengthAtSpeed(widthPx: number, mmPerS: number, pxPerMm: number): number {
  return (widthPx / pxPerMm / mmPerS) * 1000;
}

/** Gain at which a range of values takes four fifths of a height, in mm/mV; never more than 100. */
export function autoGain(lowMv: number, highMv: number, heightPx: number, pxPerMm: number): number {
  const spanMv = Math.max(highMv - lowMv, 1e-3);
  return Math.min(100, (0.8 * heightPx) / pxPerMm / spanMv);
}
