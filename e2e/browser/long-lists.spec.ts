/** Lists of a subject and a study with years of data: a screen reads the rows near it, and the rest as it is reached. */
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { createClient } from '../../src-server/api/contract/client.ts';
import { DAY_MS } from '../../src-server/durations.ts';
import { openStore } from '../../src-server/services/index.ts';
import { type FullSite, makeFullSite } from '../../src-server/testing/full-site/site-folder.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { sessionText } from '../support/full-site.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { type ServedSite, serveSite } from '../support/sites.ts';

/** Two sensors each day. */
const DAYS = 420;
const SUBJECTS = 3;
const FIRST_PAGE = 200;
const MESSAGES = 450;
const LABELS = 900;
const QUERIES = 230;
/** Jobs that have ended since the site was last checked: what a few days of uploads leave. */
const JOBS_SINCE_CHECK = 600;

let folder: string;
let site: FullSite;
let served: ServedSite;
let session: string;

test.describe.configure({ mode: 'serial' });
test.use({ locale: 'en-US' });

test.beforeAll(async () => {
  test.setTimeout(180_000);
  folder = await mkdtemp(join(tmpdir(), 'outpost-lists-'));
  site = await makeFullSite(join(folder, 'site'), { subjects: SUBJECTS, days: DAYS });
  const store = openStore(join(site.dir, 'site.db'));
  const place = { studyId: site.studyId, subjectId: site.subjectIds[1]! };
  for (let number = 0; number < MESSAGES; number++)
    await store.messages.post(
      { id: randomUUID(), ...place, body: `Note ${number}` },
      { actor: { type: 'USER', id: site.userId } },
    );
  const startTs = Date.now() - LABELS * 3_600_000;
  await store.annotations.addLabels(
    Array.from({ length: LABELS }, (_, number) => ({
      ...{ studyId: site.studyId, subjectId: site.subjectIds[2]!, type: 'recording' as const },
      ...{ displayName: `Mark ${number}`, startTs: startTs + number * 3_600_000, stopTs: startTs + number * 3_600_000 },
    })),
    { actor: { type: 'USER', id: site.userId } },
  );
  const query = { studyId: site.studyId, subjectId: site.subjectIds[1]!, target: 'DAY', date: '2026-01-11' } as const;
  for (let number = 0; number < QUERIES; number++)
    await store.dataQueries.open(
      { ...query, text: number === 0 ? 'Okapi seen' : `Question ${number}` },
      { actor: { type: 'USER', id: site.userId } },
    );
  const bySite = { actor: { type: 'SYSTEM' } } as const;
  const check = await store.jobs.add({ kind: 'verify', payload: {} }, bySite);
  await store.jobs.finish(check.id, { state: 'done', result: { audit: { isIntact: true } } }, Date.now());
  for (let number = 0; number < JOBS_SINCE_CHECK; number++) {
    const { id } = await store.jobs.add({ kind: 'backup', payload: { reason: 'scheduled' } }, bySite);
    await store.jobs.finish(id, { state: 'done' }, Date.now());
  }
  store.close();
  served = await serveSite(site.dir);
  session = await sessionText(served.url, { email: TEST_EMAIL, password: TEST_PASSWORD });
});
test.afterAll(async () => {
  await served?.stop();
  await removeFolder(folder);
});
test.beforeEach(async ({ page }) => {
  await page.addInitScript((value) => localStorage.setItem('outpost.session', value), session);
});

/** Holds back the first answer to a request for a further page, until the returned function is called. */
async function holdNextPage(page: Page, path: RegExp): Promise<{ asked: Promise<void>; release: () => void }> {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(
    (url) => path.test(url.pathname) && url.searchParams.has('cursor'),
    async (route) => {
      asked.resolve();
      await held.promise;
      // A request that was cancelled meanwhile is gone.
      await route.continue().catch(() => undefined);
    },
  );
  return { asked: asked.promise, release: held.resolve };
}

interface Answer {
  items: number;
  bytes: number;
}

/** Collects what the API answers to a list. */
function answersOf(page: Page, path: RegExp): Promise<Answer>[] {
  const answers: Promise<Answer>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith('/api/v1/') || !path.test(pathname)) return;
    const answer = response
      .body()
      .then((body) => ({ items: JSON.parse(String(body)).items.length, bytes: body.length }));
    // Ignore a body that is read as the test ends.
    answer.catch(() => undefined);
    answers.push(answer);
  });
  return answers;
}

const subjectPath = () => `${served.url}/studies/${site.studyId}/subjects/${site.subjectIds[1]}`;
const itemsOf = async (answers: Promise<Answer>[]) => (await Promise.all(answers)).map(({ items }) => items);

test('recordings are read as they are reached, by pages and in order', async ({ page }) => {
  const answers = answersOf(page, /\/recordings$/);
  await page.goto(`${subjectPath()}/recordings`);
  const table = page.getByRole('table', { name: 'Recordings' });
  const rows = table.locator('tbody tr[data-row]');
  await expect(rows.first()).toBeVisible();
  await page.waitForTimeout(500);
  expect(await itemsOf(answers)).toEqual([FIRST_PAGE]);
  expect(await rows.count()).toBeLessThan(100);
  await expect(table).toHaveAttribute('aria-rowcount', '-1');
  await expect(page.getByText(/^First 200 rows shown/)).toBeVisible();
  const total = Number(
    (await page.getByText(/^\d[\d,]* recordings/).textContent())?.match(/[\d,]+/)?.[0].replace(',', ''),
  );
  expect(total).toBeGreaterThan(3 * FIRST_PAGE);

  // Reaching the end of what has been read continues it.
  await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }));
  await expect.poll(() => answers.length).toBe(2);
  await expect(page.getByText(/^First 600 rows shown/)).toBeAttached();

  // Back from a recording, the table is where it was.
  const top = () => page.locator('main').evaluate((main) => main.scrollTop);
  const before = await top();
  expect(before).toBeGreaterThan(2_000);
  await page
    .getByRole('link', { name: /signals of the recording/i })
    .first()
    .evaluate((link: HTMLElement) => link.click());
  await expect(page.getByRole('slider', { name: 'Detail', exact: true })).toBeVisible();
  await page.goBack();
  await expect(rows.first()).toBeVisible();
  await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThan(100);

  // The very end is reached by a key, over the whole list.
  await table.getByRole('link').first().focus();
  await page.keyboard.press('Control+End');
  await expect(table).toHaveAttribute('aria-rowcount', String(total + 1));
  await expect(table.locator('tr:focus-within')).toHaveAttribute('aria-rowindex', String(total + 1));
  const times = await rows.locator('td:first-child a').allTextContents();
  expect(new Set(times).size).toBeGreaterThan(10);
  await page.keyboard.press('Control+Home');
  await expect(table.locator('tr:focus-within')).toHaveAttribute('aria-rowindex', '2');
});

test('another order reads the whole list first', async ({ page }) => {
  const answers = answersOf(page, /\/recordings$/);
  await page.goto(`${subjectPath()}/recordings`);
  const table = page.getByRole('table', { name: 'Recordings' });
  await expect(table.locator('tbody tr[data-row]').first()).toBeVisible();
  await table.getByRole('button', { name: 'Start' }).click();
  await expect(table).not.toHaveAttribute('aria-rowcount', '-1');
  const [first = 0, second = 0, third = 0] = await itemsOf(answers);
  expect([first, second, third > 0]).toEqual([FIRST_PAGE, 2 * FIRST_PAGE, true]);
  await expect(table.locator('tr[data-row="0"]')).toContainText('2025');
});

test('labels are filtered by the server and searched as far as needed', async ({ page }) => {
  const answers = answersOf(page, /\/annotations$/);
  await page.goto(`${subjectPath()}/labels`);
  const table = page.getByRole('table', { name: 'Labels' });
  const rows = table.locator('tbody tr[data-row]');
  await expect(rows.first()).toBeVisible();
  await page.waitForTimeout(500);
  expect(await itemsOf(answers)).toEqual([FIRST_PAGE]);
  expect((await Promise.all(answers))[0]!.bytes).toBeLessThan(150_000);

  await page.getByRole('radio', { name: 'Activity' }).click();
  await expect.poll(() => answers.length).toBe(2);
  await expect(rows.first()).toContainText('Six-minute walk');

  const search = page.getByRole('searchbox');
  await search.fill('no such label');
  await expect(page.getByRole('button', { name: 'Clear filters' })).toBeVisible();
  await expect(search).toBeFocused();
});

test('a long conversation opens at its end and continues upwards', async ({ page }) => {
  const answers = answersOf(page, /\/messages$/);
  await page.goto(`${subjectPath()}/messages`);
  await expect(page.getByText('Note 449', { exact: true })).toBeVisible();
  expect(await itemsOf(answers)).toEqual([FIRST_PAGE]);
  const log = page.getByRole('region', { name: /^Messages with/ });
  const oldest = page.getByText('Note 250', { exact: true });
  await oldest.scrollIntoViewIfNeeded();
  await expect.poll(() => answers.length).toBe(2);
  await expect(page.getByText('Note 249', { exact: true })).toBeAttached();
  // What was being read has not moved away.
  await expect(oldest).toBeInViewport();
  await expect(log).toBeVisible();
});

test('continues a search, and reads it again after a change in the middle of it', async ({ page }) => {
  const { accessToken, user } = JSON.parse(session);
  const client = createClient({ baseUrl: served.url, credentials: { userId: user.id, accessToken } });
  const params = { studyId: site.studyId, subjectId: site.subjectIds[1]! };
  const { asked, release } = await holdNextPage(page, /\/annotations$/);
  await page.goto(`${subjectPath()}/labels`);
  await expect(page.getByRole('table', { name: 'Labels' })).toBeVisible();
  await page.getByRole('searchbox').fill('no such label');
  await asked;
  const again = page.waitForRequest((request) => /\/annotations\?(?!.*cursor=)/.test(request.url()));
  const { items } = await client.call('listSubjectRecordings', { params, query: { limit: '1' } });
  await client.call('createLabel', { params, body: { displayName: 'Change', startTs: items[0]!.recordingStartTs } });
  // The page that is under way ends first.
  release();
  await again;
  await expect(page.getByRole('button', { name: 'Clear filters' })).toBeVisible();
});

test('a day says that it has no messages only once they have been read back to it', async ({ page }) => {
  const { asked, release } = await holdNextPage(page, /\/messages$/);
  const date = new Date(site.nowTs - 30 * DAY_MS).toISOString().slice(0, 10);
  await page.goto(`${subjectPath()}/tasks?date=${date}`);
  await asked;
  await expect(page.getByRole('link', { name: 'Open day' })).toBeVisible();
  await expect(page.getByText('No messages on this day.')).toBeHidden();
  release();
  await expect(page.getByText('No messages on this day.')).toBeVisible();
});

test('the last check of the site is found behind any number of other jobs', async ({ page }) => {
  await page.goto(`${served.url}/site/audit`);
  await expect(page.getByText(/^Verified /)).toBeVisible();
});

test('an overview whose days cannot be found says so', async ({ page }) => {
  // Which days of a completed study are shown depends on its recordings.
  await page.route(new RegExp(`/api/v1/studies/${site.studyId}$`), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), lifecycleState: 'COMPLETE' } });
  });
  await page.route(/daily_recording_stats/, (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto(`${served.url}/studies/${site.studyId}`);
  await expect(page.getByRole('button', { name: /try again|retry/i })).toBeVisible();
});

/** Opens what the search of the desk finds under a text, by keyboard. */
async function open(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('searchbox', { name: 'Search or go to' }).fill(text);
  await expect(page.getByRole('menuitem', { name: new RegExp(text) }).first()).toBeVisible();
  await page.keyboard.press('Enter');
}

test('opens a conversation at the message that was found, and reads on in both directions', async ({ page }) => {
  const pages: string[] = [];
  page.on('request', (request) => {
    if (/\/messages\?/.test(request.url())) pages.push(new URL(request.url()).search);
  });
  await page.goto(served.url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await open(page, 'Note 117');
  const shown = page.locator('[data-shown]');
  await expect(shown).toContainText('Note 117');
  await expect(shown).toBeInViewport();
  await expect(shown).toHaveAttribute('aria-current', 'true');
  // One page in each direction, however many messages are newer.
  expect(pages).toHaveLength(2);
  await expect(page.getByRole('button', { name: 'Show newest messages' })).toBeVisible();
  const log = page
    .getByRole('region', { name: /^Conversation with/ })
    .or(page.locator('section[tabindex="0"]'))
    .first();
  await log.focus();
  await page.keyboard.press('End');
  await expect(page.getByText('Note 449', { exact: true })).toBeAttached();
  await expect(page.getByText(/new messages? below/)).toHaveCount(0);
  await page.keyboard.press('Home');
  await expect(page.getByText('Note 0', { exact: true })).toBeAttached();
  await page.reload();
  await expect(shown).toBeInViewport();
  await page.getByRole('button', { name: 'Show newest messages' }).click();
  await expect(page.getByText('Note 449', { exact: true })).toBeInViewport();
  await expect(page).toHaveURL(/\/messages$/);
});

test('shows a label and a data query that were found, beyond the first page of their lists', async ({ page }) => {
  await page.goto(served.url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await open(page, 'Mark 320');
  const shown = page.locator('[data-shown]');
  await expect(shown).toContainText('Mark 320');
  await expect(shown).toBeInViewport();
  await expect(page.getByText("Newer rows aren't loaded.")).toBeAttached();
  await page.getByRole('button', { name: 'Load newer' }).click();
  await expect(page.getByRole('button', { name: 'Load newer' })).toHaveCount(0);
  await page.reload();
  await page.getByRole('button', { name: 'Show newest', exact: true }).click();
  await expect(page.getByRole('cell', { name: 'Mark 899', exact: true })).toBeVisible();
  await expect(shown).toHaveCount(0);

  await open(page, 'Okapi');
  await expect(shown).toContainText('Okapi seen');
  await expect(page.getByRole('list', { name: 'Linked query' })).toBeVisible();
  await page.goto(page.url().replace(/queries\?show=.*/, `messages?show=${randomUUID()}`));
  await expect(page.getByText(/^This item no longer exists/)).toBeVisible();
  await expect(page.getByText('Note 449', { exact: true })).toBeInViewport();
});

test('shows an event in the language of the desk, and opens the log at it', async ({ page }) => {
  await page.goto(served.url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('searchbox', { name: 'Search or go to' }).fill('Study started');
  const found = page.getByRole('menuitem', { name: /Study started/ }).first();
  await expect(found).not.toContainText('研究');
  await expect(found.locator('mark').first()).toHaveText(/Study/);
  await found.click();
  await expect(page.locator('tr[data-shown]')).toContainText('Study started');
  await expect(page.locator('tr[data-shown]')).toBeInViewport();
});
