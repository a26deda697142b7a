/** The breathing band, and peak detection in a spectrum over it. */

/** Length of the windows: long enough for eight slow breaths. */
export const WINDOW_SECONDS = 64;
/** From 7 breaths/min: below lie the Mayer waves of blood pressure (0.1 Hz), which also modulate the heart rate. */
export const FROM_HZ = 0.12;
export const TO_HZ = 0.55;
export const STEP_HZ = 1 / 160;
export const MAX_FREQUENCIES = Math.floor((TO_HZ - FROM_HZ) / STEP_HZ) + 1;
/** Share of the power that must lie within 1.5 breaths/min of the peak. */
export const MIN_SHARE = 0.5;
export const PEAK_HALF_WIDTH = 4;

/** Returns the frequency (Hz) of the dominant peak among the first `frequencies` powers; NaN when there is none. */
export function clearPeak(power: Float64Array, frequencies: number, minShare = MIN_SHARE): number {
  let total = 0;
  for (let f = 0; f < frequencies; f++) total += power[f]!;
  let peak = 1;
  for (let f = 1; f + 1 < frequencies; f++) {
    if (power[f]! > power[peak]! && power[f]! >= power[f - 1]! && power[f]! >= power[f + 1]!) peak = f;
  }
  let share = 0;
  for (let f = Math.max(0, peak - PEAK_HALF_WIDTH); f <= Math.min(frequencies - 1, peak + PEAK_HALF_WIDTH); f++) {
    share += power[f]!;
  }
  if (!(total > 0 && share / total >= minShare)) return Number.NaN;
  const left = power[peak - 1]!;
  const right = power[peak + 1]!;
  const curve = left - 2 * power[peak]! + right;
  const shift = curve < 0 ? Math.max(-0.5, Math.min(0.5, (0.5 * (left - right)) / curve)) : 0;
  return FROM_HZ + (peak + shift) * STEP_HZ;
}
