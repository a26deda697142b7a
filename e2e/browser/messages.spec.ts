import { expect, type Page } from '@playwright/test';
import { type Client, createClient } from '../../src-server/api/contract/client.ts';
import { expectAccessible, signIn, type TestSite, test, watchPage } from '../support/desk.ts';

/** A PNG of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function staff(site: TestSite): Promise<{ client: Client; accountId: string }> {
  const client = createClient({ baseUrl: site.url });
  const { user, accessToken } = await client.call('login', { body: { email: site.email, password: site.password } });
  client.credentials = { userId: user.id, accessToken };
  return { client, accountId: user.accountId };
}

/** A study of its own with two subjects, so that nothing else of the site takes part. */
async function ownStudy(site: TestSite): Promise<{ client: Client; studyId: string; one: string; names: string[] }> {
  const { client, accountId } = await staff(site);
  const mark = Math.random().toString(36).slice(2, 8);
  const body = { displayName: `Talk ${mark}` };
  const { id: studyId } = await client.call('createStudy', { params: { accountId }, body });
  const names = [`Aoki ${mark}`, `Baba ${mark}`];
  const ids = [];
  for (const displayName of names) {
    const subject = { displayName, timezone: 'Asia/Tokyo' };
    ids.push((await client.call('createSubject', { params: { studyId }, body: subject })).id);
  }
  return { client, studyId, one: ids[0] ?? '', names };
}

const post = (client: Client, studyId: string, subjectId: string, body: string) => {
  const form = new FormData();
  form.set('body', body);
  return client.call('sendMessage', { params: { studyId, subjectId }, body: form });
};

const field = (page: Page, name: string) => page.getByRole('textbox', { name: `Message ${name}` });

test.beforeEach(async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
});

test("finds a subject, sends the first message and sees it on the subject's page by keyboard alone", async ({
  page,
  site,
}) => {
  const expectNoProblems = watchPage(page);
  const { names } = await ownStudy(site);
  const name = names[1] ?? '';
  await page
    .getByRole('link', { name: /^Messages/ })
    .first()
    .press('Enter');
  await expect(page.getByRole('heading', { name: 'Messages', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'New message' }).press('Enter');
  const search = page.getByRole('searchbox', { name: 'Search subjects or messages' });
  await expect(search).toBeFocused();
  await page.keyboard.type(name.toUpperCase());
  const found = page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name });
  await expect(found).toBeVisible();
  await found.press('Enter');
  await expect(field(page, name)).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Enter a message.')).toBeVisible();
  await page.keyboard.type('Please wear the patch tonight.');
  await page.keyboard.press('Control+Enter');
  const log = page.getByRole('region', { name: `Messages with ${name}` });
  await expect(log.getByText('Please wear the patch tonight.')).toBeVisible();
  await expect(field(page, name)).toHaveValue('');
  await page.getByRole('region', { name: 'Conversation', exact: true }).getByRole('link', { name }).press('Enter');
  const views = page.getByRole('navigation', { name: 'Subject views' });
  await views.getByRole('link', { name: 'Messages' }).press('Enter');
  await expect(page.getByText('Not yet read by subject')).toBeVisible();
  expectNoProblems();
});

test('sends an image, keeps the draft, and does not move what is being read', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const { client, studyId, one, names } = await ownStudy(site);
  const name = names[0] ?? '';
  for (let i = 0; i < 25; i++) await post(client, studyId, one, `Line ${i}`);
  await page.goto(`/messages?study=${studyId}&subject=${one}`);
  const log = page.getByRole('region', { name: `Messages with ${name}` });
  await expect(log.getByText('Line 24', { exact: true })).toBeInViewport();

  await page.getByTestId('picture').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: PNG });
  await expect(page.getByText("This file type isn't supported.")).toBeVisible();
  await page.getByTestId('picture').setInputFiles({ name: 'patch.png', mimeType: 'image/png', buffer: PNG });
  await field(page, name).fill('Put it here');
  await page.getByRole('link', { name: 'Studies' }).first().click();
  await page.goBack();
  await expect(field(page, name)).toHaveValue('Put it here');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(log.getByRole('img', { name: /^Image from .+, .+/ })).toBeInViewport();

  await log.evaluate((element) => {
    element.scrollTop = 0;
  });
  await expect(log.getByText('Line 0', { exact: true })).toBeInViewport();
  const other = await client.call('getStudy', { params: { studyId } });
  expect(other.subjects).toHaveLength(2);
  await post(client, studyId, one, 'From a colleague');
  await expect(page.getByRole('button', { name: '1 new message below' })).toBeVisible();
  await expect(log.getByText('Line 0', { exact: true })).toBeInViewport();
  await page.getByRole('button', { name: '1 new message below' }).click();
  await expect(log.getByText('From a colleague')).toBeInViewport();
  expectNoProblems();
});

test('rejects a file that only claims to be an image, and keeps the message', async ({ page, site }) => {
  const { studyId, one, names } = await ownStudy(site);
  await page.goto(`/messages?study=${studyId}&subject=${one}`);
  const fake = { name: 'patch.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };
  await page.getByTestId('picture').setInputFiles(fake);
  await field(page, names[0] ?? '').fill('Put it here');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText("This file type isn't supported.")).toBeVisible();
  await expect(field(page, names[0] ?? '')).toHaveValue('Put it here');
});

test('lists unread conversations first and counts them in the navigation', async ({ page, site }) => {
  const { client, accountId } = await staff(site);
  const { items } = await client.call('listConversations', { params: { accountId } });
  const unread = items.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
  await page.goto('/messages');
  const rail = page.getByRole('navigation', { name: 'Main sections' }).getByRole('link', { name: /^Messages/ });
  if (unread > 0) {
    await expect(rail).toContainText(`${unread} unread`);
    await expect(page.getByRole('region', { name: 'Conversations' }).getByRole('link').first()).toContainText('new');
  } else await expect(page.getByText('All messages are read.')).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds no violations in messages, ${colorScheme}`, async ({ page, site }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(`/studies/${site.studyId}/subjects/${site.subjects[0]!.id}/messages`);
    await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
    await expectAccessible(page);
    await page.goto('/messages');
    await page.getByRole('region', { name: 'Conversations' }).getByRole('link').first().click();
    await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
    await expectAccessible(page);
  });
