/** Window size classes, for layouts that a style sheet alone cannot adapt: canvases, and how much is fetched. */
import { useSyncExternalStore } from 'react';

/** The style sheets use the same bounds. */
function mediaHook(condition: string): () => boolean {
  const query = typeof matchMedia === 'function' ? matchMedia(condition) : undefined;
  const subscribe = (listener: () => void) => {
    query?.addEventListener('change', listener);
    return () => query?.removeEventListener('change', listener);
  };
  return () => useSyncExternalStore(subscribe, () => query?.matches ?? false);
}

/** True in a window of little height, as on a small notebook, where charts are drawn lower. */
export const useIsLowWindow = mediaHook('(max-height: 44rem)');

/** True in a narrow window, where tables hide secondary columns. */
export const useIsNarrowWindow = mediaHook('(max-width: 66rem)');
