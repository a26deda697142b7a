import { type RefObject, useEffect } from 'react';

/** Printable width of a landscape A4 page at 96 px per inch; US letter is about as wide. */
const PRINTED_PX = 1020;

/**
 * Publishes the on-screen width of the content as CSS variables for the print style sheet. Charts are drawn in pixels and
 * cannot be laid out again for paper, so a printed page keeps the screen width and is scaled down.
 */
export function usePrintWidth(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = content.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      // Ignore the resize that printing itself causes.
      if (matchMedia('print').matches) return;
      const { style } = document.documentElement;
      style.setProperty('--screen-width', `${element.clientWidth}px`);
      style.setProperty('--print-zoom', String(Math.min(1, PRINTED_PX / Math.max(1, element.clientWidth))));
    });
    observer.observe(element);
    return () => observer.disconnect();
  });
}
