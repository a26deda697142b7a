/**
 * What cached reads depend on, and whether it was written to since. A dependency is a table, or the rows of a table that belong
 * to one study or one subject.
 *
 * Writes are seen row by row: a temporary trigger on every table reports the study and subject of each row that a statement of
 * this connection inserts, changes or deletes, also in a cascade. Reads are seen by their text: every table whose name occurs in
 * a statement counts as read. A read depends on the rows of one study or subject only where the request names them and the
 * statement binds their id; otherwise on the whole table. Any doubt (a statement of another kind, a rollback, a write
 * by another connection) drops everything. So a cached value may be dropped too early, never too late.
 *
 * Statements that do not go through kysely are not seen as reads; no cached answer may use them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type BetterSqlite3 from 'better-sqlite3';
import { TABLES } from './schema.ts';

/** The study and subject that a request names in its path. Their rows are checked by authorization. */
export interface ReadPlace {
  studyId?: string | undefined;
  subjectId?: string | undefined;
}

type TableName = keyof typeof TABLES;
/** SQL of the study and the subject of a row, where `ROW` stands for the row. */
interface RowPlace {
  study: string;
  subject: string;
}

const BOTH: RowPlace = { study: 'ROW.studyId', subject: 'ROW.subjectId' };
const OF_STUDY: RowPlace = { study: 'ROW.studyId', subject: 'NULL' };
const OF_SUBJECT: RowPlace = {
  study: '(SELECT studyId FROM subject WHERE id = ROW.subjectId)',
  subject: 'ROW.subjectId',
};

/**
 * Tables whose rows belong to a study or subject. Assignments of equipment are not among them: what a subject held shows who
 * holds it now, perhaps in another study.
 */
const PLACES: Partial<Record<TableName, RowPlace>> = {
  study: { study: 'ROW.id', subject: 'NULL' },
  definitionVersion: OF_STUDY,
  membership: OF_STUDY,
  task: OF_STUDY,
  question: { study: '(SELECT studyId FROM task WHERE id = ROW.taskId)', subject: 'NULL' },
  deviceConfig: OF_STUDY,
  subject: { study: 'ROW.studyId', subject: 'ROW.id' },
  subjectZone: OF_SUBJECT,
  studyPlan: OF_STUDY,
  participation: BOTH,
  participationStep: BOTH,
  visit: BOTH,
  recording: BOTH,
  subjectSummary: BOTH,
  recordingDay: BOTH,
  taskMonth: OF_SUBJECT,
  fault: BOTH,
  annotation: BOTH,
  message: BOTH,
  conversation: BOTH,
  analyticsWindow: OF_SUBJECT,
  analyticsDay: OF_SUBJECT,
  analysisRun: OF_STUDY,
  analysisRunSubject: OF_SUBJECT,
  analysisRunWindow: OF_SUBJECT,
  analysisRunDay: OF_SUBJECT,
  analysisRunUncorrectedDay: OF_SUBJECT,
};

const NAMES: ReadonlySet<string> = new Set(Object.keys(TABLES));
const KNOWN_STATEMENTS = 2000;
/** Bounds the memory for writes: about five keys per subject that was written to lately. */
const KNOWN_WRITES = 50_000;

/** Rows that no study can be found for. */
const unplacedKey = (table: string) => `${table}/?`;
/** Rows of a study, those of its subjects included. */
const studyKey = (table: string, studyId: string) => `${table}/${studyId}`;
/** Rows of a study that belong to none of its subjects. */
const studyWideKey = (table: string, studyId: string) => `${table}/${studyId}/-`;
const subjectKey = (table: string, subjectId: string) => `${table}/-/${subjectId}`;

/** A statement that ran. */
export interface SeenStatement {
  sql: string;
  parameters: readonly unknown[];
  isWrite: boolean;
}

interface TrackedReads {
  place: ReadPlace;
  keys: Set<string>;
}

export class ReadTracking {
  readonly #sqlite: BetterSqlite3.Database;
  readonly #reads = new AsyncLocalStorage<TrackedReads>();
  readonly #tablesOf = new Map<string, readonly string[]>();
  /** Number of the last write by key. */
  readonly #lastWrites = new Map<string, number>();
  /** Number of the last write that may have changed anything. */
  #lastUnknown = 0;
  #count = 0;
  /** Changes with each commit of another connection. */
  readonly #dataVersion: () => unknown;
  #seenVersion: unknown;

  constructor(sqlite: BetterSqlite3.Database) {
    this.#sqlite = sqlite;
    const version = sqlite.prepare('PRAGMA data_version').pluck();
    this.#dataVersion = () => version.get();
    this.#seenVersion = this.#dataVersion();
    if (!sqlite.readonly) this.#watchRows();
  }

  /**
   * Grows with every write. Looks for commits of other connections, which costs some microseconds: a request reads it once,
   * before it uses anything that was cached.
   */
  get count(): number {
    this.#noteOthers();
    return this.#count;
  }

  noteStatement({ sql, parameters, isWrite }: SeenStatement): void {
    // SQLite calls a rollback a statement that reads.
    if (isWrite ? !isSeenByTriggers(sql) : isRollback(sql)) this.#noteUnknown();
    const reads = this.#reads.getStore();
    // What a statement returns after a write is a read too.
    if (!reads) return;
    for (const table of this.#tables(sql))
      for (const key of keysOf(table, reads.place, parameters)) reads.keys.add(key);
  }

  /** Adds what a cached value was read from to the tracked read that uses it, if any. */
  noteRead(keys: Iterable<string>): void {
    const reads = this.#reads.getStore();
    if (reads) for (const key of keys) reads.keys.add(key);
  }

  /** Runs a read for a request about a place, and adds what it, and cached values in it, depend on to `keys`. */
  async tracked<T>(place: ReadPlace, keys: Set<string>, work: () => Promise<T>): Promise<T> {
    const value = await this.#reads.run({ place, keys }, work);
    // A read within another one is part of it.
    this.noteRead(keys);
    return value;
  }

  /** True when nothing of this was written to since the count was `sinceCount`, as far as {@link count} was read since. */
  isUnchanged(keys: Iterable<string>, sinceCount: number): boolean {
    if (this.#lastUnknown > sinceCount) return false;
    for (const key of keys) if ((this.#lastWrites.get(key) ?? 0) > sinceCount) return false;
    return true;
  }

  #watchRows(): void {
    this.#sqlite.function('noteWrite', (table: unknown, studyId: unknown, subjectId: unknown) => {
      this.#noteRow(table as string, studyId as string | null, subjectId as string | null);
      return null;
    });
    const triggers = Object.keys(TABLES).flatMap((table) => {
      const { study, subject } = PLACES[table as TableName] ?? { study: 'NULL', subject: 'NULL' };
      const note = (row: 'OLD' | 'NEW') => {
        const [studyOfRow, subjectOfRow] = [study, subject].map((text) => text.replaceAll('ROW', row));
        return `SELECT noteWrite('${table}', ${studyOfRow}, ${subjectOfRow});`;
      };
      const isPlaced = table in PLACES;
      const notes = {
        INSERT: note('NEW'),
        UPDATE: isPlaced ? note('OLD') + note('NEW') : note('NEW'),
        DELETE: note('OLD'),
      };
      return Object.entries(notes).map(
        ([event, body]) =>
          `CREATE TEMP TRIGGER "note ${table} ${event}" AFTER ${event} ON main."${table}" BEGIN ${body} END;`,
      );
    });
    this.#sqlite.exec(`BEGIN; ${triggers.join('\n')} COMMIT;`);
  }

  #noteRow(table: string, studyId: string | null, subjectId: string | null): void {
    if (this.#lastWrites.size > KNOWN_WRITES) {
      this.#lastWrites.clear();
      this.#noteUnknown();
    }
    const count = ++this.#count;
    const writes = this.#lastWrites;
    writes.set(table, count);
    if (studyId === null) {
      writes.set(unplacedKey(table), count);
      return;
    }
    writes.set(studyKey(table, studyId), count);
    writes.set(subjectId === null ? studyWideKey(table, studyId) : subjectKey(table, subjectId), count);
  }

  /**
   * Looks for commits of other connections. Of a file that cannot be read, as when its disk was pulled in the middle of a write, nothing is
   * known: what was cached counts as old, and the read that follows reports why, where there is one.
   */
  #noteOthers(): void {
    let version: unknown;
    try {
      version = this.#dataVersion();
    } catch {
      this.#noteUnknown();
      return;
    }
    if (version === this.#seenVersion) return;
    this.#seenVersion = version;
    this.#noteUnknown();
  }

  #noteUnknown(): void {
    this.#lastUnknown = ++this.#count;
  }

  #tables(sql: string): readonly string[] {
    const known = this.#tablesOf.get(sql);
    if (known) return known;
    const tables = [...new Set(sql.match(/\w+/g))].filter((word) => NAMES.has(word));
    if (this.#tablesOf.size >= KNOWN_STATEMENTS) this.#tablesOf.clear();
    this.#tablesOf.set(sql, tables);
    return tables;
  }
}

/** It undoes what triggers reported, and what was read in between never was. */
const isRollback = (sql: string): boolean => /^\s*rollback\b/i.test(sql);

/** Whether the triggers report everything that a write statement does. REPLACE deletes rows without a trigger. */
function isSeenByTriggers(sql: string): boolean {
  return /^\s*(?:insert|update|delete|with|begin|commit)\b/i.test(sql) && !/\bor\s+replace\b/i.test(sql);
}

function keysOf(table: string, { studyId, subjectId }: ReadPlace, parameters: readonly unknown[]): string[] {
  if (studyId === undefined || !(table in PLACES)) return [table];
  const binds = (id: string) => parameters.includes(id) || parameters.includes(JSON.stringify([id]));
  if (subjectId !== undefined && binds(subjectId))
    return [unplacedKey(table), studyWideKey(table, studyId), subjectKey(table, subjectId)];
  return binds(studyId) ? [unplacedKey(table), studyKey(table, studyId)] : [table];
}
