import { brotliCompressSync } from 'node:zlib';
import { expect, type Page, type Response } from '@playwright/test';
import { signIn, test } from '../support/desk.ts';
import { holdFrame } from '../support/hold-frame.ts';

const MOST_BYTES = 230_000;

/** Bytes of a body as the site sends it; where it is not sent compressed, its brotli form. */
async function wireBytes(response: Response): Promise<number> {
  if (await response.headerValue('content-encoding')) return (await response.request().sizes()).responseBodySize;
  return brotliCompressSync(await response.body()).length;
}

/** Adds up everything that the page fetches, except the stream of live changes, which does not end. */
function countBytes(page: Page): { total(): Promise<number>; files(): number } {
  const sizes = new Map<string, Promise<number>>();
  page.on('response', (response) => {
    const { pathname, href } = new URL(response.url());
    if (pathname.endsWith('/live') || response.status() !== 200) return;
    sizes.set(
      href,
      wireBytes(response).catch(() => 0),
    );
  });
  return {
    files: () => sizes.size,
    total: async () => (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0),
  };
}

for (const [locale, today] of [
  ['en-US', 'Last 24 hours'],
  ['ja-JP', '直近24時間の受信'],
] as const) {
  test.describe(() => {
    test.use({ locale });

    test(`loads at most 230 kB for the sign-in page and Today, ${locale}`, async ({ page, site }) => {
      const loaded = countBytes(page);
      await page.goto('/');
      await expect(page.locator('input[type=password]')).toBeVisible();
      await page.waitForLoadState('networkidle');
      const signInBytes = await loaded.total();
      await page.locator('form input').first().fill(site.email);
      await page.locator('input[type=password]').fill(site.password);
      await page.keyboard.press('Enter');
      await expect(page.getByRole('region', { name: today })).toBeVisible();
      const todayBytes = await loaded.total();
      for (const [screen, bytes] of [
        ['sign-in page', signInBytes],
        ['Today', todayBytes],
      ] as const)
        test.info().annotations.push({ type: screen, description: `${Math.round(bytes / 1000)} kB on the wire` });
      expect(loaded.files()).toBeGreaterThan(5);
      expect(signInBytes).toBeGreaterThan(50_000);
      expect(todayBytes).toBeLessThanOrEqual(MOST_BYTES);
    });
  });
}

test('asks for the files of a screen before the frame has arrived', async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
  await expect(page.getByRole('region', { name: 'Last 24 hours' })).toBeVisible();
  const subjectPath = `/studies/${site.studyId}/subjects/${site.subjects[0]!.id}`;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  // The frame does not arrive before the rest has been asked for.
  const release = await holdFrame(page);
  await page.goto(`${subjectPath}/days`, { waitUntil: 'commit' });
  await expect.poll(() => asked.some((path) => /\/assets\/days-.*\.js$/.test(path))).toBe(true);
  release();
  await expect(page.getByRole('slider', { name: 'Cursor' })).toBeVisible();
});
