/** The recent sites: going from one to another, and folders that are gone or in use. */
import { mkdtemp, readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { initSite } from '../../src-server/site/folder.ts';
import { startSite } from '../../src-server/site/server.ts';
import { expectAccessible } from '../support/desk.ts';
import { type DesktopApp, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

let folder: string;
let app: DesktopApp;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-sites-'));
});

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

const dirOf = (name: string) => join(folder, name);

const makeSite = async (name: string): Promise<void> => {
  await initSite(dirOf(name), {
    account: `Clinic ${name}`,
    email: 'admin@clinic.example',
    password: 'a long enough one',
    timeZone: 'Europe/Berlin',
  });
};

const launch = async (args: string[] = []): Promise<Page> => {
  app = await launchDesktop({ userData: join(folder, 'user-data'), args: [...args, '--port', '0'] });
  return app.window;
};

/** Opens the list from the File menu, as a person does. */
const showSites = () =>
  app.evaluate(({ Menu }) => {
    const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
    items.find((item) => item.label === 'Open another site…')?.click();
  }, null);

const answerFolder = (path: string) =>
  app.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
  }, path);

const line = (window: Page, name: string) => window.getByRole('listitem').filter({ hasText: `Clinic ${name}` });

test('goes from one site to another, and back to the open one without closing it', async () => {
  for (const name of ['a', 'b']) await makeSite(name);
  const window = await launch(['--data', dirOf('a')]);
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  const desk = new URL(window.url()).origin;

  await showSites();
  await expect(window.getByRole('heading', { name: 'Sites', level: 1 })).toBeVisible();
  await expect(line(window, 'a')).toContainText('Open now');
  await expectAccessible(window);
  // The open site still answers while the list is shown.
  expect((await fetch(`${desk}/api/v1/status`)).status).toBe(200);
  await window.getByRole('button', { name: 'Return: Clinic a' }).click();
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(new URL(window.url()).origin).toBe(desk);

  await showSites();
  await answerFolder(dirOf('b'));
  await window.getByRole('button', { name: 'Open a folder…' }).click();
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await showSites();
  await expect(line(window, 'b')).toContainText('Open now');
  await expect(line(window, 'a')).toContainText('Ready to open');
  await window.getByRole('button', { name: 'Open: Clinic a' }).click();
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await app.quit();

  // The next start opens the last one.
  const next = await launch();
  await expect(next.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await showSites();
  await expect(line(next, 'a')).toContainText('Open now');
});

test('says that a folder is gone or in use, and notices when it is back', async () => {
  for (const name of ['a', 'b', 'c']) await makeSite(name);
  const window = await launch(['--data', dirOf('c')]);
  for (const name of ['b', 'a']) {
    await showSites();
    await answerFolder(dirOf(name));
    await window.getByRole('button', { name: 'Open a folder…' }).click();
    await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  }
  const other = await startSite({ dir: dirOf('b'), port: 0 });
  try {
    await rename(dirOf('c'), dirOf('moved'));
    await showSites();
    await expect(line(window, 'b')).toContainText(`another program on this computer (process ${process.pid})`);
    await expect(line(window, 'c')).toContainText('Folder not found');
    for (const name of ['b', 'c']) {
      await expect(window.getByRole('button', { name: `Open: Clinic ${name}` })).toBeDisabled();
    }
    await expectAccessible(window);
  } finally {
    await other.close();
  }
  await expect(line(window, 'b')).toContainText('Ready to open');
  await rename(dirOf('moved'), dirOf('c'));
  await expect(line(window, 'c')).toContainText('Ready to open');

  await window.getByRole('button', { name: 'Remove from list: Clinic c' }).click();
  await expect(line(window, 'c')).toHaveCount(0);
  await expect(window.getByRole('button', { name: 'Remove from list: Clinic b' })).toBeFocused();
  expect(await readdir(dirOf('c'))).toContain('site.json');

  await answerFolder(dirOf('c'));
  await window.getByRole('button', { name: 'Create a site…' }).click();
  await expect(window.getByRole('alert')).toContainText('This folder is not empty');
  await answerFolder(dirOf('new'));
  await window.getByRole('button', { name: 'Create a site…' }).click();
  await expect(window.getByRole('heading', { name: 'Create a site' })).toBeVisible();
});

test('does not offer to set up a new site where one was, and leads to the others', async () => {
  for (const name of ['a', 'b']) await makeSite(name);
  await launch(['--data', dirOf('b')]);
  await expect(app.window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await app.quit();
  await launch(['--data', dirOf('a')]);
  await expect(app.window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await app.quit();

  await rename(dirOf('a'), dirOf('unplugged'));
  const window = await launch();
  await expect(window.getByRole('heading', { name: 'There is no site in this folder' })).toBeVisible();
  await window.getByRole('button', { name: 'Recent sites' }).click();
  await expect(line(window, 'a')).toContainText('Folder not found');
  await window.getByRole('button', { name: 'Open: Clinic b' }).click();
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});
