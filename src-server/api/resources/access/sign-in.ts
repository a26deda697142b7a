/** Signing in and out, and passwords. Guesses of a password or code are throttled by who fails. */
import { hashPassword, verifyPassword } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { userRoutes } from '../../contract/resources/users.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, changeBy } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';
import { LoginThrottle } from './login-throttle.ts';
import { requirePassword } from './own-password.ts';
import { accountOf, toUser } from './user-record.ts';

type SignInRoute = 'login' | 'logout' | 'createPasswordCode' | 'changePassword' | 'resetPassword';

function loginFailed(): OutpostError {
  return new OutpostError('LOGIN_FAILED', 'The e-mail or the password is wrong. Check both and try again.');
}

export function signInHandlers(deps: ApiDeps): Pick<Handlers<typeof userRoutes>, SignInRoute> {
  const { store } = deps;
  const throttle = new LoginThrottle(deps.elapsed);
  return {
    login: async ({ body, request }) => {
      const attempt = throttle.begin(addressOf(request), body.email);
      const failed = () => attempt.refusal ?? loginFailed();
      const found = await store.users.findForLogin(body.email);
      const isRight = await verifyPassword(body.password, found?.passwordHash);
      if (!found?.passwordHash || !isRight || found.user.isDisabled) throw failed();
      const { user, passwordHash } = found;
      // The password was correct, so the attempt does not count even if creating the session fails (full disk).
      attempt.succeed();
      const signedIn = await store.tokens.signIn(user.id, passwordHash);
      if (!signedIn) throw failed();
      const { accessToken, expirationTs } = signedIn;
      const shown = toUser(user, await accountOf(store, user));
      return { accessToken, expiration: expirationTs, user: { ...shown, locale: shown.locale.toLowerCase() } };
    },
    logout: async ({ caller }) => {
      await store.tokens.revoke(caller.user.id, caller.accessToken);
    },
    createPasswordCode: async ({ scope, caller }) => {
      if (scope.user.isDisabled) {
        throw new OutpostError('CONFLICT', 'This user is disabled and cannot sign in. Enable the user first.');
      }
      const { code, expirationTs } = await store.tokens.createPasswordCode(scope.user.id, changeBy(caller));
      return { userId: scope.user.id, code, expiration: expirationTs };
    },
    changePassword: async ({ body, caller, request }) => {
      const asked = { for: 'CHANGE_PASSWORD', entityType: 'user', entityId: caller.user.id } as const;
      const given = { password: body.currentPassword, path: 'currentPassword', asked };
      const verified = await requirePassword(deps, caller, request, given);
      const keepToken = caller.accessToken;
      const passwordHash = await hashPassword(body.password);
      await store.users.setPassword(caller.user.id, passwordHash, changeBy(caller), { keepToken, verified });
    },
    resetPassword: async ({ body, request }) => {
      const code = body.code.replace(/[\s-]/g, '');
      // A code cannot be guessed, so only wrong ones count: those of others stop nobody who has one. They share one count per
      // network, because a code is a secret and must not be a key.
      if (!(await store.tokens.isValidCode(code))) throttle.begin(addressOf(request), 'codes');
      await store.tokens.redeemPasswordCode(code, await hashPassword(body.password));
    },
  };
}
