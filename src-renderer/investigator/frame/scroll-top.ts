import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';

/**
 * Scrolls a newly opened page to its top. The content element scrolls, not the window, so the router does not reset it. Back
 * and forward restore the former position; a change of only the search parameters (another day, another view) keeps it.
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
