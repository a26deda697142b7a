/** Words of docks and watched folders, which the site, its interface and the desk share. */

/** Where a recording was found: on a plugged-in recorder, or in a watched folder. */
export const TRANSFER_SOURCES = ['DOCK', 'FOLDER'] as const;
export type TransferSource = (typeof TRANSFER_SOURCES)[number];

/** Stored states, beside which a recording that nobody has decided about is OFFERED to its holder or is a QUESTION. */
export const STORED_TRANSFER_STATES = ['COPYING', 'IMPORTING', 'STORED', 'CONFIRMED', 'FAILED', 'DISMISSED'] as const;
export type StoredTransferState = (typeof STORED_TRANSFER_STATES)[number];

export const TRANSFER_STATES = ['OFFERED', 'QUESTION', ...STORED_TRANSFER_STATES] as const;

/** One of the files that are taken together. */
export interface TransferFile {
  /** Of its content. */
  id: string;
  name: string;
  sizeBytes: number;
}

/** Why a recording that arrives waits for a person, as an upload or on a dock. */
export const QUARANTINE_CODES = [
  'CLOCK_NOT_SET',
  'IN_FUTURE',
  'NOT_ASSIGNED',
  'TWO_SUBJECTS',
  'OVERLAP',
  'OTHER_SENSOR',
  'SENSOR_NOT_SERVED',
  'STUDY_COMPLETE',
  'STUDY_LOCKED',
] as const;
export type QuarantineCode = (typeof QUARANTINE_CODES)[number];

/** Why a person has to say whose recording on a dock it is. */
export const TRANSFER_QUESTIONS = [
  ...QUARANTINE_CODES,
  'SERIAL_UNKNOWN',
  'SERIAL_AMBIGUOUS',
  'NO_SERIAL',
  'NO_TIMES',
  'OTHER_STUDY',
  'LONGER_COPY',
  'LATE_FILES',
  'MISSING_FILES',
  'UNREADABLE_FILES',
  'CSV_TEMPLATE',
] as const;
export type TransferQuestion = (typeof TRANSFER_QUESTIONS)[number];

/** Why a file of a watched folder cannot be read. */
export const FILE_FAULTS = ['NO_ACCESS', 'IN_USE', 'AWAY', 'DISK_ERROR'] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

/** What a plugged-in recorder is doing. EMPTY: configured, without a recording. */
export const DRIVE_STATES = ['SETTLING', 'EMPTY', 'RECORDING', 'UNREADABLE'] as const;
export type DriveState = (typeof DRIVE_STATES)[number];

/** What happens to a recording whose subject is certain. Everything else is always a question. */
export const DOCK_ACTIONS = ['OFFER', 'TAKE'] as const;
export type DockAction = (typeof DOCK_ACTIONS)[number];
