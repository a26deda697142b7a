/** The session of the signed-in user. It is stored in the browser until it expires, so that it survives a reload. */
import { useEffect } from 'react';
import type { Role, Session } from '../../../src-server/api/contract/index.ts';
import { createStore, useStore } from '../store.ts';
import { ahead, client } from './client.ts';

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

function setCredentials(): void {
  const now = session.get();
  client.credentials = now ? { userId: now.user.id, accessToken: now.accessToken } : undefined;
}
session.subscribe(() => {
  setCredentials();
  ahead.dropAll();
});
setCredentials();

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
  hasEnded.set(false);
}

/** One entry for each mounted form with unsaved input. */
const unsavedInputs = new Set<symbol>();

/** While a form has unsaved input, an expired session covers the page with a sign-in instead of leaving it. */
export function useUnsavedInput(hasInput: boolean): void {
  useEffect(() => {
    if (!hasInput) return;
    const entry = Symbol();
    unsavedInputs.add(entry);
    return () => {
      unsavedInputs.delete(entry);
    };
  }, [hasInput]);
}

/** True while the token is invalid and the page waits for its user to sign in again. */
export const hasEnded = createStore(false);

/** Ends the session here at once and notifies the site. An unreachable site does not delay it. */
export function signOut(): void {
  client.call('logout').catch(() => undefined);
  hasEnded.set(false);
  signOutReason.set('signedOut');
  store(null);
}

/** Handles a token that the site no longer accepts: leaves the page, or covers it while there is unsaved input. */
export function endSession(): void {
  if (!session.get() || hasEnded.get()) return;
  if (unsavedInputs.size === 0) {
    leaveSession();
    return;
  }
  client.credentials = undefined;
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Storage is blocked, so nothing was stored.
  }
  hasEnded.set(true);
}

/** Leaves for the sign-in screen; unsaved input is lost with the page. */
export function leaveSession(): void {
  signOutReason.set('ended');
  hasEnded.set(false);
  store(null);
}

/** Updates the signed-in user within the session, such as after a change of name or role. */
export function changeSessionUser(part: Partial<Session['user']>): void {
  const now = session.get();
  if (now && !hasEnded.get()) store({ ...now, user: { ...now.user, ...part } });
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
