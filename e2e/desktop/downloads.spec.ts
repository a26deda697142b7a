/** Files of the desk are saved where the user says, whole or not at all. */
import { mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createClient } from '../../src-server/api/contract/client.ts';
import { initSite } from '../../src-server/site/folder.ts';
import { expectAccessible, signIn } from '../support/desk.ts';
import { type DesktopApp, launchDesktop, sessionOf } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

const PERSON = { email: 'admin@clinic.example', password: 'a long enough one' };

let folder: string;
let app: DesktopApp;

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

/** Answers the next questions where to save with this folder and the proposed name, or with nothing. */
const saveIn = (dir: string | null) =>
  app.evaluate(({ dialog }, to) => {
    const proposed: string[] = (dialog as { proposed?: string[] }).proposed ?? [];
    Object.assign(dialog, { proposed });
    dialog.showSaveDialog = async (_window, { defaultPath = '' }: { defaultPath?: string }) => {
      const name = defaultPath.split(/[\\/]/).at(-1) ?? '';
      proposed.push(name);
      return to === null ? { canceled: true, filePath: '' } : { canceled: false, filePath: `${to}/${name}` };
    };
  }, dir);
const proposed = () => app.evaluate(({ dialog }) => (dialog as { proposed?: string[] }).proposed ?? [], null);

test('saves what pages make, files of the site, and the page as a PDF', async () => {
  test.slow();
  folder = await mkdtemp(join(tmpdir(), 'outpost-downloads-'));
  await initSite(join(folder, 'site'), { account: 'Clinic', ...PERSON, timeZone: 'Asia/Tokyo' });
  const stick = join(folder, 'stick');
  await mkdir(stick);
  app = await launchDesktop({
    userData: join(folder, 'user-data'),
    args: ['--data', join(folder, 'site'), '--port', '0'],
  });
  const { window, evaluate } = app;
  await signIn(window, PERSON);
  await evaluate(({ shell }) => {
    const seen: string[] = [];
    Object.assign(shell, { seen });
    shell.showItemInFolder = (path) => void seen.push(path);
  }, null);
  await window.getByRole('link', { name: 'Site', exact: true }).click();
  const diagnostics = window.getByRole('region', { name: 'Support information' });
  await diagnostics.getByRole('button', { name: 'Show' }).click();
  const download = diagnostics.getByRole('button', { name: 'Download' });

  // Nobody wants it after all: nothing is left anywhere.
  await saveIn(null);
  await download.click();
  await expect.poll(proposed).toEqual(['outpost-diagnostics.json']);
  await expect(window.getByText('outpost-diagnostics.json was saved.')).toHaveCount(0);

  await saveIn(stick);
  await download.click();
  await expect(window.getByText('outpost-diagnostics.json was saved.')).toBeVisible();
  expect(JSON.parse(await readFile(join(stick, 'outpost-diagnostics.json'), 'utf8'))).toHaveProperty(
    'versions.outpost',
  );
  await window.getByRole('button', { name: 'Show in folder' }).click();
  await expect
    .poll(() => evaluate(({ shell }) => (shell as unknown as { seen: string[] }).seen, null))
    .toEqual([join(stick, 'outpost-diagnostics.json')]);
  await window.getByRole('button', { name: 'Dismiss' }).click();
  await expect(window.getByText('outpost-diagnostics.json was saved.')).toHaveCount(0);

  // The stick was removed.
  await saveIn(join(folder, 'removed'));
  await download.click();
  await expect(window.getByText('The disk or folder is no longer there.', { exact: false })).toBeVisible();
  await expectAccessible(window);
  await window.getByRole('button', { name: 'Dismiss' }).click();

  // A file of the site, by its signed address, as it comes.
  const session = await sessionOf(window);
  const credentials = { userId: session.user.id, accessToken: session.accessToken };
  const client = createClient({ baseUrl: new URL(window.url()).origin, credentials });
  const params = { accountId: session.user.accountId };
  const { id: studyId } = await client.call('createStudy', { params, body: { displayName: 'Sleep' } });
  await client.call('createSubject', { params: { studyId }, body: { displayName: 'N-104', timezone: 'Etc/GMT' } });
  await client.call('startStudy', { params: { studyId } });
  const { id: exportId } = await client.call('requestStudyExport', {
    params: { studyId },
    body: { format: 'ARCHIVE' },
  });
  const stateOf = async () =>
    (await client.call('listStudyExports', { params: { studyId } })).items.find(({ id }) => id === exportId)?.state;
  await expect.poll(stateOf, { timeout: 30_000 }).toBe('READY');
  const { href } = await client.call('getStudyExportFile', { params: { studyId, exportId } });
  await saveIn(stick);
  await window.evaluate((address) => {
    const link = document.createElement('a');
    link.href = address;
    document.body.append(link);
    link.click();
    link.remove();
  }, href);
  await expect(window.getByText(/\.zip was saved\./)).toBeVisible();
  const zip = (await readdir(stick)).find((name) => name.endsWith('.zip')) ?? '';
  const bytes = Buffer.from(await (await fetch(href)).arrayBuffer());
  expect(bytes.equals(await readFile(join(stick, zip)))).toBe(true);

  // The page as it prints.
  await evaluate(({ Menu }) => {
    const items = Menu.getApplicationMenu()?.items.flatMap((item) => item.submenu?.items ?? []) ?? [];
    items.find((item) => item.label === 'Save page as PDF…')?.click();
  }, null);
  await expect.poll(async () => (await readdir(stick)).filter((name) => name.endsWith('.pdf'))).toHaveLength(1);
  const pdf = (await readdir(stick)).find((name) => name.endsWith('.pdf')) ?? '';
  expect((await readFile(join(stick, pdf))).subarray(0, 5).toString()).toBe('%PDF-');
  // No half file, and nothing left where files of pages wait.
  expect((await readdir(stick)).filter((name) => name.endsWith('.part'))).toEqual([]);
  await expect.poll(() => readdir(join(folder, 'user-data', 'saving'))).toEqual([]);
  expect(
    await evaluate(
      ({ BrowserWindow }) => (BrowserWindow.getAllWindows()[0] as { progress?: number }).progress ?? -1,
      null,
    ),
  ).toBe(-1);
});
