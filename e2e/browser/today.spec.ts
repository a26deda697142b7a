import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { type Client, createClient } from '../../src-server/api/contract/client.ts';
import { expectAccessible, signIn, type TestSite, test, watchPage } from '../support/desk.ts';

const HOUR = 3_600_000;

interface Case {
  client: Client;
  params: { studyId: string; subjectId: string };
  subjectName: string;
  /** Local date of the day before. */
  yesterday: string;
}

async function signedInClient(site: TestSite): Promise<{ client: Client; accountId: string }> {
  const client = createClient({ baseUrl: site.url });
  const { user, accessToken } = await client.call('login', { body: { email: site.email, password: site.password } });
  client.credentials = { userId: user.id, accessToken };
  return { client, accountId: user.accountId };
}

/** A subject of a study of its own that holds a sensor and has never sent anything. */
async function makeCase(site: TestSite): Promise<Case> {
  const { client, accountId } = await signedInClient(site);
  const tag = randomUUID().slice(0, 8);
  const { id: studyId } = await client.call('createStudy', {
    params: { accountId },
    body: { displayName: `Why ${tag}` },
  });
  const subjectName = `W-${tag}`;
  const { id: subjectId } = await client.call('createSubject', {
    params: { studyId },
    body: { displayName: subjectName, timezone: 'Etc/GMT' },
  });
  await client.call('registerEquipment', {
    params: { accountId },
    body: { id: `SN-${tag}`, type: 'SENSOR', displayName: `Chest ${tag}` },
  });
  await client.call('startStudy', { params: { studyId } });
  await client.call('assignEquipment', { params: { studyId, subjectId, equipmentId: `SN-${tag}` } });
  const yesterday = new Date(Date.now() - 24 * HOUR).toISOString().slice(0, 10);
  return { client, params: { studyId, subjectId }, subjectName, yesterday };
}

const daysPath = ({ params }: Case) => `/studies/${params.studyId}/subjects/${params.subjectId}/days`;
const causes = (page: Page) => page.getByRole('list', { name: 'Causes, most decisive first' }).getByRole('listitem');

test.beforeEach(async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
});

test('leads from the days of a subject without data to the cause and action, by mouse', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const made = await makeCase(site);
  await page.goto(daysPath(made));
  await expect(page.getByRole('heading', { name: /^Why there is no data on/ })).toBeVisible();
  await expect(causes(page).first()).toBeVisible();
  await page.goto(`${daysPath(made)}?date=${made.yesterday}`);
  await expect(causes(page)).toContainText([/Study.*The subject was not enrolled yet/]);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.getByRole('link', { name: 'Data status', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Sensors and days' })).toContainText('no recording');
  await expectAccessible(page);
  expectNoProblems();
});

test('leads to the cause of missing data by keyboard alone', async ({ page, site }) => {
  const made = await makeCase(site);
  await page.reload();
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused();
  await page.keyboard.type(made.subjectName);
  await expect(page.getByRole('menuitem', { name: made.subjectName })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: /^Why there is no data on/ })).toBeVisible();
  const action = causes(page).first().getByRole('link');
  const name = await action.getAttribute('aria-label');
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    if (await action.evaluate((link) => link === document.activeElement)) break;
  }
  await expect(action).toBeFocused();
  expect(name).toMatch(/: /);
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/\/days/);
});

test('shows an attention item on Today, snoozes it by keyboard with a reason and unsnoozes it', async ({
  page,
  site,
}) => {
  const expectNoProblems = watchPage(page);
  const { client, accountId } = await signedInClient(site);
  const { items } = await client.call('listAttention', { params: { accountId } });
  const [item] = items;
  if (item === undefined) throw new Error('The demo site has nothing that needs attention.');
  const row = page.locator(`[data-item="${item.id}"]`);
  await expect(row).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  // Of all studies, or of one.
  const studies = page.getByRole('combobox', { name: 'Study', exact: true });
  const ids = await studies.locator('option').evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  await studies.selectOption(ids.find((id) => id !== '' && id !== item.studyId) ?? '');
  await expect(row).toHaveCount(0);
  await studies.selectOption(item.studyId ?? '');
  await expect(row).toBeVisible();
  await row.getByRole('link').first().focus();
  await page.keyboard.press('s');
  const dialog = page.getByRole('dialog', { name: 'Snooze item' });
  await dialog.getByRole('textbox', { name: 'Reason' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Enter a reason');
  await page.keyboard.type('Called, comes on Monday.');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(row).toHaveCount(0);
  await page.getByText(/^Snoozed \(/).click();
  await expect(page.getByText('Called, comes on Monday.')).toBeVisible();
  await page
    .getByRole('button', { name: /^Unsnooze/ })
    .first()
    .click();
  await expect(row).toBeVisible();
  expectNoProblems();
});
