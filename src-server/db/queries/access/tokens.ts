/** Statements on access tokens of users and on the one-time codes with which a password is set. Both are stored as hashes. */
import { latestEnd } from '../../../clock-rules.ts';
import { DAY_MS } from '../../../durations.ts';
import { hashToken, LONGEST_ACCESS_MS } from '../../credentials.ts';
import { Queries } from '../queries.ts';
import { UserQueries, type UserRecord } from './users.ts';

export const PASSWORD_CODE_LIFETIME_MS = 3 * DAY_MS;

export class TokenQueries extends Queries {
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
      // A token issued while the clock was ahead would outlive its two weeks.
      .where('expirationTs', '<=', latestEnd(LONGEST_ACCESS_MS, nowTs))
      .executeTakeFirst();
    if (!found) return undefined;
    const user = await new UserQueries(this.session).get(userId);
    return user && !user.isDisabled ? { user, expirationTs: found.expirationTs } : undefined;
  }

  protected async insert(token: { userId: string; accessToken: string; expirationTs: number }): Promise<void> {
    const { userId, accessToken, expirationTs } = token;
    const { db, clock, newId } = this.session;
    await db
      .insertInto('token')
      .values({ id: newId(), userId, tokenHash: hashToken(accessToken), createdTs: clock(), expirationTs })
      .execute();
  }

  protected async deleteExpired(userId: string): Promise<void> {
    const { db, clock } = this.session;
    await db.deleteFrom('token').where('userId', '=', userId).where('expirationTs', '<=', clock()).execute();
  }

  /** A token that expires earlier is left as it is. */
  protected async endAt(userId: string, accessToken: string, untilTs: number): Promise<void> {
    await this.session.db
      .updateTable('token')
      .set({ expirationTs: untilTs })
      .where('tokenHash', '=', hashToken(accessToken))
      .where('userId', '=', userId)
      .where('expirationTs', '>', untilTs)
      .execute();
  }

  protected async deleteOne(userId: string, accessToken: string): Promise<void> {
    await this.session.db
      .deleteFrom('token')
      .where('tokenHash', '=', hashToken(accessToken))
      .where('userId', '=', userId)
      .execute();
  }

  protected async deleteAll(userId: string): Promise<void> {
    await this.session.db.deleteFrom('token').where('userId', '=', userId).execute();
  }

  /** True when the user is enabled and has this password hash now. */
  protected async isCurrentPassword(userId: string, passwordHash: string): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('user')
      .select('id')
      .where('id', '=', userId)
      .where('passwordHash', '=', passwordHash)
      .where('disabledTs', 'is', null)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Stores a one-time code in place of those of the user that were not used. */
  protected async replaceCode(userId: string, code: string, expirationTs: number): Promise<void> {
    const { db, clock, newId } = this.session;
    await db.deleteFrom('passwordCode').where('userId', '=', userId).where('usedTs', 'is', null).execute();
    await db
      .insertInto('passwordCode')
      .values({ id: newId(), userId, codeHash: hashToken(code), createdTs: clock(), expirationTs })
      .execute();
  }

  /** An unused code that is valid now. */
  protected async findValidCode(code: string): Promise<{ id: string; userId: string } | undefined> {
    const nowTs = this.session.clock();
    return await this.session.db
      .selectFrom('passwordCode')
      .select(['id', 'userId'])
      .where('codeHash', '=', hashToken(code))
      .where('usedTs', 'is', null)
      .where('expirationTs', '>', nowTs)
      .where('expirationTs', '<=', latestEnd(PASSWORD_CODE_LIFETIME_MS, nowTs))
      .executeTakeFirst();
  }

  protected async setCodeUsed(id: string): Promise<void> {
    await this.session.db
      .updateTable('passwordCode')
      .set({ usedTs: this.session.clock() })
      .where('id', '=', id)
      .execute();
  }
}
