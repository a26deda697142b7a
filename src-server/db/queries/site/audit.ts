/** Statements on the append-only, hash-chained log of changes. Services write its rows, see {@link Session.audit}. */

import { sql } from 'kysely';
import { type Diagnostic, diagnostic } from '../../../diagnostics.ts';
import { ErasedEntries } from '../../erased-audit.ts';
import { unpackChanges } from '../../packed-changes.ts';
import { AUDIT_START, type AuditContent, type AuditInput, type Change, isAuditIntact } from '../../session.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';
import { authorsOf } from '../study/authors.ts';
import { type AuditFilter, filteredAudit } from './audit-filter.ts';
import { type AuditNames, auditNames } from './audit-names.ts';
import { type AuditRecord, toRecord } from './audit-record.ts';

export interface AuditProblem extends Diagnostic {
  sequence: number;
}

const SLICE = 1000;
/** Unpacked and written between two turns of the event loop. */
const CONTENT_SLICE = 250;

export class Audit extends Queries {
  /** Records a fact that changes no record, such as a restore. */
  async note(change: Change, input: AuditInput): Promise<void> {
    await this.session.write(async (session) => await session.audit(change, input));
  }

  /** History of a record, or of a study, newest first. */
  async list(filter: AuditFilter = {}): Promise<AuditRecord[]> {
    let query = filteredAudit(this.session, filter);
    if (filter.beforeSequence !== undefined) query = query.where('sequence', '<', filter.beforeSequence);
    const rows = await query
      .orderBy('sequence', 'desc')
      .limit(filter.limit ?? 500)
      .execute();
    return rows.map(toRecord);
  }

  /**
   * Rows as their hashes cover them, oldest first, up to one of the chain, with a pause between slices.
   * @throws SITE_CORRUPT when the changes of a row are damaged
   */
  async *contents(
    filter: AuditFilter,
    upToSequence: number,
  ): AsyncGenerator<(AuditContent & { hash: string; erasedBy: number | null })[]> {
    let after = 0;
    for (;;) {
      const rows = await filteredAudit(this.session, filter)
        .where('sequence', '>', after)
        .where('sequence', '<=', upToSequence)
        .orderBy('sequence')
        .limit(CONTENT_SLICE)
        .execute();
      if (rows.length > 0) {
        yield rows.map(({ packedChanges, ...row }) => ({
          ...row,
          changes: unpackChanges({ changes: row.changes, packedChanges }),
        }));
      }
      if (rows.length < CONTENT_SLICE) return;
      after = rows.at(-1)!.sequence;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The last `limit` refusals by time since an instant (epoch ms), newest row first. */
  async refusalsSince(fromTs: number, limit: number): Promise<AuditRecord[]> {
    const rows = await this.session.db
      .selectFrom('audit')
      .selectAll()
      // Not a bound value: only so does SQLite use the index of refusals alone.
      .where(sql<boolean>`entityType = 'refusal'`)
      .where('erasedBy', 'is', null)
      .where('timeTs', '>=', fromTs)
      .orderBy('timeTs', 'desc')
      .orderBy('sequence', 'desc')
      .limit(limit)
      .execute();
    // A clock that was set back gives a later row an earlier time.
    return rows.sort((a, b) => b.sequence - a.sequence).map(toRecord);
  }

  /** Present names of the users and subjects who acted, by id. */
  async actorNames(rows: readonly Pick<AuditRecord, 'actor'>[]): Promise<Map<string, string>> {
    const actors = rows.map(({ actor }) => ({ authorType: actor.type, authorId: actor.id ?? null }));
    const authors = await authorsOf(this.session, actors);
    const names = new Map([...authors].map(([id, { displayName }]) => [id, displayName]));
    const deviceIds = rows.flatMap(({ actor }) =>
      actor.type === 'DEVICE' && actor.id !== undefined ? [actor.id] : [],
    );
    if (deviceIds.length === 0) return names;
    const devices = await this.session.db
      .selectFrom('deviceCredential')
      .innerJoin('equipment', 'equipment.id', 'deviceCredential.equipmentId')
      .select(['deviceCredential.id', 'equipment.displayName'])
      .where('deviceCredential.id', 'in', anyOf(deviceIds))
      .execute();
    for (const { id, displayName } of devices) if (displayName !== null) names.set(id, displayName);
    return names;
  }

  /** Names of the records that entries are about. */
  async names(rows: readonly AuditRecord[]): Promise<AuditNames> {
    return await auditNames(this.session, rows);
  }

  /** Sequence and hash of the newest row. Stored in backups and exports, it proves later that no earlier row changed. */
  async head(): Promise<{ sequence: number; hash: string }> {
    const row = await this.session.db
      .selectFrom('audit')
      .select(['sequence', 'hash'])
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row ?? { sequence: 0, hash: AUDIT_START };
  }

  /** Stored hashes of rows, by sequence; a row that is not there has none. */
  async hashesAt(sequences: readonly number[]): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (let start = 0; start < sequences.length; start += SLICE) {
      const rows = await this.session.db
        .selectFrom('audit')
        .select(['sequence', 'hash'])
        .where('sequence', 'in', sequences.slice(start, start + SLICE))
        .execute();
      for (const { sequence, hash } of rows) found.set(sequence, hash);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return found;
  }

  /** Records of a type that the last `limit` rows are about. */
  async recentEntities(entityType: string, limit: number): Promise<Set<string>> {
    const rows = await this.session.db
      .selectFrom('audit')
      .select(['entityType', 'entityId'])
      .orderBy('sequence', 'desc')
      .limit(limit)
      .execute();
    return new Set(rows.flatMap((row) => (row.entityType === entityType ? [row.entityId] : [])));
  }

  /** Time of the newest row; undefined in a site without any. */
  async lastWrittenTs(): Promise<number | undefined> {
    const row = await this.session.db
      .selectFrom('audit')
      .select('timeTs')
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.timeTs;
  }

  /** Earliest time of any row after this one; clocks can be set back. */
  async earliestTimeAfter(sequence: number): Promise<number | undefined> {
    const row = await this.session.db
      .selectFrom('audit')
      .select(({ fn }) => fn.min('timeTs').as('timeTs'))
      .where('sequence', '>', sequence)
      .executeTakeFirst();
    return row?.timeTs ?? undefined;
  }

  /** Latest time of any row up to the first one of a record; clocks can be set back. */
  async latestTimeUpTo(record: { entityType: string; entityId: string }): Promise<number | undefined> {
    const { db } = this.session;
    const first = await db
      .selectFrom('audit')
      .select('sequence')
      .where('entityType', '=', record.entityType)
      .where('entityId', '=', record.entityId)
      .orderBy('sequence')
      .limit(1)
      .executeTakeFirst();
    if (!first) return undefined;
    const row = await db
      .selectFrom('audit')
      .select(({ fn }) => fn.max('timeTs').as('timeTs'))
      .where('sequence', '<=', first.sequence)
      .executeTakeFirst();
    return row?.timeTs ?? undefined;
  }

  /** Rows of a study with these actions and a time of `fromTs` or later, in order. */
  async *changesOfStudy(
    studyId: string,
    fromTs: number,
    actions: readonly string[],
  ): AsyncGenerator<Pick<AuditRecord, 'action' | 'entityId' | 'subjectId' | 'changes'>> {
    let after = 0;
    for (;;) {
      const rows = await this.session.db
        .selectFrom('audit')
        .selectAll()
        .where('studyId', '=', studyId)
        .where('sequence', '>', after)
        .where('timeTs', '>=', fromTs)
        .where('action', 'in', anyOf(actions))
        .where('erasedBy', 'is', null)
        .orderBy('sequence')
        .limit(SLICE)
        .execute();
      yield* rows.map(toRecord);
      if (rows.length < SLICE) return;
      after = (rows.at(-1) as { sequence: number }).sequence;
    }
  }

  /**
   * Recomputes the whole chain and finds changed rows and rows removed from the middle or the end. A program that can rewrite the file can
   * also rewrite the chain, so where that matters pass a `head` stored elsewhere (`since`).
   */
  async verify(
    options: {
      since?: { sequence: number; hash: string };
      /** Receives the hashes of these rows. */
      hashAt?: { sequences: ReadonlySet<number>; found: Map<number, string> };
      onRow?: (sequence: number) => void;
    } = {},
  ): Promise<AuditProblem[]> {
    const { db } = this.session;
    const problems: AuditProblem[] = [];
    let previous = { sequence: 0, hash: AUDIT_START };
    const erased = new ErasedEntries();
    for (;;) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('sequence', '>', previous.sequence)
        .orderBy('sequence')
        .limit(SLICE)
        .execute();
      for (const row of rows) {
        const { hash, sequence } = row;
        if (sequence !== previous.sequence + 1) {
          const missing = { first: previous.sequence + 1, last: sequence - 1 };
          problems.push({ ...diagnostic('AUDIT_MISSING', missing), sequence });
        } else if (row.previousHash !== previous.hash) {
          problems.push({ ...diagnostic('AUDIT_ORDER', { sequence }), sequence });
        }
        if (!isAuditIntact(row)) problems.push({ ...diagnostic('AUDIT_CHANGED', { sequence }), sequence });
        erased.add(row);
        if (options.hashAt?.sequences.has(sequence)) options.hashAt.found.set(sequence, hash);
        if (options.since?.sequence === sequence && options.since.hash !== hash) {
          problems.push({ ...diagnostic('AUDIT_OTHER', { sequence }), sequence });
        }
        previous = { sequence: row.sequence, hash };
      }
      if (rows.length > 0) options.onRow?.(previous.sequence);
      if (rows.length < SLICE) break;
      // Yield to the event loop: a long chain takes seconds.
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const { sequence, erasedBy } of erased.unaccounted())
      problems.push({ ...diagnostic('AUDIT_NOT_ERASED', { sequence, erasedBy }), sequence });
    const last = await this.#lastEverWritten();
    const expected = Math.max(last, options.since?.sequence ?? 0);
    if (previous.sequence < expected) {
      const missing = expected - previous.sequence;
      problems.push({ ...diagnostic('AUDIT_CUT', { missing }), sequence: previous.sequence });
    }
    return problems;
  }

  /** AUTOINCREMENT remembers the highest sequence ever used, which reveals rows removed from the end. */
  async #lastEverWritten(): Promise<number> {
    const row = await this.session.db
      .withTables<{ sqlite_sequence: { name: string; seq: number } }>()
      .selectFrom('sqlite_sequence')
      .select('seq')
      .where('name', '=', 'audit')
      .executeTakeFirst();
    return row?.seq ?? 0;
  }
}
