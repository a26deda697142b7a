/** The users of an account: their profiles, roles and whether they may sign in. */
import { hashPassword } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import { isAllowed } from '../../../study/permissions.ts';
import { isTimeZone } from '../../../study/zones.ts';
import type { userRoutes } from '../../contract/resources/users.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { invalidField } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { passwordMail } from './password-mail.ts';
import { signInHandlers } from './sign-in.ts';
import { accountOf, toUser } from './user-record.ts';

export function userHandlers(deps: ApiDeps): Handlers<typeof userRoutes> {
  const { store } = deps;
  return {
    ...signInHandlers(deps),
    listUsers: async ({ params }) => {
      const account = await accountOf(store, params);
      const items = (await store.users.list(params.accountId)).map((user) => toUser(user, account));
      return { items, size: items.length };
    },
    getUser: async ({ scope }) => toUser(scope.user, await accountOf(store, scope.user)),
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
      const account = await accountOf(store, { accountId });
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
    getDigest: async ({ scope }) => ({ hour: (await store.digests.hourOf(scope.user.id)) ?? null }),
    putDigest: async ({ scope, body, caller }) => {
      await store.digests.choose(scope.user.id, body.hour, changeBy(caller));
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
  };
}
