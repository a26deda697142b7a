/** Files dropped on the desk, or opened with the program, are offered for import. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import type { DesktopApi } from '../../src-main/desktop-api.ts';
import type { DesktopProgram } from '../../src-renderer/shared/desktop.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../src-server/simulator/physiology/write.ts';
import { expectAccessible, signIn, testSite } from '../support/desk.ts';
import { type DesktopApp, desktopCommand, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

/** What the desk expects of the program is what the program offers: this line does not compile otherwise. */
const asDesk = (program: DesktopApi): DesktopProgram => program;

let folder: string;
let app: DesktopApp;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-opened-'));
});

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

/** Drops a file in the middle of the page, as the browser tells it to the page. */
const drop = (window: Page, name: string, text: string) =>
  window.evaluate(
    ([fileName, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content ?? ''], fileName ?? ''));
      const target = document.querySelector('main') ?? document.body;
      const events = ['dragover', 'drop'].map(
        (type) => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
      );
      return events.map((event) => target.dispatchEvent(event));
    },
    [name, text],
  );

test('offers files that are opened with the program, and imports them', async () => {
  const site = testSite();
  const startMs = Date.UTC(2026, 0, 14, 15);
  const { recordings } = simulateSubject({ seed: 5, timeZone: 'US/Eastern', startMs, stopMs: startMs + 1_800_000 });
  const recording = await writeSimulatedRecording(folder, recordings[0]!);
  // A copy of its own: only one program can have a site open, and other flows run beside this one.
  const dir = join(folder, 'site');
  await cp(site.pristineDir, dir, { recursive: true });
  const launch = { userData: join(folder, 'user-data'), args: ['--data', dir, '--port', '0'] };
  app = await launchDesktop({ ...launch, args: [...launch.args, recording.path] });
  const { window } = app;
  // Nobody is signed in yet: the file waits.
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await signIn(window, site);
  const dialog = window.getByRole('dialog', { name: 'Import recordings' });
  await expect(dialog.getByRole('listitem').filter({ hasText: basename(recording.path) })).toBeVisible();
  await expectAccessible(window);
  await expect(dialog.getByRole('button', { name: 'Import', exact: true })).toBeDisabled();
  await dialog.getByLabel('Study').selectOption(site.studyId);
  await dialog.getByLabel('Subject').selectOption(site.subjects[0]!.id);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(window.getByText('1 recording imported')).toBeVisible({ timeout: 30_000 });
  await window.getByRole('button', { name: 'Close' }).click();
  await expect(window.getByRole('dialog')).toHaveCount(0);

  // A second start hands its file to this program.
  const other = join(folder, 'gone.edf');
  await writeFile(other, 'no recording');
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide(), null);
  const { program, args, environment } = desktopCommand({ ...launch, args: [...launch.args, other] });
  await promisify(execFile)(program, args, { env: environment });
  await expect(dialog.getByRole('listitem').filter({ hasText: 'gone.edf' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(window.getByRole('dialog')).toHaveCount(0);

  // macOS tells a file by an event.
  await writeFile(join(folder, 'third.edf'), 'no recording');
  await app.evaluate(
    ({ app: program }, path) => program.emit('open-file', { preventDefault: () => {} }, path),
    join(folder, 'third.edf'),
  );
  await expect(dialog.getByRole('listitem').filter({ hasText: 'third.edf' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(window.getByRole('dialog')).toHaveCount(0);
  expect(asDesk).toBeInstanceOf(Function);

  // Files dropped anywhere on the page are offered too, and never open in place of the desk.
  expect(await drop(window, 'dropped.edf', 'no recording')).toEqual([false, false]);
  await expect(dialog.getByRole('listitem').filter({ hasText: 'dropped.edf' })).toBeVisible();
  // A dialog that is open is not replaced.
  expect(await drop(window, 'second.edf', 'no recording')).toEqual([false, false]);
  await expect(dialog.getByRole('listitem')).toHaveCount(1);
});
