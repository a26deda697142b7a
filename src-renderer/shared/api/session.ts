/**
 * The session of the signed-in user. A browser stores it until it expires, so that it survives a reload; the desktop program keeps it
 * itself, and the page stores nothing.
 */
import { useEffect } from 'react';
import type { Role, Session } from '../../../src-server/api/contract/index.ts';
import { type DesktopProgram, desktopProgram } from '../desktop.ts';
import { createStore, useStore } from '../store.ts';
import { ahead, client } from './client.ts';
import { noteUse, wasUnused } from './last-use.ts';

const KEY = 'outpost.session';
const program = desktopProgram();

function read(): Session | null {
  try {
    const session = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Session | null;
    if (session && session.expiration > Date.now() && !wasUnused() && !program) return session;
    localStorage.removeItem(KEY);
    return null;
  } catch {
    return null;
  }
}

export const session = createStore<Session | null>(read());

/** Why the sign-in screen shows, beyond a first visit. */
export const signOutReason = createStore<'ended' | 'signedOut' | null>(null);

function setCredentials(): void {
  const now = session.get();
  client.credentials = now?.accessToken ? { userId: now.user.id, accessToken: now.accessToken } : undefined;
}
session.subscribe(() => {
  setCredentials();
  ahead.dropAll();
});
setCredentials();

/** What the desktop program needs to know about a sign-in. */
interface ProgramSignIn {
  /** Undefined leaves it as it was before the desk was locked. */
  staysSignedIn: boolean | undefined;
  /** How often the desk was to be locked before the sign-in began. */
  lockRequests: number;
}

async function keepInProgram(desktop: DesktopProgram, next: Session, signedIn?: ProgramSignIn): Promise<void> {
  const isKept = await desktop.keepSession(next, signedIn?.staysSignedIn, signedIn?.lockRequests);
  // Locked while the site answered the sign-in.
  if (!isKept && session.get()?.accessToken === next.accessToken) lockSession();
}

/** Keeps the session outside of the page; null removes it there. */
function keep(next: Session | null, signedIn?: ProgramSignIn): void {
  if (program) {
    // Only a page that is about to be replaced is refused.
    (next ? keepInProgram(program, next, signedIn) : program.forgetSession()).catch(() => undefined);
    return;
  }
  try {
    // Signing in is a use, whatever the notes of yesterday say.
    noteUse(null);
    if (next) localStorage.setItem(KEY, JSON.stringify(next));
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage the session lasts as long as the page.
  }
}

function store(next: Session | null, signedIn?: ProgramSignIn): void {
  keep(next, signedIn);
  session.set(next);
}

/** Asks the desktop program who is signed in; call once before the first render. */
export async function restoreSession(): Promise<void> {
  const kept = await program?.session().catch(() => null);
  if (kept) session.set(kept as Session);
}

/**
 * Signs in. `staysSignedIn` counts only in the desktop program; undefined leaves it as it was before the desk was locked.
 * @throws ApiError, also when the code of a second factor is needed
 */
export async function signIn(
  email: string,
  password: string,
  { staysSignedIn, code }: { staysSignedIn?: boolean | undefined; code?: string } = {},
): Promise<void> {
  await openSession(
    () => client.call('login', { body: { email, password, ...(code !== undefined && { code }) } }),
    staysSignedIn,
  );
}

/** Opens the session that a call returns. */
export async function openSession(open: () => Promise<Session>, staysSignedIn?: boolean): Promise<void> {
  const lockRequests = await program?.lockRequests();
  const next = await open();
  signOutReason.set(null);
  store(next, lockRequests === undefined ? undefined : { staysSignedIn, lockRequests });
  cover.set(null);
}

/** One entry for each mounted form with unsaved input. */
const unsavedInputs = new Set<symbol>();

/** Until the returned function is called, an expired session covers the page with a sign-in instead of leaving it. */
export function keepPage(): () => void {
  const entry = Symbol();
  unsavedInputs.add(entry);
  return () => {
    unsavedInputs.delete(entry);
  };
}

/** Keeps the page while a form has unsaved input. */
export function useUnsavedInput(hasInput: boolean): void {
  useEffect(() => (hasInput ? keepPage() : undefined), [hasInput]);
}

/** Why the page is covered until its user signs in again: the token is no longer valid, or nobody used the desk for a while. */
export const cover = createStore<'ended' | 'locked' | null>(null);

export const hasUnsavedInput = (): boolean => unsavedInputs.size > 0;

/** Ends the session here at once and notifies the site. An unreachable site does not delay it. */
export function signOut(): void {
  client.call('logout').catch(() => undefined);
  cover.set(null);
  signOutReason.set('signedOut');
  store(null);
}

/** Handles a token that the site no longer accepts: leaves the page, or covers it while there is unsaved input. */
export function endSession(): void {
  const ended = session.get();
  if (!ended || cover.get()) return;
  // A lock revokes the token first, and a busy page may learn of that before the program tells it of the lock.
  void isLockedByProgram().then((isLocked) => {
    if (session.get()?.accessToken !== ended.accessToken || cover.get()) return;
    if (isLocked || hasUnsavedInput()) coverPage(isLocked ? 'locked' : 'ended');
    else leaveSession();
  });
}

const isLockedByProgram = async (): Promise<boolean> => (await program?.isLocked().catch(() => false)) ?? false;

/** Ends the session and covers the page, which keeps what it shows and what was typed until its user enters the password. */
export function lockSession(): void {
  if (!session.get() || cover.get()) return;
  // In the desktop program the token is revoked already.
  if (!program) client.call('logout').catch(() => undefined);
  coverPage('locked');
}

function coverPage(reason: 'ended' | 'locked'): void {
  const now = session.get();
  // The user is known under the cover, but nothing of the page can act as that user.
  if (now) session.set({ ...now, accessToken: '' });
  // The desktop program has ended the session already, and remembers who wanted to stay signed in.
  if (!program || reason === 'ended') keep(null);
  cover.set(reason);
}

/** Leaves for the sign-in screen; unsaved input is lost with the page. */
export function leaveSession(): void {
  signOutReason.set(cover.get() === 'locked' ? null : 'ended');
  cover.set(null);
  store(null);
}

/** Updates the signed-in user within the session, such as after a change of name or role. */
export function changeSessionUser(part: Partial<Session['user']>): void {
  const now = session.get();
  if (now && !cover.get()) store({ ...now, user: { ...now.user, ...part } });
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
