/** Sessions of users (access tokens), and the one-time codes with which a password is set. */
import {
  ACCESS_TOKEN_LIFETIME_MS,
  type Change,
  newAccessToken,
  newReadableSecret,
  PASSWORD_CODE_LIFETIME_MS,
  TokenQueries,
  type UserRecord,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { typedCode } from '../secrets/typed-code.ts';
import { Users } from './users.ts';

export class Tokens extends TokenQueries {
  /** Returns a new token, which is not shown again; valid for two weeks. Deletes expired tokens of the user. */
  async create(userId: string): Promise<{ accessToken: string; expirationTs: number }> {
    return await this.session.write(async (session) => {
      const tokens = new Tokens(session);
      const accessToken = newAccessToken();
      const expirationTs = session.clock() + ACCESS_TOKEN_LIFETIME_MS;
      await tokens.deleteExpired(userId);
      await tokens.insert({ userId, accessToken, expirationTs });
      return { accessToken, expirationTs };
    });
  }

  /**
   * Returns a new token for a password that matched `passwordHash`; undefined when the user has another password by now or is
   * disabled. Verifying takes tens of milliseconds, and a session must not survive a reset that commits meanwhile.
   */
  async signIn(userId: string, passwordHash: string): Promise<Awaited<ReturnType<Tokens['create']>> | undefined> {
    return await this.session.write(async (session) => {
      const tokens = new Tokens(session);
      return (await tokens.isCurrentPassword(userId, passwordHash)) ? await tokens.create(userId) : undefined;
    });
  }

  /** Makes a session end at this time, unless it ends earlier. */
  async shorten(userId: string, accessToken: string, untilTs: number): Promise<void> {
    await this.endAt(userId, accessToken, untilTs);
  }

  /** Ends one session. */
  async revoke(userId: string, accessToken: string): Promise<void> {
    await this.deleteOne(userId, accessToken);
  }

  /** Ends every session of the user. */
  async revokeAll(userId: string): Promise<void> {
    await this.deleteAll(userId);
  }

  /**
   * Returns a one-time code with which the user sets a password, valid for 3 days. An administrator hands it over, or it goes by
   * e-mail. @throws NOT_FOUND
   */
  async createPasswordCode(userId: string, change: Change): Promise<{ code: string; expirationTs: number }> {
    return await this.session.write(async (session) => {
      await new Users(session).require(userId);
      const code = newReadableSecret();
      const expirationTs = session.clock() + PASSWORD_CODE_LIFETIME_MS;
      await new Tokens(session).replaceCode(userId, code, expirationTs);
      await session.audit(change, { action: 'user.password-code', entityType: 'user', entityId: userId });
      return { code, expirationTs };
    });
  }

  /** Whether a code would be accepted now. */
  async isValidCode(code: string): Promise<boolean> {
    return (await this.findValidCode(typedCode(code))) !== undefined;
  }

  /** Uses up a code and sets the password. @throws LOGIN_FAILED when the code is unknown, used or expired */
  async redeemPasswordCode(code: string, passwordHash: string): Promise<UserRecord> {
    return await this.session.write(async (session) => {
      const tokens = new Tokens(session);
      const users = new Users(session);
      const valid = await tokens.findValidCode(typedCode(code));
      const user = valid && (await users.get(valid.userId));
      if (!user || user.isDisabled) {
        throw new OutpostError(
          'LOGIN_FAILED',
          'This code is wrong, used or expired. Ask an administrator for a new one.',
        );
      }
      await tokens.setCodeUsed(valid.id);
      await users.setPassword(user.id, passwordHash, { actor: { type: 'USER', id: user.id } });
      return await users.require(user.id);
    });
  }
}
