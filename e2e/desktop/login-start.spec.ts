/** Starting at log-in without a window, and staying awake while devices deliver. */
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { type DesktopApp, desktopCommand, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { makeUploadSite } from '../support/upload-site.ts';

let folder: string;
let app: DesktopApp;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-login-'));
});

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address ? address.port : 0;
};

/** A checkbox of the File menu, after choosing it if asked. */
const box = (wanted: string, isClicked = false) =>
  app.evaluate(
    ({ Menu }, [label, click]) => {
      const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
      const item = items.find((one) => one.label === label);
      if (click) item?.click();
      return item?.checked;
    },
    [wanted, isClicked] as const,
  );

test('starts without a window, receives, and shows the window when the program is started again', async () => {
  const site = await makeUploadSite(folder);
  const port = await freePort();
  const launch = { userData: join(folder, 'user-data'), args: ['--data', site.dir, '--port', String(port)] };
  let hasWindow = false;
  const launched = launchDesktop({ ...launch, args: [...launch.args, '--background'] }).then((started) => {
    hasWindow = true;
    return started;
  });
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/api/v1/status`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp, { timeout: 30_000 }).toBe(true);
  expect((await site.hub(url).upload(site.file)).body).toMatchObject({ state: 'STORED' });
  expect(hasWindow).toBe(false);

  const { program, args, environment } = desktopCommand(launch);
  await promisify(execFile)(program, args, { env: environment });
  app = await launched;
  await expect(app.window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('opens a window after a start at log-in only if there is something to answer', async () => {
  const args = ['--data', join(folder, 'none'), '--port', '0', '--background'];
  app = await launchDesktop({ userData: join(folder, 'user-data'), args });
  await expect(app.window.getByRole('heading', { name: 'Create a site' })).toBeVisible();
});

test('stays awake while a file arrives, and starts at log-in, as the File menu says', async () => {
  const site = await makeUploadSite(folder);
  const launch = { userData: join(folder, 'user-data'), args: ['--data', site.dir, '--port', '0'] };
  app = await launchDesktop(launch);
  await expect(app.window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await app.evaluate(({ powerSaveBlocker }) => {
    const { start, stop } = powerSaveBlocker;
    const active = new Set<number>();
    Object.assign(powerSaveBlocker, { active });
    powerSaveBlocker.start = (type) => {
      const id = start.call(powerSaveBlocker, type);
      active.add(id);
      return id;
    };
    powerSaveBlocker.stop = (id) => {
      active.delete(id);
      return stop.call(powerSaveBlocker, id);
    };
  }, null);
  const blockers = () =>
    app.evaluate(({ powerSaveBlocker }) => (powerSaveBlocker as { active?: Set<number> }).active?.size, null);

  const hub = site.hub(new URL(app.window.url()).origin);
  const { headers } = await hub.announce(site.file);
  const half = Math.floor(site.file.bytes.length / 2);
  await hub.patch(headers.location ?? '', 0, site.file.bytes.subarray(0, half));
  await expect.poll(blockers).toBe(1);
  await hub.patch(headers.location ?? '', half, site.file.bytes.subarray(half));
  await expect.poll(blockers).toBe(0);
  const AWAKE = 'Stay awake to receive while plugged in';
  await box(AWAKE, true);
  await expect.poll(() => box(AWAKE)).toBe(true);
  await expect.poll(blockers).toBe(1);
  await box(AWAKE, true);
  await expect.poll(blockers).toBe(0);

  const LOGIN = 'Start when I log in';
  expect(await box(LOGIN)).toBe(false);
  await box(LOGIN, true);
  await expect.poll(() => box(LOGIN)).toBe(true);
  await app.quit();
  app = await launchDesktop(launch);
  expect(await box(LOGIN)).toBe(true);
  await box(LOGIN, true);
  await expect.poll(() => box(LOGIN)).toBe(false);
});
