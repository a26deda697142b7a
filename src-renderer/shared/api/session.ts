/** Who is signed in. Kept in the browser until it expires, so that a reload goes on where one was. */
import { useEffect } from 'react';
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
  hasEnded.set(false);
}

const typed = new Set<symbol>();

/** While something typed is not saved, the end of the session covers the page instead of leaving it. */
export function useTyped(isTyped: boolean): void {
  useEffect(() => {
    if (!isTyped) return;
    const one = Symbol();
    typed.add(one);
    return () => {
      typed.delete(one);
    };
  }, [isTyped]);
}

/** The site no longer knows the token, and the page waits for its user to sign in again. */
export const hasEnded = createStore(false);

/** Ends the session here at once and tells the site; an unreachable site does not hold anyone. */
export function signOut(): void {
  client.call('logout').catch(() => undefined);
  hasEnded.set(false);
  signOutReason.set('signedOut');
  store(null);
}

/** The site no longer knows the token. */
export function endSession(): void {
  if (!session.get() || hasEnded.get()) return;
  if (typed.size === 0) {
    leaveSession();
    return;
  }
  client.credentials = undefined;
  try {
    localStorage.removeItem(KEY);
  } catch {
    // There was none.
  }
  hasEnded.set(true);
}

/** What is typed goes with the page. */
export function leaveSession(): void {
  signOutReason.set('ended');
  hasEnded.set(false);
  store(null);
}

/** What the person has changed about themselves; the session goes on. */
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
