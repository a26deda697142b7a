import type { Page } from '@playwright/test';

/**
 * Texts and controls of a page that are cut off where nobody can scroll to them, as sentences. Texts that end in an ellipsis
 * count too, unless the whole text is in a tooltip of the element or of one around it.
 */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const TOLERANCE_PX = 1.5;
    const found = new Set<string>();
    /** Outside the window until it has the focus. */
    const SKIP_LINK = 'a[href="#content"]';
    const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll';

    /** Compares a box with every ancestor that clips it, up to the one that scrolls, on each axis separately. */
    const look = (element: Element, box: DOMRect, name: string) => {
      let [horizontally, vertically] = [true, true];
      for (
        let around: Element | null = element;
        around && (horizontally || vertically);
        around = around.parentElement
      ) {
        const style = getComputedStyle(around);
        const edge = around.getBoundingClientRect();
        // Texts for screen readers alone are cut on purpose.
        if (style.clipPath !== 'none' || (edge.width <= 2 && style.overflow === 'hidden')) return;
        if (scrolls(style.overflowX)) horizontally = false;
        if (scrolls(style.overflowY)) vertically = false;
        const isWhole = around.closest('[title]') !== null && style.textOverflow === 'ellipsis';
        if (isWhole || style.webkitLineClamp !== 'none') return;
        const cuts = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
        if (
          (horizontally &&
            cuts(style.overflowX) &&
            (box.right > edge.right + TOLERANCE_PX || box.left < edge.left - TOLERANCE_PX)) ||
          (vertically &&
            cuts(style.overflowY) &&
            (box.bottom > edge.bottom + TOLERANCE_PX || box.top < edge.top - TOLERANCE_PX))
        )
          found.add(
            `${name} is cut off by <${around.tagName.toLowerCase()} class="${around.getAttribute('class') ?? ''}">`,
          );
        if (style.position === 'fixed') break;
      }
    };

    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth)
      found.add(`The page is ${root.scrollWidth - root.clientWidth} px too wide.`);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      const text = node.textContent?.trim() ?? '';
      if (text === '' || !parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (parent.closest(`svg, script, style, select, ${SKIP_LINK}`) !== null) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      look(parent, range.getBoundingClientRect(), `"${text.slice(0, 60)}"`);
    }
    for (const control of document.querySelectorAll('button, a[href], input, select, textarea, [role="slider"]')) {
      if (control.matches(SKIP_LINK) || !control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        continue;
      const box = control.getBoundingClientRect();
      const name = control.getAttribute('aria-label') ?? control.textContent?.trim().slice(0, 60) ?? '';
      if (control.parentElement) look(control.parentElement, box, `<${control.tagName.toLowerCase()}> ${name}`);
    }
    return [...found];
  });
