/** Checks e-mail and password of somebody who is not signed in. Guesses are throttled, and failures noted in the access log. */
import type { Request } from 'express';
import { type UserRecord, verifyPassword } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { AccessDetail } from '../../../vocabulary/access-log.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf } from '../../framework/authenticate.ts';
import { type Attempt, LoginThrottle } from './login-throttle.ts';

/** One throttle for all routes that take a password: they must not multiply the guesses. */
const throttles = new WeakMap<ApiDeps, LoginThrottle>();

export function loginThrottleOf(deps: ApiDeps): LoginThrottle {
  const throttle = throttles.get(deps) ?? new LoginThrottle(deps.elapsed);
  throttles.set(deps, throttle);
  return throttle;
}

export function loginFailed(): OutpostError {
  return new OutpostError('LOGIN_FAILED', 'The e-mail or the password is wrong. Check both and try again.');
}

/** Notes a failed sign-in. A name that no user has is kept as a hash only: it may be a password. */
export function noteFailure(
  { accessLog }: ApiDeps,
  request: Request,
  detail: AccessDetail,
  { user, name }: { user?: UserRecord | undefined; name?: string },
): void {
  const who = user ? { accountId: user.accountId, userId: user.id } : name === undefined ? {} : { name };
  accessLog.note({ kind: 'SIGN_IN_FAILED', detail, address: addressOf(request), ...who });
}

/** @throws THROTTLED; LOGIN_FAILED for a wrong e-mail or password, and for a disabled user */
export async function checkPassword(
  deps: ApiDeps,
  request: Request,
  { email, password }: { email: string; password: string },
): Promise<{ user: UserRecord; passwordHash: string }> {
  let attempt: Attempt;
  try {
    attempt = loginThrottleOf(deps).begin(addressOf(request), email);
  } catch (thrown) {
    // Without a look into the database: an attempt that is refused must stay cheap.
    noteFailure(deps, request, 'THROTTLED', { name: email });
    throw thrown;
  }
  const found = await deps.store.users.findForLogin(email);
  const isRight = await verifyPassword(password, found?.passwordHash);
  if (!found?.passwordHash || !isRight || found.user.isDisabled) {
    const reason = !found ? 'NAME' : isRight ? 'DISABLED' : 'PASSWORD';
    noteFailure(deps, request, reason, { user: found?.user, name: email });
    throw attempt.refusal ?? loginFailed();
  }
  // The password was correct, so the attempt does not count even if creating the session fails (full disk).
  attempt.succeed();
  return { user: found.user, passwordHash: found.passwordHash };
}
