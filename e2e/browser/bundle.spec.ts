import { gzipSync } from 'node:zlib';
import { expect } from '@playwright/test';
import { signIn, test } from '../support/desk.ts';

const MOST_BYTES = 250_000;

test('loads at most 250 kB of compressed code for the first screen', async ({ page, site }) => {
  const sizes = new Map<string, Promise<number>>();
  page.on('response', (response) => {
    if (!['script', 'stylesheet', 'document'].includes(response.request().resourceType())) return;
    sizes.set(
      new URL(response.url()).pathname,
      response.body().then((body) => gzipSync(body).length),
    );
  });
  await page.goto('/');
  await signIn(page, site);
  await expect(page.getByRole('region', { name: 'Last 24 hours' })).toBeVisible();
  const bytes = await Promise.all(sizes.values());
  const total = bytes.reduce((sum, size) => sum + size, 0);
  test.info().annotations.push({ type: 'first screen', description: `${Math.round(total / 1000)} kB gzip` });
  expect(sizes.size).toBeGreaterThan(3);
  expect(total).toBeLessThanOrEqual(MOST_BYTES);
});
