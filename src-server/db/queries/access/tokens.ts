/** Statements on access tokens of users and on the one-time codes with which a password is set. Both are stored as hashes. */
import { latestEnd } from '../../../clock-rules.ts';
import { DAY_MS } from '../../../durations.ts';
import { hashToken, LONGEST_ACCESS_MS } from '../../credentials.ts';
import { Queries } from '../queries.ts';
import { UserQueries, type UserRecord } from './users.ts';

export const PASSWORD_CODE_LIFETIME_MS = 3 * DAY_MS;

/** A session as its user recognises it. */
export interface SessionRecord {
  id: string;
  createdTs: number;
  expirationTs: number;
  lastUsedTs: number;
  address?: string;
  client?: string;
}

interface NewToken {
  userId: string;
  accessToken: string;
  expirationTs: number;
  address?: string;
  client?: string;
}

export class TokenQueries extends Queries {
  /**
   * The user whose valid token this is, and when it expires; undefined when it is unknown, expired, another user's, or the
   * user is disabled.
   */
  async authenticate(
    userId: string,
    accessToken: string,
  ): Promise<{ id: string; user: UserRecord; expirationTs: number } | undefined> {
    const nowTs = this.session.clock();
    const found = await this.session.db
      .selectFrom('token')
      .select(['id', 'expirationTs'])
      .where('tokenHash', '=', hashToken(accessToken))
      .where('userId', '=', userId)
      .where('expirationTs', '>', nowTs)
      // A token issued while the clock was ahead would outlive its two weeks.
      .where('expirationTs', '<=', latestEnd(LONGEST_ACCESS_MS, nowTs))
      .executeTakeFirst();
    if (!found) return undefined;
    const user = await new UserQueries(this.session).get(userId);
    return user && !user.isDisabled ? { ...found, user } : undefined;
  }

  /** Sessions of a user that are valid now, the newest first. */
  async listSessions(userId: string): Promise<SessionRecord[]> {
    const nowTs = this.session.clock();
    const rows = await this.session.db
      .selectFrom('token')
      .leftJoin('tokenUse', 'tokenUse.tokenId', 'token.id')
      .select([
        'token.id',
        'token.createdTs',
        'token.expirationTs',
        'token.address',
        'token.client',
        'tokenUse.usedTs',
        'tokenUse.address as usedAddress',
      ])
      .where('token.userId', '=', userId)
      .where('token.expirationTs', '>', nowTs)
      .where('token.expirationTs', '<=', latestEnd(LONGEST_ACCESS_MS, nowTs))
      .orderBy('token.createdTs', 'desc')
      .orderBy('token.id', 'desc')
      .execute();
    return rows.map(({ address, client, usedTs, usedAddress, ...row }) => ({
      ...row,
      ...(client !== null && { client }),
      ...((usedAddress ?? address) !== null && { address: usedAddress ?? address! }),
      lastUsedTs: usedTs ?? row.createdTs,
    }));
  }

  /** Whether a valid session of the user comes from this address. */
  async hasSessionFrom(userId: string, address: string): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('token')
      .select('id')
      .where('userId', '=', userId)
      .where('address', '=', address)
      .where('expirationTs', '>', this.session.clock())
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Stores when sessions were last used. Those that ended meanwhile are left out. */
  async noteUses(uses: readonly { tokenId: string; usedTs: number; address: string }[]): Promise<void> {
    await this.session.write(async ({ db }) => {
      for (const { tokenId, usedTs, address } of uses) {
        await db
          .insertInto('tokenUse')
          .columns(['tokenId', 'usedTs', 'address'])
          .expression((eb) =>
            eb
              .selectFrom('token')
              .select(['id', eb.val(usedTs).as('usedTs'), eb.val(address).as('address')])
              .where('id', '=', tokenId),
          )
          .onConflict((conflict) => conflict.column('tokenId').doUpdateSet({ usedTs, address }))
          .execute();
      }
    });
  }

  protected async insert(token: NewToken): Promise<void> {
    const { accessToken, ...columns } = token;
    const { db, clock, newId } = this.session;
    await db
      .insertInto('token')
      .values({ id: newId(), ...columns, tokenHash: hashToken(accessToken), createdTs: clock() })
      .execute();
  }

  /** @returns how many there were */
  protected async deleteExpired(userId: string): Promise<number> {
    const { db, clock } = this.session;
    const deleted = await db
      .deleteFrom('token')
      .where('userId', '=', userId)
      .where('expirationTs', '<=', clock())
      .executeTakeFirst();
    return Number(deleted.numDeletedRows);
  }

  /** Ends one session by its id. @returns whether the user had it */
  protected async deleteSession(userId: string, id: string): Promise<boolean> {
    const deleted = await this.session.db
      .deleteFrom('token')
      .where('id', '=', id)
      .where('userId', '=', userId)
      .executeTakeFirst();
    return deleted.numDeletedRows > 0n;
  }

  /** No session lasts longer than this from its beginning. */
  protected async endAllAfter(lifetimeMs: number): Promise<void> {
    await this.session.db
      .updateTable('token')
      .set((eb) => ({ expirationTs: eb('createdTs', '+', lifetimeMs) }))
      .where((eb) => eb('expirationTs', '>', eb('createdTs', '+', lifetimeMs)))
      .execute();
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
