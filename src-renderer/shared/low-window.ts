/** Windows of little height, as on a small notebook: what must be seen together is drawn lower there. */
import { useSyncExternalStore } from 'react';

/** The same bound stands in the style sheets. */
const query = typeof matchMedia === 'function' ? matchMedia('(max-height: 44rem)') : undefined;

function subscribe(listener: () => void): () => void {
  query?.addEventListener('change', listener);
  return () => query?.removeEventListener('change', listener);
}

export function useIsLowWindow(): boolean {
  return useSyncExternalStore(subscribe, () => query?.matches ?? false);
}
