/** Finds horizontal overflow of the page and clipped texts. */
import type { Page } from '@playwright/test';

/**
 * Describes every overflow. A text may be clipped only where its full form is available otherwise (`title`, or an element that
 * scrolls).
 */
export function overflowsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { scrollingElement } = document;
    if (scrollingElement && scrollingElement.scrollWidth > innerWidth + 1)
      found.push(`the page is ${scrollingElement.scrollWidth} px wide in a window of ${innerWidth} px`);
    const told = (element: Element) =>
      element.closest('[title]') !== null || element.closest('.visually-hidden') !== null;
    for (const element of document.querySelectorAll('body *')) {
      const style = getComputedStyle(element);
      const text = element.textContent?.trim();
      if (!text || told(element)) continue;
      const cutsX = style.overflowX === 'hidden' || style.overflowX === 'clip';
      const cutsY = style.overflowY === 'hidden' || style.overflowY === 'clip';
      const isShort = element.childElementCount === 0;
      if (isShort && cutsX && element.scrollWidth > element.clientWidth + 1)
        found.push(`cut off at the side: ${text.slice(0, 60)}`);
      if (isShort && cutsY && element.scrollHeight > element.clientHeight + 1)
        found.push(`cut off below: ${text.slice(0, 60)}`);
      const box = element.getBoundingClientRect();
      const isControl = element.matches('button, a, label, th, dt, h1, h2, h3');
      if (isControl && box.width > 0 && element.scrollWidth > element.clientWidth + 2 && style.display !== 'inline')
        found.push(`wider than its place: ${text.slice(0, 60)}`);
    }
    return found;
  });
}
