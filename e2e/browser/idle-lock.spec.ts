/** A desk in a browser is locked when nobody has used it for a while. */
import { expect } from '@playwright/test';
import { signIn, test } from '../support/desk.ts';

const MINUTE_MS = 60_000;

test('locks after fifteen minutes without input, also when the browser was closed meanwhile', async ({
  page,
  site,
}) => {
  await page.clock.install();
  await page.goto('/');
  await signIn(page, site);
  await page.getByRole('button', { name: 'Account and settings' }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  const name = page.getByRole('textbox', { name: 'First name' });
  await name.fill('Half typed');
  const cover = page.getByRole('dialog', { name: 'Locked' });

  // Reading is not using, but a movement is.
  await page.clock.fastForward(14 * MINUTE_MS);
  await page.mouse.move(200, 200);
  await page.clock.fastForward(14 * MINUTE_MS);
  await expect(name).toBeVisible();
  await page.clock.fastForward(2 * MINUTE_MS);
  await expect(cover.getByLabel('Password', { exact: true })).toBeFocused();
  await expect(name).toBeHidden();
  expect(await page.evaluate(() => localStorage.getItem('outpost.session'))).toBeNull();
  await cover.getByLabel('Password', { exact: true }).fill(site.password);
  await page.keyboard.press('Enter');
  await expect(cover).toHaveCount(0);
  await expect(name).toHaveValue('Half typed');

  // The next morning: the first movement does not count as use.
  await page.clock.setSystemTime(Date.now() + 10 * 60 * MINUTE_MS);
  await page.mouse.move(300, 300);
  await expect(cover).toBeVisible();
  await cover.getByLabel('Password', { exact: true }).fill(site.password);
  await page.keyboard.press('Enter');
  await expect(name).toBeVisible();

  const other = await page.context().newPage();
  await other.clock.install({ time: Date.now() + 30 * 60 * MINUTE_MS });
  await other.goto('/');
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});
