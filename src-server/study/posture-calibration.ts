/** Which labels are posture calibrations: a span in which the subject held a known posture, by which sensors are oriented. */
import type { AnnotationType } from './annotations.ts';

/** Names of labels, in lower case, and the posture that the subject held. */
const POSTURES = {
  'calibration: standing': 'STANDING',
  'calibration: sitting': 'SITTING',
  'calibration: lying': 'LYING',
} as const;

export const CALIBRATION_NAMES: readonly string[] = Object.keys(POSTURES);

export type CalibrationPosture = (typeof POSTURES)[keyof typeof POSTURES];

/**
 * The posture that a label calibrates; undefined for any other annotation. A phone's marks are labels of type `subject`, those of
 * staff at the desk of type `recording`: both count.
 */
export function calibrationPosture(label: {
  type: AnnotationType;
  displayName: string;
}): CalibrationPosture | undefined {
  if (label.type !== 'subject' && label.type !== 'recording') return undefined;
  const name = label.displayName.trim().toLowerCase();
  return Object.hasOwn(POSTURES, name) ? POSTURES[name as keyof typeof POSTURES] : undefined;
}
