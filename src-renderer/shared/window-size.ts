/** How large the window is, where a style sheet alone cannot follow it: what is drawn, and how much is asked for. */
import { useSyncExternalStore } from 'react';

/** The same bounds stand in the style sheets. */
function bound(condition: string): () => boolean {
  const query = typeof matchMedia === 'function' ? matchMedia(condition) : undefined;
  const subscribe = (listener: () => void) => {
    query?.addEventListener('change', listener);
    return () => query?.removeEventListener('change', listener);
  };
  return () => useSyncExternalStore(subscribe, () => query?.matches ?? false);
}

/** A window of little height, as on a small notebook: what must be seen together is drawn lower there. */
export const useIsLowWindow = bound('(max-height: 44rem)');

/** A window of little width: tables show less. */
export const useIsNarrowWindow = bound('(max-width: 66rem)');
