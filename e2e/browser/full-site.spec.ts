/** What screens fetch and render does not grow with the number of subjects. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, type Response, test } from '@playwright/test';
import { sessionText } from '../support/full-site.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { EMPTY_SITE_ADMIN, makeEmptySite, serveSite } from '../support/sites.ts';
import { adminClient } from '../support/study.ts';

/** More than the events that Today counts one by one. */
const FEW = 1_100;
const MANY = 2_000;
const SCREENS = ['/', '/studies', '/subjects'] as const;

/** Bytes of the answers of the API, without their compression, until the screen shows and for a moment after. */
async function bytesOf(page: Page, path: string): Promise<number> {
  const answers: Promise<number>[] = [];
  const count = (response: Response) => {
    if (!/\/api\/v1\/(?!live)/.test(response.url())) return;
    answers.push(
      response.body().then(
        (body) => body.length,
        () => 0,
      ),
    );
  };
  page.on('response', count);
  await page.goto(path);
  await expect(page.locator('main h1')).toBeVisible();
  await expect(page.locator('main [aria-busy=true]')).toHaveCount(0);
  await page.waitForTimeout(1_000);
  page.off('response', count);
  return (await Promise.all(answers)).reduce((sum, bytes) => sum + bytes, 0);
}

test('Today, Studies and Subjects fetch and render the same for 1,100 and for 2,000 subjects', async ({ browser }) => {
  test.setTimeout(180_000);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-full-'));
  const dir = join(folder, 'site');
  await makeEmptySite(dir);
  const served = await serveSite(dir);
  try {
    const { client, accountId } = await adminClient({ ...EMPTY_SITE_ADMIN, url: served.url });
    const { id: studyId } = await client.call('createStudy', { params: { accountId }, body: { displayName: 'Long' } });
    const enrol = async (from: number, to: number) => {
      for (let number = from; number < to; number++)
        await client.call('createSubject', {
          params: { studyId },
          body: { displayName: `L-${String(number).padStart(4, '0')}`, timezone: 'Europe/Berlin' },
        });
    };
    const context = await browser.newContext({ baseURL: served.url, locale: 'en-US' });
    const session = await sessionText(served.url, EMPTY_SITE_ADMIN);
    await context.addInitScript((value) => localStorage.setItem('outpost.session', value), session);
    const page = await context.newPage();
    const measure = async () => {
      const bytes: number[] = [];
      for (const path of SCREENS) bytes.push(await bytesOf(page, path));
      return bytes;
    };
    await enrol(0, FEW);
    const few = await measure();
    await enrol(FEW, MANY);
    const many = await measure();
    for (const [index, path] of SCREENS.entries()) {
      test.info().annotations.push({ type: path, description: `${few[index]} and ${many[index]} bytes` });
      // Counts have more digits, and answers may hold one more running job or event.
      expect(many[index], path).toBeLessThanOrEqual(few[index]! * 1.05 + 1_000);
    }

    // Still on Subjects: the first page, and a bounded part of it in the document.
    await expect(page.getByText('first 200 of 2,000 subjects')).toBeVisible();
    const rows = page.locator('main tbody tr[data-row]');
    expect(await rows.count()).toBeLessThan(100);

    // A search covers all subjects, not only those that had been loaded.
    const search = page.getByRole('searchbox');
    await search.fill('L-1999');
    await expect(page.getByRole('link', { name: 'L-1999' })).toBeVisible();
    await expect(rows).toHaveCount(1);
    await expect(search).toBeFocused();
    await search.fill('');
    const table = page.getByRole('table');
    await expect(table).toHaveAttribute('aria-rowcount', String(MANY + 1));
    expect(await rows.count()).toBeLessThan(100);

    // Keys reach every row, and the row with the focus stays in the document while the table scrolls.
    await page.getByRole('link', { name: 'L-0000' }).focus();
    await page.keyboard.press('Control+End');
    await expect(page.getByRole('link', { name: 'L-1999' })).toBeFocused();
    await expect(page.getByRole('row', { name: /L-1999/ })).toHaveAttribute('aria-rowindex', String(MANY + 1));
    await page.keyboard.type('l-0777');
    await expect(page.getByRole('link', { name: 'L-0777' })).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('link', { name: 'L-0778' })).toBeFocused();
    await page.locator('main').evaluate((main) => main.scrollTo({ top: 0 }));
    await page.getByRole('link', { name: 'L-0000' }).waitFor();
    await expect(page.getByRole('link', { name: 'L-0778' })).toBeFocused();
    await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }));
    await page.getByRole('link', { name: 'L-1999' }).waitFor();
    await expect(page.getByRole('link', { name: 'L-0778' })).toBeFocused();
    expect(await rows.count()).toBeLessThan(100);
    await context.close();
  } finally {
    await served.stop();
    await removeFolder(folder);
  }
});
