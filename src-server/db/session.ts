/**
 * The unit of work of queries and services: the database or one transaction of it, the clock, ids, and the audit and event rows of a
 * write. There is one connection, so work inside `write` must await nothing but queries.
 */
import type { Kysely, Selectable } from 'kysely';
import { v7 } from 'uuid';
import { toOutpostError } from '../errors.ts';
import type { ColumnStore } from '../files/column-files.ts';
import { sha256Hex } from '../files/content-hash.ts';
import type { Actor, AuthorType } from '../study/actor.ts';
import { canonicalJson, type FieldChanges } from '../study/changes.ts';
import type { EventAction } from '../study/events.ts';
import { isAllowedInLock, studyLocked } from '../study/lock-rules.ts';
import { packChanges, unpackChanges } from './packed-changes.ts';
import type { Tables } from './schema.ts';

/** Who makes a write and why; it becomes part of the audit row. */
export interface Change {
  actor: Actor;
  reason?: string;
}

export const SYSTEM: Change = Object.freeze({ actor: { type: 'SYSTEM' as const } });

export interface AuditInput {
  action: string;
  entityType: EntityType;
  entityId: string;
  studyId?: string;
  subjectId?: string;
  changes?: FieldChanges;
}

export type EntityType =
  | 'account'
  | 'user'
  | 'study'
  | 'membership'
  | 'subject'
  | 'equipment'
  | 'fault'
  | 'recording'
  | 'upload'
  | 'annotation'
  | 'correction'
  | 'message'
  | 'messageTemplate'
  | 'savedFilter'
  | 'note'
  | 'query'
  | 'participation'
  | 'analytics'
  | 'analysis-run'
  | 'job'
  | 'export'
  | 'setting'
  | 'device'
  | 'pairing'
  | 'refusal'
  | 'transfer'
  | 'site'
  | 'webhook'
  | 'mail'
  | 'attention'
  | 'audit'
  | 'signature';

export interface EventInput {
  action: EventAction;
  studyId: string;
  subjectId?: string;
  referenceId: string;
  /** Default: now. */
  actualTs?: number;
  author?: { type: AuthorType; id: string };
}

/** What subscribers receive after the commit: what changed, never the data. */
export interface CommittedChange {
  action: string;
  entityType: EntityType;
  entityId: string;
  studyId?: string;
  subjectId?: string;
}

/** Hash before the first audit row. */
export const AUDIT_START = '0'.repeat(64);

export type AuditRow = Selectable<Tables['audit']>;

/** What the hash of an audit row covers, with the changes as JSON. */
export type AuditContent = Omit<AuditRow, 'hash' | 'packedChanges' | 'erasedBy'>;

/** Hash of an audit row: SHA-256 over the hash before it and the row's canonical JSON without the hashes. */
export function auditHash(row: AuditContent): string {
  return sha256Hex(row.previousHash + auditContentText(row));
}

/** The canonical JSON of an audit row. */
export function auditContentText(row: AuditContent): string {
  // Written in code-unit order, as canonicalJson would: a full site has a million rows, and sorting the same names took most of the time.
  const content = {
    action: row.action,
    actorId: row.actorId,
    actorType: row.actorType,
    changes: row.changes,
    entityId: row.entityId,
    entityType: row.entityType,
    reason: row.reason,
    sequence: row.sequence,
    studyId: row.studyId,
    subjectId: row.subjectId,
    timeTs: row.timeTs,
  } satisfies Record<Exclude<keyof AuditContent, 'previousHash'>, unknown>;
  return JSON.stringify(content);
}

/**
 * Whether a stored audit row has the content that its hash was computed of. A row that lost its content to an erasure has nothing
 * left that could name a person; that it was erased by right, only the digest in the entry of the erasure shows.
 */
export function isAuditIntact({ hash, packedChanges, erasedBy, ...row }: AuditRow): boolean {
  // Absent in a row of an older schema, which is checked before it is migrated.
  if (typeof erasedBy === 'number') {
    const isBare = row.reason === null && row.subjectId === null && row.changes === '{}' && packedChanges === null;
    return isBare && erasedBy > row.sequence;
  }
  try {
    return auditHash({ ...row, changes: unpackChanges({ changes: row.changes, packedChanges }) }) === hash;
  } catch (thrown) {
    if (toOutpostError(thrown).code !== 'SITE_CORRUPT') throw thrown;
    return false;
  }
}

/** The row that stores an audit entry. */
export function auditRowOf(content: AuditContent): AuditRow {
  return { ...content, hash: auditHash(content), ...packChanges(content.changes), erasedBy: null };
}

export class Session {
  readonly db: Kysely<Tables>;
  readonly clock: () => number;
  /** Second columns of analysed days, which rows name by their hash. */
  readonly columns: ColumnStore;
  readonly #onCommit: (changes: CommittedChange[]) => void;
  readonly #committing: CommittedChange[] | null;

  constructor(
    db: Kysely<Tables>,
    clock: () => number,
    columns: ColumnStore,
    onCommit: (changes: CommittedChange[]) => void,
    committing: CommittedChange[] | null = null,
  ) {
    this.db = db;
    this.clock = clock;
    this.columns = columns;
    this.#onCommit = onCommit;
    this.#committing = committing;
  }

  /** A new UUIDv7. */
  newId(): string {
    return v7();
  }

  /** Runs the work in a new transaction, or in the open one. Notifies subscribers after the commit. */
  async write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#committing) return await work(this);
    const changes: CommittedChange[] = [];
    const result = await this.db
      .transaction()
      .execute(
        async (transaction) => await work(new Session(transaction, this.clock, this.columns, this.#onCommit, changes)),
      );
    if (changes.length > 0) this.#onCommit(changes);
    return result;
  }

  /** Notifies subscribers of a change without an audit row, such as the progress of a job. */
  announce(change: CommittedChange): void {
    if (this.#committing) this.#committing.push(change);
    else this.#onCommit([change]);
  }

  /**
   * Writes the audit entry of a change. This is the one place that refuses changes of a locked study: the transaction that holds
   * the change fails with its entry.
   * @returns its place in the trail
   * @throws STUDY_LOCKED
   */
  async audit(change: Change, input: AuditInput): Promise<number> {
    if (input.studyId !== undefined && !isAllowedInLock(input)) await this.#requireUnlocked(input.studyId);
    const last = await this.db
      .selectFrom('audit')
      .select(['sequence', 'hash'])
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    const row = {
      sequence: (last?.sequence ?? 0) + 1,
      timeTs: this.clock(),
      actorType: change.actor.type,
      actorId: change.actor.id ?? null,
      action: input.action,
      entityType: input.entityType,
      entityId: input.entityId,
      studyId: input.studyId ?? null,
      subjectId: input.subjectId ?? null,
      // Replace lone surrogates: SQLite would store U+FFFD and break the row's hash.
      reason: change.reason?.toWellFormed() ?? null,
      changes: canonicalJson(input.changes ?? {}),
      previousHash: last?.hash ?? AUDIT_START,
    };
    await this.db.insertInto('audit').values(auditRowOf(row)).execute();
    const { action, entityType, entityId, studyId, subjectId } = input;
    this.announce({ action, entityType, entityId, studyId, subjectId });
    return row.sequence;
  }

  async #requireUnlocked(studyId: string): Promise<void> {
    const study = await this.db.selectFrom('study').select('lockedTs').where('id', '=', studyId).executeTakeFirst();
    if (study && study.lockedTs !== null) throw studyLocked();
  }

  async event(input: EventInput): Promise<void> {
    const now = this.clock();
    await this.db
      .insertInto('event')
      .columns([
        'accountId',
        'studyId',
        'subjectId',
        'action',
        'actualTs',
        'reportedTs',
        'referenceId',
        'authorType',
        'authorId',
      ])
      .expression((eb) =>
        eb
          .selectFrom('study')
          .where('study.id', '=', input.studyId)
          .select((select) => [
            'study.accountId',
            'study.id',
            select.val<string | null>(input.subjectId ?? null).as('subjectId'),
            select.val<EventAction>(input.action).as('action'),
            select.val(input.actualTs ?? now).as('actualTs'),
            select.val(now).as('reportedTs'),
            select.val(input.referenceId).as('referenceId'),
            select.val<AuthorType | null>(input.author?.type ?? null).as('authorType'),
            select.val<string | null>(input.author?.id ?? null).as('authorId'),
          ]),
      )
      .execute();
  }
}

/** Returns the person behind a change; undefined for devices and the system. */
export function authorOf(change: Change): { type: AuthorType; id: string } | undefined {
  const { actor } = change;
  return actor.type === 'USER' || actor.type === 'SUBJECT' ? { type: actor.type, id: actor.id } : undefined;
}
