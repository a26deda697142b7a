import { openAsBlob } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, type Page, test } from '@playwright/test';
import { parquetMetadataAsync } from 'hyparquet';
import { basicAuthorization, createClient } from '../../src-server/api/contract/client.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../src-server/simulator/physiology/write.ts';
import { pinnedCall } from '../../src-server/testing/test-device.ts';
import { zipContents } from '../../src-server/testing/zip-contents.ts';
import { signIn, testSite, watchPage } from '../support/desk.ts';
import { type DesktopApp, launchDesktop, sessionOf } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

const SIGNALS = { BIDS: /_physio\.tsv\.gz$|_motion\.tsv$/, PARQUET: /^raw\/.+\.parquet$/ };

async function rowsOf(name: string, bytes: Buffer): Promise<number> {
  if (name.endsWith('.parquet')) return Number((await parquetMetadataAsync(exactBuffer(bytes))).num_rows);
  const text = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return text.toString('latin1').split('\n').length - 1;
}

/** Bytes in a buffer of their own. */
const exactBuffer = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer;

// One program and one sign-in for all of them.
test.describe.configure({ mode: 'serial' });

let folder: string;
let app: DesktopApp;
/** Has one recording of two hours. */
let importedSubject: { id: string };

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-desktop-'));
  app = await launchDesktop({
    userData: join(folder, 'user-data'),
    args: ['--data', testSite().desktopDir, '--port', '0'],
  });
});

test.afterAll(async () => {
  await app?.quit();
  await removeFolder(folder);
});

test('opens a site, signs in and sees a subject', async () => {
  const { window } = app;
  const expectNoProblems = watchPage(window);
  const site = testSite();
  await signIn(window, site);
  await window.goto(`${new URL(window.url()).origin}/studies/${site.studyId}/subjects/${site.subjects[0]!.id}`);
  await expect(window.getByRole('heading', { name: site.subjects[0]!.displayName, level: 1 })).toBeVisible();
  expectNoProblems();
});

test('shows the commands of each screen in the Actions menu and on a right click, and runs the chosen one', async () => {
  const { window, evaluate } = app;
  const labels = () =>
    evaluate(({ Menu }) => {
      const items = Menu.getApplicationMenu()?.items.find(({ label }) => label === 'Actions')?.submenu?.items ?? [];
      return items.filter(({ type }) => type !== 'separator').map(({ label }) => label);
    }, null);
  const choose = (wanted: string) =>
    evaluate(({ Menu }, label) => {
      const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? [];
      items.find((item) => item.label === label)?.click();
    }, wanted);
  const before = window.url();
  await expect.poll(labels).toContain('Go to Exports');
  await choose('Go to Exports');
  await window.waitForURL('**/exports');
  await expect.poll(labels).toContain('Import files');
  expect((await labels()).indexOf('Import files')).toBeLessThan((await labels()).indexOf('Go to Exports'));

  const shown = await evaluate(({ BrowserWindow, Menu }) => {
    const { popup } = Menu.prototype;
    let chosen: string | undefined;
    Menu.prototype.popup = function (this: { items: { label?: string; click(): void }[] }) {
      const item = this.items.find(({ label }) => label === 'Import files');
      chosen = item?.label;
      item?.click();
    };
    const [own] = BrowserWindow.getAllWindows();
    own?.webContents.emit('context-menu', {}, { isEditable: false, selectionText: '', editFlags: {} });
    Menu.prototype.popup = popup;
    return chosen;
  }, null);
  expect(shown).toBe('Import files');
  const dialog = window.getByRole('dialog', { name: 'Import recordings' });
  await expect(dialog).toBeVisible();
  // While a dialog is open, a menu does not lead away from it.
  await choose('Go to Today');
  // The choice reaches the page by a call of its own, which must come before the dialog closes.
  await window.waitForTimeout(500);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  expect(window.url()).toContain('/exports');
  await window.goto(before);
  await expect(window.getByRole('heading', { level: 1 })).toBeVisible();
});

test('lets the user choose a Bluetooth device out of a growing list, pair with it, or do neither', async () => {
  const { window, evaluate } = app;
  // As Electron raises it while it finds devices; the last list is the whole one.
  const find = (names: readonly string[]) =>
    evaluate(({ BrowserWindow }, found) => {
      const devices = found.map((deviceName, i) => ({ deviceId: `00:A0:50:00:00:0${i}`, deviceName }));
      const seen = globalThis as { chosenDevices?: string[] };
      seen.chosenDevices ??= [];
      const choose = (deviceId: string) => void seen.chosenDevices?.push(deviceId);
      const [shown] = BrowserWindow.getAllWindows();
      shown?.webContents.emit('select-bluetooth-device', { preventDefault() {} }, devices, choose);
    }, names);
  const chosen = () => evaluate(() => (globalThis as { chosenDevices?: string[] }).chosenDevices, null);
  const dialog = window.getByRole('dialog', { name: 'Choose a Bluetooth device' });

  await find([]);
  await expect(dialog).toContainText('Searching for devices');
  await expect(dialog.getByRole('button', { name: 'Connect' })).toBeDisabled();
  await find(['Polar H10 ABCD1234']);
  await dialog.getByRole('radio', { name: 'Polar H10 ABCD1234' }).check();
  // What was chosen stays chosen while others are found.
  await find(['Polar H10 ABCD1234', '']);
  await expect(dialog.getByRole('radio', { name: 'Device without a name' })).not.toBeChecked();
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await expect(dialog).toBeHidden();
  expect(await chosen()).toEqual(['00:A0:50:00:00:00']);

  if (app.kind === 'stand-in') {
    const pairing = evaluate(
      ({ session }, url) =>
        new Promise<object>((answered) => {
          const frame = { url, parent: null };
          session.pair?.({ deviceId: 'Polar H10 ABCD1234', pairingKind: 'providePin', frame }, answered);
        }),
      window.url(),
    );
    const question = window.getByRole('dialog', { name: 'Enter the PIN of Polar H10 ABCD1234' });
    await question.getByRole('textbox', { name: 'PIN' }).fill('04 29');
    await question.getByRole('button', { name: 'Pair' }).click();
    await expect(question).toContainText('Enter 1 to 16 digits or letters.');
    await question.getByRole('textbox', { name: 'PIN' }).fill('042917');
    await question.getByRole('button', { name: 'Pair' }).click();
    await expect(question).toBeHidden();
    expect(await pairing).toEqual({ confirmed: true, pin: '042917' });
  }

  await find(['Polar H10 ABCD1234']);
  await expect(dialog).toBeVisible();
  await window.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect(await chosen()).toEqual(['00:A0:50:00:00:00', '']);
});

test('listens for hubs and phones on the local network', async () => {
  const { window } = app;
  const { accessToken, user } = await sessionOf(window);
  const client = createClient({
    baseUrl: new URL(window.url()).origin,
    credentials: { userId: user.id, accessToken },
  });
  const network = await client.call('getNetwork');
  expect(network).toMatchObject({ state: 'listening', pins: { fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) } });
  expect(network.urls[0]).toMatch(/^https:\/\/.+:\d+$/);

  // A device that pins the key is answered there, and the desk only while the site's settings open it.
  const ask = (path: string) => pinnedCall(network.urls[0]!, [network.pins?.fingerprint ?? ''], { path });
  expect((await ask('/api/v1/device/hello')).body).toMatchObject({ protocolVersion: 1 });
  expect((await ask('/api/v1/device/status')).body).toMatchObject({ code: 'UNAUTHORIZED' });
  expect((await ask('/api/v1/status')).status).toBe(403);
  await client.call('updateSiteSettings', { body: { lan: { deskOpen: true } } });
  expect((await ask('/api/v1/status')).status).toBe(200);
  await client.call('updateSiteSettings', { body: { lan: { deskOpen: false } } });
  expect((await ask('/api/v1/status')).status).toBe(403);
  await expect(pinnedCall(network.urls[0]!, ['0'.repeat(64)], { path: '/api/v1/device/hello' })).rejects.toThrow(
    'PIN_MISMATCH',
  );
});

test('reads an imported recording in the worker and analyses it in the utility process', async () => {
  const { window } = app;
  const site = testSite();
  const startMs = Date.UTC(2026, 0, 12, 15);
  const { recordings } = simulateSubject({ seed: 3, timeZone: 'US/Eastern', startMs, stopMs: startMs + 2 * 3_600_000 });
  const { path } = await writeSimulatedRecording(folder, recordings[0]!);
  const baseUrl = new URL(window.url()).origin;
  const { accessToken, user } = await sessionOf(window);
  const client = createClient({ baseUrl, credentials: { userId: user.id, accessToken } });

  const form = new FormData();
  form.append('file', await openAsBlob(path), basename(path));
  const subject = { displayName: 'Imported', timezone: 'US/Eastern' };
  importedSubject = await client.call('createSubject', { params: { studyId: site.studyId }, body: subject });
  const imports = `${baseUrl}/api/v1/studies/${site.studyId}/subjects/${importedSubject.id}/imports`;
  const headers = { authorization: basicAuthorization({ userId: user.id, accessToken }) };
  const beforeMs = Date.now();
  const answer = await fetch(imports, { method: 'POST', headers, body: form });
  expect(answer.status, await answer.clone().text()).toBe(202);
  await expect
    .poll(
      async () => {
        const { items } = await client.call('listJobs', { query: {} });
        return items.filter((job) => job.createdTs >= beforeMs).map((job) => `${job.kind} ${job.state}`);
      },
      { timeout: 30_000 },
    )
    .toEqual(['analyse done', 'import done']);
});

test('writes exports of a study in the workers, for programs that are not ours', async () => {
  const { window } = app;
  const params = { studyId: testSite().studyId };
  const baseUrl = new URL(window.url()).origin;
  const { accessToken, user } = await sessionOf(window);
  const client = createClient({ baseUrl, credentials: { userId: user.id, accessToken } });
  for (const format of ['BIDS', 'PARQUET'] as const) {
    const wanted = { format, subjectIds: [importedSubject.id] };
    const { id } = await client.call('requestStudyExport', { params, body: wanted });
    const stateOf = async () => (await client.call('listStudyExports', { params })).items.find((one) => one.id === id);
    await expect.poll(async () => (await stateOf())?.state, { timeout: 60_000 }).toBe('READY');
    const { href } = await client.call('getStudyExportFile', { params: { ...params, exportId: id } });
    const file = await fetch(href);
    const contents = await zipContents(new Uint8Array(await file.arrayBuffer()));
    const signals = [...contents].filter(([name]) => SIGNALS[format].test(name));
    expect(signals.length).toBeGreaterThan(0);
    for (const [name, bytes] of signals) expect(await rowsOf(name, bytes)).toBeGreaterThan(1000);
  }
});

test('exposes only named functions in the preload, and no access to Node', async () => {
  const seen = await app.window.evaluate(() => {
    const page = globalThis as unknown as Record<string, unknown>;
    return {
      api: Object.keys(page.outpostDesktop as object),
      require: typeof page.require,
      process: typeof page.process,
    };
  });
  expect(seen.require).toBe('undefined');
  expect(seen.process).toBe('undefined');
  expect(seen.api).toContain('openExternal');
  const refused = await app.window.evaluate(() =>
    (globalThis as unknown as { outpostDesktop: { quit(): Promise<void> } }).outpostDesktop.quit().then(
      () => 'ran',
      (error: Error) => error.message,
    ),
  );
  expect(refused).toContain('may not call');
});

test('opens external links outside Outpost or not at all', async () => {
  const { window, evaluate } = app;
  await evaluate(({ shell }) => {
    const opened: string[] = [];
    shell.openExternal = async (url) => void opened.push(url);
    Object.assign(shell, { seen: opened });
  }, null);
  const before = window.url();
  const seen = () => evaluate(({ shell }) => (shell as unknown as { seen: string[] }).seen, null);
  const follow = (address: string) =>
    window.evaluate((url) => {
      const link = document.createElement('a');
      link.href = url;
      document.body.append(link);
      link.click();
      link.remove();
    }, address);
  await follow('https://www.example.org/help');
  // A browser drops a way that it has not begun when another is asked for.
  await expect.poll(seen).toEqual(['https://www.example.org/help']);
  for (const address of ['http://192.0.2.1/', 'https://user@www.example.org/']) await follow(address);
  await window.evaluate(() => void open('https://www.example.org/other'));
  await expect.poll(seen).toEqual(['https://www.example.org/help', 'https://www.example.org/other']);
  expect(window.url()).toBe(before);
});

test('reopens a crashed window on the same page, and shows an error after a second crash', async () => {
  // Three windows load the whole desk one after the other, which takes time on a busy machine.
  test.slow();
  const isThere = { timeout: 50_000 };
  const crash = async (page: Page): Promise<Page> => {
    const before = new Set(page.context().pages());
    const session = await page.context().newCDPSession(page);
    // The answer never comes: the page that should give it is gone.
    void session.send('Page.crash').catch(() => {});
    // A page that was opened outside a moment ago may still be about: only one of ours counts.
    const next = () =>
      page
        .context()
        .pages()
        .find((other) => !before.has(other) && /^(http:\/\/127\.0\.0\.1|data:|file:)/.test(other.url()));
    await expect.poll(() => next() !== undefined, isThere).toBe(true);
    return next() as Page;
  };
  const address = app.window.url();
  const back = await crash(app.window);
  const name = testSite().subjects[0]!.displayName;
  await expect(back.getByRole('heading', { name, level: 1 })).toBeVisible(isThere);
  expect(back.url()).toBe(address);
  await expect(back.getByText(/The window stopped working at \d\d:\d\d and was reloaded/)).toBeVisible();
  await back.getByRole('button', { name: 'Dismiss' }).click();
  await back.reload();
  await expect(back.getByRole('heading', { name, level: 1 })).toBeVisible(isThere);
  await expect(back.getByText('The window stopped working')).toHaveCount(0);
  const second = await crash(back);
  await expect(second.getByText('The window stopped working.')).toContainText('2 times in the last 7 days', isThere);
  await second.getByRole('button', { name: 'Try again' }).click();
  // The site was reopened on a new free port, which is another origin for the browser; the program keeps the sign-in.
  await expect(second.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible(isThere);
});
