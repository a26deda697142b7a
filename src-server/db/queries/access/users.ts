import type { Selectable } from 'kysely';
import { OutpostError } from '../../../errors.ts';
import { changesBetween, changesFromNothing } from '../../../study/changes.ts';
import type { Role } from '../../../study/permissions.ts';
import { hashToken } from '../../credentials.ts';
import type { Tables } from '../../schema.ts';
import type { Change, Session } from '../../session.ts';
import { foldText } from '../../text.ts';
import { Queries } from '../queries.ts';
import { absent, notFound } from '../shared.ts';

/** A user without any secret. */
export interface UserRecord {
  id: string;
  accountId: string;
  email: string;
  firstName: string;
  lastName: string;
  /** `en_US` or `ja_JP`. */
  locale: string;
  timezone: string;
  /** Role in the account. */
  role: Role;
  hasPassword: boolean;
  isDisabled: boolean;
  disabledTs?: number;
  legaleseVersionAccepted: number;
  legaleseVersionRequired: number;
  createdTs: number;
  modifiedTs: number;
}

export interface NewUser {
  id?: string;
  accountId: string;
  email: string;
  /** From hashPassword; absent when the user has yet to set one. */
  passwordHash?: string;
  firstName: string;
  lastName: string;
  locale: string;
  timezone: string;
  role: Role;
}

function toRecord(row: Selectable<Tables['user']>): UserRecord {
  const { emailKey: _key, passwordHash, disabledTs, role, ...rest } = row;
  return {
    ...rest,
    role: role as Role,
    hasPassword: passwordHash !== null,
    isDisabled: disabledTs !== null,
    disabledTs: absent(disabledTs),
  };
}

/** @throws UNAUTHORIZED when the user has another password than `verified`, or `keepToken` has ended */
async function requireUnchanged(
  session: Session,
  userId: string,
  { verified, keepToken }: { keepToken?: string; verified?: string },
): Promise<void> {
  const { db, clock } = session;
  const token =
    keepToken === undefined ||
    (await db
      .selectFrom('token')
      .select('id')
      .where('userId', '=', userId)
      .where('tokenHash', '=', hashToken(keepToken))
      .where('expirationTs', '>', clock())
      .executeTakeFirst());
  const password =
    verified === undefined ||
    (await db
      .selectFrom('user')
      .select('id')
      .where('id', '=', userId)
      .where('passwordHash', '=', verified)
      .executeTakeFirst());
  if (token && password) return;
  throw new OutpostError('UNAUTHORIZED', 'Your session or password was changed meanwhile. Sign in again.');
}

export class Users extends Queries {
  /** @throws DUPLICATE_EMAIL when the e-mail is taken, regardless of letter case, by disabled users too */
  async create(input: NewUser, change: Change): Promise<UserRecord> {
    return await this.session.write(async (session) => {
      const emailKey = foldText(input.email.trim());
      const taken = await session.db
        .selectFrom('user')
        .select('id')
        .where('emailKey', '=', emailKey)
        .executeTakeFirst();
      if (taken) {
        throw new OutpostError('DUPLICATE_EMAIL', 'Another user has this e-mail address. Use a different one.', {
          errors: [{ path: 'email', message: 'This e-mail address is taken.' }],
        });
      }
      const now = session.clock();
      const { passwordHash, ...visible } = { ...input, id: input.id ?? session.newId(), email: input.email.trim() };
      await session.db
        .insertInto('user')
        .values({
          ...visible,
          emailKey,
          passwordHash: passwordHash ?? null,
          createdTs: now,
          modifiedTs: now,
          disabledTs: null,
        })
        .execute();
      await session.audit(change, {
        action: 'user.create',
        entityType: 'user',
        entityId: visible.id,
        changes: changesFromNothing(visible),
      });
      return await new Users(session).require(visible.id);
    });
  }

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

  /** For log-in: the stored password hash is only ever answered here. Letter case does not matter. */
  async findForLogin(email: string): Promise<{ user: UserRecord; passwordHash: string | null } | undefined> {
    const row = await this.session.db
      .selectFrom('user')
      .selectAll()
      .where('emailKey', '=', foldText(email.trim()))
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

  /** @throws NOT_FOUND */
  async update(
    id: string,
    fields: Partial<
      Pick<UserRecord, 'firstName' | 'lastName' | 'locale' | 'timezone' | 'role' | 'legaleseVersionAccepted'>
    >,
    change: Change,
  ): Promise<UserRecord> {
    return await this.session.write(async (session) => {
      const users = new Users(session);
      const old = await users.require(id);
      const changes = changesBetween({ ...old }, { ...fields });
      if (Object.keys(changes).length === 0) return old;
      await session.db
        .updateTable('user')
        .set({ ...fields, modifiedTs: session.clock() })
        .where('id', '=', id)
        .execute();
      await session.audit(change, { action: 'user.update', entityType: 'user', entityId: id, changes });
      return await users.require(id);
    });
  }

  /**
   * Stores a new password; ends all tokens of the user but `keepToken`, and all unused one-time codes. The audit says that,
   * never what.
   * @param options `verified` is what the user's present password was checked against, and `keepToken` the session that asks:
   * both must still hold, as checking and hashing take a while in which an administrator may have ended them
   * @throws NOT_FOUND, UNAUTHORIZED when `verified` or `keepToken` has ended
   */
  async setPassword(
    id: string,
    passwordHash: string,
    change: Change,
    options: { keepToken?: string; verified?: string } = {},
  ): Promise<void> {
    await this.session.write(async (session) => {
      await new Users(session).require(id);
      await requireUnchanged(session, id, options);
      await session.db
        .updateTable('user')
        .set({ passwordHash, modifiedTs: session.clock() })
        .where('id', '=', id)
        .execute();
      const ended = session.db.deleteFrom('token').where('userId', '=', id);
      const { keepToken } = options;
      await (keepToken === undefined ? ended : ended.where('tokenHash', '!=', hashToken(keepToken))).execute();
      await session.db.deleteFrom('passwordCode').where('userId', '=', id).where('usedTs', 'is', null).execute();
      await session.audit(change, { action: 'user.set-password', entityType: 'user', entityId: id });
    });
  }

  /** Marks the user disabled and ends all tokens at once. Doing it again changes nothing. @throws NOT_FOUND */
  async disable(id: string, change: Change): Promise<UserRecord> {
    return await this.session.write(async (session) => {
      const users = new Users(session);
      const old = await users.require(id);
      if (old.isDisabled) return old;
      const now = session.clock();
      await session.db.updateTable('user').set({ disabledTs: now, modifiedTs: now }).where('id', '=', id).execute();
      await session.db.deleteFrom('token').where('userId', '=', id).execute();
      // A code that was handed out before must not let the user in once they are enabled again.
      await session.db.deleteFrom('passwordCode').where('userId', '=', id).where('usedTs', 'is', null).execute();
      await session.audit(change, {
        action: 'user.disable',
        entityType: 'user',
        entityId: id,
        changes: { isDisabled: { old: false, new: true } },
      });
      return await users.require(id);
    });
  }

  /** Lets a disabled user in again. @throws NOT_FOUND */
  async enable(id: string, change: Change): Promise<UserRecord> {
    return await this.session.write(async (session) => {
      const users = new Users(session);
      const old = await users.require(id);
      if (!old.isDisabled) return old;
      await session.db
        .updateTable('user')
        .set({ disabledTs: null, modifiedTs: session.clock() })
        .where('id', '=', id)
        .execute();
      await session.audit(change, {
        action: 'user.enable',
        entityType: 'user',
        entityId: id,
        changes: { isDisabled: { old: true, new: false } },
      });
      return await users.require(id);
    });
  }
}
