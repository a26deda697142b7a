/** A page that no longer answers is explained, and loaded again in another process when the user says so. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { initSite } from '../../src-server/site/folder.ts';
import { signIn } from '../support/desk.ts';
import { type DesktopApp, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

const PERSON = { email: 'admin@clinic.example', password: 'a long enough one' };

let folder: string;
let app: DesktopApp;

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

/** Says that the page hangs or answers again, and answers the question with this button; undefined lets it wait. */
const happens = (name: 'unresponsive' | 'responsive', button?: number) =>
  app.evaluate(
    ({ BrowserWindow, dialog }, [event, response]) => {
      const asked: object[] = (dialog as { asked?: object[] }).asked ?? [];
      Object.assign(dialog, { asked });
      if (event === 'unresponsive') {
        dialog.showMessageBox = (_window, { signal, ...options }: { signal?: AbortSignal } & object) =>
          new Promise((resolve) => {
            asked.push(options);
            const answer = (chosen: number) => resolve({ response: chosen, checkboxChecked: false });
            signal?.addEventListener('abort', () => {
              asked.push({ closed: true });
              answer(0);
            });
            if (response !== undefined) answer(response);
          });
      }
      BrowserWindow.getAllWindows()[0]?.emit(event);
    },
    [name, button] as const,
  );
const asked = () => app.evaluate(({ dialog }) => (dialog as { asked?: object[] }).asked ?? [], null);

test('offers to wait or to reload, keeps the person signed in, and counts it like a crash', async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-hung-'));
  const siteDir = join(folder, 'site');
  await initSite(siteDir, { account: 'Clinic', ...PERSON, timeZone: 'Asia/Tokyo' });
  app = await launchDesktop({ userData: join(folder, 'user-data'), args: ['--data', siteDir, '--port', '0'] });
  const { window } = app;
  await signIn(window, PERSON);
  await window.getByRole('link', { name: 'Exports' }).click();
  await window.waitForURL('**/exports');

  // The page recovers, so the question closes.
  await happens('unresponsive');
  await happens('unresponsive');
  await happens('responsive');
  expect(await asked()).toEqual([
    expect.objectContaining({ message: 'The window is not responding', buttons: ['Wait', 'Reload'], cancelId: 0 }),
    { closed: true },
  ]);
  // Somebody who waits keeps the page.
  await happens('unresponsive', 0);
  await happens('responsive');
  await expect(window.getByRole('heading', { name: 'Exports', level: 1 })).toBeVisible();

  // A page that really hangs: its process is ended, and nothing of it is waited for.
  void window
    .evaluate(() => {
      for (;;);
    })
    .catch(() => undefined);
  const next = window.context().waitForEvent('page');
  await happens('unresponsive', 1);
  const page = await next;
  await expect(page.getByRole('heading', { name: 'Exports', level: 1 })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('The window stopped responding and was reloaded at', { exact: false })).toBeVisible();
  const reports = (await readdir(join(siteDir, 'logs'))).filter((name) => name.includes('-window'));
  expect(reports).toHaveLength(1);
  expect(await readFile(join(siteDir, 'logs', reports[0] ?? ''), 'utf8')).toContain('hung');
});
