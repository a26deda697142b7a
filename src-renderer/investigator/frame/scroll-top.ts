import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';

/**
 * Starts another page at its top. The content scrolls, not the window, so the router would leave it where the page before was
 * scrolled to. Back and forward restore the old place; a change of the search alone (another day, a view) moves nothing.
 */
export function useScrollTop(content: RefObject<HTMLElement | null>): void {
  const router = useRouter();
  useEffect(() => {
    let isNew = false;
    const unlisten = router.history.subscribe(({ action }) => {
      isNew = action.type === 'PUSH' || action.type === 'REPLACE';
    });
    const unsubscribe = router.subscribe('onRendered', ({ pathChanged }) => {
      if (pathChanged && isNew) content.current?.scrollTo({ top: 0 });
    });
    return () => {
      unlisten();
      unsubscribe();
    };
  }, [router, content]);
}
