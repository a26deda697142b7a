/** Statements on saved filters of tables. */
import type { FilterTable } from '../../../vocabulary/saved-filters.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

const { savedFilter: FILTER } = TABLES;

export type SavedFilterRecord = RecordOf<typeof FILTER>;

export class SavedFilterQueries extends Queries {
  async get(id: string): Promise<SavedFilterRecord | undefined> {
    const row = await this.session.db.selectFrom('savedFilter').selectAll().where('id', '=', id).executeTakeFirst();
    return row && FILTER.toRecord(row);
  }

  /**
   * Private ones of a user, and those that are shared with these studies, by name, then id. Others may have changed a shared filter
   * after its owner left the study.
   * @param only a table, and the study of the table
   */
  async seenBy(
    userId: string,
    sharedStudyIds: readonly string[],
    only: { table?: FilterTable | undefined; studyId?: string | undefined } = {},
  ): Promise<SavedFilterRecord[]> {
    let query = this.session.db
      .selectFrom('savedFilter')
      .selectAll()
      .where((eb) =>
        eb.or([
          eb.and([eb('userId', '=', userId), eb('sharedStudyId', 'is', null)]),
          eb('sharedStudyId', 'in', anyOf(sharedStudyIds)),
        ]),
      );
    if (only.table !== undefined) query = query.where('tableName', '=', only.table);
    if (only.studyId !== undefined) query = query.where('studyId', '=', only.studyId);
    const rows = await query.orderBy('displayName').orderBy('id').execute();
    return rows.map(FILTER.toRecord);
  }

  protected async ofUser(userId: string): Promise<SavedFilterRecord[]> {
    const rows = await this.session.db.selectFrom('savedFilter').selectAll().where('userId', '=', userId).execute();
    return rows.map(FILTER.toRecord);
  }

  protected async countShared(studyId: string): Promise<number> {
    const { count } = await this.session.db
      .selectFrom('savedFilter')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('sharedStudyId', '=', studyId)
      .executeTakeFirstOrThrow();
    return count;
  }

  protected async insertFilter(filter: InsertOf<typeof FILTER>): Promise<void> {
    await this.session.db.insertInto('savedFilter').values(FILTER.toRow(filter)).execute();
  }

  protected async patchFilter(id: string, fields: PatchOf<typeof FILTER>): Promise<void> {
    await this.session.db.updateTable('savedFilter').set(FILTER.toRow(fields)).where('id', '=', id).execute();
  }

  protected async deleteFilter(id: string): Promise<void> {
    await this.session.db.deleteFrom('savedFilter').where('id', '=', id).execute();
  }
}
