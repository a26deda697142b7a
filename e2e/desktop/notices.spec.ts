/** Notifications of what Today shows, while the window is not in use. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { basicAuthorization, createClient } from '../../src-server/api/contract/client.ts';
import { initSite } from '../../src-server/site/folder.ts';
import { signIn } from '../support/desk.ts';
import { type DesktopApp, launchDesktop, sessionOf } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

const PERSON = { email: 'admin@clinic.example', password: 'a long enough one' };

let folder: string;
let app: DesktopApp;

test.afterEach(async () => {
  await app?.quit();
  await removeFolder(folder);
});

test('tells about new items without naming anybody, and opens them', async () => {
  test.slow();
  folder = await mkdtemp(join(tmpdir(), 'outpost-notices-'));
  await initSite(join(folder, 'site'), { account: 'Clinic', ...PERSON, timeZone: 'Asia/Tokyo' });
  app = await launchDesktop({
    userData: join(folder, 'user-data'),
    args: ['--data', join(folder, 'site'), '--port', '0'],
  });
  const { window, evaluate } = app;
  await signIn(window, PERSON);
  await evaluate(({ Notification, BrowserWindow }) => {
    const { show, close } = Notification.prototype;
    const shown: { title: string; body: string; emit(name: string): boolean }[] = [];
    Object.assign(Notification, { seen: shown });
    Notification.prototype.show = function () {
      shown.push(this);
      show.call(this);
    };
    Notification.prototype.close = function () {
      if (shown.includes(this)) shown.splice(shown.indexOf(this), 1);
      close.call(this);
    };
    BrowserWindow.getAllWindows()[0]?.hide();
  }, null);
  type Seen = { seen: { title: string; body: string; emit(name: string): boolean }[] };
  const shown = () =>
    evaluate(
      ({ Notification }) => (Notification as unknown as Seen).seen.map(({ title, body }) => [title, body]),
      null,
    );

  const session = await sessionOf(window);
  const baseUrl = new URL(window.url()).origin;
  const credentials = { userId: session.user.id, accessToken: session.accessToken };
  const client = createClient({ baseUrl, credentials });
  const [study, subject] = await (async () => {
    const params = { accountId: session.user.accountId };
    const { id: studyId } = await client.call('createStudy', { params, body: { displayName: 'Sleep' } });
    const body = { displayName: 'N-104', timezone: 'Etc/GMT' };
    const { id: subjectId } = await client.call('createSubject', { params: { studyId }, body });
    await client.call('startStudy', { params: { studyId } });
    return [studyId, subjectId];
  })();
  // A file that no importer can read makes a failed job.
  const importUnreadable = async (name: string) => {
    const form = new FormData();
    form.append('file', new Blob([`not an EDF file: ${name}`]), name);
    const imported = await fetch(`${baseUrl}/api/v1/studies/${study}/subjects/${subject}/imports`, {
      method: 'POST',
      headers: { authorization: basicAuthorization(credentials) },
      body: form,
    });
    expect(imported.status, await imported.clone().text()).toBe(202);
  };
  await importUnreadable('night.edf');
  // What the program's first list holds makes no notice, and nobody outside sees when it asks for it.
  try {
    await expect.poll(async () => (await shown()).length, { timeout: 8_000 }).toBe(1);
  } catch {
    await importUnreadable('day.edf');
  }
  await expect.poll(shown, { timeout: 30_000 }).toEqual([['1 item needs attention', 'A job failed']]);
  await evaluate(({ Notification }) => (Notification as unknown as Seen).seen[0]?.emit('click'), null);
  await window.waitForURL('**/site/jobs');
  expect(await shown()).toEqual([]);
  expect(await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible(), null)).toBe(true);
});
