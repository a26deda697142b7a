/** The account of a person: a second factor from its set-up to its end, sessions, and what the access log says of it. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { oneTimePassword, stepAt } from '../../src-server/secrets/totp.ts';
import { signIn } from '../support/desk.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { EMPTY_SITE_ADMIN, makeEmptySite, type ServedSite, serveSite } from '../support/sites.ts';

const STEP_MS = 30_000;
let dir: string;
let site: ServedSite;

test.beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-factor-'));
  await makeEmptySite(join(dir, 'site'));
  site = await serveSite(join(dir, 'site'));
});
test.afterAll(async () => {
  await site.stop();
  await removeFolder(dir);
});

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** As an authenticator app reads what was typed. */
function bytesOf(text: string): Buffer {
  const bits = [...text.replaceAll(' ', '')]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

const toAccount = (page: Page) => page.goto(`${site.url}/account`);
const enterPassword = async (page: Page) => {
  await page.getByRole('textbox', { name: 'Email' }).fill(EMPTY_SITE_ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(EMPTY_SITE_ADMIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

test('a second factor is set up, asked for, replaced by a recovery code, and turned off', async ({ page, browser }) => {
  test.setTimeout(180_000);
  await page.goto(site.url);
  await signIn(page, EMPTY_SITE_ADMIN);
  await toAccount(page);
  await page.getByRole('button', { name: 'Set up', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Current password').fill('not my password');
  await dialog.getByRole('button', { name: 'Next' }).click();
  await expect(dialog.getByText('Is not your current password')).toBeVisible();
  await dialog.getByLabel('Current password').fill(EMPTY_SITE_ADMIN.password);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await expect(dialog.getByRole('img', { name: 'QR code of the second factor' }).first()).toBeVisible();
  const secret = bytesOf((await dialog.locator('output').textContent()) ?? '');
  expect(secret).toHaveLength(20);
  const codeNow = () => oneTimePassword(secret, stepAt(Date.now()));
  await dialog.getByLabel('Code', { exact: true }).fill('000000');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByText('This code is incorrect')).toBeVisible();
  const usedStep = stepAt(Date.now());
  await dialog.getByLabel('Code', { exact: true }).fill(oneTimePassword(secret, usedStep));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
  expect(codes).toHaveLength(10);
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByText('10 recovery codes left.')).toBeVisible();

  // Another browser: the password alone leads to the code, the used one is refused, and a recovery code signs in.
  const other = await (await browser.newContext()).newPage();
  await other.goto(site.url);
  await enterPassword(other);
  await other.getByLabel('Code').fill(oneTimePassword(secret, usedStep));
  await other.getByRole('button', { name: 'Sign in' }).click();
  await expect(other.getByText('This code is incorrect, already used or of another time.')).toBeVisible();
  await expect(other.getByText(/This site's clock says/)).toBeVisible();
  await other.getByLabel('Code').fill(codes[0]!.toLowerCase());
  await other.getByRole('button', { name: 'Sign in' }).click();
  await expect(other.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();

  // The first browser sees that session, and ends it.
  await toAccount(page);
  await expect(page.getByText('9 recovery codes left.')).toBeVisible();
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await expect(sessions).toHaveCount(2);
  await expect(sessions.filter({ hasText: 'This session' })).toHaveCount(1);
  await sessions.filter({ hasNotText: 'This session' }).getByRole('button').click();
  await expect(sessions).toHaveCount(1);
  await other.reload();
  await expect(other.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await other.context().close();

  // A code signs in once its time has come.
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await expect.poll(() => stepAt(Date.now()), { timeout: 2 * STEP_MS }).toBeGreaterThan(usedStep);
  await enterPassword(page);
  const entered = stepAt(Date.now());
  await page.getByLabel('Code').fill(codeNow());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('button', { name: /Dana|Site Administrator/ }).first()).toBeVisible();
  expect(entered).toBeGreaterThan(usedStep);

  // Turned off with the password and a recovery code.
  await toAccount(page);
  await page.getByRole('button', { name: 'Turn off' }).click();
  await dialog.getByLabel('Current password').fill(EMPTY_SITE_ADMIN.password);
  await dialog.getByLabel('Code, or a recovery code').fill(codes[1]!);
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await expect(page.getByRole('button', { name: 'Set up', exact: true })).toBeVisible();

  await page.goto(`${site.url}/site/access`);
  const rows = page.getByRole('row');
  await expect(rows.filter({ hasText: 'Recovery code' }).filter({ hasText: 'Signed in' }).first()).toBeVisible();
  await expect(rows.filter({ hasText: 'Sign-in failed' }).first()).toBeVisible();
  await expect(rows.filter({ hasText: 'Turned off' }).first()).toBeVisible();
  await page.getByLabel('Kind').selectOption('SESSION_END');
  await expect(rows.filter({ hasText: 'All sessions' })).toHaveCount(1);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/access\.csv$/);
});

test('a required second factor is set up at the next sign-in', async ({ page }) => {
  await page.goto(site.url);
  await signIn(page, EMPTY_SITE_ADMIN);
  await page.goto(`${site.url}/site/users`);
  await page.getByRole('button', { name: /^Sign-in of/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Require a second factor').click();
  await expect(dialog.getByText('Required', { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Sign out', exact: false }).first().click();
  await enterPassword(page);
  await page.getByRole('button', { name: 'Set up second factor' }).click();
  const secret = bytesOf((await page.locator('output').textContent()) ?? '');
  await page.getByRole('textbox', { name: 'Code' }).fill(oneTimePassword(secret, stepAt(Date.now())));
  await page.getByRole('button', { name: 'Confirm and sign in' }).click();
  await expect(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
  await page.getByRole('button', { name: 'Continue to the desk' }).click();
  await toAccount(page);
  await expect(
    page.getByText("An administrator requires it for your account, so you can't turn it off."),
  ).toBeVisible();
});
