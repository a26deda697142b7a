/** The words of coverage and causes. What they mean is in `study/coverage`; the compiler holds the two together. */
export const PATH_STATES = [
  'ON_SENSOR',
  'ON_HUB',
  'RECEIVING',
  'RECEIVED',
  'QUARANTINED',
  'VERIFIED',
  'ANALYSED',
  'REJECTED',
] as const;

/** In place of serial number and name, where a file names no sensor. */
export const UNKNOWN_SENSOR = 'unknown';

export const CAUSE_TOPICS = ['study', 'equipment', 'wear', 'transport', 'upload', 'storage', 'analysis'] as const;

/** In the order in which they are told. */
export const CAUSE_CODES = [
  'DAY_TO_COME',
  'UPLOAD_QUARANTINED',
  'CLOCK_WRONG',
  'UPLOAD_REFUSED',
  'RECORDING_DAMAGED',
  'ANALYSIS_FAILED',
  'UPLOAD_STALLED',
  'HUB_HOLDS',
  'SENSOR_HOLDS',
  'UPLOAD_REJECTED',
  'RECORDING_REJECTED',
  'UPLOAD_IN_PROGRESS',
  'BEING_CHECKED',
  'ANALYSIS_WAITING',
  'NOTHING_ASSIGNED',
  'ON_CHARGER',
  'FLAT_BATTERY',
  'FULL_MEMORY',
  'CLOCK_NOT_SET',
  'FIRMWARE_RESET',
  'HUB_ERROR',
  'LOST_CONTACT',
  'NO_DEVICE',
  'DEVICE_REVOKED',
  'DEVICE_NOT_SEEN',
  'SENSOR_NOT_SEEN',
  'NEVER_RECORDED',
  'NOT_RECORDING',
  'RECORDING_STOPPED',
  'SAMPLES_MISSING',
  'ECG_MISSING',
  'REASON_UNKNOWN',
  'NOT_WORN',
  'SIGNAL_UNREADABLE',
  'RHYTHM_UNRESOLVED',
  'STUDY_NOT_STARTED',
  'BEFORE_STUDY_START',
  'BEFORE_ENROLMENT',
  'STUDY_STOPPED',
  'PROGRAM_OVER',
  'SUBJECT_HIDDEN',
] as const;

export const ACTION_KINDS = [
  'START_STUDY',
  'REOPEN_STUDY',
  'SHOW_STUDY',
  'SHOW_SUBJECT',
  'ASSIGN_EQUIPMENT',
  'TAKE_BACK_EQUIPMENT',
  'CALL_SUBJECT',
  'ANSWER_MESSAGE',
  'CHARGE',
  'PUT_ON_HUB',
  'CHECK_DEVICE',
  'PAIR_DEVICE',
  'REPLACE_SENSOR',
  'CHECK_ELECTRODES',
  'DECIDE_UPLOAD',
  'SHOW_UPLOAD',
  'RETRY_JOB',
  'RESTORE_RECORDING',
  'FIND_CAUSE',
  'CHECK_BACKUP',
  'CHECK_CLOCK',
  'CHECK_MAIL',
  'CHECK_WEBHOOK',
  'WAIT',
] as const;

export const TARGET_TYPES = ['study', 'subject', 'equipment', 'upload', 'recording', 'job', 'site', 'webhook'] as const;

/** Longest window of List gaps. */
export const MAX_GAPS_WINDOW_MS = 31 * 24 * 3_600_000;
