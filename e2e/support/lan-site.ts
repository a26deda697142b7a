/** Fixture: a separate site that listens for devices on loopback, with a clock that tests set. */
import { test as base, type Page } from '@playwright/test';
import { startTestLanSite, type TestLanSite } from '../../src-server/testing/test-lan-site.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { signIn } from './desk.ts';

export const test = base.extend<{ desk: Page }, { lan: TestLanSite; siteName: string }>({
  /** Tests that need a site without other tests' devices set a name, which gives them their own worker and site. */
  siteName: ['shared', { scope: 'worker', option: true }],
  lan: [
    // Playwright wants a pattern here, even when a fixture needs no other.
    // biome-ignore lint/correctness/noEmptyPattern: see above
    async ({}, use) => {
      const site = await startTestLanSite();
      await use(site);
      await site.close();
    },
    { scope: 'worker' },
  ],
  baseURL: ({ lan }, use) => use(lan.site.url),
  /** A page with the administrator signed in. */
  desk: async ({ page }, use) => {
    await page.goto('/');
    await signIn(page, { email: TEST_EMAIL, password: TEST_PASSWORD });
    await use(page);
  },
});
