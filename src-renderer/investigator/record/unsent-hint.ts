/** Whether this browser holds recordings, so that a start of the desk loads their code only where it does. */

const KEY = 'outpost.unsentRecordings';

export function noteUnsent(hasUnsent: boolean): void {
  try {
    if (hasUnsent) localStorage.setItem(KEY, '1');
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is blocked: they are sent when somebody opens the page that records.
  }
}

export function hasUnsent(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}
