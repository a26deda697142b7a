import { type RefObject, useEffect } from 'react';

/**
 * Moves the focus to the page content when the focused element is removed, as a link is with its screen. Otherwise keys
 * would scroll nothing and Tab would start at the top of the window again.
 */
export function useKeptFocus(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: EventTarget | null = null;
    let frame = 0;
    const onFocus = ({ target }: FocusEvent) => {
      last = target;
    };
    const isLost = () => last instanceof Node && !last.isConnected && document.activeElement === document.body;
    // A closing dialog restores the focus one frame later: wait two frames so that it wins.
    const observer = new MutationObserver(() => {
      if (frame !== 0 || !isLost()) return;
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => {
          frame = 0;
          if (isLost()) content.current?.focus({ preventScroll: true });
        });
      });
    });
    document.addEventListener('focusin', onFocus);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', onFocus);
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [content]);
}
