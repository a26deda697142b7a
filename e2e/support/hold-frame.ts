import type { Page } from '@playwright/test';

/** Holds back the code of the desk's frame until the returned function is called: what comes before it shows. */
export async function holdFrame(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/frame-.*\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held.resolve;
}
