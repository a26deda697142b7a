/** Two users at two desks: neither overwrites the other's changes unseen. Open items are listed before a study stops. */
import { type Browser, expect, type Page } from '@playwright/test';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { expectAccessible, signIn, watchPage } from '../support/desk.ts';
import { test } from '../support/lan-site.ts';

const tag = () => crypto.randomUUID().slice(0, 4);

async function otherDesk(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto('/');
  await signIn(page, { email: TEST_EMAIL, password: TEST_PASSWORD });
  return page;
}

test('merges edits of one definition by two users, and reports a conflict before saving', async ({
  desk,
  lan,
  browser,
}) => {
  const expectNoProblems = watchPage(desk);
  const displayName = `Both ${tag()}`;
  const params = { accountId: lan.place.accountId };
  const { id: studyId } = await lan.client.call('createStudy', { params, body: { displayName } });
  const other = await otherDesk(browser, lan.site.url);
  const field = (page: Page) => page.getByRole('textbox', { name: 'Instructions for the subject' });
  const saved = (page: Page) => expect(page.getByText('All changes saved')).toBeVisible();
  const save = (page: Page) => page.getByRole('button', { name: 'Save definition', exact: true }).click();
  const add = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Add activity' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
  };
  for (const page of [desk, other]) await page.goto(`/studies/${studyId}/definition`);
  await add(desk, 'Stand up');
  await add(other, 'Sit down');
  await save(other);
  await saved(other);
  await expect(desk.getByText('Someone else saved the definition.')).toBeVisible();
  await expect(desk.getByRole('textbox', { name: 'Name' })).toHaveValue('Stand up');
  await save(desk);
  await saved(desk);
  const { activities } = await lan.client.call('getDefinition', { params: { studyId } });
  expect(activities.map((one) => one.displayName).sort()).toEqual(['Sit down', 'Stand up']);

  for (const page of [desk, other]) await page.getByRole('button', { name: /^Sit down/ }).click();
  await field(desk).fill('Slowly');
  await field(other).fill('At once');
  await save(other);
  await saved(other);
  await expect(desk.getByText(/changed the same parts: Activities/)).toBeVisible();
  await expect(field(desk)).toHaveValue('Slowly');
  await desk.getByRole('button', { name: 'Discard changes' }).click();
  await expect(field(desk)).toHaveValue('At once');
  await other.context().close();
  expectNoProblems();
});

test("keeps the first user's changes to a subject in fields that the second did not edit", async ({
  desk,
  lan,
  browser,
}) => {
  const studyId = lan.place.studyId;
  const subject = { displayName: `B-${tag()}`, timezone: 'Etc/GMT', age: 40 };
  const { id: subjectId } = await lan.client.call('createSubject', { params: { studyId }, body: subject });
  const other = await otherDesk(browser, lan.site.url);
  for (const page of [desk, other]) {
    await page.goto(`/studies/${studyId}/subjects/${subjectId}/equipment`);
    await page.getByRole('button', { name: 'Subject', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Edit subject' }).click();
  }
  await other.getByRole('textbox', { name: /^Age/ }).fill('41');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(
    desk.getByText('Someone else saved this subject while you were editing.', { exact: false }),
  ).toBeVisible();
  await desk.getByRole('textbox', { name: /^Weight/ }).fill('70');
  await desk.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(desk.getByRole('dialog')).toHaveCount(0);
  expect(await lan.client.call('getSubject', { params: { studyId, subjectId } })).toMatchObject({
    age: 41,
    weight: 70,
  });
  await other.context().close();
});

test('lists equipment still handed out before a study stops, and offers no new messages afterwards', async ({
  desk,
  lan,
}) => {
  const name = tag();
  const account = { accountId: lan.place.accountId };
  const body = { displayName: `Ends ${name}` };
  const { id: studyId } = await lan.client.call('createStudy', { params: account, body });
  const subject = { displayName: `E-${name}`, timezone: 'Etc/GMT' };
  const { id: subjectId } = await lan.client.call('createSubject', { params: { studyId }, body: subject });
  await lan.client.call('startStudy', { params: { studyId } });
  const equipmentId = `SN-${name}`;
  await lan.client.call('registerEquipment', { params: account, body: { id: equipmentId, type: 'SENSOR' } });
  await lan.client.call('assignEquipment', { params: { studyId, subjectId, equipmentId } });

  await desk.goto(`/studies/${studyId}`);
  await desk.getByRole('button', { name: 'Stop study' }).click();
  const dialog = desk.getByRole('dialog', { name: `Stop Ends ${name}?` });
  await expect(dialog.getByText('1 equipment item is still handed out.', { exact: false })).toBeVisible();
  await dialog.getByRole('button', { name: 'Stop study' }).click();
  await expect(desk.getByText('This study is complete', { exact: false })).toBeVisible();

  await desk.goto('/messages');
  const search = desk.getByRole('searchbox', { name: 'Search subjects or messages' });
  await search.fill(subject.displayName);
  await expect(desk.getByRole('status').filter({ hasText: subject.displayName })).toBeVisible();
  await expect(desk.getByRole('link', { name: subject.displayName })).toHaveCount(0);
});

test('keeps unsaved input when the session ends, and saves it after signing in again', async ({ desk, lan }) => {
  const studyId = lan.place.studyId;
  const subject = { displayName: `S-${tag()}`, timezone: 'Etc/GMT' };
  const { id: subjectId } = await lan.client.call('createSubject', { params: { studyId }, body: subject });
  await desk.goto(`/studies/${studyId}/subjects/${subjectId}/equipment`);
  await desk.getByRole('button', { name: 'Subject', exact: true }).click();
  await desk.getByRole('menuitem', { name: 'Edit subject' }).click();
  await desk.getByRole('textbox', { name: /^Weight/ }).fill('71');
  await desk.evaluate(async () => {
    const { user, accessToken } = JSON.parse(localStorage.getItem('outpost.session') ?? '{}');
    const authorization = `Basic ${btoa(`${user.id}:${accessToken}`)}`;
    await fetch('/api/v1/users/logout', { method: 'POST', headers: { authorization } });
  });
  await desk.getByRole('button', { name: 'Save', exact: true }).click();
  const cover = desk.getByRole('dialog', { name: 'Your session has ended' });
  await expect(cover.getByLabel('Password', { exact: true })).toBeFocused();
  expect(await desk.evaluate(() => localStorage.getItem('outpost.session'))).toBeNull();
  await desk.keyboard.press('Escape');
  await desk.keyboard.type('not-the-password');
  await desk.keyboard.press('Enter');
  await expect(cover.getByText('Incorrect email or password.', { exact: false })).toBeVisible();
  await expectAccessible(desk);
  await cover.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  await desk.keyboard.press('Enter');
  await expect(cover).toHaveCount(0);
  await expect(desk.getByRole('textbox', { name: /^Weight/ })).toHaveValue('71');
  await desk.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(desk.getByRole('dialog')).toHaveCount(0);
  expect(await lan.client.call('getSubject', { params: { studyId, subjectId } })).toMatchObject({ weight: 71 });
});
