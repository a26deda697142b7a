/** Links from other programs show a page of the desk, and nothing else. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { linkedPath } from '../../src-main/deep-links.ts';
import { readSiteFile } from '../../src-server/integrity/site-file.ts';
import { initSite } from '../../src-server/site/folder.ts';
import { expectAccessible } from '../support/desk.ts';
import { type DesktopApp, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { SCREENS } from '../support/screens.ts';

const PERSON = { email: 'admin@clinic.example', password: 'a long enough one' };
/** Screens that no link shows. */
const NOT_LINKED = /^\/(?:sign-in|set-password|equipment\/pair|studies\/.+\/record|print\/.+|\$)$/;

let folder: string | undefined;
let app: DesktopApp | undefined;

test.afterEach(async () => {
  await app?.quit();
  if (folder !== undefined) await removeFolder(folder);
});

test('links lead to every screen but those that ask for something', () => {
  const id = '019a20b1-0000-7000-8000-000000000001';
  const routes = [...new Set(SCREENS.map(({ route }) => route))].filter((route) => route.startsWith('/'));
  expect(routes.length).toBeGreaterThan(30);
  const isLinked = (route: string) => linkedPath(route.replaceAll(/\$\w+/g, id)) !== null;
  expect(routes.filter((route) => isLinked(route) === NOT_LINKED.test(route))).toEqual([]);
});

test('opens links while running and at the start, keeps the page, and explains the others', async () => {
  test.slow();
  const home = await mkdtemp(join(tmpdir(), 'outpost-links-'));
  folder = home;
  const ids: string[] = [];
  for (const name of ['a', 'b']) {
    await initSite(join(home, name), { account: `Clinic ${name}`, ...PERSON, timeZone: 'Asia/Tokyo' });
    ids.push((await readSiteFile(join(home, name))).id);
  }
  const [own = '', other = ''] = ids;
  const link = (siteId: string, path: string) => `outpost://site/${siteId}${path}`;
  const launch = async (dir: string, ...more: string[]): Promise<DesktopApp> => {
    app = await launchDesktop({
      userData: join(home, 'user-data'),
      args: ['--data', join(home, dir), '--port', '0', ...more],
    });
    return app;
  };
  const enter = async (page: Page) => {
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await page.getByRole('textbox', { name: 'Email' }).fill(PERSON.email);
    await page.getByLabel('Password', { exact: true }).fill(PERSON.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const first = await launch('b');
  await expect(first.window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await first.quit();

  // At the start, before anybody is signed in.
  const { window, evaluate } = await launch('a', '--', link(own, '/site/jobs'));
  const openUrl = (url: string) =>
    evaluate(({ app: program }, address) => program.emit('open-url', { preventDefault: () => {} }, address), url);
  await enter(window);
  await window.waitForURL('**/site/jobs');
  // From then on the desk listens, and no link loads its page again.
  await expect
    .poll(() => evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.some(({ label }) => label === 'Actions'), null))
    .toBe(true);
  await window.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  const isSamePage = () => window.evaluate(() => (globalThis as { isSamePage?: boolean }).isSamePage);

  // On macOS, and as the argument of a second start: the page is not loaded again.
  await openUrl(link(own, '/exports'));
  await window.waitForURL('**/exports');
  await evaluate(
    ({ app: program }, url) => program.emit('second-instance', {}, ['electron', 'main', '--', url], '/'),
    link(own, '/equipment'),
  );
  await window.waitForURL('**/equipment');
  expect(await isSamePage()).toBe(true);

  // The page answers the click on its own time, and its address has only just changed.
  const copied = () =>
    evaluate(({ Menu, clipboard }) => {
      const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
      items.find((item) => item.label === 'Copy link to this page')?.click();
      return clipboard.readText();
    }, null);
  await expect.poll(copied).toBe(link(own, '/equipment'));

  // Anything else is explained, and shows nothing.
  await evaluate(({ dialog }) => {
    const shown: object[] = [];
    Object.assign(dialog, { shown });
    dialog.showMessageBox = async (options: object) => {
      shown.push(options);
      return { response: 0, checkboxChecked: false };
    };
  }, null);
  for (const hostile of ['outpost://site/../../etc', link(own, '/equipment/pair'), link(own, '/exports?start=1')])
    await openUrl(hostile);
  const shown = await evaluate(({ dialog }) => (dialog as { shown?: object[] }).shown, null);
  expect(shown).toHaveLength(3);
  expect(JSON.stringify(shown)).not.toContain('etc');
  expect(window.url()).toMatch(/\/equipment$/);
  expect(await isSamePage()).toBe(true);

  // Another site: the list says why, and that site then shows the page.
  await openUrl(link(other, '/exports'));
  await expect(window.getByText('The link belongs to a site that is not open.', { exact: false })).toBeVisible();
  await expectAccessible(window);
  await window.getByRole('button', { name: 'Open: Clinic b' }).click();
  await enter(window);
  await window.waitForURL('**/exports');
});
