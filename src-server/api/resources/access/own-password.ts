/** Asks a signed-in person for their password again, where an open session is not enough. */
import type { Request } from 'express';
import { type PasswordAsked, verifyPassword } from '../../../db/index.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, type Caller, changeBy } from '../../framework/authenticate.ts';
import { invalidField } from '../../framework/errors.ts';
import { LoginThrottle } from './login-throttle.ts';

/** One throttle for all reasons to ask: an open session must not allow guessing of the password. */
const throttles = new WeakMap<ApiDeps, LoginThrottle>();

/**
 * Returns the hash that the password was checked against. A wrong password is audited with what it was asked for, never itself; the
 * throttle bounds how many entries that makes.
 * @param path the field of the password, for the error
 * @throws THROTTLED as a sign-in does, INVALID_INPUT when it is wrong
 */
export async function requirePassword(
  deps: ApiDeps,
  { user }: Caller,
  request: Request,
  { password, path, asked }: { password: string; path: string; asked: PasswordAsked },
): Promise<string> {
  const throttle = throttles.get(deps) ?? new LoginThrottle(deps.elapsed);
  throttles.set(deps, throttle);
  const attempt = throttle.begin(addressOf(request), `password of ${user.id}`);
  const verified = (await deps.store.users.findForLogin(user.email))?.passwordHash ?? undefined;
  if (verified === undefined || !(await verifyPassword(password, verified))) {
    await deps.store.refusals.notePassword(asked, addressOf(request), changeBy({ user }));
    throw invalidField(path, 'is not your current password');
  }
  attempt.succeed();
  return verified;
}
