/** Signing in and out, and the users of an account. */
import { z } from 'zod';
import { ROLES } from '../../../vocabulary/study.ts';
import { count, created, id, idParams, listOf, nameText, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

const accountMembership = z.strictObject({ id, displayName: z.string(), role }).meta({ id: 'AccountMembership' });

const user = z
  .strictObject({
    id,
    accountId: id,
    accounts: z.array(accountMembership),
    createdTs: timestamp,
    disabledTs: timestamp.optional(),
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    isDisabled: z.boolean(),
    legaleseVersionAccepted: count,
    legaleseVersionRequired: count,
    locale: z.string(),
    timezone: z.string(),
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof user>;

export const session = z
  .strictObject({
    accessToken: z.string().meta({ description: '16 characters of base64.' }),
    expiration: timestamp,
    user,
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof session>;

const locale = z.enum(['en_US', 'ja_JP']);
export const email = z
  .string()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, { error: 'must be an e-mail address' });
const personName = nameText(100);

/** 8 to 64 characters, counted as code points, all of which are significant. */
const password = z.string().refine((text) => [...text].length >= 8 && [...text].length <= 64, {
  error: 'must have 8 to 64 characters',
});

const digest = z.strictObject({
  hour: z.int().min(0).max(23).nullable().meta({
    description: "Hour of the user's local day from which on it is sent; null: none.",
  }),
});

export const userRoutes = defineRoutes({
  login: {
    method: 'POST',
    path: '/users/login/email',
    aliases: [{ path: '/user/login/email', bodyKinds: ['form', 'json'] }],
    access: 'public',
    tag: 'Users',
    summary: 'Log in',
    description:
      'Returns an access token that is valid for two weeks, or as long as the site settings say. Every further request carries `Authorization: Basic base64(user.id:accessToken)`. Too many failed attempts answer 429 with Retry-After. For a user with a second factor, the right password without `code` answers 401 with the code SECOND_FACTOR_NEEDED, and a wrong one SECOND_FACTOR_WRONG; where one is required and not set up, SECOND_FACTOR_SETUP.',
    body: z.object({
      email: z.string().max(254),
      password: z.string().max(1024),
      accountType: z.string().optional(),
      code: z.string().max(100).optional().meta({
        description: 'Of the second factor, where the user has one: six digits, or a recovery code.',
      }),
    }),
    status: 200,
    response: session,
  },
  logout: {
    method: 'POST',
    path: '/users/logout',
    aliases: [
      { method: 'GET', path: '/users/logout' },
      { path: '/user/logout' },
      { method: 'GET', path: '/user/logout' },
    ],
    access: 'user',
    tag: 'Users',
    summary: 'Log out and revoke the access token of the request',
    description: 'Other tokens of the user stay valid. No body is needed.',
    status: 204,
  },
  listUsers: {
    method: 'GET',
    path: '/accounts/{accountId}/users',
    access: 'user',
    operation: 'user.read',
    tag: 'Users',
    summary: 'List users',
    description: 'All users of the account, including disabled ones.',
    order: ['createdTs', 'id'],
    params: idParams.account,
    status: 200,
    isStored: true,
    response: listOf(user),
  },
  getUser: {
    method: 'GET',
    path: '/users/{userId}',
    access: 'user',
    operation: 'user.read',
    tag: 'Users',
    summary: 'Get a user',
    description: 'A user of the same account, disabled or not.',
    params: idParams.user,
    status: 200,
    response: user,
  },
  createUser: {
    method: 'POST',
    path: '/users/register/email',
    access: 'user',
    operation: 'user.create',
    tag: 'Users',
    summary: 'Create a user',
    description:
      'Without a password, the new user receives an e-mail with a one-time code for setting one; the e-mail stays in the outbox of the site until it can be sent. An administrator can create another code.',
    body: z.object({
      email,
      password: password.optional(),
      user: z.object({
        accountId: id,
        email,
        firstName: personName,
        lastName: personName,
        locale,
        timezone: z.string(),
        role: role.optional().meta({ description: 'Default COORDINATOR.' }),
      }),
    }),
    status: 201,
    response: created,
  },
  updateUser: {
    method: 'PUT',
    path: '/users/{userId}',
    access: 'user',
    operation: 'user.update',
    ownRecord: true,
    tag: 'Users',
    summary: 'Update a user',
    description: 'Only these members can be updated.',
    params: idParams.user,
    body: z.object({ firstName: personName.optional(), lastName: personName.optional(), locale: locale.optional() }),
    status: 204,
  },
  getDigest: {
    method: 'GET',
    path: '/users/{userId}/digest',
    access: 'user',
    operation: 'user.update',
    ownRecord: true,
    tag: 'Users',
    summary: 'Get whether a user receives the daily digest',
    description: 'Everybody reads their own; administrators read that of others.',
    params: idParams.user,
    status: 200,
    response: digest,
  },
  putDigest: {
    method: 'PUT',
    path: '/users/{userId}/digest',
    access: 'user',
    operation: 'user.update',
    ownRecord: true,
    tag: 'Users',
    summary: 'Turn the daily digest of a user on or off',
    description:
      'An email once per local day of the user: how much came in, and how many items need attention, in numbers without names. It is queued in the outbox, also without a mail server.',
    params: idParams.user,
    body: digest,
    status: 204,
  },
  deleteUser: {
    method: 'DELETE',
    path: '/accounts/{accountId}/users/{userId}',
    access: 'user',
    operation: 'user.disable',
    tag: 'Users',
    summary: 'Disable a user',
    description:
      'The record stays; all access tokens of the user are revoked at once, and private saved filters are deleted.',
    params: z.object({ accountId: id, userId: id }),
    status: 204,
  },
  enableUser: {
    method: 'POST',
    path: '/accounts/{accountId}/users/{userId}/enable',
    access: 'user',
    operation: 'user.enable',
    tag: 'Users',
    summary: 'Enable a disabled user',
    description: 'Password and role are as before. Idempotent.',
    params: z.object({ accountId: id, userId: id }),
    status: 204,
  },
  updateUserRole: {
    method: 'PUT',
    path: '/users/{userId}/role',
    access: 'user',
    operation: 'user.role',
    tag: 'Users',
    summary: 'Change the role of a user in the account',
    description: 'Users cannot change their own role (409), so that at least one administrator remains.',
    params: idParams.user,
    body: z.object({ role, reason: z.string().max(1000).optional().meta({ description: 'Kept in the audit log.' }) }),
    status: 204,
  },
  createPasswordCode: {
    method: 'POST',
    path: '/users/{userId}/password/code',
    access: 'user',
    operation: 'user.reset-password',
    tag: 'Users',
    summary: 'Create a one-time code for setting a password',
    description:
      'Returned only once, for handing over; valid for three days. An earlier code of the user is revoked. The current password works until the code is used.',
    params: idParams.user,
    status: 201,
    response: z.strictObject({ userId: id, code: z.string(), expiration: timestamp }).meta({ id: 'PasswordCode' }),
  },
  changePassword: {
    method: 'POST',
    path: '/users/password/change',
    access: 'user',
    tag: 'Users',
    summary: 'Change the password of the caller',
    description:
      'Revokes all other access tokens of the user and all unused one-time codes; the access token of the request stays valid. Too many wrong current passwords answer 429 with Retry-After.',
    body: z.object({ currentPassword: z.string().max(1024), password }),
    status: 204,
    errorStatuses: [429],
  },
  resetPassword: {
    method: 'POST',
    path: '/users/password/reset',
    access: 'public',
    tag: 'Users',
    summary: 'Set a password with a one-time code',
    description:
      'Revokes all access tokens of the user. Letter case, spaces and hyphens in the code are ignored. Too many wrong codes answer 429 with Retry-After.',
    body: z.object({ code: z.string().max(100), password }),
    status: 204,
  },
});
