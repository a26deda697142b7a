/**
 * The screen on show is the fragment of the address (`#/today`): links are plain anchors, the back key of the phone works, and
 * a page that the system has killed opens where it was. A fragment of another form (a sign-in link) shows no screen.
 */
import { useSyncExternalStore } from 'react';

type Listener = () => void;
const listeners = new Set<Listener>();

function notify(): void {
  for (const listener of listeners) listener();
}

/** @returns what ends it */
export function onNavigate(listener: Listener): () => void {
  if (listeners.size === 0) {
    addEventListener('hashchange', notify);
    addEventListener('popstate', notify);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    removeEventListener('hashchange', notify);
    removeEventListener('popstate', notify);
  };
}

/** `#/a/b` as `/a/b`; anything else is empty. */
const current = (): string => (location.hash.startsWith('#/') ? location.hash.slice(1) : '');

const hasLink = (): boolean => location.hash.startsWith('#1&');

/** The address is a sign-in link, which a camera may open while somebody is signed in. */
export const useIsLink = (): boolean => useSyncExternalStore(onNavigate, hasLink);

/** Parts of the path of the screen, decoded: `/draft/7/2` is `['draft', '7', '2']`. */
export function useRoute(): { path: string; parts: readonly string[] } {
  const path = useSyncExternalStore(onNavigate, current);
  return { path, parts: path.split('/').slice(1).map(decode) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

export const pathOf = (...parts: readonly (string | number)[]): string =>
  `/${parts.map((part) => encodeURIComponent(part)).join('/')}`;

export const hrefOf = (path: string): string => `#${path}`;

/** Shows another screen. `replaces` leaves no way back to the present one: after sending, signing in or discarding. */
export function navigate(path: string, { replaces = false } = {}): void {
  if (replaces) history.replaceState(history.state, '', hrefOf(path));
  else history.pushState({ from: current() }, '', hrefOf(path));
  notify();
}

/** Leaves an entry of the history that has nothing to show any more: to the one before, or to a path where the app began. */
export function leaveEntry(path: string): void {
  const { from } = (history.state ?? {}) as { from?: string };
  if (from !== undefined) history.back();
  else navigate(path, { replaces: true });
}

/** Goes back to a screen: through the history where it is the entry before, so that the history does not grow. */
export function goBack(path: string): void {
  const { from } = (history.state ?? {}) as { from?: string };
  if (from === path) history.back();
  else navigate(path, { replaces: true });
}
