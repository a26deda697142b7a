/** Days without data: several in a row are one line of a table, which opens by keyboard. */
import { expect } from '@playwright/test';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';

test('merges days without data into lines that open by keyboard', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${site.studyId}/subjects/${site.subjects[0]!.id}/tasks?view=table`);
  const table = page.getByRole('table', { name: 'Tasks and wear by day' });
  const merged = table.getByRole('button', { expanded: false }).last();
  await expect(merged).toHaveText(/–.*: (no data|to come) \(\d+ days/);
  const days = Number(/\((\d+) days/.exec((await merged.textContent()) ?? '')?.[1]);
  const rows = table.locator('tbody tr');
  const before = await rows.count();
  await merged.focus();
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(before + days);
  const opened = table.getByRole('button', { expanded: true });
  await expect(opened).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press(' ');
  await expect(rows).toHaveCount(before);
  // In the order of another column, days without data are apart from each other.
  await table
    .getByRole('button', { name: 'Wear', exact: false })
    .or(table.locator('thead button').last())
    .last()
    .click();
  await expect(table.locator('td > button[aria-expanded]')).toHaveCount(0);
  expectNoProblems();
});
