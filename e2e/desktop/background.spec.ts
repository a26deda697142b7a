/** Closing the window keeps the program receiving, and the tray shows whether it does. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createClient } from '../../src-server/api/contract/client.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { signIn } from '../support/desk.ts';
import { type DesktopApp, launchDesktop, sessionOf } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { type ClosedUploadSite, makeUploadSite } from '../support/upload-site.ts';

const KEEP = 'Keep receiving when the window is closed';

let folder: string;
let site: ClosedUploadSite;
let app: DesktopApp;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-background-'));
  site = await makeUploadSite(folder);
});

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

const launch = async (locale?: string): Promise<DesktopApp> => {
  app = await launchDesktop({
    userData: join(folder, 'user-data'),
    args: ['--data', site.dir, '--port', '0'],
    ...(locale !== undefined && { locale }),
  });
  return app;
};

/** Answers the next questions with this button, and returns how many were asked so far. */
const answerWith = (button: number) =>
  app.evaluate(({ dialog }, response) => {
    const questions: object[] = (dialog as { questions?: object[] }).questions ?? [];
    Object.assign(dialog, { questions });
    dialog.showMessageBox = async (_window, options) => {
      questions.push(options);
      return { response, checkboxChecked: false };
    };
  }, button);

const questions = () =>
  app.evaluate(({ dialog }) => (dialog as { questions?: Record<string, unknown>[] }).questions ?? [], null);
const closeWindow = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close(), null);
const isVisible = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible(), null);

/** The checkbox of the File menu. */
const keepItem = (isClicked: boolean) =>
  app.evaluate(
    ({ Menu }, [label, click]) => {
      const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
      const find = () => items.find((item) => item.label === label);
      if (click) find()?.click();
      return find()?.checked;
    },
    [KEEP, isClicked] as const,
  );

test('asks once what closing the window does, and then keeps receiving without a window', async () => {
  const { window } = await launch();
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await window.getByRole('textbox', { name: 'Email' }).fill('half@typed');
  await answerWith(2);
  await closeWindow();
  await expect.poll(async () => (await questions()).length).toBe(1);
  expect(await isVisible()).toBe(true);

  await answerWith(0);
  await closeWindow();
  await expect.poll(isVisible).toBe(false);
  expect((await questions())[1]).toMatchObject({ buttons: ['Keep receiving', 'Quit Outpost', 'Cancel'], cancelId: 2 });
  // A whole recording arrives while there is no window.
  const { body } = await site.hub(new URL(window.url()).origin).upload(site.file);
  expect(body).toMatchObject({ state: 'STORED' });

  // Starting the program again, or its icon in the dock, brings the window back as it was.
  for (const event of ['second-instance', 'activate']) {
    await app.evaluate(({ app: program }, name) => program.emit(name, {}, [], '/'), event);
    expect(await isVisible(), event).toBe(true);
    await expect(window.getByRole('textbox', { name: 'Email' })).toHaveValue('half@typed');
    await closeWindow();
    await expect.poll(isVisible).toBe(false);
  }
  expect(await questions()).toHaveLength(2);
});

test('the File menu changes what closing the window does, also for the next start', async () => {
  await launch();
  // The window shows itself once its first page is ready, also after it was hidden before that.
  await expect.poll(isVisible).toBe(true);
  expect(await keepItem(true)).toBe(true);
  await closeWindow();
  await expect.poll(isVisible).toBe(false);
  await app.quit();

  await launch();
  await expect.poll(isVisible).toBe(true);
  expect(await keepItem(false)).toBe(true);
  await keepItem(true);
  expect(await keepItem(false)).toBe(false);
  await closeWindow();
  expect(await app.ended).toBe(0);
});

test('quits when that is the answer, and on a page without a site without asking', async () => {
  await launch('ja');
  await answerWith(1);
  await closeWindow();
  expect(await app.ended).toBe(0);

  app = await launchDesktop({ userData: join(folder, 'other'), args: ['--data', join(folder, 'none'), '--port', '0'] });
  await expect(app.window.getByRole('heading', { name: 'Create a site' })).toBeVisible();
  await closeWindow();
  expect(await app.ended).toBe(0);
});

test('the tray shows what is received and why nothing is, and leads back to the desk', async () => {
  const { window } = await launch();
  await signIn(window, { email: TEST_EMAIL, password: TEST_PASSWORD });
  await app.evaluate(({ Tray }) => {
    const { setToolTip, setContextMenu } = Tray.prototype;
    Tray.prototype.setToolTip = function (text) {
      Object.assign(Tray, { toolTip: text });
      setToolTip.call(this, text);
    };
    Tray.prototype.setContextMenu = function (menu) {
      Object.assign(Tray, { menu });
      setContextMenu.call(this, menu);
    };
  }, null);
  const toolTip = () => app.evaluate(({ Tray }) => (Tray as { toolTip?: string }).toolTip, null);
  const choose = (label: string) =>
    app.evaluate(
      ({ Tray }, wanted) =>
        (Tray as { menu?: { items: { label?: string; click(): void }[] } }).menu?.items
          .find((item) => item.label === wanted)
          ?.click(),
      label,
    );

  const origin = new URL(window.url()).origin;
  const hub = site.hub(origin);
  const { headers } = await hub.announce(site.file);
  const half = Math.floor(site.file.bytes.length / 2);
  await hub.patch(headers.location ?? '', 0, site.file.bytes.subarray(0, half));
  await expect.poll(toolTip).toBe('Outpost: Receiving 1 file');
  await hub.patch(headers.location ?? '', half, site.file.bytes.subarray(half));
  await expect.poll(toolTip).toBe('Outpost: Ready to receive');

  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide(), null);
  await choose('Show uploads');
  await window.waitForURL('**/equipment/uploads');
  await expect(window.getByRole('heading', { name: 'Last 24 hours' })).toBeVisible();
  expect(await isVisible()).toBe(true);

  const session = await sessionOf(window);
  const credentials = { userId: session.user.id, accessToken: session.accessToken };
  const client = createClient({ baseUrl: origin, credentials });
  await client.call('updateNetwork', { body: { isOn: false, port: 8443 } });
  await expect.poll(toolTip).toContain('Not receiving: the local network is switched off');
  await choose('Quit Outpost');
  expect(await app.ended).toBe(0);
});
