/** Live changes, work without a network, and reconnecting after the site stops. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { DAY_MS } from '../../src-server/durations.ts';
import { SimulatedPhone } from '../../src-server/simulator/phone/phone.ts';
import { startSite } from '../../src-server/site/server.ts';
import { makeTestSite, TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { signIn, watchPage } from '../support/desk.ts';
import { Keyboard } from '../support/keyboard.ts';
import { test } from '../support/lan-site.ts';
import { removeFolder } from '../support/remove-folder.ts';

test.describe.configure({ timeout: 180_000 });

/** Returns an assertion that the page has not been reloaded since. */
async function markPage(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  return async () =>
    expect(await page.evaluate(() => (globalThis as unknown as { isSamePage?: boolean }).isSamePage)).toBe(true);
}

test('shows a message from a phone on Today without moving what is being read', async ({ page, lan }) => {
  const { client, clock } = lan;
  const tag = crypto.randomUUID().slice(0, 4);
  const { aheadMs } = clock;
  clock.aheadMs = aheadMs - 4 * DAY_MS;
  const { id: studyId } = await client.call('createStudy', {
    params: { accountId: lan.place.accountId },
    body: { displayName: `Live ${tag}` },
  });
  await client.call('startStudy', { params: { studyId } });
  const subject = { displayName: `L-${tag}`, timezone: 'Etc/GMT' };
  const { id: subjectId } = await client.call('createSubject', { params: { studyId }, body: subject });
  clock.aheadMs = aheadMs;
  const { token } = await client.call('createSubjectToken', { params: { studyId, subjectId } });
  const folder = await mkdtemp(join(tmpdir(), 'outpost-live-'));
  const phone = await SimulatedPhone.open({ folder, clock: () => Date.now() + clock.aheadMs });
  const keys = await Keyboard.at(page);
  try {
    await phone.signIn(lan.lanUrl, token, lan.site.lan.fingerprint);
    await page.goto('/');
    await keys.signIn({ email: TEST_EMAIL, password: TEST_PASSWORD });
    const expectSamePage = await markPage(page);
    const read = page.getByRole('link', { name: new RegExp(`^Find cause: L-${tag}\\.`) });
    await keys.tabTo(read);
    const before = await read.boundingBox();

    await phone.write('The patch came off in the shower.');
    await phone.sync();
    const more = page.getByRole('button', { name: /^Show \d+ new items?$/ });
    await expect(more).toBeVisible();
    expect(await read.boundingBox()).toEqual(before);
    await expect(read).toBeFocused();
    const unread = page
      .getByRole('region', { name: 'Unread messages' })
      .getByRole('listitem')
      .filter({ hasText: `L-${tag}` });
    await expect(unread).toHaveCount(0);
    await keys.activate(more, { back: true });
    await expect(unread).toContainText('1 unread message');
    await expectSamePage();
    keys.expectNoMouse();
  } finally {
    phone.close();
    await removeFolder(folder);
  }
});

test('loads screens and saves changes without any network', async ({ desk, lan }) => {
  const expectNoProblems = watchPage(desk);
  // What a browser says when the cable is pulled; the site itself is on this computer.
  await desk.addInitScript(() => Object.defineProperty(navigator, 'onLine', { get: () => false }));
  await desk.reload();
  await desk.evaluate(() => dispatchEvent(new Event('offline')));
  expect(await desk.evaluate(() => navigator.onLine)).toBe(false);
  await desk.getByRole('link', { name: 'Studies', exact: true }).first().click();
  await desk.getByRole('button', { name: 'New study' }).click();
  const name = `Offline ${crypto.randomUUID().slice(0, 4)}`;
  await desk.getByRole('textbox', { name: 'Short name' }).fill(name);
  await desk.getByRole('button', { name: 'Create study' }).click();
  await expect(desk.getByRole('heading', { name, level: 1 })).toBeVisible();
  const studies = await lan.client.call('listStudies', { params: { accountId: lan.place.accountId } });
  expect(studies.map(({ displayName }) => displayName)).toContain(name);
  expectNoProblems();
});

test('shows the code of a failed request, and reloads the page with Try again', async ({ desk }) => {
  let isFailing = true;
  await desk.route(/\/accounts\/[^/]+\/studies$/, (route) =>
    isFailing
      ? route.fulfill({ status: 400, json: { code: 'INTERNAL', message: 'The disk did not answer.', errors: [] } })
      : route.fallback(),
  );
  await desk.goto('/studies');
  const notice = desk.getByRole('alert').filter({ hasText: 'The disk did not answer.' });
  await expect(notice).toContainText('INTERNAL');
  await expect(notice.getByRole('button', { name: 'Copy details' })).toBeVisible();
  isFailing = false;
  await notice.getByRole('button', { name: 'Try again' }).click();
  await expect(notice).toHaveCount(0);
  await expect(desk.getByRole('link', { name: 'Test study', exact: true })).toBeVisible();
});

test('keeps showing data with its age when the site stops, and reconnects when it is back', async ({ page }) => {
  const place = await makeTestSite();
  let site = await startSite({ dir: place.dir, port: 0 });
  try {
    const port = Number(new URL(site.url).port);
    await page.goto(site.url);
    await signIn(page, { email: TEST_EMAIL, password: TEST_PASSWORD });
    await page.goto(`${site.url}/studies`);
    const study = page.getByRole('link', { name: 'Test study', exact: true });
    await expect(study).toBeVisible();
    const expectSamePage = await markPage(page);

    await site.close();
    await expect(page.getByText('Server not responding')).toBeVisible();
    await expect(page.getByText('Updates lost. Reconnecting…')).toBeVisible();
    await expect(page.getByText(/Can't reach the site\..* Last updated /)).toBeVisible();
    await expect(study).toBeVisible();

    site = await startSite({ dir: place.dir, port });
    await expect(page.getByText('Server running')).toBeVisible({ timeout: 60_000 });
    await expect(page.getByText('Up to date')).toBeVisible({ timeout: 60_000 });
    await expect(page.getByText(/Can't reach the site/)).toHaveCount(0);
    await expectSamePage();
  } finally {
    await site.close();
    await place.remove();
  }
});
