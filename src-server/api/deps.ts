/** The ports of the API: what it needs from the site, and what `site/` implements. */
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type {
  Change,
  DeviceIdentity,
  LanListenerSetting,
  NewMail,
  PairingRecord,
  RefusalFacts,
  RefusalKind,
  WebhookRecord,
} from '../db/index.ts';
import type { Diagnostic } from '../diagnostics.ts';
import type { Docks } from '../docks/docks.ts';
import type { ErrorCodeName, OutpostError } from '../errors.ts';
import type { DiskBudget } from '../files/disk-budget.ts';
import type { ReturnOutcome, WantedFile } from '../integrity/backup/return-files.ts';
import type { EncryptedFolder } from '../integrity/backup/sealed/passphrase.ts';
import type { ScrubCursor, ScrubCycle, ScrubFinding } from '../integrity/scrub/state.ts';
import type { Store, UploadSender } from '../services/index.ts';
import type { AuditReceipt } from '../study/audit-receipt.ts';
import type { JobKind, JobPayloads, JobRow, JobState } from '../study/jobs.ts';
import type { Recognition, RecognitionTask } from '../study/recognition.ts';
import type { AccessDetail, AccessKind } from '../vocabulary/access-log.ts';
import type { FreeablePart, SitePart } from '../vocabulary/disk.ts';
import type { Certificates, Network, NetworkCheck, Routes } from './contract/index.ts';
import type { BodyOf, ResponseOf } from './contract/route.ts';

/**
 * The durable queue as the API sees it. An `export` job leaves its file, whole or not at all, at {@link exportedFilePath}.
 */
export interface JobsPort {
  /** `change` names the requester. */
  enqueue<K extends JobKind>(kind: K, payload: JobPayloads[K], change?: Change): Promise<JobRow>;
  /** Wakes the queue for a job that was stored in another transaction. */
  announce(row: JobRow): void;
  get(id: string): Promise<JobRow | undefined>;
  /** Newest first. */
  list(filter: {
    studyIds: readonly string[];
    /** Includes jobs of the whole site, which belong to no study. */
    withSiteJobs?: boolean;
    states?: readonly JobState[];
    kind?: JobKind;
    limit: number;
  }): Promise<JobRow[]>;
  /** Returns false when the job has already ended. */
  cancel(id: string): Promise<boolean>;
  /** Returns undefined when the job cannot be retried. */
  retry(id: string, change: Change): Promise<JobRow | undefined>;
  /** Emitted whenever a job starts, progresses or ends. */
  on(event: 'changed', listener: (row: JobRow) => void): unknown;
  off(event: 'changed', listener: (row: JobRow) => void): unknown;
  /** Resolves with the row once the job has ended in any way. */
  whenEnded(id: string): Promise<JobRow>;
}

/** Signed heads of the audit trail outside of the database. */
export interface AuditAnchorsPort {
  /** From which row and time on the trail is anchored, and up to which it is now. */
  readonly facts: {
    keyId: string;
    sinceTs: number;
    sinceSequence: number;
    anchoredTs: number;
    anchoredSequence: number;
    /** The restore that the site continues from, if any. */
    continued?: { timeTs: number; sequence: number; backupId: string; backupTs: number; isNewKey: boolean };
  };
  /** Signs a head of the trail for somebody else to keep. */
  receiptOf(head: { sequence: number; hash: string }): AuditReceipt;
}

/** Handles everything below the addresses of uploads: resumable uploads with the tus protocol. */
export type UploadHandler = (request: Request, response: Response, sender: UploadSender) => Promise<void>;

/** Webhooks and e-mails as the API sees them. */
export interface IntegrationsPort {
  /** Sends a body to a webhook now, and returns the id of the delivery once the attempt has ended. */
  sendTest(webhook: WebhookRecord, body: string): Promise<string>;
  /** Adds an e-mail to the outbox and attempts to send it once. Returns why that failed, or undefined. */
  sendTestMail(mail: NewMail): Promise<Diagnostic | undefined>;
}

/** The desk's side of pairing: it starts pairings, follows them and decides. Ids of other accounts are NOT_FOUND. */
export interface PairingDeskPort {
  /** This many wrong codes close a pairing. */
  readonly maxWrongTries: number;
  /** @throws CONFLICT when the site does not listen for devices, or too many pairings are open */
  start(
    input: { accountId: string; userId: string; subject?: { studyId: string; subjectId: string } },
    change: Change,
  ): Promise<{
    pairing: PairingRecord;
    /** Typed when the QR code cannot be scanned. */
    code: string;
    /** Content of the QR code. */
    link: string;
    fingerprint: string;
    addresses: string[];
  }>;
  /** Those of the last 24 hours, newest first. */
  list(accountId: string): Promise<PairingRecord[]>;
  /** @throws NOT_FOUND */
  get(id: string, accountId: string): Promise<PairingRecord>;
  /** Both check codes are the same. @throws NOT_FOUND, CONFLICT */
  confirm(id: string, accountId: string, checkCode: string, change: Change): Promise<PairingRecord>;
  /** The check codes differ. @throws NOT_FOUND, CONFLICT */
  refuse(id: string, accountId: string, change: Change): Promise<void>;
  /** @throws NOT_FOUND, CONFLICT when the pairing has ended */
  cancel(id: string, accountId: string, change: Change): Promise<void>;
}

/** The device's side of pairing; each call throws the reason why the pairing cannot continue (PAIRING_...). */
export interface PairingCallsPort {
  call(input: BodyOf<Routes['callPairing']>, address: string): Promise<ResponseOf<Routes['callPairing']>>;
  reveal(pairingId: string, nonce: string, address: string): Promise<void>;
  collect(pairingId: string, nonce: string, address: string): Promise<ResponseOf<Routes['collectCredential']>>;
}

export interface PhoneSignInPort {
  /** @throws LOGIN_FAILED, THROTTLED, CONFLICT when equipment has the phone's id as its serial number */
  signIn(
    input: { token: string; serial: string },
    address: string,
  ): Promise<{ token: string; credentialId: string; subject: { id: string; studyId: string } }>;
}

/** Certificates that browsers see. Each call but `root`, `noteTrusted` and `ends` throws CONFLICT while the site does not listen. */
export interface CertificatesPort {
  state(): Omit<Certificates, 'trustPages'> & {
    /** Addresses whose certificate the authority signed. */
    urls: string[];
  };
  replaceAuthority(change: Change): Promise<void>;
  /** @throws CERTIFICATE_..., with nothing changed */
  setOwn(
    files: { certificate?: string; privateKey?: string; pkcs12?: Uint8Array; password?: string },
    hostName: string | undefined,
    change: Change,
  ): Promise<void>;
  removeOwn(change: Change): Promise<void>;
  /** DER and names of the authority; undefined when there is none to install. */
  root(): { der: Uint8Array; name: string; fingerprint: string; hostName: string } | undefined;
  noteTrusted(address: string, system: Certificates['trustedCalls'][number]['system']): void;
  /** When certificates end that a person must renew, and from when on that is announced. */
  ends(): { kind: 'OWN' | 'AUTHORITY'; name: string; warnFromTs: number; notAfterTs: number }[];
}

/** The site on the local network. It can pair and answer devices whether or not it listens there at the moment. */
export interface LanPort {
  protocolVersion: number;
  desk: PairingDeskPort;
  calls: PairingCallsPort;
  phones: PhoneSignInPort;
  network(): Network;
  /**
   * Whether a phone's browser still finds the site at an address (host and port), by which it keeps what it stores. Undefined
   * while the site does not listen, or its computer is in no network.
   */
  hasWebHost(host: string, lastCallTs: number): boolean | undefined;
  certificates: CertificatesPort;
  /** Calls the site under each of its addresses. */
  check(): Promise<NetworkCheck>;
  /** Listens or stops listening, now and at every start. @throws PORT_TAKEN, and nothing has changed */
  configure(wanted: LanListenerSetting, change: Change): Promise<void>;
  /** @throws CONFLICT while another new key is announced, or when the site does not listen */
  replaceKey(fromTs: number, change: Change): Promise<ResponseOf<Routes['replaceKey']>>;
  /** @throws CONFLICT */
  keepKey(change: Change): Promise<void>;
}

/** The log of callers that the network side turned away. */
export interface RefusalLogPort {
  /** Refusals whose day is not over, with their counts so far. */
  readonly open: readonly RefusalFacts[];
  /** `aboutId` is the credential or pairing that was meant; `serial` is what the device said, unproven. */
  note(attempt: {
    kind: RefusalKind;
    code: ErrorCodeName;
    /** The sentence that was answered. */
    message: string;
    address: string;
    aboutId?: string;
    serial?: string;
  }): Promise<void>;
}

/** Something that the access log records. */
export interface AccessNote {
  kind: AccessKind;
  detail: AccessDetail;
  /** Absent: the site's. */
  accountId?: string;
  userId?: string;
  /** Who did it to that user. */
  byUserId?: string;
  /** Typed where a user's name belongs, but no user has it. Never stored as it is. */
  name?: string;
  studyId?: string;
  subjectId?: string;
  address?: string;
}

/** The access log. Noting costs no write and cannot fail. */
export interface AccessLogPort {
  note(note: AccessNote): void;
  /** A request of a session. */
  noteUse(sessionId: string, address: string): void;
  /** Of a session that was used lately; undefined when only the store knows. */
  lastUse(sessionId: string): { usedTs: number; address: string } | undefined;
  /** Resolves when everything noted is stored, as far as it can be. */
  flush(): Promise<void>;
}

/**
 * Returns the device of an Authorization header; `address` is where it calls from, `webHost` the host and port that a browser called.
 * @throws UNAUTHORIZED, DEVICE_WRONG_SITE, DEVICE_REVOKED
 */
export type AuthenticateDevice = (
  authorizationHeader: string | undefined,
  address: string,
  webHost?: string,
) => Promise<DeviceIdentity>;

/** What is known of the soundness of the database. */
export interface DatabaseSoundness {
  /** `unchecked`: the last run ended in a crash, and not all of the file has been read since. */
  state: 'sound' | 'unchecked' | 'damaged';
  /** A check runs now. */
  isChecking: boolean;
  /** When all of the file was last read, epoch ms, and what was found. */
  checkedTs?: number;
  problems?: readonly string[];
}

/** How far the reading of everything has come, and what it found. */
export interface ScrubReport {
  isReading: boolean;
  /** The cycle under way. */
  current?: ScrubCycle & { cursor: ScrubCursor };
  last?: ScrubCycle & { finishedTs: number };
  findings: readonly ScrubFinding[];
}

/** Analysed days of an older version that are being moved out of the database. */
export interface ColumnMoveProgress {
  done: number;
  total: number;
}

/** Work on folders of backups that takes seconds of processor time. */
export interface BackupFoldersPort {
  /** @throws INVALID_INPUT, CONFLICT, PASSPHRASE_WRONG, FILE_DAMAGED */
  encrypt(directory: string, passphrase: string): Promise<EncryptedFolder>;
  /**
   * Compares a passphrase with a folder, and holds it in memory for a job.
   * @returns the name by which the job gets it
   * @throws PASSPHRASE_WRONG, FILE_DAMAGED
   */
  holdPassphrase(directory: string, passphrase: string): Promise<string>;
  /** Overwrites what is free in the database, in another thread; false while it is read. */
  overwriteDeleted(): Promise<boolean>;
  /** Bytes that the parts of the site take on its disk. */
  measure(): Promise<{ part: SitePart; sizeBytes: number }[]>;
  /** Files that the site lacks, with the copies that backups have. */
  findCopies(): Promise<WantedFile[]>;
  /**
   * Puts files back from copies that a passphrase, where one is needed, opens.
   * @throws PASSPHRASE_WRONG, DISK_FULL, SITE_READ_ONLY
   */
  returnFiles(passphrase: string | undefined, change: Change): Promise<ReturnOutcome>;
  /** @throws INVALID_INPUT, PASSPHRASE_WRONG, FILE_DAMAGED, BACKUP_BUSY */
  changePassphrase(directory: string, passphrase: string, newPassphrase: string): Promise<void>;
}

/** Where requests come from: this computer, or the local network. */
export type Listener = 'loopback' | 'lan';

export interface ApiDeps {
  anchors: AuditAnchorsPort;
  store: Store;
  jobs: JobsPort;
  integrations: IntegrationsPort;
  /** Folders of the site (absolute). */
  signalsDir: string;
  inboxDir: string;
  exportsDir: string;
  /** Images of messages. */
  imagesDir: string;
  backupsDir: string;
  backupFolders: BackupFoldersPort;
  /** Says what a file is from its first bytes, in another thread. */
  recognise: (task: RecognitionTask) => Promise<Recognition>;
  disk: Pick<DiskBudget, 'with' | 'watch' | 'state' | 'requireNoEmergency'>;
  /** What people can free on a full disk, the largest first; empty while it is being measured. */
  largestToFree(): { part: FreeablePart; sizeBytes: number }[];
  docks: Pick<
    Docks,
    | 'drives'
    | 'folders'
    | 'lastLookTs'
    | 'tsOf'
    | 'list'
    | 'waiting'
    | 'unfinished'
    | 'get'
    | 'take'
    | 'dismiss'
    | 'confirm'
  >;
  /** Epoch ms. */
  clock: () => number;
  /** Monotonic milliseconds, for throttles. */
  elapsed: () => number;
  soundness: () => DatabaseSoundness;
  scrub: () => ScrubReport;
  /** Has everything read now, or continues what is under way. */
  startScrub: () => void;
  /** What keeps the site from storing anything at present, other than damage: its disk is gone or read-only. */
  problem: () => OutpostError | undefined;
  /** Reports of crashes without personal data, the newest first. */
  crashReports: () => { name: string; text: string }[];
  columnMove: () => ColumnMoveProgress | undefined;
  log: Logger;
  secrets: { urlSigningKey: Uint8Array };
  authenticateDevice: AuthenticateDevice;
  refused: RefusalLogPort;
  accessLog: AccessLogPort;
  lan: LanPort;
  /** Absent: uploads are not served. */
  uploads?: UploadHandler;
  /** The built desk; absent: only the interface is served. */
  staticDir?: string;
  /** The built app of subjects' phones; absent: it is not served. */
  phoneDir?: string;
  siteId: string;
  /** When the site was made, epoch ms. */
  siteCreatedTs: number;
  /** Display name of the site. */
  siteName: string;
  /** Addresses on which the site listens now, such as `http://127.0.0.1:8480`. */
  addresses: () => readonly string[];
  version: string;
  build?: string;
  /** Host names of the site other than the loopback names, without port. */
  allowedHosts?: () => readonly string[];
  /** Checks every answer against its schema and fails on a mismatch: always on in tests. */
  validateResponses?: boolean;
}
