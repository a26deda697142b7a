/** Keys that work on every page: the way past the frame, the eight sections, search, help; and Tab, which always shows where one is. */
import { expect } from '@playwright/test';
import { signIn, test } from '../support/desk.ts';
import { focusProblem } from '../support/keyboard.ts';

const SECTIONS = ['Today', 'Studies', 'Subjects in all studies', 'Equipment', 'Messages', 'Events', 'Exports', 'Site'];
const STEPS = 40;

// The smallest window: what sticks to its edges covers most there.
test.use({ viewport: { width: 1024, height: 640 } });
test.describe.configure({ timeout: 180_000 });

test('opens the sections with Alt+1 to Alt+8, where Tab focus is always visible and uncovered', async ({
  page,
  site,
}) => {
  await page.goto('/');
  await signIn(page, site);
  for (const [index, name] of SECTIONS.entries())
    await test.step(name, async () => {
      await page.keyboard.press(`Alt+${index + 1}`);
      await expect(page.getByRole('heading', { level: 1, name: index === 7 ? /./ : name })).toBeVisible();
      await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
      // From the top, whatever had the focus in the section before: its removal moves the focus some frames later.
      await page.evaluate(
        () =>
          new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
      );
      await page.getByRole('link', { name: 'Skip to content' }).focus();
      const seen = new Set<string>();
      for (let step = 0; step < STEPS; step++) {
        await page.keyboard.press('Tab');
        const focused = page.locator(':focus');
        // After the last one comes the browser itself.
        if ((await focused.count()) === 0) break;
        // Another flow may delete the row that has the focus, at any moment: the content then has it, where Tab itself never stops.
        const isContent = () => focused.evaluate(({ tagName }) => tagName === 'MAIN');
        const problem = async () => ((await isContent()) ? '' : await focused.evaluate(focusProblem));
        await expect.poll(problem, `${name}, stop ${step + 1}`).toBe('');
        if (await isContent()) continue;
        seen.add(await focused.evaluate((element) => element.outerHTML.slice(0, 200)));
      }
      expect(seen.size).toBeGreaterThan(5);
    });
});

test('skips to the content, focuses the search, and returns the focus after help', async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
  await page.keyboard.press('Alt+3');
  await expect(page.getByRole('heading', { level: 1, name: 'Subjects in all studies' })).toBeVisible();
  await page.reload();
  const search = page.getByRole('searchbox', { name: 'Search subjects' });
  await expect(search).toBeVisible();
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);

  await page.keyboard.press('/');
  await expect(search).toBeFocused();
  // In a field it is a letter like any other.
  await page.keyboard.type('/?');
  await expect(search).toHaveValue('/?');
  await search.fill('');
  // By its address: another flow may enrol a subject that comes first.
  const address = await page.getByRole('main').getByRole('link').first().getAttribute('href');
  const link = page.getByRole('main').locator(`a[href="${address}"]`);
  await link.focus();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const does of ['Search or go to', 'Search this page', 'Keyboard shortcuts', 'Go to Today', 'Go to Site'])
    await expect(help.getByText(does, { exact: true }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await expect(link).toBeFocused();
});
