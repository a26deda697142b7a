import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { setUpPage } from '../../src-main/pages/set-up-page.ts';
import { TypedPassword } from '../../src-main/typed-password.ts';
import { startSite } from '../../src-server/site/server.ts';
import { offerSetUp } from '../../src-server/site/set-up/set-up.ts';
import { removeFolder } from '../support/remove-folder.ts';

let folder: string;
let creation: ReturnType<typeof offerSetUp>;
let url: string;
let stop: AbortController;
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-set-up-walk-'));
  stop = new AbortController();
  const ready = Promise.withResolvers<string>();
  creation = offerSetUp({ dir: join(folder, 'site'), port: 0, onReady: ready.resolve, signal: stop.signal });
  creation.catch(() => undefined);
  url = await ready.promise;
});
test.afterEach(async () => {
  stop.abort();
  await removeFolder(folder);
});

async function fill(page: Page, password: string): Promise<void> {
  await page.getByLabel('Organisation').fill('Harbour Clinic');
  await page.getByLabel('Time zone').fill('Osaka');
  await page.getByLabel('First name').fill('Robin');
  await page.getByLabel('Last name').fill('Marsh');
  await page.getByLabel('Your email address').fill('admin@harbour.example');
  await page.getByLabel('Password', { exact: true }).fill(password);
}

async function expectKept(page: Page, password: string, words = ['Organisation', 'Password']): Promise<void> {
  await expect(page.getByLabel(words[0]!)).toHaveValue('Harbour Clinic');
  await expect(page.locator('#email')).toHaveValue('admin@harbour.example');
  await expect(page.getByLabel(words[1]!, { exact: true })).toHaveValue(password);
}

test('loses nothing that was typed to a refusal, another language, a reload or the way back', async ({ page }) => {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.text().includes('Content Security') && problems.push(message.text()));
  await page.goto(url);
  await fill(page, 'a long enough one');
  const password = page.getByLabel('Password', { exact: true });
  await expect(password).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'password');

  // Language on top: the first thing that Tab reaches.
  await page.getByRole('button', { name: '日本語' }).click();
  await expect(page.getByRole('heading', { name: '施設データを作成', level: 1 })).toBeVisible();
  await expectKept(page, 'a long enough one', ['組織名', 'パスワード']);
  await page.getByRole('button', { name: 'English' }).click();
  await expectKept(page, 'a long enough one');

  await page.getByLabel('Time zone').fill('Nowhere');
  await password.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Check the marked fields.' })).toBeVisible();
  await expect(page.getByLabel('Time zone')).toBeFocused();
  await expectKept(page, 'a long enough one');
  await expect(page.getByLabel('Time zone')).toHaveValue('Nowhere');

  // A reload and the way back keep all but the password, which no browser may store.
  await page.reload();
  await expect(page.getByLabel('Time zone')).toHaveValue('Nowhere');
  await expectKept(page, '');
  await page.goto('about:blank');
  await page.goBack();
  await expect(page.getByLabel('Organisation')).toHaveValue('Harbour Clinic');
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('long enough');

  await page.getByLabel('Time zone').fill('Osaka');
  await password.fill('a long enough one');
  await password.press('Enter');
  await expect(page.getByRole('heading', { name: 'Site created' })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  const { port } = await creation;
  const site = await startSite({ dir: join(folder, 'site'), port });
  try {
    // The page opens the site as soon as it answers.
    await expect(page).toHaveURL(/127\.0\.0\.1:\d+\/(?!set-up)/);
  } finally {
    await site.close();
  }
  expect(problems).toEqual([]);
});

test('says when the program does not answer, and keeps what was typed', async ({ page }) => {
  await page.goto(url);
  await fill(page, 'a long enough one');
  await page.route('**/set-up/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Create site' }).click();
  await expect(page.getByText('Outpost does not answer.')).toBeVisible();
  await expectKept(page, 'a long enough one');
  await page.unroute('**/set-up/**');
  await page.getByRole('button', { name: 'Create site' }).click();
  await expect(page.getByRole('heading', { name: 'Site created' })).toBeVisible();
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });
  test('creates the site with Enter, in the language that shows', async ({ page }) => {
    await page.goto(url);
    await expect(page.getByRole('button', { name: 'Show password' })).toBeHidden();
    await fill(page, 'a long enough one');
    await page.getByLabel('Password', { exact: true }).press('Enter');
    await expect(page.getByRole('heading', { name: 'Site created' })).toBeVisible();
  });
});

test('of the desktop program keeps the password for another language, and in no address', async ({ page }) => {
  const typedPassword = new TypedPassword();
  let shown: Promise<unknown> = Promise.resolve();
  await page.exposeFunction('choose', (language: 'en' | 'ja', typed: Record<string, string>) => {
    const address = setUpPage(folder, language, typedPassword.hold(typed));
    expect(decodeURIComponent(address)).not.toContain('a long enough one');
    // The answer comes first, as that of the program does.
    shown = new Promise((resolve) => setImmediate(resolve)).then(() => page.goto(address));
  });
  await page.exposeFunction('take', () => typedPassword.take());
  await page.addInitScript(() => {
    const { choose, take } = window as unknown as { choose: unknown; take: unknown };
    Object.assign(window, { outpostDesktop: { chooseLanguage: choose, takeTypedPassword: take } });
  });
  await page.goto(setUpPage(folder, 'en'));
  await fill(page, 'a long enough one');
  await page.getByRole('button', { name: '日本語' }).click();
  await expect(page.getByRole('heading', { name: '施設データを作成', level: 1 })).toBeVisible();
  await shown;
  await expectKept(page, 'a long enough one', ['組織名', 'パスワード']);
  expect(typedPassword.take()).toBe('');
});
