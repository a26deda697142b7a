/** Statements on the access log. It has no rules but its retention, so it is written from here, in batches. */
import type { AccessDetail, AccessKind } from '../../../vocabulary/access-log.ts';
import type { RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

const { accessEntry: ENTRY } = TABLES;
export type AccessRecord = RecordOf<typeof ENTRY>;
export type NewAccessEntry = Omit<AccessRecord, 'sequence'>;

export interface AccessFilter {
  accountId?: string;
  studyId?: string;
  subjectId?: string;
  userId?: string;
  kind?: AccessKind;
  detail?: AccessDetail;
  /** An address from its beginning: `192.168.1.`. */
  address?: string;
  /** Epoch ms, both inclusive. */
  fromTs?: number;
  toTs?: number;
  beforeSequence?: number;
  limit: number;
}

export class AccessLogQueries extends Queries {
  /** Newest first. */
  async list(filter: AccessFilter): Promise<AccessRecord[]> {
    let query = this.session.db.selectFrom('accessEntry').selectAll();
    for (const column of ['accountId', 'studyId', 'subjectId', 'userId', 'kind', 'detail'] as const) {
      const value = filter[column];
      if (value !== undefined) query = query.where(column, '=', value);
    }
    const { address } = filter;
    if (address !== undefined) query = query.where((eb) => eb(eb.fn('instr', ['address', eb.val(address)]), '=', 1));
    if (filter.fromTs !== undefined) query = query.where('lastTs', '>=', filter.fromTs);
    if (filter.toTs !== undefined) query = query.where('timeTs', '<=', filter.toTs);
    if (filter.beforeSequence !== undefined) query = query.where('sequence', '<', filter.beforeSequence);
    const rows = await query.orderBy('sequence', 'desc').limit(filter.limit).execute();
    return rows.map((row) => ENTRY.toRecord(row));
  }

  /** Whether the user signed in from this address since an instant, in epoch ms. */
  async knowsAddress(userId: string, address: string, sinceTs: number): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('accessEntry')
      .select('sequence')
      .where('userId', '=', userId)
      .where('kind', '=', 'SIGN_IN')
      .where('address', '=', address)
      .where('lastTs', '>=', sinceTs)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Present names of studies and subjects, by id. */
  async placeNames(rows: readonly Pick<AccessRecord, 'studyId' | 'subjectId'>[]): Promise<Map<string, string>> {
    const { db } = this.session;
    const ids = (key: 'studyId' | 'subjectId') => [...new Set(rows.flatMap((row) => row[key] ?? []))];
    const names = (['study', 'subject'] as const).map(async (table) =>
      db
        .selectFrom(table)
        .select(['id', 'displayName'])
        .where('id', 'in', anyOf(ids(`${table}Id`)))
        .execute(),
    );
    return new Map((await Promise.all(names)).flat().map(({ id, displayName }) => [id, displayName]));
  }

  /** Stores entries in one transaction. A subject or study that is gone, or of another study, is left out. @returns their sequences */
  async add(entries: readonly NewAccessEntry[]): Promise<number[]> {
    return await this.session.write(async ({ db }) => {
      const sequences: number[] = [];
      for (const entry of entries) {
        const { subjectId, ...columns } = entry;
        const isSubject =
          subjectId !== undefined &&
          (await db
            .selectFrom('subject')
            .select('id')
            .where('id', '=', subjectId)
            .where('studyId', '=', entry.studyId ?? '')
            .executeTakeFirst()) !== undefined;
        const { sequence } = await db
          .insertInto('accessEntry')
          .values({ ...columns, subjectId: isSubject ? subjectId : null })
          .returning('sequence')
          .executeTakeFirstOrThrow();
        sequences.push(sequence);
      }
      return sequences;
    });
  }

  /** Stores one entry of now. */
  async addNow(entry: Omit<NewAccessEntry, 'timeTs' | 'lastTs' | 'count'>): Promise<void> {
    const nowTs = this.session.clock();
    await this.add([{ ...entry, timeTs: nowTs, lastTs: nowTs, count: 1 }]);
  }

  /** Stores how often the same was seen, and when last. */
  async recount(entries: readonly { sequence: number; count: number; lastTs: number }[]): Promise<void> {
    await this.session.write(async ({ db }) => {
      for (const { sequence, count, lastTs } of entries)
        await db.updateTable('accessEntry').set({ count, lastTs }).where('sequence', '=', sequence).execute();
    });
  }

  /**
   * Removes entries before an instant, of at most `spanMs` from the oldest on: a clock that was ahead for one night must not empty the log.
   * @returns how many
   */
  async deleteBefore(untilTs: number, spanMs: number): Promise<number> {
    return await this.session.write(async ({ db }) => {
      const oldest = await db.selectFrom('accessEntry').select('timeTs').orderBy('timeTs').limit(1).executeTakeFirst();
      if (!oldest) return 0;
      const deleted = await db
        .deleteFrom('accessEntry')
        .where('timeTs', '<', Math.min(untilTs, oldest.timeTs + spanMs))
        .executeTakeFirst();
      return Number(deleted.numDeletedRows);
    });
  }
}
