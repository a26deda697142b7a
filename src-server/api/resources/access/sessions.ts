/** Sessions of users and their second factors: lists, ends, and setting up. */
import type { Request } from 'express';
import type { UserRecord } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { AccessDetail } from '../../../vocabulary/access-log.ts';
import { programOf } from '../../../vocabulary/user-agents.ts';
import type { sessionRoutes } from '../../contract/resources/sessions.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, type Caller, changeBy } from '../../framework/authenticate.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { checkPassword, loginFailed, noteFailure } from './check-password.ts';
import { callerProof, firstProof, newSetup, wrongCode } from './factor-codes.ts';
import { requirePassword } from './own-password.ts';
import { clientOf, openedSession } from './sign-in.ts';

export function sessionHandlers(deps: ApiDeps): Handlers<typeof sessionRoutes> {
  const { store, accessLog } = deps;
  const noteOf = (
    kind: 'SESSION_END' | 'SECOND_FACTOR',
    detail: AccessDetail,
    user: UserRecord,
    { caller, request }: { caller?: Caller; request: Request },
  ) =>
    accessLog.note({
      ...{ kind, detail, accountId: user.accountId, userId: user.id, address: addressOf(request) },
      ...(caller && caller.user.id !== user.id && { byUserId: caller.user.id }),
    });
  const stateOf = async ({ accountId, id }: UserRecord) => {
    const [state] = await store.secondFactors.states(accountId, id);
    if (!state) throw notFound('user');
    return state;
  };
  /** Of the password and the code, because the person at an open session must have both. */
  const proven = async (caller: Caller, request: Request, body: { currentPassword: string; code: string }) => {
    await ownPassword(caller, request, body.currentPassword);
    return await callerProof(deps, caller, body.code);
  };
  const ownPassword = async (caller: Caller, request: Request, password: string) => {
    const asked = { for: 'SECOND_FACTOR', entityType: 'user', entityId: caller.user.id } as const;
    await requirePassword(deps, caller, request, { password, path: 'currentPassword', asked });
  };
  /** Somebody who has to set one up before signing in. */
  const requiredUser = async (request: Request, body: { email: string; password: string }) => {
    const checked = await checkPassword(deps, request, body);
    if (!checked.user.needsSecondFactor) {
      throw new OutpostError('CONFLICT', 'No second factor is required for this account. Sign in as usual.');
    }
    return checked;
  };
  return {
    listSessions: async ({ scope, caller }) => {
      const sessions = await store.tokens.listSessions(scope.user.id);
      const items = sessions.map(({ client, address, expirationTs, lastUsedTs, ...session }) => {
        const use = accessLog.lastUse(session.id);
        const from = use?.address ?? address;
        return {
          ...session,
          lastUsedTs: Math.max(lastUsedTs, use?.usedTs ?? 0),
          expiration: expirationTs,
          ...(from !== undefined && from !== '' && { address: from }),
          ...(client !== undefined && programOf(client)),
          isCurrent: session.id === caller.sessionId,
        };
      });
      return { items, size: items.length };
    },
    endSession: async ({ params, scope, caller, request }) => {
      await store.tokens.endSession(scope.user.id, params.sessionId, changeBy(caller));
      noteOf('SESSION_END', 'ONE', scope.user, { caller, request });
    },
    endSessions: async ({ scope, caller, request }) => {
      await store.tokens.endAllSessions(scope.user.id, changeBy(caller));
      noteOf('SESSION_END', 'ALL', scope.user, { caller, request });
    },
    listSecondFactors: async ({ params }) => {
      const items = await store.secondFactors.states(params.accountId);
      return { items, size: items.length };
    },
    getSecondFactor: async ({ scope }) => await stateOf(scope.user),
    requireSecondFactor: async ({ scope, body, caller, request }) => {
      await store.secondFactors.require(scope.user.id, body.isRequired, changeBy(caller));
      noteOf('SECOND_FACTOR', body.isRequired ? 'REQUIRED' : 'OPTIONAL', scope.user, { caller, request });
    },
    resetSecondFactor: async ({ scope, caller, request }) => {
      if (scope.user.id === caller.user.id) {
        throw new OutpostError(
          'CONFLICT',
          'You cannot remove your own second factor without its code. Ask another administrator.',
        );
      }
      await store.secondFactors.reset(scope.user.id, changeBy(caller));
      noteOf('SECOND_FACTOR', 'RESET', scope.user, { caller, request });
    },
    setUpSecondFactor: async ({ body, caller, request }) => {
      await ownPassword(caller, request, body.currentPassword);
      const { sealed, ...setup } = newSetup(deps, caller.user);
      await store.secondFactors.start(caller.user.id, sealed);
      return setup;
    },
    confirmSecondFactor: async ({ body, caller, request }) => {
      const proof = await firstProof(deps, caller.user.id, body.code, caller.sessionId);
      if (!proof) throw invalidField('code', 'is not the code that shows now');
      const recoveryCodes = await store.secondFactors.confirm(
        caller.user.id,
        proof,
        changeBy(caller),
        caller.accessToken,
      );
      noteOf('SECOND_FACTOR', 'ON', caller.user, { caller, request });
      return { recoveryCodes };
    },
    renewRecoveryCodes: async ({ body, caller, request }) => {
      const proof = await proven(caller, request, body);
      const recoveryCodes = await store.secondFactors.renewRecoveryCodes(caller.user.id, proof, changeBy(caller));
      if (!recoveryCodes) throw invalidField('code', 'is wrong or was used already');
      noteOf('SECOND_FACTOR', 'RECOVERY_CODES', caller.user, { caller, request });
      return { recoveryCodes };
    },
    removeSecondFactor: async ({ body, caller, request }) => {
      const proof = await proven(caller, request, body);
      if (!(await store.secondFactors.remove(caller.user.id, proof, changeBy(caller))))
        throw invalidField('code', 'is wrong or was used already');
      noteOf('SECOND_FACTOR', 'OFF', caller.user, { caller, request });
    },
    setUpRequiredFactor: async ({ body, request }) => {
      const { user } = await requiredUser(request, body);
      const { sealed, ...setup } = newSetup(deps, user);
      await store.secondFactors.start(user.id, sealed);
      return setup;
    },
    confirmRequiredFactor: async ({ body, request }) => {
      const { user, passwordHash } = await requiredUser(request, body);
      const proof = await firstProof(deps, user.id, body.code, addressOf(request));
      if (!proof) {
        noteFailure(deps, request, 'CODE', { user });
        throw wrongCode();
      }
      const place = { address: addressOf(request), ...clientOf(request) };
      const opened = await store.tokens.signInWithFirstFactor(user.id, passwordHash, place, proof);
      if (!opened) throw loginFailed();
      noteOf('SECOND_FACTOR', 'ON', user, { request });
      const session = await openedSession(deps, request, user, opened.session, proof);
      return { recoveryCodes: opened.recoveryCodes, session };
    },
  };
}
