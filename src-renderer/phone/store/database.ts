/**
 * The phone's database: everything of one subject that lies on the phone. Each write is one transaction, so a killed page or
 * a full disk leaves the state before it or the state after it.
 */
import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import type { RecordingRow } from '../../shared/sensors/recording-store.ts';
import type { KeptClock } from '../clock/phone-clock.ts';
import type { LockRecord } from '../lock/lock.ts';
import type { Writing, WritingPlace } from '../model.ts';
import type { DayRecord, DraftRecord, KeptMessage, KeptSensor, OutboxRecord, Session, TaskRecord } from './records.ts';

export const DATABASE_NAME = 'outpost-phone';
/** Raised with each change of the stores; `upgrade` brings every older version here without losing an answer. */
export const DATABASE_VERSION = 1;

/** Single values. */
export interface StateValues {
  phoneId: string;
  session: Session;
  clock: KeptClock;
  lock: LockRecord;
  /** Site's clock. */
  lastContactTs: number;
  /** Tokens that were signed out here and that the site has yet to revoke: all that outlives a wipe. */
  signOuts: string[];
  /** Messages and problems that are not finished. */
  writing: Partial<Record<WritingPlace, Writing>>;
  /** Names and switches of the study, as in the program of the site. */
  study: { studyName: string; subjectName: string; siteName: string; timeZone: string; isRunning: boolean };
}

export interface PhoneDatabase extends DBSchema {
  state: { key: keyof StateValues; value: StateValues[keyof StateValues] };
  days: { key: string; value: DayRecord };
  tasks: { key: string; value: TaskRecord };
  messages: { key: string; value: KeptMessage };
  /** Pictures of messages by the message's id, as JPEG. */
  pictures: { key: string; value: Blob };
  sensors: { key: string; value: KeptSensor };
  /** In the order in which the subject made them. */
  outbox: { key: number; value: OutboxRecord; indexes: { id: string } };
  drafts: { key: string; value: DraftRecord; indexes: { task: [string, string] } };
  /** Recordings of sensors: their heads, notifications as they arrived, and encoded pages. The recorder knows what they hold. */
  recordings: { key: string; value: RecordingRow };
  frames: { key: [string, number]; value: { recordingId: string; sequence: number } };
  pages: { key: [string, number]; value: { recordingId: string; sequence: number } };
}

export type Database = IDBPDatabase<PhoneDatabase>;

/** Every store holds something of the subject. */
export const STORES = [
  'state',
  'days',
  'tasks',
  'messages',
  'pictures',
  'sensors',
  'outbox',
  'drafts',
  'recordings',
  'frames',
  'pages',
] as const;

/** @param onGone called when another page needs this one to let go of the database, or the browser closed it */
export async function openDatabase(onGone: () => void = () => undefined): Promise<Database> {
  const database = await openDB<PhoneDatabase>(DATABASE_NAME, DATABASE_VERSION, {
    upgrade(db, from) {
      if (from < 1) createFirst(db);
    },
    // A newer version of the program waits in another tab: this one is old, and must not hold it up.
    blocking: (_from, _to, event) => {
      (event.target as IDBDatabase).close();
      onGone();
    },
    terminated: onGone,
  });
  return database;
}

function createFirst(db: Database): void {
  db.createObjectStore('state');
  db.createObjectStore('days', { keyPath: 'date' });
  db.createObjectStore('tasks', { keyPath: 'id' });
  db.createObjectStore('messages', { keyPath: 'id' });
  db.createObjectStore('pictures');
  db.createObjectStore('sensors', { keyPath: 'serial' });
  const outbox = db.createObjectStore('outbox', { keyPath: 'sequence', autoIncrement: true });
  outbox.createIndex('id', 'id', { unique: true });
  // Two pages that open the same task at once get one draft.
  db.createObjectStore('drafts', { keyPath: 'id' }).createIndex('task', ['taskId', 'date'], { unique: true });
  db.createObjectStore('recordings', { keyPath: 'recordingId' });
  for (const name of ['frames', 'pages'] as const) db.createObjectStore(name, { keyPath: ['recordingId', 'sequence'] });
}

/** For tests. */
export const deleteDatabase = (): Promise<void> => deleteDB(DATABASE_NAME);
