/** The words of coverage and its causes, which `study/coverage` gives their meaning. */
/** From the sensor to the metrics. QUARANTINED: waits for a decision. REJECTED: will not come. */
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

/** Stands for the serial number and the name of a sensor when a file names none. */
export const UNKNOWN_SENSOR = 'unknown';

export const CAUSE_TOPICS = ['study', 'equipment', 'wear', 'transport', 'upload', 'storage', 'analysis'] as const;

/**
 * Why samples are missing, as a mark at the last sample before a gap says (recording-format.md). LOST_BLOCK: data did not arrive or
 * a part of the file is missing. BAD_CHECKSUM: a part of the file is there but damaged.
 */
export const GAP_REASONS = [
  'LINK_LOST',
  'LOST_BLOCK',
  'NO_CONTACT',
  'SENSOR_RESTART',
  'IDLE_SLEEP',
  'DOCKED',
  'BAD_CHECKSUM',
] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** What a mark says of a signal: why samples are missing, what is wrong with a sample, or that the wearer pressed the sensor's button. */
export const MARK_REASONS = [...GAP_REASONS, 'EMPTY_SAMPLE', 'SATURATED', 'LEAD_OFF', 'BUTTON'] as const;

/** In the order of precedence: the first cause that applies settles a gap. */
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
  ...GAP_REASONS,
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
  'FOLLOW_UP',
  'OPEN_VISITS',
  'RECORD_CONSENT',
  'ANSWER_QUERY',
  'RESOLVE_QUERY',
  'CHECK_ANALYSIS',
  'CHECK_DOCK',
  'CHECK_BACKUP',
  'CHECK_CLOCK',
  'CHECK_AUDIT',
  'CHECK_DISK',
  'CHECK_CERTIFICATE',
  'CHECK_NETWORK',
  'CHECK_MAIL',
  'CHECK_WEBHOOK',
  'WAIT',
] as const;

export const TARGET_TYPES = [
  'study',
  'subject',
  'equipment',
  'upload',
  'recording',
  'job',
  'site',
  'webhook',
  'note',
] as const;

/** Longest window of List gaps, in ms. */
export const MAX_GAPS_WINDOW_MS = 31 * 24 * 3_600_000;

/** In the order of the list: first subjects, then their data, then the site. */
export const ATTENTION_REASONS = [
  'SKIN_PROBLEM',
  'PROBLEM_REPORTED',
  'FOLLOW_UP_DUE',
  'VISIT_OVERDUE',
  'VISIT_DUE',
  'VISIT_TO_SCHEDULE',
  'CONSENT_DUE',
  'QUERY_OPEN',
  'QUERY_ANSWERED',
  'NO_DATA',
  'NOT_RETURNED',
  'MISSED_TASKS',
  'LOW_BATTERY',
  'UNREAD_MESSAGE',
  'UPLOAD_QUARANTINED',
  'UPLOAD_REFUSED',
  'DOCK_WAITING',
  'DOCK_FAILED',
  'DOCK_UNREADABLE',
  'DOCK_STORED',
  'VERSION_AWAITED',
  'JOB_FAILED',
  'BACKUP_FAILED',
  'BACKUP_OVERDUE',
  'BACKUP_DRIVE_AWAY',
  'DATABASE_DAMAGED',
  'SITE_DISCONNECTED',
  'SITE_READ_ONLY',
  'DISK_FULL',
  'DATA_DAMAGED',
  'AUDIT_CONTRADICTED',
  'CLOCK_SET_BACK',
  'CLOCK_AHEAD',
  'CERTIFICATE_ENDS',
  'PHONE_ADDRESS_GONE',
  'MAIL_FAILING',
  'WEBHOOK_FAILING',
] as const;

/** `HIGH`: a person or stored data may come to harm. `MEDIUM`: data is being missed, or somebody waits. `LOW`: can be done later. */
export const ATTENTION_SEVERITIES = ['HIGH', 'MEDIUM', 'LOW'] as const;

export const SEVERITY_OF_REASON: Record<(typeof ATTENTION_REASONS)[number], (typeof ATTENTION_SEVERITIES)[number]> = {
  SKIN_PROBLEM: 'HIGH',
  PROBLEM_REPORTED: 'MEDIUM',
  FOLLOW_UP_DUE: 'MEDIUM',
  CONSENT_DUE: 'MEDIUM',
  VISIT_OVERDUE: 'MEDIUM',
  VISIT_DUE: 'MEDIUM',
  VISIT_TO_SCHEDULE: 'LOW',
  QUERY_OPEN: 'LOW',
  QUERY_ANSWERED: 'LOW',
  NO_DATA: 'MEDIUM',
  NOT_RETURNED: 'LOW',
  MISSED_TASKS: 'MEDIUM',
  LOW_BATTERY: 'MEDIUM',
  UNREAD_MESSAGE: 'MEDIUM',
  UPLOAD_QUARANTINED: 'MEDIUM',
  UPLOAD_REFUSED: 'MEDIUM',
  DOCK_WAITING: 'LOW',
  DOCK_UNREADABLE: 'MEDIUM',
  DOCK_FAILED: 'MEDIUM',
  DOCK_STORED: 'LOW',
  VERSION_AWAITED: 'LOW',
  JOB_FAILED: 'MEDIUM',
  BACKUP_FAILED: 'HIGH',
  BACKUP_OVERDUE: 'MEDIUM',
  BACKUP_DRIVE_AWAY: 'MEDIUM',
  DATABASE_DAMAGED: 'HIGH',
  SITE_DISCONNECTED: 'HIGH',
  SITE_READ_ONLY: 'HIGH',
  DISK_FULL: 'HIGH',
  DATA_DAMAGED: 'HIGH',
  AUDIT_CONTRADICTED: 'HIGH',
  CLOCK_SET_BACK: 'MEDIUM',
  CLOCK_AHEAD: 'MEDIUM',
  CERTIFICATE_ENDS: 'MEDIUM',
  PHONE_ADDRESS_GONE: 'MEDIUM',
  MAIL_FAILING: 'LOW',
  WEBHOOK_FAILING: 'LOW',
};
