import { latestEnd } from '../../../clock-rules.ts';
import { OutpostError } from '../../../errors.ts';
import { typedCode } from '../../../secrets/typed-code.ts';
import {
  ACCESS_TOKEN_LIFETIME_MS,
  hashToken,
  LONGEST_ACCESS_MS,
  newAccessToken,
  newReadableSecret,
} from '../../credentials.ts';
import type { Change } from '../../session.ts';
import { Queries } from '../queries.ts';
import { type UserRecord, Users } from './users.ts';

const PASSWORD_CODE_LIFETIME_MS = 3 * 24 * 60 * 60 * 1000;

/** Access tokens of users, and the one-time codes with which a password is set. */
export class Tokens extends Queries {
  /** A new token, shown this once; valid for two weeks. Expired tokens of the user go away with it. */
  async create(userId: string): Promise<{ accessToken: string; expirationTs: number }> {
    return await this.session.write(async (session) => {
      const now = session.clock();
      const accessToken = newAccessToken();
      const expirationTs = now + ACCESS_TOKEN_LIFETIME_MS;
      await session.db.deleteFrom('token').where('userId', '=', userId).where('expirationTs', '<=', now).execute();
      await session.db
        .insertInto('token')
        .values({ id: session.newId(), userId, tokenHash: hashToken(accessToken), createdTs: now, expirationTs })
        .execute();
      return { accessToken, expirationTs };
    });
  }

  /**
   * A new token for a password that matched `passwordHash`; undefined when the user has another one by now, or is disabled.
   * Verifying takes tens of milliseconds, and a reset that commits in between must not leave a session behind it.
   */
  async signIn(userId: string, passwordHash: string): Promise<Awaited<ReturnType<Tokens['create']>> | undefined> {
    return await this.session.write(async (session) => {
      const current = await session.db
        .selectFrom('user')
        .select('id')
        .where('id', '=', userId)
        .where('passwordHash', '=', passwordHash)
        .where('disabledTs', 'is', null)
        .executeTakeFirst();
      return current && (await new Tokens(session).create(userId));
    });
  }

  /**
   * The user whose valid token this is, and when it expires; undefined when it is unknown, expired, another user's, or the
   * user is disabled.
   */
  async authenticate(
    userId: string,
    accessToken: string,
  ): Promise<{ user: UserRecord; expirationTs: number } | undefined> {
    const nowTs = this.session.clock();
    const found = await this.session.db
      .selectFrom('token')
      .select('expirationTs')
      .where('tokenHash', '=', hashToken(accessToken))
      .where('userId', '=', userId)
      .where('expirationTs', '>', nowTs)
      // One that a clock that was ahead gave out would outlive its two weeks.
      .where('expirationTs', '<=', latestEnd(LONGEST_ACCESS_MS, nowTs))
      .executeTakeFirst();
    if (!found) return undefined;
    const user = await new Users(this.session).get(userId);
    return user && !user.isDisabled ? { user, expirationTs: found.expirationTs } : undefined;
  }

  /** Ends this token alone. */
  async revoke(userId: string, accessToken: string): Promise<void> {
    await this.session.db
      .deleteFrom('token')
      .where('tokenHash', '=', hashToken(accessToken))
      .where('userId', '=', userId)
      .execute();
  }

  async revokeAll(userId: string): Promise<void> {
    await this.session.db.deleteFrom('token').where('userId', '=', userId).execute();
  }

  /** A one-time code with which the user sets a password; an admin hands it over or it goes by e-mail. Valid for 3 days. */
  async createPasswordCode(userId: string, change: Change): Promise<{ code: string; expirationTs: number }> {
    return await this.session.write(async (session) => {
      await new Users(session).require(userId);
      const now = session.clock();
      const code = newReadableSecret();
      const expirationTs = now + PASSWORD_CODE_LIFETIME_MS;
      await session.db.deleteFrom('passwordCode').where('userId', '=', userId).where('usedTs', 'is', null).execute();
      await session.db
        .insertInto('passwordCode')
        .values({ id: session.newId(), userId, codeHash: hashToken(code), createdTs: now, expirationTs, usedTs: null })
        .execute();
      await session.audit(change, { action: 'user.password-code', entityType: 'user', entityId: userId });
      return { code, expirationTs };
    });
  }

  /** Spends a code and sets the password. @throws LOGIN_FAILED when the code is unknown, used or expired */
  async redeemPasswordCode(code: string, passwordHash: string): Promise<UserRecord> {
    return await this.session.write(async (session) => {
      const now = session.clock();
      const row = await session.db
        .selectFrom('passwordCode')
        .select(['id', 'userId'])
        .where('codeHash', '=', hashToken(typedCode(code)))
        .where('usedTs', 'is', null)
        .where('expirationTs', '>', now)
        .where('expirationTs', '<=', latestEnd(PASSWORD_CODE_LIFETIME_MS, now))
        .executeTakeFirst();
      const users = new Users(session);
      const user = row && (await users.get(row.userId));
      if (!row || !user || user.isDisabled) {
        throw new OutpostError(
          'LOGIN_FAILED',
          'This code is wrong, used or expired. Ask an administrator for a new one.',
        );
      }
      await session.db.updateTable('passwordCode').set({ usedTs: now }).where('id', '=', row.id).execute();
      await users.setPassword(row.userId, passwordHash, { actor: { type: 'USER', id: row.userId } });
      return await users.require(row.userId);
    });
  }
}
