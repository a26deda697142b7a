/** Signing in and out, and passwords. Guesses of a password or code are throttled by who fails. */
import type { Request } from 'express';
import { hashPassword, type UserRecord } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import type { FactorProof, NewSession } from '../../../services/index.ts';
import type { Session } from '../../contract/index.ts';
import type { userRoutes } from '../../contract/resources/users.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, changeBy } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';
import { checkPassword, loginFailed, loginThrottleOf, noteFailure } from './check-password.ts';
import { loginProof, wrongCode } from './factor-codes.ts';
import { requirePassword } from './own-password.ts';
import { accountOf, toUser } from './user-record.ts';

type SignInRoute = 'login' | 'logout' | 'createPasswordCode' | 'changePassword' | 'resetPassword';

/** What the browser or program says of itself. */
export const clientOf = ({ headers }: Request): { client?: string } => {
  const client = headers['user-agent'];
  return client === undefined ? {} : { client };
};

/** Notes a sign-in, and returns the session as the interface describes it. */
export async function openedSession(
  { store, accessLog }: ApiDeps,
  request: Request,
  user: UserRecord,
  { accessToken, expirationTs, expired }: NewSession,
  proof: FactorProof | undefined,
): Promise<Session> {
  const who = { accountId: user.accountId, userId: user.id };
  const detail = proof === undefined ? 'PASSWORD' : proof.kind === 'STEP' ? 'CODE' : 'RECOVERY_CODE';
  for (let i = 0; i < expired; i += 1) accessLog.note({ kind: 'SESSION_END', detail: 'LIMIT', ...who });
  accessLog.note({ kind: 'SIGN_IN', detail, ...who, address: addressOf(request) });
  const shown = toUser(user, await accountOf(store, user));
  return { accessToken, expiration: expirationTs, user: { ...shown, locale: shown.locale.toLowerCase() } };
}

export function signInHandlers(deps: ApiDeps): Pick<Handlers<typeof userRoutes>, SignInRoute> {
  const { store, accessLog } = deps;
  const throttle = loginThrottleOf(deps);
  return {
    login: async ({ body, request }) => {
      const { user, passwordHash } = await checkPassword(deps, request, body);
      const factor = await store.secondFactors.find(user.id);
      let proof: FactorProof | undefined;
      if (factor?.confirmedTs !== undefined) {
        if (body.code === undefined || body.code.trim() === '') throw codeNeeded();
        proof = await loginProof(deps, request, user, factor, body.code);
      } else if (user.needsSecondFactor) throw setupNeeded();
      const place = { address: addressOf(request), ...clientOf(request) };
      const signedIn = await store.tokens.signIn(user.id, passwordHash, place, proof);
      if (!signedIn) {
        noteFailure(deps, request, proof ? 'CODE' : 'PASSWORD', { user });
        throw proof ? wrongCode() : loginFailed();
      }
      return await openedSession(deps, request, user, signedIn, proof);
    },
    logout: async ({ caller, request }) => {
      const { user, accessToken } = caller;
      await store.tokens.revoke(user.id, accessToken);
      const who = { accountId: user.accountId, userId: user.id };
      accessLog.note({ kind: 'SIGN_OUT', detail: 'OWN', ...who, address: addressOf(request) });
    },
    createPasswordCode: async ({ scope, caller, request }) => {
      if (scope.user.isDisabled) {
        throw new OutpostError('CONFLICT', 'This user is disabled and cannot sign in. Enable the user first.');
      }
      const { code, expirationTs } = await store.tokens.createPasswordCode(scope.user.id, changeBy(caller));
      const who = { accountId: scope.user.accountId, userId: scope.user.id, byUserId: caller.user.id };
      accessLog.note({ kind: 'PASSWORD', detail: 'CODE_CREATED', ...who, address: addressOf(request) });
      return { userId: scope.user.id, code, expiration: expirationTs };
    },
    changePassword: async ({ body, caller, request }) => {
      const asked = { for: 'CHANGE_PASSWORD', entityType: 'user', entityId: caller.user.id } as const;
      const given = { password: body.currentPassword, path: 'currentPassword', asked };
      const verified = await requirePassword(deps, caller, request, given);
      const keepToken = caller.accessToken;
      const passwordHash = await hashPassword(body.password);
      await store.users.setPassword(caller.user.id, passwordHash, changeBy(caller), { keepToken, verified });
      const who = { accountId: caller.user.accountId, userId: caller.user.id };
      accessLog.note({ kind: 'PASSWORD', detail: 'CHANGED', ...who, address: addressOf(request) });
    },
    resetPassword: async ({ body, request }) => {
      const code = body.code.replace(/[\s-]/g, '');
      const address = addressOf(request);
      // A code cannot be guessed, so only wrong ones count: those of others stop nobody who has one. They share one count per
      // network, because a code is a secret and must not be a key.
      if (!(await store.tokens.isValidCode(code))) throttle.begin(address, 'codes');
      let user: UserRecord;
      try {
        user = await store.tokens.redeemPasswordCode(code, await hashPassword(body.password));
      } catch (thrown) {
        if (thrown instanceof OutpostError && thrown.code === 'LOGIN_FAILED')
          noteFailure(deps, request, 'RESET_CODE', {});
        throw thrown;
      }
      const who = { accountId: user.accountId, userId: user.id };
      accessLog.note({ kind: 'PASSWORD', detail: 'RESET', ...who, address });
    },
  };
}

const codeNeeded = () =>
  new OutpostError('SECOND_FACTOR_NEEDED', 'This account has a second factor. Send its code as well.');
const setupNeeded = () =>
  new OutpostError(
    'SECOND_FACTOR_SETUP',
    'An administrator requires a second factor for this account. Sign in at the desk to set it up.',
  );
