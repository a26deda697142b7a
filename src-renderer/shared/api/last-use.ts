/** When this browser was last used for the desk, and how long it may go unused. Shared by all tabs, also by those of tomorrow. */
const KEY = 'outpost.lastUse';

interface LastUse {
  atMs: number;
  limitMs: number;
}

/** For where storage is blocked: then every tab is on its own. */
let ofThisTab: LastUse | null = null;

function lastUse(): LastUse | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null');
  } catch {
    return ofThisTab;
  }
}

/** A limit of null forgets it: the desk is not locked. */
export function noteUse(limitMs: number | null): void {
  ofThisTab = limitMs === null ? null : { atMs: Date.now(), limitMs };
  try {
    if (ofThisTab) localStorage.setItem(KEY, JSON.stringify(ofThisTab));
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is blocked.
  }
}

/** True when no tab was used for longer than the limit that was in force. */
export function wasUnused(): boolean {
  const last = lastUse();
  return last !== null && Date.now() - last.atMs > last.limitMs;
}
