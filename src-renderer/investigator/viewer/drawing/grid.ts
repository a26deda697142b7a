/**
 * ECG paper and its scale in true units: at 25 mm/s and 10 mm/mV a millimetre is 40 ms and 0.1 mV. Where lines would
 * merge, the grid takes the next larger step and the caption says so; it never imitates a millimetre grid. Pure.
 */

/** By CSS definition (96 px per inch). A display that differs is calibrated with a bank card. */
export const CSS_PX_PER_MM = 96 / 25.4;
/** Width of a bank card, ISO/IEC 7810 ID-1. */
export const CARD_WIDTH_MM = 85.6;
export const SPEEDS_MM_PER_S = [12.5, 25, 50] as const;
export const GAINS_MM_PER_MV = [5, 10, 20] as const;

/** Lines closer than this merge into a grey area. */
const MIN_LINE_GAP_PX = 3.4;
const TIME_STEPS_MS = [40, 200, 1000, 10_000, 60_000, 600_000, 3_600_000] as const;
const VALUE_STEPS_MV = [0.1, 0.5, 1, 5, 10] as const;

export interface Grid {
  /** Distances of fine and bold lines; the bold step is the next larger one. */
  fineMs: number;
  boldMs: number;
  fineMv: number;
  boldMv: number;
}

/** The finest step whose lines stay apart, and the next larger one; the last step serves as both. */
function finestSteps(steps: readonly number[], pxPerUnit: number): [fine: number, bold: number] {
  const index = steps.findIndex((step) => step * pxPerUnit >= MIN_LINE_GAP_PX);
  const fine = index < 0 ? steps.length - 1 : index;
  return [steps[fine]!, steps[Math.min(fine + 1, steps.length - 1)]!];
}

export function gridOf(pxPerMs: number, pxPerMv: number): Grid {
  const [fineMs, boldMs] = finestSteps(TIME_STEPS_MS, pxPerMs);
  const [fineMv, boldMv] = finestSteps(VALUE_STEPS_MV, pxPerMv);
  return { fineMs, boldMs, fineMv, boldMv };
}

/** Returns the paper speed of a view, and the standard speed it equals within 0.5 %, if any. */
export function speedOf(
  widthPx: number,
  lengthMs: number,
  pxPerMm: number,
): { mmPerS: number; standard: number | undefined } {
  const mmPerS = widthPx / pxPerMm / (lengthMs / 1000);
  return { mmPerS, standard: SPEEDS_MM_PER_S.find((speed) => Math.abs(mmPerS / speed - 1) < 0.005) };
}

/** Length of the view at a paper speed, ms. */
export function lengthAtSpeed(widthPx: number, mmPerS: number, pxPerMm: number): number {
  return (widthPx / pxPerMm / mmPerS) * 1000;
}

/** Gain in mm/mV at which a range of values fills four fifths of a height; at most 100. */
export function autoGain(lowMv: number, highMv: number, heightPx: number, pxPerMm: number): number {
  const spanMv = Math.max(highMv - lowMv, 1e-3);
  return Math.min(100, (0.8 * heightPx) / pxPerMm / spanMv);
}
