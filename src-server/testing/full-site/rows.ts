/** Fast, deterministic rows: prepared inserts, ids that follow from their words, and an audit chain that verifies. */
import { createHash } from 'node:crypto';
import type BetterSqlite3 from 'better-sqlite3';
import { dayCells } from '../../db/day-cells.ts';
import type { Tables } from '../../db/schema.ts';
import { AUDIT_START, auditRowOf } from '../../db/session.ts';
import { canonicalJson, type FieldChanges } from '../../study/changes.ts';

export type Row = Record<string, string | number | null | Uint8Array>;

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A UUIDv7 of this time whose random bits follow from the words: rows of a site are in order of time, as real ones are. */
export function idOf(timeTs: number, ...words: (string | number)[]): string {
  const hex = digestOf(words.join(' '));
  const time = timeTs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}

/** A number from 0 up to 1 that follows from three others. */
export function chanceOf(a: number, b: number, c: number): number {
  let mixed = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b) ^ Math.imul(c + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

export interface AuditFacts {
  action: string;
  entityType: string;
  entityId: string;
  studyId?: string;
  subjectId?: string;
  changes?: FieldChanges;
}

/** Inserts rows of one open database. */
export class Rows {
  readonly #database: BetterSqlite3.Database;
  readonly #statements = new Map<string, BetterSqlite3.Statement>();
  readonly #numbers = new Map<string, number>();
  #sequence: number;
  #hash: string;
  #eventSequence: number;

  constructor(database: BetterSqlite3.Database) {
    this.#database = database;
    const head = database
      .prepare<[], { sequence: number; hash: string }>(
        'SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1',
      )
      .get();
    this.#sequence = head?.sequence ?? 0;
    this.#hash = head?.hash ?? AUDIT_START;
    this.#eventSequence = database.prepare<[], number | null>('SELECT max(sequence) FROM event').pluck().get() ?? 0;
  }

  /** Columns that are left out get their default. */
  insert(table: keyof Tables, row: Row): void {
    const names = Object.keys(row);
    const key = `${table} ${names.join()}`;
    let statement = this.#statements.get(key);
    if (!statement) {
      const marks = names.map(() => '?').join(', ');
      statement = this.#database.prepare(`INSERT INTO "${table}" ("${names.join('", "')}") VALUES (${marks})`);
      this.#statements.set(key, statement);
    }
    statement.run(...Object.values(row));
  }

  /** The number of a row of a small table that is found by its other columns; added when it is not there. */
  #numberOf(table: 'clockSource' | 'metricNames' | 'sensorSetup', row: Row): number {
    const key = `${table} ${Object.values(row).join(' ')}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const names = Object.keys(row);
    const find = this.#database
      .prepare<unknown[], number>(
        `SELECT rowid FROM ${table} WHERE ${names.map((name) => `${name} = ?`).join(' AND ')}`,
      )
      .pluck();
    if (find.get(...Object.values(row)) === undefined) this.insert(table, row);
    const id = find.get(...Object.values(row))!;
    this.#numbers.set(key, id);
    return id;
  }

  /** Adds a day of metrics in the form that the site stores. */
  day(row: Row, metrics: Record<string, number>, validSeconds: Record<string, number>): void {
    const { names, ...cells } = dayCells(metrics, validSeconds);
    this.insert('analyticsDay', { ...row, ...cells, namesId: this.#numberOf('metricNames', { names }) });
  }

  /** Adds a recording, whose setup it shares with others. */
  recording(row: Row, setup: Row): void {
    this.insert('recording', { ...row, setupId: this.#numberOf('sensorSetup', setup) });
  }

  clockReading(source: { credentialId: string; clock: 'DEVICE' | 'SENSOR'; udid: string }, row: Row): void {
    this.insert('clockReading', { sourceId: this.#numberOf('clockSource', source), ...row });
  }

  /** Adds an event; returns its sequence number. */
  event(row: Row): number {
    this.#eventSequence += 1;
    this.insert('event', { sequence: this.#eventSequence, ...row });
    return this.#eventSequence;
  }

  audit(timeTs: number, { action, entityType, entityId, studyId, subjectId, changes = {} }: AuditFacts): void {
    const row = {
      sequence: this.#sequence + 1,
      timeTs,
      actorType: 'SYSTEM' as const,
      actorId: null,
      action,
      entityType,
      entityId,
      studyId: studyId ?? null,
      subjectId: subjectId ?? null,
      reason: null,
      changes: canonicalJson(changes),
      previousHash: this.#hash,
    };
    const stored = auditRowOf(row);
    this.#hash = stored.hash;
    this.#sequence = row.sequence;
    this.insert('audit', { ...stored });
  }
}
