/** Statements on users. A password hash leaves this file only for log-in. */
import type { Selectable } from 'kysely';
import { personName } from '../../../study/person-name.ts';
import { emailKeyOf } from '../../../study/text.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf, notFound } from '../shared.ts';

const { user: USER } = TABLES;

/** A user without any secret. `locale` is `en_US` or `ja_JP`, `role` the role in the account. */
export interface UserRecord extends Omit<RecordOf<typeof USER>, 'emailKey' | 'passwordHash'> {
  hasPassword: boolean;
  isDisabled: boolean;
}

function toRecord(row: Selectable<Tables['user']>): UserRecord {
  const { emailKey: _, passwordHash, ...user } = USER.toRecord(row);
  return { ...user, hasPassword: passwordHash !== undefined, isDisabled: user.disabledTs !== undefined };
}

export class UserQueries extends Queries {
  async get(id: string): Promise<UserRecord | undefined> {
    const row = await this.session.db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string): Promise<UserRecord> {
    const user = await this.get(id);
    if (!user) throw notFound('user');
    return user;
  }

  /** For log-in, with the stored password hash. Letter case does not matter. */
  async findForLogin(email: string): Promise<{ user: UserRecord; passwordHash: string | null } | undefined> {
    const row = await this.session.db
      .selectFrom('user')
      .selectAll()
      .where('emailKey', '=', emailKeyOf(email))
      .executeTakeFirst();
    return row && { user: toRecord(row), passwordHash: row.passwordHash };
  }

  /** Users of an account, disabled ones included, by creation, then id. */
  async list(accountId: string): Promise<UserRecord[]> {
    const rows = await this.session.db
      .selectFrom('user')
      .selectAll()
      .where('accountId', '=', accountId)
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** Names by id; ids that are not known are absent. */
  async namesOf(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.session.db
      .selectFrom('user')
      .select(['id', 'firstName', 'lastName'])
      .where('id', 'in', anyOf(ids))
      .execute();
    return new Map(rows.map((user) => [user.id, personName(user)]));
  }

  protected async hasEmail(emailKey: string): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('user')
      .select('id')
      .where('emailKey', '=', emailKey)
      .executeTakeFirst();
    return row !== undefined;
  }

  protected async hasPasswordHash(id: string, passwordHash: string): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('user')
      .select('id')
      .where('id', '=', id)
      .where('passwordHash', '=', passwordHash)
      .executeTakeFirst();
    return row !== undefined;
  }

  protected async hasToken(userId: string, tokenHash: string): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('token')
      .select('id')
      .where('userId', '=', userId)
      .where('tokenHash', '=', tokenHash)
      .where('expirationTs', '>', this.session.clock())
      .executeTakeFirst();
    return row !== undefined;
  }

  protected async insert(user: InsertOf<typeof USER>): Promise<void> {
    await this.session.db.insertInto('user').values(USER.toRow(user)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof USER>): Promise<void> {
    await this.session.db.updateTable('user').set(USER.toRow(fields)).where('id', '=', id).execute();
  }

  /** Filters that are shared with a study stay there. */
  protected async deletePrivateFilters(userId: string): Promise<void> {
    await this.session.db
      .deleteFrom('savedFilter')
      .where('userId', '=', userId)
      .where('sharedStudyId', 'is', null)
      .execute();
  }

  /** Ends all sessions of a user, or all but one, and all signed addresses. */
  protected async deleteTokens(userId: string, keepTokenHash?: string): Promise<void> {
    const { db } = this.session;
    const ended = db.deleteFrom('token').where('userId', '=', userId);
    await (keepTokenHash === undefined ? ended : ended.where('tokenHash', '!=', keepTokenHash)).execute();
    await db
      .updateTable('user')
      .set((eb) => ({ accessRound: eb('accessRound', '+', 1) }))
      .where('id', '=', userId)
      .execute();
  }

  /** The same, and ends the one-time codes that were not used. */
  protected async deleteTokensAndCodes(userId: string, keepTokenHash?: string): Promise<void> {
    const { db } = this.session;
    await this.deleteTokens(userId, keepTokenHash);
    await db.deleteFrom('passwordCode').where('userId', '=', userId).where('usedTs', 'is', null).execute();
  }
}
