/** Sessions of users (access tokens), and the one-time codes with which a password is set. */
import {
  ACCESS_TOKEN_LIFETIME_MS,
  type Change,
  newAccessToken,
  newReadableSecret,
  notFound,
  PASSWORD_CODE_LIFETIME_MS,
  SettingQueries,
  TokenQueries,
  type UserRecord,
} from '../db/index.ts';
import { HOUR_MS } from '../durations.ts';
import { OutpostError } from '../errors.ts';
import { typedCode } from '../secrets/typed-code.ts';
import { type FactorProof, SecondFactors } from './second-factors.ts';
import { Users } from './users.ts';

/** From where a user signs in, and with which program. */
export interface SignInPlace {
  address?: string;
  /** User-Agent. */
  client?: string;
}

export interface NewSession {
  accessToken: string;
  expirationTs: number;
  /** Sessions of the user that had expired and were deleted. */
  expired: number;
}

const LONGEST_CLIENT = 300;

export class Tokens extends TokenQueries {
  /** Returns a new token, which is not shown again; valid as long as the site settings say. Deletes expired tokens of the user. */
  async create(userId: string, { address, client }: SignInPlace = {}): Promise<NewSession> {
    return await this.session.write(async (session) => {
      const tokens = new Tokens(session);
      const accessToken = newAccessToken();
      const { maxHours } = await new SettingQueries(session).get('sessions.limit');
      const expirationTs = session.clock() + Math.min(maxHours * HOUR_MS, ACCESS_TOKEN_LIFETIME_MS);
      const expired = await tokens.deleteExpired(userId);
      await tokens.insert({
        ...{ userId, accessToken, expirationTs },
        ...(address !== undefined && { address }),
        ...(client !== undefined && { client: client.slice(0, LONGEST_CLIENT) }),
      });
      return { accessToken, expirationTs, expired };
    });
  }

  /**
   * Returns a new token for a password that matched `passwordHash`, and for the proof of the second factor where one is on; undefined when
   * the user has another password by now, is disabled, or the proof does not count. Verifying takes tens of milliseconds, and a session
   * must survive neither a reset nor a second factor that commits meanwhile.
   */
  async signIn(
    userId: string,
    passwordHash: string,
    place: SignInPlace = {},
    proof?: FactorProof,
  ): Promise<NewSession | undefined> {
    return await this.session.write(async (session) => {
      const tokens = new Tokens(session);
      if (!(await tokens.isCurrentPassword(userId, passwordHash))) return undefined;
      const factors = new SecondFactors(session);
      if ((await factors.find(userId))?.confirmedTs !== undefined) {
        if (!proof || !(await factors.accept(userId, proof))) return undefined;
      } else if ((await new Users(session).require(userId)).needsSecondFactor) return undefined;
      return await tokens.create(userId, place);
    });
  }

  /**
   * Turns a required second factor on with its first code, and opens the first session with it, both or neither.
   * @returns undefined when the user has another password by now or is disabled
   * @throws CONFLICT as {@link SecondFactors.confirm} does
   */
  async signInWithFirstFactor(
    userId: string,
    passwordHash: string,
    place: SignInPlace,
    proof: FactorProof,
  ): Promise<{ session: NewSession; recoveryCodes: string[] } | undefined> {
    return await this.session.write(async (session) => {
      const tokens = new Tokens(session);
      if (!(await tokens.isCurrentPassword(userId, passwordHash))) return undefined;
      const change: Change = { actor: { type: 'USER', id: userId } };
      const recoveryCodes = await new SecondFactors(session).confirm(userId, proof, change);
      return { session: await tokens.create(userId, place), recoveryCodes };
    });
  }

  /** Ends one session by its id. @throws NOT_FOUND */
  async endSession(userId: string, id: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      if (!(await new Tokens(session).deleteSession(userId, id))) throw notFound('session');
      await session.audit(change, { action: 'user.end-session', entityType: 'user', entityId: userId });
    });
  }

  /** Ends every session of the user, and every signed address that the user was given. @throws NOT_FOUND */
  async endAllSessions(userId: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const users = new Users(session);
      await users.require(userId);
      await users.endSessions(userId);
      await session.audit(change, { action: 'user.end-sessions', entityType: 'user', entityId: userId });
    });
  }

  /** Ends sessions that are older than the limit of the site settings allows. */
  async applyLimit(maxHours: number): Promise<void> {
    await this.endAllAfter(maxHours * HOUR_MS);
  }

  /** Makes a session end at this time, unless it ends earlier. */
  async shorten(userId: string, accessToken: string, untilTs: number): Promise<void> {
    await this.endAt(userId, accessToken, untilTs);
  }

  /** Ends one session. */
  async revoke(userId: string, accessToken: string): Promise<void> {
    await this.deleteOne(userId, accessToken);
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
