/** Users: creating and changing them, their passwords, and disabling. Each of these ends the sessions that it must. */
import { type Change, hashToken, UserQueries, type UserRecord } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import type { Role } from '../study/permissions.ts';
import { emailKeyOf } from '../study/text.ts';

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

export class Users extends UserQueries {
  /** @throws DUPLICATE_EMAIL when the e-mail is taken, regardless of letter case, by disabled users too */
  async create(input: NewUser, change: Change): Promise<UserRecord> {
    return await this.session.write(async (session) => {
      const users = new Users(session);
      const emailKey = emailKeyOf(input.email);
      if (await users.hasEmail(emailKey)) {
        throw new OutpostError('DUPLICATE_EMAIL', 'Another user has this e-mail address. Use a different one.', {
          errors: [{ path: 'email', message: 'This e-mail address is taken.' }],
        });
      }
      const now = session.clock();
      const { passwordHash, ...visible } = { ...input, id: input.id ?? session.newId(), email: input.email.trim() };
      await users.insert({ ...visible, emailKey, passwordHash, createdTs: now, modifiedTs: now });
      await session.audit(change, {
        action: 'user.create',
        entityType: 'user',
        entityId: visible.id,
        changes: changesFromNothing(visible),
      });
      return await users.require(visible.id);
    });
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
      await users.patch(id, { ...fields, modifiedTs: session.clock() });
      await session.audit(change, { action: 'user.update', entityType: 'user', entityId: id, changes });
      return await users.require(id);
    });
  }

  /**
   * Stores a new password and ends all tokens of the user but `keepToken`, and all unused one-time codes. The audit records that
   * the password changed, never its value.
   * @param options `verified` is the hash that the present password was checked against, `keepToken` the calling session. Both
   * must still be valid: an administrator may have ended them while the password was checked and hashed
   * @throws NOT_FOUND, UNAUTHORIZED when `verified` or `keepToken` has ended
   */
  async setPassword(
    id: string,
    passwordHash: string,
    change: Change,
    options: { keepToken?: string; verified?: string } = {},
  ): Promise<void> {
    await this.session.write(async (session) => {
      const users = new Users(session);
      await users.require(id);
      await users.#requireUnchanged(id, options);
      await users.patch(id, { passwordHash, modifiedTs: session.clock() });
      const { keepToken } = options;
      await users.deleteTokensAndCodes(id, keepToken === undefined ? undefined : hashToken(keepToken));
      await session.audit(change, { action: 'user.set-password', entityType: 'user', entityId: id });
    });
  }

  /** Ends every session of the user but `keepToken`, and every signed address that the user was given. */
  async endSessions(id: string, keepToken?: string): Promise<void> {
    await this.session.write(async (session) => {
      await new Users(session).deleteTokens(id, keepToken === undefined ? undefined : hashToken(keepToken));
    });
  }

  /** Marks the user disabled, ends all tokens at once and deletes private saved filters. Doing it again changes nothing. @throws NOT_FOUND */
  async disable(id: string, change: Change): Promise<UserRecord> {
    return await this.session.write(async (session) => {
      const users = new Users(session);
      const old = await users.require(id);
      if (old.isDisabled) return old;
      const now = session.clock();
      await users.patch(id, { disabledTs: now, modifiedTs: now });
      // The codes too: one that was handed out before must not let the user in once they are enabled again.
      await users.deleteTokensAndCodes(id);
      await users.deletePrivateFilters(id);
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
      await users.patch(id, { disabledTs: null, modifiedTs: session.clock() });
      await session.audit(change, {
        action: 'user.enable',
        entityType: 'user',
        entityId: id,
        changes: { isDisabled: { old: true, new: false } },
      });
      return await users.require(id);
    });
  }

  /** @throws UNAUTHORIZED when the user has another password than `verified`, or `keepToken` has ended */
  async #requireUnchanged(
    id: string,
    { verified, keepToken }: { keepToken?: string; verified?: string },
  ): Promise<void> {
    const isSessionValid = keepToken === undefined || (await this.hasToken(id, hashToken(keepToken)));
    const isPasswordCurrent = verified === undefined || (await this.hasPasswordHash(id, verified));
    if (isSessionValid && isPasswordCurrent) return;
    throw new OutpostError('UNAUTHORIZED', 'Your session or password was changed meanwhile. Sign in again.');
  }
}
