import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { expectAccessible, signIn } from '../support/desk.ts';
import { type DesktopApp, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { makeEmptySite, serveSite } from '../support/sites.ts';

let folder: string;
let app: DesktopApp | undefined;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-desktop-'));
});

test.afterEach(async () => {
  await app?.quit();
  app = undefined;
  await removeFolder(folder);
});

const launch = async (args: string[], locale?: string): Promise<DesktopApp> => {
  app = await launchDesktop({ userData: join(folder, 'user-data'), args, locale });
  return app;
};

test('turns an empty folder into a site, which the next start opens', async () => {
  const { window } = await launch(['--data', join(folder, 'site'), '--port', '0']);
  await expect(window.getByRole('heading', { name: 'Create a site' })).toBeVisible();
  await expectAccessible(window);
  await window.getByLabel('Organisation').fill('Harbour Clinic');
  await window.getByLabel('First name').fill('Robin');
  await window.getByLabel('Last name').fill('Marsh');
  await window.getByLabel('Your email address').fill('admin@harbour.example');
  await window.getByLabel('Password').fill('a long enough one');
  await window.getByLabel('Time zone').fill('Europe/Nowhere');
  await window.getByRole('button', { name: 'Create site' }).click();
  await expect(window.getByText('Unknown time zone')).toBeVisible();
  await expect(window.getByLabel('Time zone')).toBeFocused();
  await window.getByRole('button', { name: '日本語' }).click();
  await expect(window.getByRole('heading', { name: '施設データを作成' })).toBeVisible();
  await expect(window.getByLabel('組織名')).toHaveValue('Harbour Clinic');
  await window.getByRole('button', { name: 'English' }).click();
  // A password is never shown again.
  await window.getByLabel('Password').fill('a long enough one');
  await window.getByLabel('Time zone').fill('Europe/Berlin');
  await window.getByRole('button', { name: 'Create site' }).click();
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await app?.quit();

  const next = await launch(['--port', '0']);
  await expect(next.window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('creates the demo next to the site, shows its credentials and reuses it next time', async () => {
  // A demo is simulated, uploaded and analysed as a whole.
  test.setTimeout(240_000);
  const { window } = await launch(['--data', join(folder, 'site'), '--port', '0']);
  await window.getByRole('button', { name: 'Open the demo' }).click();
  await expect(window.getByRole('button', { name: 'Creating the demo' })).toBeDisabled();
  await expect(window.getByRole('heading', { name: 'The demo is ready' })).toBeVisible({ timeout: 180_000 });
  await expectAccessible(window);
  const value = (name: string) => window.locator(`[data-value=${name}]`).textContent();
  const [email, password] = [await value('email'), await value('password')];
  await window.getByRole('button', { name: 'Go to sign-in' }).click();
  await signIn(window, { email: email ?? '', password: password ?? '' });
  await expect(window.getByRole('row').nth(1)).toBeVisible();
  expect(await readdir(folder)).toEqual(['user-data']);
  await app?.quit();

  const next = await launch(['--data', join(folder, 'other'), '--port', '0']);
  await next.window.getByRole('button', { name: 'Open the demo' }).click();
  await expect(next.window.getByRole('heading', { name: 'The demo is ready' })).toBeVisible({ timeout: 10_000 });
});

test('reports a site in use by another program, and opens it once closed', async () => {
  const site = join(folder, 'site');
  await makeEmptySite(site);
  const other = await serveSite(site);
  try {
    const { window } = await launch(['--data', site, '--port', '0']);
    const locked = window.getByRole('heading', { name: 'This site is already open' });
    await expect(locked).toBeVisible();
    await expect(window.getByText(site, { exact: true })).toBeVisible();
    await expect(window.getByText('SITE_LOCKED')).toBeVisible();
    await expectAccessible(window);
    // The page that comes after the attempt, not the one before it, shows that the site is still in use.
    await Promise.all([window.waitForEvent('load'), window.getByRole('button', { name: 'Try again' }).click()]);
    await expect(locked).toBeVisible();
    await other.stop();
    await window.getByRole('button', { name: 'Try again' }).click();
    await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  } finally {
    await other.stop();
  }
});

test('uses Japanese on a Japanese system, and quits with Quit', async () => {
  const site = join(folder, 'site');
  await mkdir(site);
  await writeFile(join(site, 'notes.txt'), 'not a site');
  const { window, ended, evaluate } = await launch(['--data', site, '--port', '0'], 'ja');
  await expect(window.getByRole('heading', { name: 'このフォルダーに施設データがありません' })).toBeVisible();
  // No item of the menus keeps the English words that Electron gives it.
  const labels = await evaluate(({ Menu }) => {
    const bar = Menu.getApplicationMenu()?.items ?? [];
    const all = bar.flatMap((item) => [item, ...(item.submenu?.items ?? [])]);
    return all.filter(({ type }) => type !== 'separator').map(({ label }) => label ?? '');
  }, null);
  expect(labels.length).toBeGreaterThan(20);
  expect(labels.filter((label) => label !== 'Outpost' && !/[ぁ-んァ-ヶ一-龠]/.test(label))).toEqual([]);

  // A right click in a field offers to paste, on plain ground nothing.
  const menus = await evaluate(({ BrowserWindow, Menu }) => {
    const shown: { label?: string; enabled?: boolean }[][] = [];
    Menu.prototype.popup = function (this: { items: { type?: string; label?: string; enabled?: boolean }[] }) {
      shown.push(
        this.items.filter(({ type }) => type !== 'separator').map(({ label, enabled }) => ({ label, enabled })),
      );
    };
    const flags = { canUndo: false, canRedo: false, canCut: false, canCopy: true, canPaste: true, canSelectAll: true };
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    for (const [isEditable, selectionText] of [
      [false, ' '],
      [false, 'E-1234'],
      [true, ''],
    ]) {
      contents?.emit('context-menu', {}, { isEditable, selectionText, editFlags: flags });
    }
    return shown;
  }, null);
  expect(menus).toHaveLength(2);
  expect(menus[0]?.map(({ label }) => label)).toEqual(['コピー']);
  expect(menus[1]?.filter(({ enabled }) => enabled).map(({ label }) => label)).toEqual([
    'コピー',
    '貼り付け',
    'すべて選択',
  ]);

  await window.getByRole('button', { name: '終了' }).click();
  expect(await ended).toBe(0);
});

test('leaves a damaged site unchanged and offers another folder', async () => {
  const site = join(folder, 'site');
  await mkdir(site);
  await writeFile(join(site, 'site.json'), '{"format":');
  const { window, evaluate } = await launch(['--data', site, '--port', '0']);
  await expect(window.getByText('SITE_CORRUPT')).toBeVisible();
  await evaluate(
    ({ dialog }, chosen) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
    },
    join(folder, 'new-site'),
  );
  await window.getByRole('button', { name: 'Choose a different folder' }).click();
  await expect(window.getByRole('heading', { name: 'Create a site' })).toBeVisible();
});

test('refuses a site of a newer version and says what to do', async () => {
  const site = join(folder, 'site');
  await mkdir(site);
  await writeFile(join(site, 'site.json'), '{"format":99}');
  const { window } = await launch(['--data', site, '--port', '0']);
  await expect(window.getByRole('heading', { name: 'This site needs a newer version of Outpost' })).toBeVisible();
});

test('names a port that is in use and offers a free one', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  try {
    const { port } = other.address() as AddressInfo;
    await makeEmptySite(join(folder, 'site'));
    const { window } = await launch(['--data', join(folder, 'site'), '--port', String(port)]);
    await expect(window.getByRole('heading', { name: 'The network port is in use' })).toBeVisible();
    await window.getByRole('button', { name: 'Use a free port' }).click();
    await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  } finally {
    other.close();
  }
});
