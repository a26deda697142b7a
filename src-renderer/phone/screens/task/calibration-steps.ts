/** The steps of the guided posture calibration: get ready, stand still, done. Pure. */

/** Time to put the phone into the hand that hangs down and to stand upright. */
export const READY_MS = 10_000;
/** The analytics read the quiet seconds in it; 15 s leave enough when some are not. */
export const HOLD_MS = 15_000;
/** Name of the mark; the site knows it as a calibration of the standing posture. */
export const STANDING_MARK = 'Calibration: standing';

export type CalibrationStep = { name: 'READY' | 'HOLD'; leftMs: number } | { name: 'OVER' };

/** @param sinceMs time since the start of the countdown */
export function calibrationStep(sinceMs: number): CalibrationStep {
  if (sinceMs < READY_MS) return { name: 'READY', leftMs: READY_MS - sinceMs };
  const left = READY_MS + HOLD_MS - sinceMs;
  return left > 0 ? { name: 'HOLD', leftMs: left } : { name: 'OVER' };
}
