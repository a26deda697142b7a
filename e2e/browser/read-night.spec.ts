import { expect, type Page } from '@playwright/test';
import { focusByTab, signIn, type TestSite, test, watchPage } from '../support/desk.ts';

const subjectPath = ({ studyId, subjects }: TestSite) => `/studies/${studyId}/subjects/${subjects[0]!.id}`;
const cursorOf = (page: Page) => page.getByRole('slider', { name: 'Cursor' });
const detailOf = (page: Page) => page.getByRole('slider', { name: 'Detail', exact: true });
const episode = () => `Episode ${Math.random().toString(36).slice(2, 8)}`;

/** The label is in the list of the subject; takes it away again, so that the demo stays as it was. */
async function expectListed(page: Page, site: TestSite, name: string): Promise<void> {
  await page.goto(`${subjectPath(site)}/labels`);
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('Label');
  await row.getByRole('button', { name: `Delete label ${name}` }).press('Enter');
  await expect(row).toHaveCount(0);
}

test.beforeEach(async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`${subjectPath(site)}/days`);
  await expect(cursorOf(page)).toBeVisible();
});

test('read a night and label an episode, by mouse', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const name = episode();
  const signals = page.getByRole('button', { name: 'Open signals' });
  const plot = await cursorOf(page).boundingBox();
  if (!plot) throw new Error('The timeline has no place.');
  for (let part = 0.2; part < 0.9 && (await signals.isDisabled()); part += 0.1)
    await page.mouse.move(plot.x + part * plot.width, plot.y + plot.height / 2);
  await signals.click();
  const box = await detailOf(page).boundingBox();
  if (!box) throw new Error('The detail has no place.');
  await page.getByRole('button', { name: 'Label', exact: true }).click();
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 120);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 120, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Save label' }).click();
  await expect(page.getByRole('region', { name: 'On this recording' }).getByText(name)).toBeVisible();
  await expectListed(page, site, name);
  expectNoProblems();
});

test('read a night and label an episode, by keyboard alone', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const name = episode();
  const signals = page.getByRole('button', { name: 'Open signals' });
  await focusByTab(cursorOf(page));
  // The cursor enters at the start of the night before; Shift moves it by the hour.
  for (let hour = 0; hour < 36 && (await signals.isDisabled()); hour++) {
    const before = await cursorOf(page).getAttribute('aria-valuenow');
    await page.keyboard.press('Shift+ArrowRight');
    await expect(cursorOf(page)).not.toHaveAttribute('aria-valuenow', before ?? '');
  }
  await page.keyboard.press('Enter');
  await focusByTab(detailOf(page));
  await page.keyboard.press('l');
  await page.keyboard.press('[');
  await focusByTab(page.getByRole('textbox', { name: 'End caliper' }));
  await page.keyboard.type('+4s');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('measurement')).toContainText('4,000 ms');
  await focusByTab(page.getByRole('textbox', { name: 'Name' }));
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'On this recording' }).getByText(name)).toBeVisible();
  await expectListed(page, site, name);
  expectNoProblems();
});
