/** Filters of lists in the address, and saved ones: whose they are, on which computer, and by keyboard. */
import { type Browser, expect, type Page } from '@playwright/test';
import { type Client, createClient } from '../../src-server/api/contract/client.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { expectAccessible, signIn, watchPage } from '../support/desk.ts';
import { test } from '../support/lan-site.ts';

const tag = () => crypto.randomUUID().slice(0, 4);
const rowsOf = (page: Page) => page.getByRole('table').getByRole('row');
const menu = (page: Page) => page.getByRole('button', { name: /^Filter/ });

async function studyWith(client: Client, accountId: string, names: readonly string[]): Promise<string> {
  const { id } = await client.call('createStudy', {
    params: { accountId },
    body: { displayName: `Filters ${tag()}` },
  });
  for (const displayName of names)
    await client.call('createSubject', { params: { studyId: id }, body: { displayName, timezone: 'Asia/Tokyo' } });
  return id;
}

async function member(client: Client, accountId: string, studyId: string, role: 'COORDINATOR' | 'MONITOR') {
  const email = `${role.toLowerCase()}-${tag()}@example.org`;
  const names = { firstName: 'Aki', lastName: role, locale: 'en_US', timezone: 'Asia/Tokyo' } as const;
  const { id: userId } = await client.call('createUser', {
    body: { email, password: TEST_PASSWORD, user: { accountId, email, ...names, role } },
  });
  await client.call('setStudyMember', { params: { studyId, userId }, body: { role } });
  return { email, password: TEST_PASSWORD };
}

async function deskOf(browser: Browser, url: string, who: { email: string; password: string }, locale = 'en-US') {
  const context = await browser.newContext({ baseURL: url, locale });
  const page = await context.newPage();
  await page.goto('/');
  if (locale === 'en-US') await signIn(page, who);
  return page;
}

test('keeps the filter of a list in the address, through typing, Back and a reload', async ({ desk, lan }) => {
  const expectNoProblems = watchPage(desk);
  const { client, place } = lan;
  const studyId = await studyWith(client, place.accountId, ['N-101', 'N-102', 'K-201']);
  await desk.goto(`/studies/${studyId}/subjects`);
  await expect(rowsOf(desk)).toHaveCount(4);
  const search = desk.getByRole('searchbox');
  const before = await desk.evaluate(() => history.length);
  await search.pressSequentially('n-10', { delay: 5 });
  await expect(search).toHaveValue('n-10');
  await expect(desk).toHaveURL(/\?text=n-10$/);
  await expect(rowsOf(desk)).toHaveCount(3);
  await desk.getByRole('combobox', { name: 'Show' }).selectOption('day');
  await expect(desk).toHaveURL(/text=n-10&filter=day$/);
  expect(await desk.evaluate(() => history.length)).toBe(before);
  await desk.getByRole('link', { name: 'N-101' }).click();
  await expect(desk).toHaveURL(/\/days/);
  await desk.goBack();
  await expect(search).toHaveValue('n-10');
  await expect(rowsOf(desk)).toHaveCount(3);
  await desk.reload();
  await expect(search).toHaveValue('n-10');
  await expect(rowsOf(desk)).toHaveCount(3);
  await search.fill('x'.repeat(1000));
  await expect(search).toHaveValue('x'.repeat(200));
  // Values that no filter has are ignored; a group that is not there any more is said.
  await desk.goto(`/studies/${studyId}/subjects?filter=moon&group=${crypto.randomUUID()}`);
  await expect(rowsOf(desk)).toHaveCount(4);
  await expect(desk.getByText('The group of this filter no longer exists')).toBeVisible();
  await desk.getByRole('button', { name: 'Remove from filter' }).click();
  await expect(desk.getByText('The group of this filter no longer exists')).toBeHidden();
  expectNoProblems();
});

test('saves a filter for its person, by keyboard, on every computer, and shares it with the study', async ({
  desk,
  lan,
  browser,
}) => {
  // Three people at four desks.
  test.setTimeout(180_000);
  const expectNoProblems = watchPage(desk);
  const { client, place, site } = lan;
  const studyId = await studyWith(client, place.accountId, ['N-101', 'N-102', 'K-201']);
  const coordinator = await member(client, place.accountId, studyId, 'COORDINATOR');
  const monitor = await member(client, place.accountId, studyId, 'MONITOR');
  const address = `/studies/${studyId}/subjects`;
  const own = await deskOf(browser, site.url, coordinator);
  await own.goto(`${address}?text=k-2`);
  await menu(own).focus();
  await own.keyboard.press('ArrowDown');
  await expect(own.getByRole('menuitem', { name: 'No saved filters' })).toBeVisible();
  await own.getByRole('menuitem', { name: 'Save filter…' }).press('Enter');
  const name = own.getByRole('textbox', { name: 'Name' });
  await expect(name).toBeFocused();
  await expectAccessible(own);
  await own.keyboard.press('Escape');
  await expect(own.getByRole('dialog')).toBeHidden();
  await own.keyboard.press('Control+K');
  await own.getByRole('dialog').getByRole('searchbox').fill('save filter');
  await own.getByRole('menuitem', { name: 'Save filter…' }).press('Enter');
  await name.fill('Ward K');
  await own.keyboard.press('Enter');
  await expect(menu(own)).toHaveText('Filter: Ward K');

  await own.goto(address);
  await expect(rowsOf(own)).toHaveCount(4);
  await menu(own).click();
  await own.getByRole('menuitem', { name: 'Ward K' }).click();
  await expect(rowsOf(own)).toHaveCount(2);
  await expect(own).toHaveURL(/\?text=k-2$/);

  const elsewhere = await deskOf(browser, site.url, coordinator);
  await elsewhere.goto(address);
  // Keys of the desk work once it is there.
  await expect(rowsOf(elsewhere)).toHaveCount(4);
  await elsewhere.keyboard.press('Control+K');
  await elsewhere.getByRole('dialog').getByRole('searchbox').fill('ward k');
  await elsewhere.getByRole('menuitem', { name: /Filter: Ward K/ }).click();
  await expect(rowsOf(elsewhere)).toHaveCount(2);

  const other = await deskOf(browser, site.url, monitor);
  await other.goto(address);
  await menu(other).click();
  await expect(other.getByRole('menuitem', { name: 'No saved filters' })).toBeVisible();
  await other.keyboard.press('Escape');

  await menu(own).click();
  await own.getByRole('menuitem', { name: 'Edit “Ward K”…' }).click();
  await own.getByRole('textbox', { name: 'Name' }).fill('Ward K, shared');
  await own.getByRole('combobox', { name: 'Visible to' }).selectOption({ index: 1 });
  await own.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(menu(own)).toHaveText('Filter: Ward K, shared');
  await menu(other).click();
  await other.getByRole('menuitem', { name: /^Ward K, shared/ }).click();
  await expect(rowsOf(other)).toHaveCount(2);
  await menu(other).click();
  await expect(other.getByRole('menuitem', { name: /^(Edit|Delete)/ })).toHaveCount(0);
  await expectAccessible(other);
  await other.keyboard.press('Escape');

  // A filter of a value that the list no longer knows can still be deleted.
  const api = createClient({ baseUrl: site.url });
  const { accessToken, user } = await api.call('login', { body: coordinator });
  api.credentials = { userId: user.id, accessToken };
  await api.call('putSavedFilter', {
    params: { accountId: place.accountId, filterId: crypto.randomUUID() },
    body: { table: 'subjects', studyId, displayName: 'Outdated', search: { filter: 'moon' } },
  });
  await own.goto(address);
  await menu(own).click();
  await own.getByRole('menuitem', { name: 'Outdated' }).click();
  await menu(own).click();
  await expect(own.getByRole('menuitem', { name: /^Replace/ })).toHaveCount(0);
  await own.getByRole('menuitem', { name: 'Delete “Outdated”…' }).click();
  await own.getByRole('button', { name: 'Delete filter' }).click();
  await expect(own.getByRole('dialog')).toBeHidden();
  await menu(own).click();
  await expect(own.getByRole('menuitem', { name: 'Outdated' })).toHaveCount(0);
  await own.getByRole('menuitem', { name: /^Ward K, shared/ }).click();
  await expect(menu(own)).toHaveText('Filter: Ward K, shared');

  await own.getByRole('searchbox').fill('n-1');
  await menu(own).click();
  await own.getByRole('menuitem', { name: 'Replace “Ward K, shared”' }).click();
  await expect(menu(own)).toHaveText('Filter: Ward K, shared');
  await menu(own).click();
  await own.getByRole('menuitem', { name: 'Delete “Ward K, shared”…' }).click();
  await own.getByRole('button', { name: 'Delete filter' }).click();
  await expect(menu(own)).toHaveText('Filters');
  for (const page of [own, elsewhere, other]) await page.context().close();
  expectNoProblems();
});

test('is in Japanese', async ({ lan, browser }) => {
  const page = await deskOf(browser, lan.site.url, { email: TEST_EMAIL, password: TEST_PASSWORD }, 'ja-JP');
  await page.getByRole('textbox', { name: 'メールアドレス' }).fill(TEST_EMAIL);
  await page.getByLabel('パスワード', { exact: true }).fill(TEST_PASSWORD);
  await page.getByRole('button', { name: 'サインイン' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const signedIn = createClient({ baseUrl: lan.site.url });
  const { accessToken, user } = await signedIn.call('login', { body: { email: TEST_EMAIL, password: TEST_PASSWORD } });
  signedIn.credentials = { userId: user.id, accessToken };
  const studyId = await studyWith(signedIn, user.accountId, ['N-101', 'K-201']);
  await page.goto(`/studies/${studyId}/subjects?text=n`);
  await page.getByRole('button', { name: '絞り込み' }).click();
  await page.getByRole('menuitem', { name: '絞り込みを保存…' }).click();
  await page.getByRole('textbox', { name: '名称' }).fill('病棟N');
  await page.getByRole('button', { name: '保存', exact: true }).click();
  await expect(page.getByRole('button', { name: '絞り込み：病棟N' })).toBeVisible();
  await page.context().close();
});
