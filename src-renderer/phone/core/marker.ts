/**
 * Two notes outside of the database. One says that a subject is signed in: a browser that evicted the database leaves an empty one,
 * which looks like a first visit. The other says that this phone is being, or was, wiped, so that an interrupted wipe continues.
 */
import type { WipeReason } from '../model.ts';

const SIGNED_IN = 'outpost.phone.signedIn';
const WIPED = 'outpost.phone.wiped';

export interface WipeNote {
  reason: WipeReason;
  /** Items that were not sent. */
  unsent: number;
}

function read<T>(key: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, value: object | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is blocked or full: an eviction then looks like a first visit.
  }
}

export const marker = {
  /** Items that waited when it was last written; undefined: nobody was signed in. */
  signedIn: () => read<{ unsent: number }>(SIGNED_IN),
  noteSignedIn: (unsent: number) => write(SIGNED_IN, { unsent }),
  wiped: () => read<WipeNote>(WIPED),
  /** Written before anything is removed. */
  noteWipe: (note: WipeNote) => {
    write(WIPED, note);
    write(SIGNED_IN, undefined);
  },
  clear: () => {
    write(WIPED, undefined);
    write(SIGNED_IN, undefined);
  },
};
