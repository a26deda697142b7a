/** The window comes back where it was: after a restart, and when displays come and go. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type DesktopApp, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

let folder: string;
let app: DesktopApp;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-place-'));
});

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

const launch = async (): Promise<void> => {
  const args = ['--data', join(folder, 'none'), '--port', '0'];
  app = await launchDesktop({ userData: join(folder, 'user-data'), args });
  await expect(app.window.getByRole('heading', { name: 'Create a site' })).toBeVisible();
};

const place = () =>
  app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    return {
      bounds: window?.getNormalBounds(),
      isMaximized: window?.isMaximized(),
      zoomLevel: window?.webContents.getZoomLevel(),
    };
  }, null);

const move = (x: number, y: number, width: number, height: number) =>
  app.evaluate(({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds), {
    x,
    y,
    width,
    height,
  });

/** Plugs an external display in beside the first one, or out again. */
const plug = (hasExternal: boolean) =>
  app.evaluate(({ screen }, isThere) => {
    const main = screen.getPrimaryDisplay();
    const bounds = { x: main.bounds.width, y: 0, width: 2560, height: 1440 };
    const external = { ...main, id: main.id + 1, bounds, workArea: bounds };
    screen.getPrimaryDisplay = () => main;
    screen.getAllDisplays = () => (isThere ? [external, main] : [main]);
    screen.emit(isThere ? 'display-added' : 'display-removed', {}, external);
    return main;
  }, hasExternal);

const choose = (label: string) =>
  app.evaluate(({ Menu }, wanted) => {
    const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
    items.find((item) => item.label === wanted)?.click();
  }, label);

test('restores bounds, zoom and a maximised window at the next start', async () => {
  await launch();
  await move(120, 60, 1200, 760);
  await choose('Zoom in');
  await app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.emit('zoom-changed', {}, 'in'),
    null,
  );
  expect(await place()).toMatchObject({ isMaximized: false, zoomLevel: 1 });
  await app.quit();

  await launch();
  await expect.poll(place).toEqual({
    bounds: { x: 120, y: 60, width: 1200, height: 760 },
    isMaximized: false,
    zoomLevel: 1,
  });
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.maximize(), null);
  await choose('Actual size');
  await choose('Zoom out');
  await app.quit();

  await launch();
  await expect.poll(place).toEqual({
    bounds: { x: 120, y: 60, width: 1200, height: 760 },
    isMaximized: true,
    zoomLevel: -0.5,
  });
});

test('follows an external display: in sight when it goes, back on it when it returns', async () => {
  await launch();
  await move(100, 50, 1100, 700);
  // Stored with the main display alone: a zoom is stored at once.
  await choose('Actual size');
  await plug(true);
  await move(2200, 80, 1400, 900);
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.maximize(), null);
  await choose('Zoom in');
  await plug(false);
  const away = await place();
  expect(away.bounds).toEqual({ x: 100, y: 50, width: 1100, height: 700 });
  expect(away).toMatchObject({ isMaximized: false, zoomLevel: 0 });
  await plug(true);
  expect(await place()).toEqual({
    bounds: { x: 2200, y: 80, width: 1400, height: 900 },
    isMaximized: true,
    zoomLevel: 0.5,
  });
});
