/** A phone is lost: the desk signs it out, and at its next contact it removes what it holds and says why. */
import { expect, type Page } from '@playwright/test';
import { expectAccessible, watchPage } from '../support/desk.ts';
import { test } from '../support/lan-site.ts';

test.use({ siteName: 'lost-phone' });

/** Texts of everything that the browser keeps of the app. */
const keptText = (page: Page) =>
  page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('outpost-phone');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const names = [...database.objectStoreNames];
    const rows = await Promise.all(
      names.map(
        (name) =>
          new Promise<unknown>((resolve, reject) => {
            const reading = database.transaction(name).objectStore(name).getAll();
            reading.onsuccess = () => resolve(reading.result);
            reading.onerror = () => reject(reading.error);
          }),
      ),
    );
    database.close();
    return JSON.stringify([rows, { ...localStorage }, { ...sessionStorage }]);
  });

test('removes everything from a lost phone at its next contact, and says why', async ({ browser, desk, lan }) => {
  const expectNoProblems = watchPage(desk);
  const { accountId, studyId, subjectIds } = lan.place;
  const params = { studyId, subjectId: subjectIds[0]! };
  const { token } = await lan.client.call('createSubjectToken', { params });
  const context = await browser.newContext({
    ...{ viewport: { width: 360, height: 780 }, locale: 'en-US', ignoreHTTPSErrors: true },
  });
  const phone = await context.newPage();
  const expiry = Math.round(Date.now() / 1000) + 3600;
  await phone.goto(`${lan.lanUrl}/phone#1&s=site&n=Harbour&t=${token}&e=${expiry}`);
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
  await phone.getByRole('button', { name: 'Yes, this is right' }).click();
  await expect(phone.getByText('Your study has not started yet')).toBeVisible();
  // Out of reach when it is lost, with something unsent.
  await context.route('**/api/**', (route) => route.abort('connectionrefused'));
  await phone.evaluate(() => location.replace('#/messages'));
  await phone.getByRole('textbox').fill('I am on the bus.');
  await phone.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(phone.getByRole('textbox')).toHaveValue('');
  expect(await keptText(phone)).toContain('I am on the bus.');

  await desk.goto(`/studies/${studyId}/subjects/${subjectIds[0]}/equipment`);
  await desk.getByRole('button', { name: 'Lost or replaced: Phone of Subject 1' }).click();
  const dialog = desk.getByRole('dialog');
  await expect(dialog.getByText("hasn't sent yet are lost")).toBeVisible();
  await expect(dialog.getByText(/^Last contact/)).toBeVisible();
  await dialog.getByLabel(/^Reason/).fill('Left on a bus');
  await expectAccessible(desk);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(dialog.getByText('The phone was revoked.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Sign in phone' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(desk.getByRole('heading', { name: "Subject's own phone" })).toHaveCount(0);
  const { items } = await lan.client.call('listAccountAudit', { params: { accountId } });
  expect(items.find(({ action }) => action === 'device.revoke')).toMatchObject({ reason: 'Left on a bus' });

  // Still out of reach: it holds what it held. Then somebody finds it and opens the app in the clinic.
  expect(await keptText(phone)).toContain('I am on the bus.');
  await context.unroute('**/api/**');
  await phone.reload();
  await expect(phone.getByRole('heading', { name: 'This phone was signed out' })).toBeVisible();
  await expect(phone.getByText('Your study team signed this phone out')).toBeVisible();
  await expect(phone.getByText('1 item had not been sent yet and is lost.', { exact: false })).toBeVisible();
  const left = await keptText(phone);
  for (const secret of ['I am on the bus.', 'Subject 1', 'Test study', 'opd1.', params.subjectId]) {
    expect(left).not.toContain(secret);
  }
  // Nothing of it comes back with the page, and nothing was received.
  await phone.reload();
  await expect(phone.getByRole('heading', { name: 'This phone was signed out' })).toBeVisible();
  const { items: messages } = await lan.client.call('listMessages', { params, query: {} });
  expect(messages).toEqual([]);
  await phone.getByRole('button', { name: 'Continue' }).click();
  await expect(phone.getByText('Welcome to your study app')).toBeVisible();
  await context.close();
  expectNoProblems();
});
