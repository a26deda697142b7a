/** Reasons why an upload was not accepted for which the desk has its own text. */
import type { equipment } from '../../../shared/locales/en/equipment.ts';

type Reason = keyof typeof equipment.uploads.reason;

const REASONS: Record<Reason, true> = {
  CLOCK_NOT_SET: true,
  IN_FUTURE: true,
  NOT_ASSIGNED: true,
  TWO_SUBJECTS: true,
  OVERLAP: true,
  OTHER_SENSOR: true,
  SENSOR_NOT_SERVED: true,
  STUDY_COMPLETE: true,
  STUDY_LOCKED: true,
  SENSOR_UNKNOWN: true,
  SENSOR_UNASSIGNED: true,
  RECORDING_ID_TAKEN: true,
  FILE_DAMAGED: true,
  FILE_EMPTY: true,
  FILE_HASH_MISMATCH: true,
  UNSUPPORTED_FORMAT: true,
  UPLOAD_TOO_LARGE: true,
};

export const isKnownReason = (code: string): code is Reason => Object.hasOwn(REASONS, code);
