/**
 * The main job "find why a subject has no data", by mouse and by keyboard alone: from Today to the cause and its one action.
 * Each cause is real: a hub is unplugged, a sensor mixed up, a file damaged, a battery empty.
 */
import { expect, type Page } from '@playwright/test';
import { TEST_EMAIL, TEST_PASSWORD } from '../../../src-server/testing/test-site.ts';
import { expectAccessible, watchPage } from '../../support/desk.ts';
import { Keyboard } from '../../support/keyboard.ts';
import { test } from '../../support/lan-site.ts';
import { makeNoData, type NoDataSite } from '../../support/no-data.ts';

// One story for both.
test.describe.configure({ mode: 'serial', timeout: 180_000 });
// A hub of the clinic that nobody holds could bring the data of any subject: others' hubs must not stand here.
test.use({ timezoneId: 'UTC', siteName: 'why-no-data' });

let made: NoDataSite;

test.beforeAll(async ({ lan }) => {
  made = await makeNoData(lan);
});

test.afterAll(async () => {
  await made?.close();
});

const firstCause = (page: Page) =>
  page.getByRole('list', { name: 'Causes, most decisive first' }).getByRole('listitem').first();
const attentionRowOf = (page: Page, subjectName: string) =>
  page
    .getByRole('region', { name: 'No data' })
    .getByRole('link', { name: new RegExp(`^Find cause: ${subjectName}\\.`) });

test('by mouse', async ({ desk }) => {
  const expectNoProblems = watchPage(desk);
  for (const { subjectName, isOnToday, cause, action, place } of made.cases)
    await test.step(subjectName, async () => {
      if (isOnToday) {
        await desk.getByRole('link', { name: 'Today', exact: true }).click();
        await attentionRowOf(desk, subjectName).click();
      } else {
        await desk.getByRole('link', { name: 'Subjects', exact: true }).first().click();
        await desk.getByRole('link', { name: subjectName, exact: true }).click();
      }
      await expect(desk.getByRole('heading', { name: subjectName, level: 1 })).toBeVisible();
      await expect(firstCause(desk)).toHaveText(cause);
      await firstCause(desk)
        .getByRole('link', { name: new RegExp(`^${action}: `) })
        .click();
      await expect(desk.getByRole(place.role, { name: place.name, exact: true })).toBeVisible();
    });
  await desk.getByRole('link', { name: 'Today', exact: true }).click();
  await expect(desk.getByRole('region', { name: 'Refused recordings' })).toContainText('Chest Damaged');
  await expect(desk.getByRole('region', { name: 'Recordings awaiting a decision' })).toContainText('Chest Mixed');
  await expect(desk.getByRole('region', { name: 'Flat batteries' })).toContainText(
    'ran flat 2 times in the last 7 days',
  );
  await expectAccessible(desk);
  expectNoProblems();
});

test('by keyboard alone', async ({ page }) => {
  const keys = await Keyboard.at(page);
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await keys.signIn({ email: TEST_EMAIL, password: TEST_PASSWORD });
  for (const { subjectName, isOnToday, cause, action, place } of made.cases)
    await test.step(subjectName, async () => {
      if (isOnToday) {
        await keys.press('Alt+1');
        await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
        await keys.activate(attentionRowOf(page, subjectName));
      } else await keys.command(subjectName);
      await expect(page.getByRole('heading', { name: subjectName, level: 1 })).toBeVisible();
      await expect(firstCause(page)).toHaveText(cause);
      await keys.activate(firstCause(page).getByRole('link', { name: new RegExp(`^${action}: `) }));
      await expect(page.getByRole(place.role, { name: place.name, exact: true })).toBeVisible();
    });
  keys.expectNoMouse();
  expectNoProblems();
});
