import { type RefObject, useEffect } from 'react';

/** What fits beside the margins of a landscape page of A4 at 96 px to the inch; letter is as wide. */
const PRINTED_PX = 1020;

/**
 * Keeps the width that the content has on the screen as CSS variables, by which a printed page is as wide and scaled to the
 * paper: charts are drawn in pixels and cannot be laid out anew for it.
 */
export function usePrintWidth(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = content.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      // A printed page must not measure itself.
      if (matchMedia('print').matches) return;
      const { style } = document.documentElement;
      style.setProperty('--screen-width', `${element.clientWidth}px`);
      style.setProperty('--print-zoom', String(Math.min(1, PRINTED_PX / Math.max(1, element.clientWidth))));
    });
    observer.observe(element);
    return () => observer.disconnect();
  });
}
