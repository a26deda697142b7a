/** Sessions of users, and their second factors. */
import { z } from 'zod';
import { count, id, idParams, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { session } from './users.ts';

const userSession = z
  .strictObject({
    id,
    createdTs: timestamp.meta({ description: 'When the user signed in.' }),
    lastUsedTs: timestamp.meta({ description: 'To the minute.' }),
    expiration: timestamp,
    address: z.string().optional().meta({ description: 'Network address of the last use.' }),
    program: z.string().optional().meta({ description: 'Such as `Firefox`, by what the program says of itself.' }),
    system: z.string().optional().meta({ description: 'Such as `Windows`, by what the program says of itself.' }),
    isCurrent: z.boolean().meta({ description: 'The session of this request.' }),
  })
  .meta({ id: 'UserSession' });
export type UserSession = z.infer<typeof userSession>;

const secondFactor = z
  .strictObject({
    userId: id,
    isOn: z.boolean(),
    isRequired: z.boolean().meta({ description: 'An administrator requires it: it is set up at the next sign-in.' }),
    confirmedTs: timestamp.optional().meta({ description: 'Since when it is on.' }),
    recoveryCodesLeft: count,
  })
  .meta({ id: 'SecondFactor' });
export type SecondFactor = z.infer<typeof secondFactor>;

const setup = z
  .strictObject({
    secret: z.string().meta({ description: 'Base32, to be typed into an authenticator program.' }),
    link: z.string().meta({ description: 'Content of the QR code.' }),
  })
  .meta({ id: 'SecondFactorSetup' });
export type SecondFactorSetup = z.infer<typeof setup>;

const recoveryCodes = z
  .array(z.string())
  .meta({ description: 'Ten codes that sign in once each without the second factor. They are not shown again.' });
const currentPassword = z.string().max(1024);
const code = z.string().max(100).meta({ description: 'Six digits, or a recovery code.' });
const firstCode = z.string().max(100).meta({ description: 'Six digits of the authenticator program.' });
const proof = z.object({ currentPassword, code });

export const sessionRoutes = defineRoutes({
  listSessions: {
    method: 'GET',
    path: '/users/{userId}/sessions',
    access: 'user',
    operation: 'user.sessions',
    ownRecord: true,
    tag: 'Users',
    summary: 'List the sessions of a user',
    description: 'Everybody lists their own; administrators those of others.',
    order: ['-createdTs', '-id'],
    params: idParams.user,
    status: 200,
    response: listOf(userSession),
  },
  endSession: {
    method: 'DELETE',
    path: '/users/{userId}/sessions/{sessionId}',
    access: 'user',
    operation: 'user.sessions',
    ownRecord: true,
    tag: 'Users',
    summary: 'End a session',
    description: 'Its access token is revoked at once.',
    params: z.object({ userId: id, sessionId: id }),
    status: 204,
  },
  endSessions: {
    method: 'DELETE',
    path: '/users/{userId}/sessions',
    access: 'user',
    operation: 'user.sessions',
    ownRecord: true,
    tag: 'Users',
    summary: 'End all sessions of a user',
    description:
      'Revokes every access token, also that of the request where it is one of them, and every signed address that the user requested.',
    params: idParams.user,
    status: 204,
  },
  listSecondFactors: {
    method: 'GET',
    path: '/accounts/{accountId}/second-factors',
    access: 'user',
    operation: 'user.second-factor',
    tag: 'Users',
    summary: 'List which users have a second factor',
    description: 'All users of the account, including disabled ones.',
    order: 'that of List users',
    params: idParams.account,
    status: 200,
    response: listOf(secondFactor),
  },
  getSecondFactor: {
    method: 'GET',
    path: '/users/{userId}/second-factor',
    access: 'user',
    operation: 'user.second-factor',
    ownRecord: true,
    tag: 'Users',
    summary: 'Get whether a user has a second factor',
    description: 'Everybody reads their own; administrators those of others.',
    params: idParams.user,
    status: 200,
    response: secondFactor,
  },
  requireSecondFactor: {
    method: 'PUT',
    path: '/users/{userId}/second-factor',
    access: 'user',
    operation: 'user.second-factor',
    tag: 'Users',
    summary: 'Require a second factor of a user, or make it optional',
    description: 'A user who has none sets it up at the next sign-in; sessions that are open stay.',
    params: idParams.user,
    body: z.object({ isRequired: z.boolean() }),
    status: 204,
  },
  resetSecondFactor: {
    method: 'DELETE',
    path: '/users/{userId}/second-factor',
    access: 'user',
    operation: 'user.second-factor',
    tag: 'Users',
    summary: 'Remove the second factor of another user',
    description:
      'For a user who lost the phone and the recovery codes. Ends all sessions of the user. Nobody can remove their own in this way (409).',
    params: idParams.user,
    status: 204,
  },
  setUpSecondFactor: {
    method: 'POST',
    path: '/users/second-factor/setup',
    access: 'user',
    tag: 'Users',
    summary: 'Begin to set up a second factor for the caller',
    description:
      'Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds. Nothing changes until a first code confirms it. Too many wrong passwords answer 429 with Retry-After.',
    body: z.object({ currentPassword }),
    status: 201,
    response: setup,
    errorStatuses: [409, 429],
  },
  confirmSecondFactor: {
    method: 'POST',
    path: '/users/second-factor/confirm',
    access: 'user',
    tag: 'Users',
    summary: 'Turn the second factor of the caller on with a first code',
    description: 'Ends all other sessions of the caller, which were opened without it.',
    body: z.object({ code: firstCode }),
    status: 200,
    response: z.strictObject({ recoveryCodes }).meta({ id: 'RecoveryCodes' }),
    errorStatuses: [409, 429],
  },
  renewRecoveryCodes: {
    method: 'POST',
    path: '/users/second-factor/recovery-codes',
    access: 'user',
    tag: 'Users',
    summary: 'Replace the recovery codes of the caller',
    description: 'Takes the password and a code, which may be one of the earlier recovery codes. Those stop working.',
    body: proof,
    status: 200,
    response: z.strictObject({ recoveryCodes }).meta({ id: 'RecoveryCodes' }),
    errorStatuses: [409, 429],
  },
  removeSecondFactor: {
    method: 'POST',
    path: '/users/second-factor/remove',
    access: 'user',
    tag: 'Users',
    summary: 'Turn the second factor of the caller off',
    description: 'Takes the password and a code. Not possible while an administrator requires it (409).',
    body: proof,
    status: 204,
    errorStatuses: [409, 429],
  },
  setUpRequiredFactor: {
    method: 'POST',
    path: '/users/login/second-factor/setup',
    access: 'public',
    tag: 'Users',
    summary: 'Begin to set up a required second factor before signing in',
    description: 'For users to whom Log in answers 401 with the code SECOND_FACTOR_SETUP.',
    body: z.object({ email: z.string().max(254), password: z.string().max(1024) }),
    status: 201,
    response: setup,
    errorStatuses: [409],
  },
  confirmRequiredFactor: {
    method: 'POST',
    path: '/users/login/second-factor/confirm',
    access: 'public',
    tag: 'Users',
    summary: 'Turn a required second factor on with a first code, and log in',
    description: 'Ends all other sessions of the user. A wrong code answers 401 with the code SECOND_FACTOR_WRONG.',
    body: z.object({ email: z.string().max(254), password: z.string().max(1024), code: firstCode }),
    status: 200,
    response: z.strictObject({ recoveryCodes, session }).meta({ id: 'FirstSecondFactor' }),
    errorStatuses: [409],
  },
});
