import { expect } from '@playwright/test';
import { signIn, type TestSite, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

const subjectPath = ({ studyId, subjects }: TestSite) => `/studies/${studyId}/subjects/${subjects[0]!.id}`;

test('rejects a wrong password, and continues to the requested page after the right one', async ({ page, site }) => {
  await page.goto(`/studies/${site.studyId}`);
  await page.getByRole('textbox', { name: 'Email' }).fill(site.email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Incorrect email or password.')).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill(site.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(new RegExp(`/studies/${site.studyId}$`));
});

test('navigates from the studies to a day of a subject and its metrics', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await signIn(page, site);
  await page.getByRole('link', { name: 'Studies', exact: true }).click();
  await page.getByRole('table').locator(`a[href$="${site.studyId}"]`).click();
  await expect(page).toHaveURL(/\/studies\/[^/]+$/);
  await page.getByRole('link', { name: site.subjects[0]!.displayName, exact: true }).click();
  await expect(page.getByRole('heading', { name: site.subjects[0]!.displayName, level: 1 })).toBeVisible();

  await expect(page.getByText('Heart rate').first()).toBeVisible();
  await expect(page.getByText(/Worn .*Heart rate .* bpm.*steps/).first()).toBeAttached();
  await page.getByRole('link', { name: 'Metrics', exact: true }).click();
  await expect(page).toHaveURL(/\/metrics$/);
  await page.getByRole('link', { name: 'Recordings', exact: true }).click();
  await expect(page.getByRole('row').nth(2)).toBeVisible();
  expectNoProblems();
});

test('signs in, searches for a subject and opens it by keyboard alone', async ({ page, site }) => {
  await page.goto('/');
  await page.getByRole('textbox', { name: 'Email' }).waitFor();
  await page.keyboard.type(site.email);
  await page.getByLabel('Password', { exact: true }).focus();
  await page.keyboard.type(site.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused();
  await page.keyboard.type(site.subjects[0]!.displayName);
  await expect(page.getByRole('menuitem', { name: site.subjects[0]!.displayName })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: site.subjects[0]!.displayName, level: 1 })).toBeVisible();
});

test('finds pages inside sections, and subjects in full-width and half-width kana', async ({ page, site }) => {
  const study = await ownStudy(site, 'Kana');
  const params = { studyId: study.studyId };
  const displayName = `ヤマダ ${study.displayName.slice(-8)}`;
  await study.client.call('createSubject', { params, body: { displayName, timezone: 'Asia/Tokyo' } });
  await page.goto('/');
  await signIn(page, site);
  await page.keyboard.press('Control+k');
  const search = page.getByRole('dialog').getByRole('searchbox');
  await search.fill(`ﾔﾏﾀﾞ ${displayName.slice(-8)}`);
  await expect(page.getByRole('menuitem', { name: displayName })).toBeVisible();
  await search.fill('やまだ');
  await expect(page.getByRole('menuitem', { name: displayName })).toBeVisible();
  await search.fill('backups');
  await page.getByRole('menuitem', { name: 'Backups' }).click();
  await expect(page).toHaveURL(/\/site\/backups$/);

  // A page of a subject is found with its name; of the subject that is open, without.
  await page.keyboard.press('Control+k');
  await search.fill('やまだ labels');
  await page.getByRole('menuitem', { name: `${displayName}: Labels` }).click();
  await expect(page).toHaveURL(/\/labels$/);
  await page.keyboard.press('Control+k');
  await search.fill('history');
  await expect(page.getByRole('menuitem', { name: `${study.displayName}: History` })).toBeVisible();
  await page.getByRole('menuitem', { name: `${displayName}: History` }).click();
  await expect(page).toHaveURL(/\/subjects\/[^/]+\/history$/);
});

test('shows a page for an unknown address, with a way back', async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/no-such-page');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
});

test.describe('in Japanese', () => {
  test.use({ locale: 'ja-JP' });

  test('shows sign-in and the first screen in Japanese', async ({ page, site }) => {
    await page.goto('/');
    await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
    await page.getByRole('textbox').first().fill(site.email);
    await page.locator('input[type="password"]').fill(site.password);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/:\d+\/$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('今日');
  });
});

test('shows a day in the small window without cutting it off', async ({ page, site }) => {
  await page.setViewportSize({ width: 1024, height: 640 });
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`${subjectPath(site)}/days`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});
