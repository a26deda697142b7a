/** A subject records a strap with the phone's browser; the strap is made in software, everything else is real. */
import { test as base, expect } from '@playwright/test';
import { webSignInLink } from '../../src-server/api/contract/subject-token.ts';
import { startTestLanSite, type TestLanSite } from '../../src-server/testing/test-lan-site.ts';
import { expectAccessible } from '../support/desk.ts';
import { strapScript } from '../support/strap-script.ts';

const SERIAL = 'ABCD1234';

const test = base.extend<object, { lan: TestLanSite }>({
  lan: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern here
    async ({}, use) => {
      const site = await startTestLanSite();
      await use(site);
      await site.close();
    },
    { scope: 'worker' },
  ],
});

test.use({ viewport: { width: 360, height: 780 }, ignoreHTTPSErrors: true, hasTouch: true });

test('records a strap, ends with Stop, and the site has the recording', async ({ page, lan }) => {
  const { store } = lan.site.folder;
  const { accountId, studyId, userId, subjectIds } = lan.place;
  const subjectId = subjectIds[0] ?? '';
  const change = { actor: { type: 'USER', id: userId } } as const;
  await store.equipment.register(
    { accountId, id: SERIAL, type: 'SENSOR', hardwareId: 'Polar H10', displayName: 'Heart strap' },
    change,
  );
  await store.equipment.assign(SERIAL, { studyId, subjectId, atTs: Date.now() - 3_600_000 }, change);
  const { token } = await lan.client.call('createSubjectToken', { params: { studyId, subjectId } });
  const { siteId, siteName } = await lan.client.call('deviceHello');
  const link = webSignInLink(lan.lanUrl, { siteId, siteName, token, expirationTs: Date.now() + 86_400_000 });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.addInitScript({ content: await strapScript() });
  await page.goto(link);
  await page
    .getByRole('button', { name: /Sign in|Yes|Continue/ })
    .first()
    .click();
  await page
    .getByRole('button', { name: /Yes|Continue|Start/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'Sensors', exact: true }).click();
  await page.getByRole('link', { name: 'Record with this phone' }).click();
  // The screen is code of its own, which loads now.
  await expect(page.getByRole('button', { name: 'Connect sensor' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Connect sensor' }).click();
  await expect(page.getByText('Recording', { exact: true })).toBeVisible();
  await expect(page.getByRole('img', { name: /last seconds/ })).toBeVisible();
  await expect(page.getByText('87%')).toBeVisible();
  await expectAccessible(page);
  await page.evaluate(() => (window as unknown as { strap: { drop(): void } }).strap.drop());
  await expect(page.getByText('Connection lost, trying again')).toBeVisible();
  await expect(page.getByText('Recording', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await expect(page.getByRole('button', { name: 'Connect sensor' })).toBeVisible();
  await expect
    .poll(async () => (await lan.client.call('listSubjectRecordings', { params: { studyId, subjectId } })).size)
    .toBe(1);
  expect(problems).toEqual([]);
});
