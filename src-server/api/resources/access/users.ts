/** Signing in and out, and the users of an account. */

import type { AccountRecord, UserRecord } from '../../../db/index.ts';
import { hashPassword, verifyPassword } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import { isAllowed } from '../../../study/permissions.ts';
import { isTimeZone } from '../../../study/zones.ts';
import type { User } from '../../contract/index.ts';
import type { userRoutes } from '../../contract/resources/users.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { LoginThrottle } from './login-throttle.ts';
import { passwordMail } from './password-mail.ts';

function toUser(user: UserRecord, account: AccountRecord): User {
  return {
    id: user.id,
    accountId: user.accountId,
    accounts: [{ id: account.id, displayName: account.displayName, role: user.role }],
    createdTs: user.createdTs,
    ...(user.disabledTs === undefined ? {} : { disabledTs: user.disabledTs }),
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    isDisabled: user.isDisabled,
    legaleseVersionAccepted: user.legaleseVersionAccepted,
    legaleseVersionRequired: user.legaleseVersionRequired,
    locale: user.locale,
    timezone: user.timezone,
  };
}

function loginFailed(): OutpostError {
  return new OutpostError('LOGIN_FAILED', 'The e-mail or the password is wrong. Check both and try again.');
}

export function userHandlers(deps: ApiDeps): Handlers<typeof userRoutes> {
  const { store, clock } = deps;
  const throttle = new LoginThrottle(clock);
  const accountOf = async ({ accountId }: { accountId: string }): Promise<AccountRecord> => {
    const account = await store.accounts.get(accountId);
    if (!account) throw notFound('account');
    return account;
  };
  return {
    login: async ({ body, request }) => {
      const address = request.socket.remoteAddress ?? '';
      throttle.begin(address, body.email);
      const found = await store.users.findForLogin(body.email);
      const isRight = await verifyPassword(body.password, found?.passwordHash);
      if (!found?.passwordHash || !isRight || found.user.isDisabled) throw loginFailed();
      const { user, passwordHash } = found;
      // The password was correct, so the attempt does not count even if creating the session fails (full disk).
      throttle.succeed(address, body.email);
      const signedIn = await store.tokens.signIn(user.id, passwordHash);
      if (!signedIn) throw loginFailed();
      const { accessToken, expirationTs } = signedIn;
      const shown = toUser(user, await accountOf(user));
      return { accessToken, expiration: expirationTs, user: { ...shown, locale: shown.locale.toLowerCase() } };
    },
    logout: async ({ caller }) => {
      await store.tokens.revoke(caller.user.id, caller.accessToken);
    },
    listUsers: async ({ params }) => {
      const account = await accountOf(params);
      const items = (await store.users.list(params.accountId)).map((user) => toUser(user, account));
      return { items, size: items.length };
    },
    getUser: async ({ scope }) => toUser(scope.user, await accountOf(scope.user)),
    createUser: async ({ body, caller }) => {
      const { accountId, email, role, ...names } = body.user;
      if (accountId !== caller.user.accountId) {
        throw new OutpostError('FORBIDDEN', 'Users can be added to your own account only.');
      }
      if (email.toLowerCase() !== body.email.toLowerCase())
        throw invalidField('user.email', 'must be the same as `email`');
      if (!isTimeZone(names.timezone)) {
        throw invalidField('user.timezone', 'must be an IANA name such as US/Eastern or Asia/Tokyo');
      }
      const passwordHash = body.password === undefined ? undefined : await hashPassword(body.password);
      const account = await accountOf({ accountId });
      const change = changeBy(caller);
      const { id } = await store.transaction(async ({ users, tokens, outbox }) => {
        // The caller may have lost the role while the password was being hashed.
        const creator = await users.require(caller.user.id);
        if (creator.isDisabled || !isAllowed(creator.role, 'user.create')) {
          throw new OutpostError('FORBIDDEN', 'Your role no longer allows this. Ask an administrator.');
        }
        const user = await users.create(
          { accountId, email: body.email, ...names, role: role ?? 'COORDINATOR', passwordHash },
          change,
        );
        if (passwordHash === undefined) {
          const { code, expirationTs } = await tokens.createPasswordCode(user.id, change);
          const mail = passwordMail(user, account.displayName, code, expirationTs);
          await outbox.add({ accountId, recipient: user.email, ...mail, holdsSecret: true, expirationTs });
        }
        return user;
      });
      return { id, links: [{ href: `/v1/users/${id}`, rel: 'self' }] };
    },
    updateUser: async ({ scope, body, caller }) => {
      await store.users.update(scope.user.id, body, changeBy(caller));
    },
    deleteUser: async ({ scope, caller }) => {
      if (scope.user.id === caller.user.id) {
        throw new OutpostError('CONFLICT', 'You cannot disable yourself. Ask another administrator.');
      }
      await store.users.disable(scope.user.id, changeBy(caller));
    },
    enableUser: async ({ scope, caller }) => {
      await store.users.enable(scope.user.id, changeBy(caller));
    },
    updateUserRole: async ({ scope, body, caller }) => {
      if (scope.user.id === caller.user.id) {
        throw new OutpostError('CONFLICT', 'You cannot change your own role. Ask another administrator.');
      }
      await store.users.update(scope.user.id, { role: body.role }, changeBy(caller, body.reason));
    },
    createPasswordCode: async ({ scope, caller }) => {
      if (scope.user.isDisabled) {
        throw new OutpostError('CONFLICT', 'This user is disabled and cannot sign in. Enable the user first.');
      }
      const { code, expirationTs } = await store.tokens.createPasswordCode(scope.user.id, changeBy(caller));
      return { userId: scope.user.id, code, expiration: expirationTs };
    },
    changePassword: async ({ body, caller, request }) => {
      const address = request.socket.remoteAddress ?? '';
      // An open session must not allow guessing of the password.
      const attempt = `password of ${caller.user.id}`;
      throttle.begin(address, attempt);
      const found = await store.users.findForLogin(caller.user.email);
      const verified = found?.passwordHash ?? undefined;
      if (verified === undefined || !(await verifyPassword(body.currentPassword, verified))) {
        throw invalidField('currentPassword', 'is not your current password');
      }
      throttle.succeed(address, attempt);
      const keepToken = caller.accessToken;
      const passwordHash = await hashPassword(body.password);
      await store.users.setPassword(caller.user.id, passwordHash, changeBy(caller), { keepToken, verified });
    },
    resetPassword: async ({ body, request }) => {
      const address = request.socket.remoteAddress ?? '';
      // All codes share one count per address, because a code is a secret and must not be a key.
      const attempt = `codes from ${address}`;
      throttle.begin(address, attempt);
      const code = body.code.replace(/[\s-]/g, '');
      await store.tokens.redeemPasswordCode(code, await hashPassword(body.password));
      throttle.succeed(address, attempt);
    },
  };
}
