/** Locks over all pages of this browser profile and origin. */

/** One page of the phone's app sends recordings at a time. */
export const SEND_LOCK = 'outpost-recordings-send';
/** Held while a page of the phone's app records: no other page takes its recordings for those of a dead one. */
export const LIVE_LOCK = 'outpost-recordings-live';
/** The same for the desk, which may have the same origin. */
export const DESK_SEND_LOCK = 'outpost-desk-recordings-send';
export const DESK_LIVE_LOCK = 'outpost-desk-recordings-live';

/**
 * Runs `work` unless another page holds the lock. Without Web Locks each page runs its own; the site knows repeated items.
 * @returns whether it ran
 */
export async function alone(work: () => Promise<void>, name: string): Promise<boolean> {
  if (!('locks' in navigator)) {
    await work();
    return true;
  }
  return await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (!lock) return false;
    await work();
    return true;
  });
}

/** Takes a lock until the returned function is called; null when another page holds it. */
export function hold(name: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (!lock) {
          resolve(null);
          return undefined;
        }
        return new Promise<void>((end) => {
          resolve(end);
        });
      })
      .catch(reject);
  });
}
