/**
 * What the screens of the phone see and may do: one snapshot and a set of actions. `store/` and `sync/` implement it over
 * IndexedDB and the network; screens know neither. Times are epoch milliseconds by the site's clock, as far as it is known.
 */

/** `WIPED`: everything of the subject was removed from this phone; {@link PhoneSnapshot.wipedBecause} says why. */
export type Phase = 'LOADING' | 'SIGNED_OUT' | 'LOCKED' | 'READY' | 'WIPED';

export type WipeReason = 'SIGNED_OUT' | 'REVOKED' | 'SIGNED_IN_AGAIN' | 'SUBJECT_ERASED' | 'STORE_EVICTED';

export type Connection =
  | { state: 'ONLINE' | 'SENDING' | 'OFFLINE'; lastContactTs?: number; nextTryTs?: number }
  | { state: 'REFUSED'; code: string; message: string; lastContactTs?: number };

/** Something made on this phone that the site has not stored yet. */
export interface WaitingItem {
  id: string;
  kind: 'REPORT' | 'MESSAGE' | 'PROBLEM' | 'RECORDING';
  /** Name of the task, first words of the message, name of the sensor. */
  title: string;
  /** Recordings: when it ended, or began if it has not ended. */
  createdTs: number;
  /**
   * `REFUSED` items are never sent again; the app shows them until the subject removes them. `RECORDING`: it still grows, and is sent
   * when it is finished.
   */
  state: 'WAITING' | 'SENDING' | 'REFUSED' | 'RECORDING';
  code?: string;
  /** Recordings: the sensor. */
  serial?: string;
  /** Recordings: bytes that the site has stored, of all. */
  sentBytes?: number;
  totalBytes?: number;
}

export type QuestionType = 'MULTIPLECHOICE' | 'BOOLEAN' | 'RANGE' | 'NUMERIC' | 'TIMEOFDAY' | 'DATE' | (string & {});

export interface Question {
  id: string;
  text: string;
  type: QuestionType;
  /** Choices; for `RANGE` the lowest and highest number; for `BOOLEAN` nothing. */
  values: readonly string[];
  /** `MULTIPLECHOICE`: more than one choice is allowed. */
  isMultiple?: boolean;
  /** Of a number. */
  unit?: string;
  /** The subject is asked once more before skipping it. */
  isRequired?: boolean;
  /** Asked only after one of these answers to an earlier question. */
  showIf?: { questionId: string; values: readonly string[] };
}

export interface PhoneTask {
  id: string;
  type: 'activity' | 'diary';
  displayName: string;
  instructions?: string;
  durationSec?: number;
  /** The activity is guided by the program itself. */
  guide?: 'POSTURE_CALIBRATION';
  questions: readonly Question[];
}

export interface DueTask {
  taskId: string;
  type: 'activity' | 'diary';
  displayName: string;
  /** Local times `hh:mm`, and the corresponding instants. */
  window?: { start: string; end: string; startTs: number; stopTs: number };
  state: 'DUE' | 'LATER' | 'STARTED' | 'WAITING_TO_SEND' | 'DONE' | 'MISSED';
  /** When it was last completed, by the subject or at the site. */
  completedTs?: number;
  draftId?: string;
}

export interface PhoneDay {
  /** `YYYY-MM-DD` in the subject's zone. */
  date: string;
  /** Day of the program from 0; absent outside of it. */
  dayNumber?: number;
  tasks: readonly DueTask[];
}

/** A task that was opened and is not complete. Survives a killed page. */
export interface Draft {
  id: string;
  taskId: string;
  date: string;
  openedTs: number;
  startedTs?: number;
  stoppedTs?: number;
  /** Running time of the timer before the present run; pauses are not in it. */
  elapsedMs: number;
  /** Start of the present run of the timer; absent while paused. */
  runningSinceTs?: number;
  answers: Readonly<Record<string, DraftAnswer>>;
  /** Index of the question on the screen. */
  position: number;
  marks: readonly DraftMark[];
}

export type DraftAnswer = { values: readonly string[] } | { isSkipped: true };

export interface DraftMark {
  id: string;
  displayName: string;
  startTs: number;
  stopTs: number;
}

export interface PhoneMessage {
  id: string;
  from: 'TEAM' | 'SUBJECT';
  authorName: string;
  body: string;
  createdTs: number;
  isRead: boolean;
  /** Messages of the subject: what became of it. */
  state?: 'WAITING' | 'SENDING' | 'SENT' | 'REFUSED';
  isProblem?: boolean;
  /** Pictures kept on this phone; a picture that was never fetched has none. */
  pictures: readonly { id: string; url?: string; mimeType: string; sizeBytes: number }[];
}

export interface PhoneSensor {
  serial: string;
  displayName: string;
  hardwareId: string;
  location: string;
  side: 'LEFT' | 'RIGHT' | 'NONE' | 'ANY' | 'DOMINANT';
  signal?: string;
  heldSinceTs: number;
  lastUploadTs?: number;
  lastContactTs?: number;
  batteryPercent?: number;
}

export interface StorageState {
  /** Null: the browser does not say. */
  isPersistent: boolean | null;
  usedBytes?: number;
  quotaBytes?: number;
  state: 'FINE' | 'NEARLY_FULL' | 'FULL' | 'UNAVAILABLE';
}

/** What this browser can do here. Each false has a sentence on the screen "About". */
export interface Reach {
  /** HTTPS with a certificate that this phone trusts. */
  isSecure: boolean;
  opensOffline: boolean;
  isInstalled: boolean;
  canInstall: boolean;
  bluetooth: 'YES' | 'NOT_SECURE' | 'NOT_IN_THIS_BROWSER';
  canVibrate: boolean;
  canKeepScreenOn: boolean;
}

export interface ClockState {
  /** Site minus phone at the last contact; undefined before the first. */
  offsetMs?: number;
  uncertaintyMs?: number;
  /** `CHANGED`: the phone's clock was set since the last contact. */
  state: 'MEASURED' | 'CHANGED' | 'UNKNOWN';
}

export interface PhoneSnapshot {
  phase: Phase;
  wipedBecause?: WipeReason;
  /** Items that were removed unsent by the wipe. */
  wipedUnsent?: number;
  /** A sign-out of this phone that the site does not know yet: it is sent at the next contact. */
  signOutWaits: boolean;
  siteName?: string;
  studyName?: string;
  subjectName?: string;
  timeZone?: string;
  isRunning: boolean;
  connection: Connection;
  waiting: readonly WaitingItem[];
  /** Date of the subject's day now. */
  today: string;
  days: readonly PhoneDay[];
  tasks: Readonly<Record<string, PhoneTask>>;
  drafts: Readonly<Record<string, Draft>>;
  messages: readonly PhoneMessage[];
  unreadMessages: number;
  sensors: readonly PhoneSensor[];
  storage: StorageState;
  clock: ClockState;
  reach: Reach;
  hasLock: boolean;
  /** A newer version of the program waits; drafts survive its start. */
  updateWaits: boolean;
  version: string;
}

export type ProblemKind = 'SENSOR_OFF' | 'SENSOR_BROKEN' | 'SKIN' | 'TASK_UNCLEAR' | 'APP' | 'OTHER';

export type WritingPlace = 'MESSAGE' | 'PROBLEM';

/** A message or the report of a problem that is not finished. It survives a killed page. */
export interface Writing {
  body: string;
  pictures: readonly Blob[];
  /** Problems. */
  kind?: ProblemKind;
  sensorSerial?: string;
}

/** Fails with an `Error` whose `code` names a text of the phone's errors. */
export interface PhoneActions {
  /** `link`: the text of the QR code, or the address of this page with its fragment. */
  signIn(input: { token: string } | { link: string }): Promise<void>;
  signOut(): Promise<void>;
  unlock(code: string): Promise<boolean>;
  lock(): void;
  setLock(code: string | null): Promise<void>;

  /** Opens a task, or the draft that it already has. Returns the draft's id. */
  open(taskId: string, date: string): Promise<string>;
  answer(draftId: string, questionId: string, answer: DraftAnswer, position: number): Promise<void>;
  startTimer(draftId: string): Promise<void>;
  pauseTimer(draftId: string): Promise<void>;
  stopTimer(draftId: string): Promise<void>;
  mark(draftId: string, mark: Omit<DraftMark, 'id'>): Promise<void>;
  /** Queues the report durably; resolves once it would survive a killed page. */
  complete(draftId: string): Promise<void>;
  discard(draftId: string): Promise<void>;

  /** What was kept and not sent. */
  writing(place: WritingPlace): Promise<Writing | undefined>;
  keepWriting(place: WritingPlace, writing: Writing | undefined): Promise<void>;
  /** Removes the kept writing with it, as does {@link reportProblem}. */
  sendMessage(message: { body: string; pictures: readonly Blob[] }): Promise<void>;
  reportProblem(problem: {
    kind: ProblemKind;
    body: string;
    sensorSerial?: string;
    pictures: readonly Blob[];
  }): Promise<void>;
  markRead(ids: readonly string[]): Promise<void>;
  removeRefused(id: string): Promise<void>;
  /** Tries a refused recording again: staff may have put right what was wrong, such as whose the sensor is. */
  sendAgain(id: string): Promise<void>;

  /** Resolves once everything that can be sent now was tried, recordings too. */
  syncNow(): Promise<void>;
  /** A recorder has begun or finished a recording: it is shown, and sent if it is finished. */
  recordingsChanged(): Promise<void>;
  askForPersistence(): Promise<void>;
  install(): Promise<void>;
  applyUpdate(): Promise<void>;
}

export interface PhoneModel {
  /** The same object until something changed, for `useSyncExternalStore`. */
  snapshot(): PhoneSnapshot;
  subscribe(onChange: () => void): () => void;
  /** Now by the phone's clock as it is set at this moment, with site minus phone where it is measured. */
  clockNow(): { stamp: { wallMs: number; epoch: string }; offsetMs?: number };
  readonly actions: PhoneActions;
}
