/** Staying signed in on this computer, and the lock that asks for the password again. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { basicAuthorization } from '../../src-server/api/contract/client.ts';
import { initSite } from '../../src-server/site/folder.ts';
import { expectAccessible } from '../support/desk.ts';
import { type DesktopApp, launchDesktop, sessionOf } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

const EMAIL = 'admin@clinic.example';
const PASSWORD = 'a long enough one';
const STAY = 'Stay signed in on this computer for 7 days';

let folder: string;
let app: DesktopApp;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-stay-'));
  await initSite(join(folder, 'site'), { account: 'Clinic', email: EMAIL, password: PASSWORD, timeZone: 'Asia/Tokyo' });
});

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

const launch = async (): Promise<Page> => {
  app = await launchDesktop({
    userData: join(folder, 'user-data'),
    args: ['--data', join(folder, 'site'), '--port', '0'],
  });
  return app.window;
};

const signInHeading = (window: Page) => window.getByRole('heading', { name: 'Sign in' });
const today = (window: Page) => window.getByRole('heading', { name: 'Today', level: 1 });

const signIn = async (window: Page, stays: boolean, page = 'Today'): Promise<void> => {
  await window.getByRole('textbox', { name: 'Email' }).fill(EMAIL);
  await window.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await window.getByRole('checkbox', { name: STAY }).setChecked(stays);
  await window.getByRole('button', { name: 'Sign in' }).click();
  await expect(window.getByRole('heading', { name: page, level: 1 })).toBeVisible();
};

/** Files of the program's own folder that contain a text, the browser's profile included. */
const filesWith = async (dir: string, text: string): Promise<string[]> => {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const found: string[] = [];
  for (const { parentPath, name } of files) {
    const bytes = await readFile(join(parentPath, name)).catch(() => Buffer.alloc(0));
    if (bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le'))) found.push(name);
  }
  return found;
};

const storedSignIns = async (): Promise<unknown[]> =>
  JSON.parse(await readFile(join(folder, 'user-data', 'desktop.json'), 'utf8')).signIns ?? [];

/** What the site answers to a token. */
const statusOf = async (window: Page, { user, accessToken }: Awaited<ReturnType<typeof sessionOf>>) => {
  const authorization = basicAuthorization({ userId: user.id, accessToken });
  return (await fetch(`${new URL(window.url()).origin}/api/v1/site`, { headers: { authorization } })).status;
};

const signOut = async (window: Page): Promise<void> => {
  await window.getByRole('button', { name: 'Account and settings' }).click();
  await window.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(signInHeading(window)).toBeVisible();
};

test('stays signed in only where it was asked for, until it is revoked', async () => {
  test.slow();
  let window = await launch();
  await signIn(window, false);
  await window.reload();
  await expect(today(window)).toBeVisible();
  const first = await sessionOf(window);
  expect(await storedSignIns()).toEqual([]);
  await signOut(window);
  await expect.poll(() => statusOf(window, first)).toBe(401);
  await signIn(window, true);
  await expect.poll(storedSignIns).toHaveLength(1);
  const session = await sessionOf(window);
  await app.quit();
  expect(await filesWith(join(folder, 'user-data'), session.accessToken)).toEqual([]);

  window = await launch();
  await expect(today(window)).toBeVisible();
  expect((await sessionOf(window)).accessToken).toBe(session.accessToken);
  // The site no longer accepts the token, as after a new password.
  const authorization = basicAuthorization({ userId: session.user.id, accessToken: session.accessToken });
  const logout = `${new URL(window.url()).origin}/api/v1/users/logout`;
  expect((await fetch(logout, { method: 'POST', headers: { authorization } })).status).toBe(204);
  await window.reload();
  await expect(signInHeading(window)).toBeVisible();
  await expect.poll(storedSignIns).toEqual([]);

  await signIn(window, true);
  await expect.poll(storedSignIns).toHaveLength(1);
  await signOut(window);
  await expect.poll(storedSignIns).toEqual([]);
});

test('locks when nobody uses the computer, keeps what was typed, and lets another person sign in', async () => {
  test.slow();
  const window = await launch();
  await app.evaluate(({ safeStorage }) => {
    safeStorage.getSelectedStorageBackend = () => 'basic_text';
  }, null);
  if (process.platform === 'linux') {
    await window.reload();
    await expect(window.getByText('it has no keyring', { exact: false })).toBeVisible();
    await expect(window.getByRole('checkbox', { name: STAY })).toHaveCount(0);
    await expectAccessible(window);
  }
  await app.evaluate(({ safeStorage }) => {
    safeStorage.getSelectedStorageBackend = () => 'gnome_libsecret';
  }, null);
  await window.reload();
  await signIn(window, true);
  const session = await sessionOf(window);
  await window.getByRole('button', { name: 'Account and settings' }).click();
  await window.getByRole('menuitem', { name: 'Your account' }).click();
  const name = window.getByRole('textbox', { name: 'First name' });
  await name.fill('Half typed');

  const setIdle = (state: 'active' | 'idle') =>
    app.evaluate(({ powerMonitor }, now) => {
      powerMonitor.getSystemIdleState = (seconds) => (seconds === 900 ? now : 'active');
    }, state);
  const cover = window.getByRole('dialog', { name: 'Locked' });
  await setIdle('idle');
  await expect(cover.getByLabel('Password', { exact: true })).toBeFocused();
  await setIdle('active');
  expect(await window.title()).toBe('Outpost');
  // Neither seen, nor found, nor printed.
  await expect(name).toBeHidden();
  await expect(window.getByText('Your account').first()).toBeHidden();
  expect(await statusOf(window, session)).toBe(401);
  expect(await sessionOf(window)).toBeNull();
  expect(await storedSignIns()).toEqual([]);
  await window.keyboard.press('Escape');
  await expect(cover).toBeVisible();
  await expectAccessible(window);
  await cover.getByLabel('Password', { exact: true }).fill('not the password');
  await window.keyboard.press('Enter');
  await expect(cover.getByText('Incorrect email or password.', { exact: false })).toBeVisible();
  await cover.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await window.keyboard.press('Enter');
  await expect(cover).toHaveCount(0);
  await expect(name).toHaveValue('Half typed');
  expect(await window.title()).toContain('Your account');
  // The password renewed the sign-in that the lock had ended.
  await expect.poll(storedSignIns).toHaveLength(1);

  for (const event of ['lock-screen', 'suspend']) {
    await app.evaluate(({ powerMonitor }, happened) => powerMonitor.emit(happened), event);
    await expect(cover).toBeVisible();
    if (event === 'suspend') break;
    await cover.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await window.keyboard.press('Enter');
    await expect(name).toHaveValue('Half typed');
  }
  await cover.getByRole('button', { name: 'Sign in as someone else' }).click();
  await expect(signInHeading(window)).toBeVisible();
  // The page learns from the site that it is to be locked. A lock before that ends the session on the sign-in screen.
  const learned = window.waitForResponse((response) => response.ok() && response.url().endsWith('/api/v1/site'));
  await signIn(window, false, 'Your account');
  await learned;

  // Nobody gets around the lock by loading the page again.
  await setIdle('idle');
  await expect(cover).toBeVisible();
  await setIdle('active');
  await window.reload();
  await expect(signInHeading(window)).toBeVisible();
});
