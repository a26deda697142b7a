/** Who is signed in. Kept in the browser until it expires, so that a reload goes on where one was. */
import type { Role, Session } from '../../../src-server/api/contract/index.ts';
import { createStore, useStore } from '../store.ts';
import { client } from './client.ts';

const KEY = 'outpost.session';

function read(): Session | null {
  try {
    const session = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Session | null;
    return session && session.expiration > Date.now() ? session : null;
  } catch {
    return null;
  }
}

export const session = createStore<Session | null>(read());

/** Why the sign-in screen shows, beyond a first visit. */
export const signOutReason = createStore<'ended' | 'signedOut' | null>(null);

function follow(): void {
  const now = session.get();
  client.credentials = now ? { userId: now.user.id, accessToken: now.accessToken } : undefined;
}
session.subscribe(follow);
follow();

function store(next: Session | null): void {
  try {
    if (next) localStorage.setItem(KEY, JSON.stringify(next));
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage the session lasts as long as the page.
  }
  session.set(next);
}

export async function signIn(email: string, password: string): Promise<void> {
  const next = await client.call('login', { body: { email, password } });
  signOutReason.set(null);
  store(next);
}

/** Ends the session here at once and tells the site; an unreachable site does not hold anyone. */
export function signOut(): void {
  client.call('logout').catch(() => undefined);
  signOutReason.set('signedOut');
  store(null);
}

/** The site no longer knows the token. */
export function endSession(): void {
  if (!session.get()) return;
  signOutReason.set('ended');
  store(null);
}

/** What the person has changed about themselves; the session goes on. */
export function changeSessionUser(part: Partial<Session['user']>): void {
  const now = session.get();
  if (now) store({ ...now, user: { ...now.user, ...part } });
}

export function useSession(): Session {
  const now = useStore(session);
  if (!now) throw new Error('This screen needs a session.');
  return now;
}

export function useRole(): Role {
  const { user } = useSession();
  return user.accounts.find((account) => account.id === user.accountId)?.role ?? 'MONITOR';
}
