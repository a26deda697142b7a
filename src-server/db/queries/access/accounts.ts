import { changesFromNothing } from '../../../study/changes.ts';
import type { Change } from '../../session.ts';
import { Queries } from '../queries.ts';

export interface AccountRecord {
  id: string;
  displayName: string;
  createdTs: number;
}

export class Accounts extends Queries {
  async create(input: { id?: string; displayName: string }, change: Change): Promise<AccountRecord> {
    return await this.session.write(async (session) => {
      const account = { id: input.id ?? session.newId(), displayName: input.displayName, createdTs: session.clock() };
      await session.db.insertInto('account').values(account).execute();
      await session.audit(change, {
        action: 'account.create',
        entityType: 'account',
        entityId: account.id,
        changes: changesFromNothing(account),
      });
      return account;
    });
  }

  async get(id: string): Promise<AccountRecord | undefined> {
    return await this.session.db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** By creation, then id. */
  async list(): Promise<AccountRecord[]> {
    return await this.session.db.selectFrom('account').selectAll().orderBy('createdTs').orderBy('id').execute();
  }
}
