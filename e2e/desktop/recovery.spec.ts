/** Breaks a site for real and gets back to work by clicking alone. */
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { makeBackup } from '../../src-server/integrity/backup/make.ts';
import { encryptFolder } from '../../src-server/integrity/backup/sealed/passphrase.ts';
import { openSite } from '../../src-server/site/folder.ts';
import { pulledDisk } from '../../src-server/testing/pulled-disk.ts';
import { addTestRecording } from '../../src-server/testing/test-recording.ts';
import { makeTestSite, TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { expectAccessible, signIn } from '../support/desk.ts';
import { type DesktopApp, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

const SLOW = { timeout: 60_000 };
const PASSPHRASE = 'correct horse battery staple';

let folder: string;
let app: DesktopApp | undefined;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-desktop-recovery-'));
  const template = await makeTestSite({ folder });
  const site = await openSite(template.dir);
  const place = { studyId: template.studyId, subjectId: template.subjectIds[0]! };
  await addTestRecording(site.store, site.signalsDir, place);
  await site.close();
  await makeBackup({
    siteDir: template.dir,
    to: join(template.dir, 'backups'),
    reason: 'scheduled',
    nowTs: Date.now(),
  });
  await rename(template.dir, join(folder, 'template'));
});

test.afterEach(async () => {
  await app?.quit();
  app = undefined;
});

test.afterAll(async () => await removeFolder(folder));

const damaged = async (name: string): Promise<string> => {
  const dir = join(folder, name);
  await cp(join(folder, 'template'), dir, { recursive: true });
  return dir;
};

const launch = async (dir: string, locale?: string): Promise<DesktopApp> => {
  app = await launchDesktop({ userData: join(folder, 'user-data'), args: ['--data', dir, '--port', '0'], locale });
  return app;
};

const choose = ({ evaluate }: DesktopApp, chosen: string) =>
  evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] });
  }, chosen);

test('puts site.json back, sets a damaged lock aside, and restores the newest good backup', async () => {
  const dir = await damaged('site');
  await writeFile(join(dir, 'site.json'), '{"format":');
  await writeFile(join(dir, 'site.lock'), 'no lock at all, but some text in its place');
  await truncate(join(dir, 'site.db'), 0);
  const desktop = await launch(dir);
  const { window } = desktop;
  await expect(window.getByRole('heading', { name: 'The file site.json is damaged or missing' })).toBeVisible();
  // The lock has to be sound before anything is written.
  await window.getByRole('button', { name: 'Put site.json back' }).click();
  await expect(window.getByRole('alert')).toContainText('site.lock');
  await rm(join(dir, 'site.lock'));
  await window.getByRole('button', { name: 'Put site.json back' }).click();
  await expect(window.getByText('site.json is back, from a backup.')).toBeVisible();
  await writeFile(join(dir, 'site.lock'), 'no lock at all, but some text in its place');
  await window.getByRole('button', { name: 'Open the site' }).click();

  await expect(window.getByRole('heading', { name: 'The file site.lock is damaged' })).toBeVisible();
  await window.getByRole('button', { name: 'Set the lock aside' }).click();
  await window.getByRole('button', { name: 'Open the site' }).click();

  await expect(window.getByRole('heading', { name: 'The site’s database is damaged' })).toBeVisible();
  await expect(window.getByText('Every byte of it was read and checked just now.')).toBeVisible();
  await expect(window.getByText('1 recording,')).toBeVisible();
  await expectAccessible(window);
  await window.getByRole('button', { name: 'Restore this backup' }).click();
  await expect(window.getByText('The site is as it was on')).toBeVisible();
  await expectAccessible(window);
  await window.getByRole('button', { name: 'Open the site' }).click();
  await signIn(window, { email: TEST_EMAIL, password: TEST_PASSWORD });
  await expect(window.getByRole('heading', { name: 'Today' })).toBeVisible();
  expect(readdirSync(folder).some((name) => name.startsWith('site-damaged-'))).toBe(true);
});

test('looks for a backup in another folder, and rebuilds recordings from their files alone', async () => {
  const dir = await damaged('alone');
  await rename(join(dir, 'backups'), join(folder, 'unplugged'));
  await rm(join(dir, 'site.db'));
  const desktop = await launch(dir, 'ja');
  const { window } = desktop;
  await expect(window.getByRole('heading', { name: '施設データのデータベースが見つかりません' })).toBeVisible();
  await expect(window.getByText('破損のないバックアップが見つかりませんでした')).toBeVisible();
  await expect(window.getByRole('button', { name: '記録ファイルだけから復元' })).toBeVisible();
  await expectAccessible(window);
  await choose(desktop, join(folder, 'unplugged'));
  await window.getByRole('button', { name: '別のフォルダーを探す…' }).click();
  await expect(window.getByRole('button', { name: 'このバックアップを復元' })).toBeVisible();
  await expect(window.getByRole('button', { name: '記録ファイルだけから復元' })).toBeHidden();
  // The disk is unplugged again.
  await rename(join(folder, 'unplugged'), join(folder, 'gone'));
  await window.getByRole('button', { name: 'このバックアップを復元' }).click();
  await expect(window.getByRole('alert')).not.toBeEmpty();
  await window.getByRole('button', { name: '再試行' }).click();
  await window.getByRole('button', { name: '記録ファイルだけから復元' }).click();
  await expect(window.getByText('記録ファイルから新しい施設データを作成しました。')).toBeVisible();
  const value = async (name: string) => (await window.locator(`[data-value=${name}]`).textContent()) ?? '';
  const credentials = { email: await value('email'), password: await value('password') };
  await window.getByRole('button', { name: '施設データを開く' }).click();
  await window.getByRole('textbox', { name: 'メールアドレス' }).fill(credentials.email);
  await window.getByRole('textbox', { name: 'パスワード' }).fill(credentials.password);
  await window.getByRole('button', { name: 'サインイン' }).click();
  await expect(window.getByRole('heading', { name: '今日' })).toBeVisible();
  expect(existsSync(join(dir, 'signals'))).toBe(true);
});

test('asks for the passphrase of encrypted backups, explains a wrong one, and restores with the right one', async () => {
  // Each use of a passphrase costs seconds of processor time on purpose.
  test.setTimeout(180_000);
  const dir = await damaged('locked');
  const to = join(folder, 'encrypted');
  await encryptFolder(to, dir, PASSPHRASE);
  await makeBackup({ siteDir: dir, to, reason: 'scheduled', nowTs: Date.now() });
  await rm(join(dir, 'backups'), { recursive: true });
  await rm(join(dir, 'site.json'));
  await truncate(join(dir, 'site.db'), 0);
  const { window } = await launch(dir);
  const enter = async (passphrase: string) => {
    await window.getByLabel('Passphrase of the backups').fill(passphrase);
    await window.keyboard.press('Enter');
  };
  await window.getByRole('button', { name: 'Put site.json back' }).click();
  await expect(window.getByText('are encrypted. Enter their passphrase')).toBeVisible();
  await expectAccessible(window);
  await enter(PASSPHRASE);
  await expect(window.getByText('site.json is back, from a backup.')).toBeVisible(SLOW);
  await app?.quit();
  const { window: again } = await launch(dir, 'ja');
  await expect(again.getByText('暗号化されています')).toBeVisible();
  await again.getByLabel('バックアップのパスフレーズ').fill('not the passphrase');
  await again.getByRole('button', { name: '暗号化されたバックアップを開く' }).click();
  await expect(again.getByRole('alert')).toContainText('何度でも入力できます', SLOW);
  await expectAccessible(again);
  await again.getByLabel('バックアップのパスフレーズ').fill(PASSPHRASE);
  await again.getByRole('button', { name: '暗号化されたバックアップを開く' }).click();
  await again.getByRole('button', { name: 'このバックアップを復元' }).click(SLOW);
  await again.getByRole('button', { name: '施設データを開く' }).click(SLOW);
  await expect(again.getByRole('textbox', { name: 'メールアドレス' })).toBeVisible(SLOW);
});

test('reopens the site when its disk is back after it was pulled', async () => {
  const disk = await pulledDisk();
  // It needs a file system of its own, which only root may mount.
  test.skip(disk === undefined, 'Only root on Linux can mount and pull a disk.');
  if (!disk) return;
  try {
    const dir = join(disk.path, 'site');
    await cp(join(folder, 'template'), dir, { recursive: true });
    const { window } = await launch(dir);
    await signIn(window, { email: TEST_EMAIL, password: TEST_PASSWORD });
    const problem = async () => {
      const answer = await fetch(new URL('/api/v1/status', window.url())).catch(() => undefined);
      return answer ? ((await answer.json()) as { problem?: { code: string } }).problem?.code : 'no answer';
    };
    await disk.pull();
    await expect.poll(problem).toBe('SITE_DISCONNECTED');
    await disk.connect();
    await expect.poll(problem).toBeUndefined();
    // Still signed in: the site is at its old address.
    await expect(window.getByRole('heading', { name: 'Today' })).toBeVisible();
    await app?.quit();
    app = undefined;
  } finally {
    await disk.remove();
  }
});
