import { type RefObject, useEffect } from 'react';

/**
 * Keeps the focus in the page when what had it is gone: a link with the screen that it left, a button of a list that is not
 * empty any more. Else keys would scroll nothing and Tab would begin at the top of the window again.
 */
export function useKeptFocus(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: EventTarget | null = null;
    let frame = 0;
    const onFocus = ({ target }: FocusEvent) => {
      last = target;
    };
    const isLost = () => last instanceof Node && !last.isConnected && document.activeElement === document.body;
    // A dialog gives the focus back one frame after it has gone: that comes first.
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
