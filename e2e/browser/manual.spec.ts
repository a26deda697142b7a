/**
 * The manual does what it says: each task is done by following its English sentences, by the names that they quote and nothing else. A
 * control that is renamed, or a step that is missing, fails the task. One page serves all tasks, as one person's day would.
 */
import { expect, type Locator, type Page } from '@playwright/test';
import { MANUAL, type ManualStep, quotesOf } from '../../src-renderer/investigator/manual/tasks.ts';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

let page: Page;
let places: { today: string; study: string; subject: string };
let expectNoProblems: () => void;

test.beforeAll(async ({ browser, site }) => {
  page = await browser.newPage({ baseURL: site.url, locale: 'en-US' });
  expectNoProblems = watchPage(page);
  await page.goto('/');
  await signIn(page, site);
});
test.afterAll(() => page.close());

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The first visible control of these roles with the quoted name, or with one that begins with it; in a dialog where one is open. */
async function control(
  name: string,
  roles: readonly ('button' | 'link' | 'menuitem' | 'radio' | 'tab')[],
): Promise<Locator> {
  const dialog = page.getByRole('dialog').or(page.getByRole('menu')).last();
  const within = (await dialog.count()) > 0 ? dialog : page.locator('body');
  const main = page.getByRole('main');
  // The page before the rail: both may have a link of one name.
  for (const area of (await dialog.count()) > 0 ? [within] : [main, within]) {
    for (const pattern of [new RegExp(`^${escaped(name)}$`), new RegExp(`^${escaped(name)}\\b`)]) {
      for (const role of roles) {
        const found = area.getByRole(role, { name: pattern }).filter({ visible: true });
        if ((await found.count()) > 0) return found.first();
      }
    }
  }
  throw new Error(`Nothing on the page is called “${name}”.`);
}

async function follow({ action, en, example = '' }: ManualStep): Promise<void> {
  const [name = ''] = quotesOf(en);
  const today = new Date().toISOString().slice(0, 10);
  const value = example.replace('{{mark}}', crypto.randomUUID().slice(0, 6)).replace('{{today}}', today);
  const attempt = async () => {
    if (action === 'press') {
      const found = await control(name, ['button', 'link', 'menuitem', 'tab', 'radio']);
      // The input of a radio lies under its label.
      await found.click({ timeout: 5000, force: (await found.getAttribute('type')) === 'radio' });
    }
    if (action === 'type') {
      const pattern = new RegExp(`^${escaped(name)}( |$)`);
      const field = page
        .getByRole('textbox', { name: pattern })
        .or(page.getByRole('searchbox', { name: pattern }))
        .or(page.getByLabel(pattern).and(page.locator('input')));
      await field.filter({ visible: true }).last().fill(value, { timeout: 5000 });
    }
    if (action === 'choose') {
      await page.getByRole('combobox', { name, exact: true }).last().selectOption(value, { timeout: 5000 });
    }
    if (action === 'see') {
      await expect(page.getByText(name, { exact: true }).filter({ visible: true }).first()).toBeVisible();
    }
  };
  if (action === 'keys') {
    await page.keyboard.press(name === 'Ctrl+K' ? 'ControlOrMeta+k' : name);
    return;
  }
  // A screen that is still coming has no such control yet; a click that was made is not repeated.
  await expect(attempt).toPass({ timeout: 15_000 });
}

for (const task of MANUAL) {
  test(`does the task “${task.title.en}” by its sentences`, async ({ site }) => {
    test.setTimeout(60_000);
    const { client, studyId } = await ownStudy(site, 'Manual');
    const subject = { displayName: 'M-001', timezone: 'Asia/Tokyo', age: 40 };
    const { id: subjectId } = await client.call('createSubject', { params: { studyId }, body: subject });
    if (task.id === 'labels') {
      const span = { startTs: Date.now() - 60_000, stopTs: Date.now() };
      const body = { displayName: 'Walk', ...span };
      await client.call('createLabel', { params: { studyId, subjectId }, body });
    }
    places = { today: '/', study: `/studies/${studyId}`, subject: `/studies/${studyId}/subjects/${subjectId}` };
    await page.goto(places[task.start]);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    for (const [index, step] of task.steps.entries()) {
      await test.step(step.en, async () => {
        const before = task.steps[index - 1];
        // "Press it again": in the dialog that the first press opens.
        if (before?.action === 'press' && quotesOf(before.en)[0] === quotesOf(step.en)[0])
          await expect(page.getByRole('dialog')).toBeVisible();
        if (step.action === 'keys' && step.en.includes('“Enter”')) {
          await expect(page.getByRole('menuitem').first()).toHaveAttribute('data-focused', /.*/);
        }
        await follow(step);
      });
    }
    await expect(page.getByRole('alert')).toHaveCount(0);
    const done: Partial<Record<string, () => Promise<void>>> = {
      note: async () =>
        await expect(page.getByRole('listitem').filter({ hasText: 'Sleeps on the left side.' })).toBeVisible(),
      call: async () => await expect(page.getByRole('listitem').filter({ hasText: 'Call, no contact' })).toBeVisible(),
      enrol: async () =>
        await expect
          .poll(async () => (await client.call('listSubjects', { params: { studyId } })).items.length)
          .toBe(2),
      start: async () =>
        await expect
          .poll(async () => (await client.call('getStudy', { params: { studyId } })).lifecycleState)
          .toBe('IN_PROGRESS'),
      metrics: async () => await expect(page).toHaveURL(/\/manual\/metrics\?metric=.*RMSSD/),
      'edit-subject': async () =>
        await expect
          .poll(async () => (await client.call('getSubject', { params: { studyId, subjectId } })).age)
          .toBe(41),
      message: async () => await expect(page.getByText('Please charge the hub tonight.').first()).toBeVisible(),
    };
    await done[task.id]?.();
    expectNoProblems();
  });
}

test('finds a note in the palette, in one character of Japanese, and opens it', async ({ site }) => {
  const { client, studyId } = await ownStudy(site, 'Found');
  await client.call('addNote', { params: { studyId }, body: { kind: 'NOTE', body: '電極の貼り替えは蛍光ペンで記す' } });
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('searchbox', { name: 'Search or go to' }).fill('蛍');
  const found = page.getByRole('menuitem', { name: /蛍光ペン/ });
  await expect(found.locator('mark')).toHaveText('蛍');
  await expectAccessible(page);
  await found.click();
  await expect(page.locator('[data-shown]')).toContainText('蛍光ペン');
});

test('leads from every (i) to the entry of its metric, and prints the manual without the frame', async ({ site }) => {
  await page.goto(`/studies/${site.studyId}/subjects/${site.subjects[0]?.id}/days`);
  await page
    .getByRole('button', { name: /^About / })
    .first()
    .click();
  const entry = page.getByRole('dialog').getByRole('link', { name: 'Open dictionary entry' }).first();
  await entry.click();
  const shown = page.locator('section[data-shown]');
  for (const part of ['Definition', 'Unit', 'Valid with', 'Method', 'Sources']) await expect(shown).toContainText(part);
  await expectAccessible(page);
  await page.goto('/manual');
  await expect(page.getByRole('region')).toHaveCount(MANUAL.length);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('navigation', { name: 'Pages of the manual' })).toBeHidden();
  await expect(page.getByRole('region').last()).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  expectNoProblems();
});
