/** Data queries: opened where a day is shown, answered and resolved in the list. */
import { expect, type Page } from '@playwright/test';
import { expectAccessible, signIn, test } from '../support/desk.ts';

const rows = (page: Page) => page.getByRole('list', { name: 'Data queries' }).locator('> li');

test('opens a query on a day by keyboard, answers, resolves and reopens it', async ({ page, site }) => {
  const { studyId } = site;
  const { id: subjectId } = site.subjects[1]!;
  const text = `Why so few steps ${Date.now()}?`;
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${studyId}/subjects/${subjectId}/days`);
  await expect(page.getByRole('button', { name: /^Open query: / })).toBeVisible();
  await page.keyboard.press('q');
  await expect(page.getByRole('textbox', { name: 'Question' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type(text);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('link', { name: /^\d+ quer(y|ies)$/ }).click();
  const row = rows(page).filter({ hasText: text });
  await expect(row).toContainText('Open');
  await expectAccessible(page);
  for (const [button, typed, state] of [
    ['Answer', 'It was charging.', 'ANSWERED'],
    ['Reopen', 'All day?', 'OPEN'],
    ['Answer', 'Until 18:00.', 'ANSWERED'],
    ['Resolve', '', 'RESOLVED'],
  ] as const) {
    await row.getByRole('button', { name: new RegExp(`^${button}:`) }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill(typed);
    await page.keyboard.press('Control+Enter');
    await expect(row).toHaveAttribute('data-state', state);
  }
  await page.goto(`/studies/${studyId}/queries`);
  await expect(rows(page).filter({ hasText: text })).toContainText('Resolved');
  await expectAccessible(page);
});

test('shows queries in Japanese in the dark on a small window', async ({ browser, site }) => {
  const context = await browser.newContext({
    ...{ baseURL: site.url, locale: 'ja-JP', colorScheme: 'dark', viewport: { width: 1024, height: 640 } },
  });
  const page = await context.newPage();
  await page.goto(`/studies/${site.studyId}/queries`);
  await page.getByRole('textbox').first().fill(site.email);
  await page.locator('input[type=password]').fill(site.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('未回答').first()).toBeVisible();
  await expectAccessible(page);
  await page.screenshot({ path: 'test-results/queries-ja.png' });
  await context.close();
});
