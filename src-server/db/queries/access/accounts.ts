/** Statements on accounts. */

import type { InsertOf, RecordOf } from '../../columns.ts';
import type { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';

export type AccountRecord = RecordOf<typeof TABLES.account>;

export class AccountQueries extends Queries {
  async get(id: string): Promise<AccountRecord | undefined> {
    return await this.session.db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** By creation, then id. */
  async list(): Promise<AccountRecord[]> {
    return await this.session.db.selectFrom('account').selectAll().orderBy('createdTs').orderBy('id').execute();
  }

  protected async insert(account: InsertOf<typeof TABLES.account>): Promise<void> {
    await this.session.db.insertInto('account').values(account).execute();
  }
}
