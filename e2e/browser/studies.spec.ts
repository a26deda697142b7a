/** Building a study and starting it, by mouse and by keyboard alone. */
import { expect, type Locator } from '@playwright/test';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';

test('build and start a study by mouse: tasks, program, sensor; then only growth is left', async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
  await page.getByRole('link', { name: 'Studies', exact: true }).first().click();
  await page.getByRole('button', { name: 'New study' }).click();
  await page.getByRole('textbox', { name: 'Short name' }).fill('Built by mouse');
  await page.getByRole('button', { name: 'Create the study' }).click();
  await expect(page.getByRole('heading', { name: 'Built by mouse', level: 1 })).toBeVisible();

  await page.getByRole('button', { name: 'Add an activity' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Walk');
  await page.getByRole('button', { name: 'Add a question' }).click();
  await page.getByRole('textbox', { name: 'Question' }).fill('Which way?');
  await page.getByRole('combobox', { name: 'Kind of answer' }).selectOption({ label: 'One of several choices' });
  await page.getByRole('button', { name: 'Save the definition' }).click();
  await expect(page.getByText('activities.0.questions.0.values')).toBeVisible();
  // From here on: the refusal of the site before was wanted.
  const expectNoProblems = watchPage(page);
  await page.getByRole('textbox', { name: 'Choices, one a line' }).fill('North\nSouth');
  await page.getByRole('radio', { name: 'Sensors' }).click();
  await page.getByRole('button', { name: 'Add a sensor' }).click();
  await page.getByRole('button', { name: 'Thigh, front' }).click();
  await page.getByRole('combobox', { name: 'Settings' }).selectOption({ label: 'Movement, everyday' });
  await page.getByRole('radio', { name: 'Program' }).click();
  await page.getByRole('button', { name: 'Walk, day 2: not due' }).click();
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Save the definition' }).click();
  await expect(page.getByText('Everything is saved')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Walk, day 2: due' })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Start the study' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('the definition only grows')).toBeVisible();
  await expect(dialog.getByText('No subject is enrolled yet')).toBeVisible();
  await dialog.getByRole('button', { name: 'Start the study' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Walk, day 2: due, locked' })).toBeVisible();
  await page.getByRole('radio', { name: 'Activities' }).click();
  await expect(page.getByText('Locked: a running study keeps its tasks.')).toBeVisible();
  expectNoProblems();
});

test('build and start a study by keyboard alone', async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
  const command = async (text: string) => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused();
    await page.keyboard.type(text);
    await expect(page.getByRole('menuitem', { name: text })).toBeVisible();
    await page.keyboard.press('Enter');
  };
  const tabTo = async (target: Locator) => {
    for (let i = 0; i < 40 && !(await target.evaluate((node) => node === document.activeElement)); i++)
      await page.keyboard.press('Tab');
    await expect(target).toBeFocused();
  };
  await page.keyboard.press('Alt+2');
  await expect(page.getByRole('heading', { name: 'Studies', level: 1 })).toBeVisible();
  await command('New study');
  await expect(page.getByRole('textbox', { name: 'Short name' })).toBeFocused();
  await page.keyboard.type('Built by keys');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Built by keys', level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add an activity' })).toBeVisible();
  await tabTo(page.getByRole('button', { name: 'Add an activity' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Stand');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Everything is saved')).toBeVisible();
  await command('Start the study');
  await expect(page.getByRole('dialog', { name: 'Start Built by keys?' })).toBeVisible();
  await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Start the study' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
});
