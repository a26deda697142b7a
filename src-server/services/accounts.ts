import { AccountQueries, type AccountRecord, type Change } from '../db/index.ts';
import { changesFromNothing } from '../study/changes.ts';

export class Accounts extends AccountQueries {
  async create(input: { id?: string; displayName: string }, change: Change): Promise<AccountRecord> {
    return await this.session.write(async (session) => {
      const account = { id: input.id ?? session.newId(), displayName: input.displayName, createdTs: session.clock() };
      await new Accounts(session).insert(account);
      await session.audit(change, {
        action: 'account.create',
        entityType: 'account',
        entityId: account.id,
        changes: changesFromNothing(account),
      });
      return account;
    });
  }
}
