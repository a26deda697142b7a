/** Limits how often the passphrase of backups may be guessed over the interface, as a sign-in is limited. */
import type { Request } from 'express';
import type { ApiDeps } from '../../deps.ts';
import { addressOf } from '../../framework/authenticate.ts';
import { LoginThrottle } from '../access/login-throttle.ts';

/** One throttle for all uses of a passphrase: guessing must not move on to another call. */
const throttles = new WeakMap<ApiDeps, LoginThrottle>();

/**
 * Runs work that fails with a wrong passphrase. Work that fails counts as a wrong one.
 * @param place what the passphrase opens
 * @throws THROTTLED with `retryAfterSeconds`, and what the work throws
 */
export async function withThrottle<T>(
  deps: ApiDeps,
  request: Request,
  place: string,
  work: () => Promise<T>,
): Promise<T> {
  const throttle = throttles.get(deps) ?? new LoginThrottle(deps.elapsed);
  throttles.set(deps, throttle);
  const attempt = throttle.begin(addressOf(request), place);
  const done = await work();
  attempt.succeed();
  return done;
}
