/**
 * The error that crosses boundaries (HTTP, CLI, processes): a stable code and a sentence that a person can act on. All codes
 * are in {@link ERROR_CODES}. HTTP statuses are in `http-failure.ts`, exit codes in the CLI.
 */

/** The kind of failure. HTTP maps it to a status, the CLI to an exit code. */
export type ErrorKind =
  | 'invalid' // the caller's input breaks a rule
  | 'unauthorized' // missing or wrong credentials
  | 'forbidden' // the caller is known but not allowed
  | 'not-found'
  | 'conflict' // not allowed in the current state
  | 'too-large'
  | 'unsupported' // a format or media type that is not supported
  | 'throttled'
  | 'unavailable' // temporarily impossible (read-only, starting, corrupt)
  | 'disk-full'
  | 'cancelled'
  | 'internal';

interface ErrorCode {
  readonly kind: ErrorKind;
  /** True when the same request can succeed later without a change by the caller. */
  readonly retryable: boolean;
}

const code = (kind: ErrorKind, retryable = false): ErrorCode => ({ kind, retryable });

/** Frozen table of codes: add a line, never change or reuse one. */
export const ERROR_CODES = Object.freeze({
  INVALID_INPUT: code('invalid'),
  INVALID_JSON: code('invalid'),
  UNAUTHORIZED: code('unauthorized'),
  LOGIN_FAILED: code('unauthorized'),
  SECOND_FACTOR_NEEDED: code('unauthorized'),
  SECOND_FACTOR_WRONG: code('unauthorized'),
  SECOND_FACTOR_SETUP: code('unauthorized'),
  FORBIDDEN: code('forbidden'),
  NOT_FOUND: code('not-found'),
  METHOD_NOT_ALLOWED: code('invalid'),
  RANGE_NOT_SATISFIABLE: code('invalid'),
  REQUEST_TIMEOUT: code('invalid', true),
  CONFLICT: code('conflict'),
  DUPLICATE_NAME: code('conflict'),
  DUPLICATE_EMAIL: code('conflict'),
  STUDY_STATE: code('conflict'),
  ALREADY_IMPORTED: code('conflict'),
  RECORDING_OVERLAP: code('conflict'),
  BODY_TOO_LARGE: code('too-large'),
  UNSUPPORTED_MEDIA_TYPE: code('unsupported'),
  UNSUPPORTED_FORMAT: code('unsupported'),
  FILE_DAMAGED: code('invalid'),
  FILE_HASH_MISMATCH: code('invalid', true),
  CHECKSUM_MISMATCH: code('invalid', true),
  UPLOAD_METADATA: code('invalid'),
  UPLOAD_TOO_LARGE: code('too-large'),
  UPLOAD_OFFSET: code('conflict', true),
  UPLOAD_INTERRUPTED: code('invalid', true),
  UPLOAD_GONE: code('not-found'),
  UPLOAD_REJECTED: code('forbidden'),
  UPLOAD_BUSY: code('throttled', true),
  SENSOR_UNKNOWN: code('forbidden'),
  SENSOR_UNASSIGNED: code('forbidden'),
  SENSOR_NOT_SERVED: code('forbidden'),
  CLOCK_IMPLAUSIBLE: code('invalid'),
  STUDY_COMPLETE: code('forbidden'),
  STUDY_LOCKED: code('conflict'),
  VERSION_NOT_AVAILABLE: code('conflict'),
  SUBJECT_ERASED: code('forbidden'),
  RECORDING_ID_TAKEN: code('forbidden'),
  FORMAT_TOO_NEW: code('unsupported'),
  FILE_EMPTY: code('invalid'),
  ZIP_UNSAFE: code('invalid'),
  UNIT_UNKNOWN: code('invalid'),
  TIME_IMPLAUSIBLE: code('invalid'),
  THROTTLED: code('throttled', true),
  DEVICE_REVOKED: code('unauthorized'),
  DEVICE_WRONG_SITE: code('unauthorized'),
  PAIRING_VERSION: code('invalid'),
  PAIRING_WRONG_SITE: code('conflict'),
  PAIRING_CODE_WRONG: code('forbidden'),
  PAIRING_TOO_MANY_TRIES: code('conflict'),
  PAIRING_CLOCK: code('conflict', true),
  PAIRING_USED: code('conflict'),
  PAIRING_EXPIRED: code('conflict'),
  PAIRING_CANCELLED: code('conflict'),
  PAIRING_REFUSED: code('conflict'),
  BACKUP_BUSY: code('conflict', true),
  BACKUP_ENCRYPTED: code('conflict'),
  PASSPHRASE_WRONG: code('forbidden'),
  CERTIFICATE_UNREADABLE: code('invalid'),
  CERTIFICATE_PASSWORD: code('invalid'),
  CERTIFICATE_KEY: code('invalid'),
  CERTIFICATE_CHAIN: code('invalid'),
  CERTIFICATE_NAMES: code('invalid'),
  CERTIFICATE_EXPIRED: code('invalid'),
  CERTIFICATE_PURPOSE: code('invalid'),
  CERTIFICATE_WEAK: code('invalid'),
  FILE_FORBIDDEN: code('invalid'),
  SITE_LOCKED: code('unavailable', true),
  SITE_MISSING: code('not-found'),
  SITE_EXISTS: code('conflict'),
  SITE_CORRUPT: code('unavailable'),
  SITE_KEY_MISSING: code('conflict'),
  SITE_READ_ONLY: code('unavailable', true),
  SITE_NEWER: code('unavailable'),
  SITE_MIGRATION_FAILED: code('unavailable'),
  PORT_TAKEN: code('unavailable', true),
  SITE_DISCONNECTED: code('unavailable', true),
  DISK_FULL: code('disk-full', true),
  DISK_FAILED: code('unavailable', true),
  FILE_IN_USE: code('unavailable', true),
  FILE_SYSTEM_LIMIT: code('unsupported'),
  TOO_MANY_FILES: code('unavailable', true),
  SIGNAL_FILE_DAMAGED: code('internal'),
  ANALYTICS_CRASHED: code('internal', true),
  DEADLINE_EXCEEDED: code('unavailable', true),
  CANCELLED: code('cancelled'),
  INTERNAL: code('internal', true),
} satisfies Record<string, ErrorCode>);

export type ErrorCodeName = keyof typeof ERROR_CODES;

/** A problem with one field: `path` is dotted (`user.email`), `message` a full sentence. */
export interface FieldError {
  path: string;
  message: string;
}

export interface OutpostErrorOptions {
  errors?: FieldError[];
  /** Facts for programs, never secrets: file offset, lock owner, retry delay. */
  details?: Record<string, string | number | boolean>;
  cause?: unknown;
}

/** An error with a stable code and a sentence that says what happened and what to do. */
export class OutpostError extends Error {
  readonly code: ErrorCodeName;
  readonly errors?: FieldError[];
  readonly details?: Record<string, string | number | boolean>;

  constructor(code: ErrorCodeName, message: string, options: OutpostErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OutpostError';
    this.code = code;
    this.errors = options.errors;
    this.details = options.details;
  }

  get kind(): ErrorKind {
    return ERROR_CODES[this.code].kind;
  }

  /** Returns a plain object for a message between processes. */
  toJSON(): SerializedError {
    return { code: this.code, message: this.message, errors: this.errors, details: this.details };
  }
}

export interface SerializedError {
  code: ErrorCodeName;
  message: string;
  errors?: FieldError[];
  details?: Record<string, string | number | boolean>;
}

/** Rebuilds an error from another process; unknown shapes become INTERNAL. */
export function errorFromJSON(value: unknown): OutpostError {
  const v = value as Partial<SerializedError> | null;
  if (v && typeof v.code === 'string' && v.code in ERROR_CODES && typeof v.message === 'string') {
    return new OutpostError(v.code, v.message, { errors: v.errors, details: v.details });
  }
  return toOutpostError(value);
}

/** What a failure of the operating system means; `file` is the file's name, `path` where it is, as far as they are known. */
type SystemFailure = readonly [code: ErrorCodeName, message: (file: string, path: string) => string];

const DISK_IS_FULL: SystemFailure = ['DISK_FULL', () => 'The disk is full. Free some space, then try again.'];
const DISK_IS_READ_ONLY: SystemFailure = [
  'SITE_READ_ONLY',
  () => 'The site folder cannot be written to. Check its permissions and the disk.',
];
const DISK_FAILS: SystemFailure = [
  'DISK_FAILED',
  (file) =>
    `The disk failed to read or write ${file}: it is disconnected, or it is wearing out. Check its connection and try again; if it happens again, restore the newest backup onto another disk.`,
];
const IS_FORBIDDEN: SystemFailure = [
  'FILE_FORBIDDEN',
  (_file, path) =>
    `This computer does not let Outpost use ${path}. Change the permissions of the file or of its folder, then try again.`,
];
const IS_IN_USE: SystemFailure = [
  'FILE_IN_USE',
  (file) => `Another program, such as a virus scanner, is using ${file}. Close it, then try again.`,
];
const TOO_MANY_OPEN: SystemFailure = [
  'TOO_MANY_FILES',
  () =>
    'This computer does not let Outpost open more files at once. Close other programs, or raise the limit of open files, then try again.',
];

/** By the codes of the operating system and of SQLite; its extended codes begin with these. */
const SYSTEM_FAILURES: Readonly<Record<string, SystemFailure>> = {
  ENOSPC: DISK_IS_FULL,
  EDQUOT: DISK_IS_FULL,
  SQLITE_FULL: DISK_IS_FULL,
  SQLITE_IOERR_SHMSIZE: DISK_IS_FULL,
  EROFS: DISK_IS_READ_ONLY,
  SQLITE_READONLY: DISK_IS_READ_ONLY,
  SQLITE_PERM: DISK_IS_READ_ONLY,
  EIO: DISK_FAILS,
  ENXIO: DISK_FAILS,
  ENODEV: DISK_FAILS,
  ESTALE: DISK_FAILS,
  SQLITE_IOERR: DISK_FAILS,
  EACCES: IS_FORBIDDEN,
  EPERM: IS_FORBIDDEN,
  EBUSY: IS_IN_USE,
  ETXTBSY: IS_IN_USE,
  EMFILE: TOO_MANY_OPEN,
  ENFILE: TOO_MANY_OPEN,
  EFBIG: [
    'FILE_SYSTEM_LIMIT',
    (file) =>
      `The disk does not take a file as large as ${file}: its file system, such as FAT32, has a limit. Use a disk with another file system.`,
  ],
};

/** The words for a failure of the disk or its files; undefined when the code is none of those. */
export function systemFailure(thrown: unknown): OutpostError | undefined {
  const { code: name, path } = (thrown ?? {}) as { code?: unknown; path?: unknown };
  if (typeof name !== 'string') return undefined;
  const known = Object.keys(SYSTEM_FAILURES).sort((a, b) => b.length - a.length);
  const found = known.find((one) => name === one || (one.startsWith('SQLITE_') && name.startsWith(`${one}_`)));
  if (found === undefined) return undefined;
  const [code, message] = SYSTEM_FAILURES[found]!;
  const [file, where] = typeof path === 'string' ? [path.replace(/^.*[/\\]/s, ''), path] : ['a file', 'a file'];
  return new OutpostError(code, message(file, where), { cause: thrown });
}

/** Converts any thrown value to an OutpostError; failures of disks and files get codes and sentences of their own. */
export function toOutpostError(thrown: unknown): OutpostError {
  if (thrown instanceof OutpostError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return (
    systemFailure(thrown) ??
    new OutpostError('INTERNAL', `Something went wrong inside Outpost: ${text}`, { cause: thrown })
  );
}
