/** Tests against a site of their own that listens for devices on loopback, with a clock that moves by hand. */
import { test as base, type Page } from '@playwright/test';
import { startTestLanSite, type TestLanSite } from '../../src-server/testing/test-lan-site.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { signIn } from './desk.ts';

export const test = base.extend<{ desk: Page }, { lan: TestLanSite; siteName: string }>({
  /** Tests that must not meet the devices of others name a site: it is their own, in a worker of its own. */
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
  /** A page whose administrator is signed in. */
  desk: async ({ page }, use) => {
    await page.goto('/');
    await signIn(page, { email: TEST_EMAIL, password: TEST_PASSWORD });
    await use(page);
  },
});
