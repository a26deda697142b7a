/** A user as the API describes it, with the account it belongs to. */
import type { AccountRecord, UserRecord } from '../../../db/index.ts';
import type { Store } from '../../../services/index.ts';
import type { User } from '../../contract/index.ts';
import { notFound } from '../../framework/errors.ts';

export function toUser(user: UserRecord, account: AccountRecord): User {
  return {
    id: user.id,
    accountId: user.accountId,
    accounts: [{ id: account.id, displayName: account.displayName, role: user.role }],
    createdTs: user.createdTs,
    ...(user.disabledTs === undefined ? {} : { disabledTs: user.disabledTs }),
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    isDisabled: user.isDisabled,
    legaleseVersionAccepted: user.legaleseVersionAccepted,
    legaleseVersionRequired: user.legaleseVersionRequired,
    locale: user.locale,
    timezone: user.timezone,
  };
}

/** @throws NOT_FOUND */
export async function accountOf(store: Store, { accountId }: { accountId: string }): Promise<AccountRecord> {
  const account = await store.accounts.get(accountId);
  if (!account) throw notFound('account');
  return account;
}
