/**
 * The sign-in link of the address, kept while this tab shows the page that walks through the certificate: its token must not be
 * in the address of that page. A session storage ends with its tab.
 */
const KEY = 'outpost.phone.link';

/** Keeps the link that is in the address, if there is one. */
export function keepLink(): void {
  if (!location.hash.startsWith('#1&')) return;
  try {
    sessionStorage.setItem(KEY, location.hash);
  } catch {
    // Storage is blocked: the code has to be opened again.
  }
}

/** Puts the kept link back into an address without one, once. */
export function restoreLink(): void {
  try {
    const kept = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    if (kept !== null && location.hash === '') history.replaceState(history.state, '', kept);
  } catch {
    // As above.
  }
}
