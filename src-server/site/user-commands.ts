/**
 * What the computer of the site can do for users who are locked out: the way back when the only administrator lost a password or a phone,
 * or when the clock is so wrong that no code is right. A site that runs does it itself; a closed one is opened for the change.
 */
import { z } from 'zod';
import { SYSTEM } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import type { Store } from '../services/index.ts';
import { atSite } from './control/at-site.ts';
import type { ControlCommands } from './control/control-server.ts';

const named = z.strictObject({ email: z.string() });
const RESET_FACTOR = 'resetSecondFactor';
const PASSWORD_CODE = 'createPasswordCode';

type UserStore = Pick<Store, 'users' | 'tokens' | 'secondFactors' | 'accessLog'>;

/** What a running site does for the commands below. */
export function userCommands(store: UserStore): ControlCommands {
  return {
    [RESET_FACTOR]: async (input) => await reset(store, named.parse(input).email),
    [PASSWORD_CODE]: async (input) => await passwordCode(store, named.parse(input).email),
  };
}

/** @throws NOT_FOUND for an e-mail that no user has, CONFLICT when no second factor is on, and the errors of `openSite` */
export async function resetSecondFactor(dir: string, email: string): Promise<{ isRequired: boolean }> {
  return await atSite(dir, RESET_FACTOR, { email }, ({ store }) => reset(store, email));
}

/** @throws NOT_FOUND for an e-mail that no user has, CONFLICT for a disabled user, and the errors of `openSite` */
export async function createPasswordCode(dir: string, email: string): Promise<{ code: string; expirationTs: number }> {
  return await atSite(dir, PASSWORD_CODE, { email }, ({ store }) => passwordCode(store, email));
}

async function reset(store: UserStore, email: string): Promise<{ isRequired: boolean }> {
  const user = await userOf(store, email);
  await store.secondFactors.reset(user.id, SYSTEM);
  await note(store, user, { kind: 'SECOND_FACTOR', detail: 'RESET' });
  return { isRequired: user.needsSecondFactor };
}

async function passwordCode(store: UserStore, email: string): Promise<{ code: string; expirationTs: number }> {
  const user = await userOf(store, email);
  if (user.isDisabled)
    throw new OutpostError('CONFLICT', 'This user is disabled. An administrator has to enable the user at the desk.');
  const made = await store.tokens.createPasswordCode(user.id, SYSTEM);
  await note(store, user, { kind: 'PASSWORD', detail: 'CODE_CREATED' });
  return made;
}

async function userOf({ users }: UserStore, email: string) {
  const found = await users.findForLogin(email);
  if (!found) throw new OutpostError('NOT_FOUND', `No user has the email address ${email}. Check its spelling.`);
  return found.user;
}

async function note(
  { accessLog }: UserStore,
  user: { id: string; accountId: string },
  what: { kind: 'SECOND_FACTOR'; detail: 'RESET' } | { kind: 'PASSWORD'; detail: 'CODE_CREATED' },
): Promise<void> {
  await accessLog.addNow({ ...what, accountId: user.accountId, userId: user.id });
}
