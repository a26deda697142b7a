/**
 * An update from a folder, by clicking alone: refused while nobody signed it, installed with a backup, and taken back when the new version
 * does not pass its self-test. The programs are scripts in the place of AppImages, which start copies of the build with other versions.
 */

import { createPrivateKey } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, expect, type Page, test } from '@playwright/test';
import BetterSqlite3 from 'better-sqlite3';
import { pinUpdateKeys } from '../../scripts/package/desktop.ts';
import { makeUpdateKey, signUpdates } from '../../scripts/package/sign-updates.ts';
import { unpackChanges } from '../../src-server/db/packed-changes.ts';
import { initSite } from '../../src-server/site/folder.ts';
import { expectAccessible } from '../support/desk.ts';
import { type DesktopApp, launchDesktop, register } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
let app: DesktopApp | undefined;
let browser: Browser | undefined;

// The flow replaces an AppImage; other systems have installers of their own.
test.skip(process.platform !== 'linux', 'An AppImage is a program of Linux.');

const at = (...parts: string[]) => join(folder, ...parts);
const devtoolsFile = () => at('devtools');
/** The program that the clinic starts; an update replaces it. */
const installed = () => at('Outpost.AppImage');

/** Copies the build as another version, and writes the script that starts it. */
function makeVersion(version: string, program: string, isSound = true): void {
  const dir = at('versions', version);
  cpSync(join(root, 'out'), join(dir, 'out'), { recursive: true, filter: (path) => !path.endsWith('.map') });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'outpost', type: 'module', version }));
  pinUpdateKeys(dir, [at('current.key.pub'), at('next.key.pub')]);
  // The threads of a sound program can be started.
  if (!isSound) rmSync(join(dir, 'out/main/worker.js'));
  const main = join(dir, 'out/main/index.js');
  const command = `exec '${process.execPath}' --import '${register}' '${main}' --data '${at('site')}' --port 0 "$@"`;
  writeFileSync(program, `#!/bin/sh\nexport APPIMAGE='${installed()}'\n${command}\n`);
  chmodSync(program, 0o755);
}

const nameOf = (version: string) => `Outpost-${version}-linux-${process.arch}.AppImage`;
const sign = (key = 'current.key') =>
  signUpdates(at('usb'), { keys: [createPrivateKey(readFileSync(at(key)))], nowTs: Date.now() });

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-update-'));
  for (const name of ['current.key', 'next.key', 'stranger.key']) makeUpdateKey(at(name));
  mkdirSync(at('usb'));
  makeVersion('0.1.0', installed());
  makeVersion('0.2.0', at('usb', nameOf('0.2.0')));
  await initSite(at('site'), {
    account: 'Clinic',
    email: 'admin@clinic.example',
    password: 'a long enough one',
    timeZone: 'Europe/Berlin',
  });
});

test.afterAll(async () => {
  await removeFolder(folder);
});

test.afterEach(async () => {
  await endRelaunched();
  await app?.quit();
  app = undefined;
});

const launch = async (): Promise<Page> => {
  app = await launchDesktop({
    userData: at('user-data'),
    program: installed(),
    // The programs that an update starts tell their window there.
    environment: { OUTPOST_STAND_IN_DEVTOOLS: devtoolsFile() },
  });
  await expect(app.window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await app.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] });
  }, at('usb'));
  await app.evaluate(({ Menu }) => {
    const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
    items.find((item) => item.label?.startsWith('Update'))?.click();
  }, null);
  await expect(app.window.getByRole('heading', { name: 'Updates', level: 1 })).toBeVisible();
  return app.window;
};

/** Clicks what ends the program, and returns the window of the one that starts in its place. */
const relaunched = async (window: Page, button: string): Promise<Page> => {
  // Each program writes its own address; a file that is being written is empty.
  rmSync(devtoolsFile());
  const address = () => (existsSync(devtoolsFile()) ? readFileSync(devtoolsFile(), 'utf8') : '');
  await window.getByRole('button', { name: button }).click();
  app = undefined;
  await expect.poll(address, { timeout: 60_000 }).toMatch(/:\d+$/);
  await browser?.close();
  browser = await chromium.connectOverCDP(address());
  const [context] = browser.contexts();
  return context?.pages()[0] ?? (await context!.waitForEvent('page'));
};

const pidOf = () => Number(readFileSync(at('user-data/instance.lock'), 'utf8'));

/** Ends the program that nobody here has started, and waits for its end. */
async function endRelaunched(): Promise<void> {
  // Also one whose window was never reached: it would outlive the test.
  if (app || !existsSync(at('user-data/instance.lock'))) return;
  const pid = pidOf();
  process.kill(pid, 'SIGTERM');
  const isAlive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isAlive).toBe(false);
  await browser?.close();
  browser = undefined;
}

const versionIn = (window: Page) =>
  window.evaluate(async () => {
    const { outpostDesktop } = window as { outpostDesktop?: { info(): Promise<{ version: string }> } };
    return (await outpostDesktop?.info())?.version;
  });
const stage = () => JSON.parse(readFileSync(at('user-data/updates/update.json'), 'utf8')).attempt?.stage;

/** Of the updates and ways back in the audit trail: action, versions, result of the self-test. */
function versionsInAudit(): unknown[] {
  const database = new BetterSqlite3(at('site/site.db'), { readonly: true });
  try {
    const rows = database.prepare<[], { action: string; changes: string; packedChanges: Buffer | null }>(
      "SELECT action, changes, packedChanges FROM audit WHERE action LIKE 'site.update%' ORDER BY sequence",
    );
    return rows.all().map(({ action, ...stored }) => {
      const { programVersion, selfTest } = JSON.parse(unpackChanges(stored)) as Record<string, { new: unknown }>;
      return [action, programVersion, selfTest?.new];
    });
  } finally {
    database.close();
  }
}

test('installs a signed update after a checked backup, and takes back one that fails its self-test', async () => {
  test.setTimeout(240_000);
  let window = await launch();
  await expect(window.getByText('Outpost does not look for updates')).toBeVisible();
  await expectAccessible(window);
  await sign('stranger.key');
  await window.getByRole('button', { name: 'Choose folder…' }).click();
  await expect(window.getByRole('alert')).toContainText('not signed by a key that this version trusts');
  await expectAccessible(window);
  await sign();
  await window.getByRole('button', { name: 'Check now' }).click();
  await expect(window.getByText('Version 0.2.0 is available.')).toBeVisible();
  await window.getByRole('button', { name: 'Back up and prepare' }).click();
  await expect(window.getByText('Version 0.2.0 is ready to install.')).toBeVisible({ timeout: 60_000 });
  await expect(window.getByText(/^Made and checked/)).toContainText(at('site/backups'));
  await expect(window.getByText('Version 0.1.0 is kept in')).toBeVisible();
  await expectAccessible(window);

  const old = readFileSync(installed());
  window = await relaunched(window, 'Install and restart');
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 60_000 });
  expect(await versionIn(window)).toBe('0.2.0');
  expect(readFileSync(installed()).equals(old)).toBe(false);
  await expect.poll(stage).toBe('confirmed');
  await endRelaunched();

  makeVersion('0.3.0', at('usb', nameOf('0.3.0')), false);
  await sign();
  window = await launch();
  await expect(window.getByText('Updated from 0.1.0 to 0.2.0')).toBeVisible();
  await window.getByRole('button', { name: 'Check now' }).click();
  await window.getByRole('button', { name: 'Back up and prepare' }).click();
  await expect(window.getByText('Version 0.3.0 is ready to install.')).toBeVisible({ timeout: 60_000 });
  window = await relaunched(window, 'Install and restart');
  await expect(window.getByRole('heading', { name: 'Version 0.3.0 does not work on this computer' })).toBeVisible({
    timeout: 60_000,
  });
  await expect(window.getByRole('alert')).toContainText('worker-threads');
  await expectAccessible(window);
  window = await relaunched(window, 'Return to the previous version');
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 60_000 });
  expect(await versionIn(window)).toBe('0.2.0');
  expect(stage()).toBe('returned');
  expect(versionsInAudit()).toEqual([
    ['site.update', { old: '0.1.0', new: '0.2.0' }, 'passed'],
    ['site.update-return', { old: '0.3.0', new: '0.2.0' }, expect.stringContaining('worker-threads')],
  ]);
});
