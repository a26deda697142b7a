import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { METRIC_NAMES } from '../../src-server/analytics/metric-names.ts';
import { createClient } from '../../src-server/api/contract/client.ts';
import { expectAccessible, signIn, type TestSite, test, watchPage } from '../support/desk.ts';

const days = ({ studyId, subjects }: TestSite) => `/studies/${studyId}/subjects/${subjects[0]!.id}/days`;
const metrics = (site: TestSite) => days(site).replace(/days$/, 'metrics');

/** Each look of axe at a page takes seconds of a busy computer, and some tests take four. */
test.describe.configure({ timeout: 120_000 });

/** Popovers carry their own colours: both themes are asked. */
async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
}

test.beforeEach(async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
});

test('shows the state of the site in the status bar as the API reports it', async ({ page, site }) => {
  const strip = page.getByRole('contentinfo');
  await expect(strip).toContainText('Database healthy');
  await expect(strip).toContainText(/Disk .* free|Disk almost full/);
  await expect(strip).toContainText(new URL(site.url).host);
  // Each opens its page.
  for (const [name, path] of [
    ['Server running', '/site'],
    [/^Database/, '/site'],
    [/^Disk/, '/site'],
    [/^Address/, '/site/network'],
    [/devices seen$/, '/equipment/devices'],
  ] as const)
    await expect(strip.getByRole('link', { name })).toHaveAttribute('href', path);
});

test('shows and removes a label that is changed elsewhere, without a reload', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const client = createClient({ baseUrl: site.url });
  const { user, accessToken } = await client.call('login', { body: { email: site.email, password: site.password } });
  client.credentials = { userId: user.id, accessToken };
  const params = { studyId: site.studyId, subjectId: site.subjects[0]!.id };
  const { items } = await client.call('listMetrics', { params });
  const startTs = items[0]!.dataStartTs + 600_000;

  await page.goto(days(site));
  const list = page.getByRole('region', { name: 'Labels, tasks and faults' });
  await expect(list).toBeVisible();
  const { id } = await client.call('createLabel', {
    params,
    body: { displayName: 'Walked to the window', startTs, stopTs: startTs + 900_000, value: 'nurse' },
  });
  await expect(list.getByRole('row', { name: /15 min.*Label.*Walked to the window.*nurse/ })).toBeVisible();
  await expect(page.getByRole('figure')).toContainText('Labels and tasks');
  await client.call('deleteLabel', { params: { ...params, annotationId: id } });
  await expect(list.getByText('Walked to the window')).toHaveCount(0);
  expectNoProblems();
});

test('hides, moves and remembers lanes by keyboard alone', async ({ page, site }) => {
  await page.goto(days(site));
  const names = () => page.getByRole('figure').locator('[class*="_name_"]').allTextContents();
  await expect.poll(names).toContain('Posture');
  // Without a cursor too, the numbers of an axis have their unit, and holes of the posture are no riddle.
  for (const lane of [
    'Postureat rest and asleep',
    'Heart ratebpm',
    'HRV (RMSSD)ms',
    /Stepssteps in \d+ min/,
    'Respirationbreaths/min',
  ])
    await expect(page.getByRole('figure')).toContainText(lane);
  const menu = page.getByRole('button', { name: 'Choose and reorder lanes' });
  await menu.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Choose and reorder lanes' });
  await dialog.getByRole('checkbox', { name: 'Respiration' }).focus();
  await page.keyboard.press('Space');
  await dialog.getByRole('button', { name: 'Move Activity up' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('button', { name: 'Move Activity down' })).toBeFocused();
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Escape');
  await expect(menu).toBeFocused();
  await page.reload();
  await expect.poll(names).toContain('Posture');
  const shown = await names();
  expect(shown.slice(0, 2)).toEqual(['Activity', 'Wear']);
  expect(shown).not.toContain('Respiration');
});

test('shows how much data a metric is based on, its definition and its minimum data', async ({ page, site }) => {
  await page.goto(days(site));
  // The first analysis is read from disk, which takes time on a busy machine.
  await expect(page.getByText(/^from \d+ h|^from \d+ min/).first()).toBeVisible({ timeout: 30_000 });
  // What a metric needs stands only where its value is missing.
  const tiles = await page.locator('dl[class*="_tiles_"] > div').allTextContents();
  expect(tiles.length).toBeGreaterThan(3);
  for (const text of tiles) expect(text.includes('needs:'), text).toBe(/not enough data|no sleep detected/.test(text));
  await page.getByRole('button', { name: 'About RMSSD, mean' }).press('Enter');
  const help = page.getByRole('dialog', { name: 'About RMSSD, mean' });
  await expect(help).toContainText('RMSSD of normal intervals per five minutes');
  await expect(help).toContainText('Minimum data: Five minutes with 60 successive differences');
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Escape');

  await page.goto(metrics(site));
  // Its words come later, and with them a caption of the same name.
  await page.locator('summary', { hasText: 'Metric definitions' }).click();
  const table = page.getByRole('table', { name: 'Metric definitions' });
  await expect(table.getByRole('row')).toHaveCount(METRIC_NAMES.length + 1);
  await expect(table.getByRole('row', { name: /SLEEPING_POSTURE_TRANSITIONS/ })).toContainText(
    'Position changes in sleep',
  );
  await expectAccessibleInBothThemes(page);
});

test('exposes the task calendar and study days as grids with one tab stop, arrow keys and a description of each day', async ({
  page,
  site,
}) => {
  await page.goto(days(site).replace(/days$/, 'tasks'));
  const calendar = page.getByRole('grid', { name: 'Tasks and wear by day' });
  const today = calendar.locator('button[aria-current="date"]');
  await expect(today).toHaveAccessibleName(/^Today, .*\d+ of \d+ tasks completed/);
  await expect(calendar.locator('button[tabindex="0"]')).toHaveCount(1);
  await today.focus();
  const names = await calendar.getByRole('button').evaluateAll((all) => all.map((one) => one.ariaLabel ?? ''));
  const at = names.findIndex((name) => name.startsWith('Today'));
  const focused = page.locator(':focus');
  await page.keyboard.press('ArrowLeft');
  await expect(focused).toHaveAccessibleName(names[Math.max(0, at - 1)]!);
  await page.keyboard.press('Control+Home');
  await expect(focused).toHaveAccessibleName(names[0]!);
  await page.keyboard.press('End');
  await expect(focused).toHaveAccessibleName(names[6]!);
  await page.keyboard.press('ArrowRight');
  await expect(focused).toHaveAccessibleName(names[Math.min(7, names.length - 1)]!);
  await page.keyboard.press('PageUp');
  await expect(focused).toHaveAccessibleName(names[0]!);
  await page.keyboard.press('Enter');
  await expect(calendar.locator('td[aria-selected="true"]').getByRole('button')).toHaveAccessibleName(names[0]!);
  const detail = page.getByRole('complementary');
  await expect(detail.getByRole('status')).toHaveText(names[0]!);
  // A day opens with what one needs to know before telephoning: recordings, faults and messages of that very day.
  await calendar
    .getByRole('button', { name: /tasks completed, .*worn \d/ })
    .first()
    .click();
  await expect(detail.getByRole('region', { name: 'Recordings' }).getByRole('listitem').first()).toContainText(
    /\d\d:\d\d–\d\d:\d\d.*(Chest|Thigh).* min/,
  );
  await expect(detail.getByRole('region', { name: 'Faults' })).toContainText('Contact lost');
  await expect(detail.getByRole('region', { name: 'Messages' })).toContainText('Welcome to the study.');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download days (CSV)' }).click(),
  ]);
  expect(await readFile(await file.path(), 'utf8')).toMatch(/^"SUBJECT","SUBJECT_ID","DATE","STATE","TASKS_DUE"/);

  await page.goto(`/studies/${site.studyId}`);
  const matrix = page.getByRole('grid', { name: 'Subjects by day' });
  // Each subject has its own today: far to the east it is tomorrow already.
  const { displayName } = site.subjects[0]!;
  const row = matrix.getByRole('row').filter({ has: page.getByRole('link', { name: displayName, exact: true }) });
  await row.locator('a[aria-current="date"]').focus();
  await expect(focused).toHaveAccessibleName(new RegExp(`^${displayName}. Today, `));
  await page.keyboard.press('Home');
  await expect(focused).toHaveAccessibleName(displayName);
  // The first day that is shown has data of some subject, so it need not lie before the enrolment of this one.
  const firstDay = (await row.locator('td a').first().getAttribute('aria-label'))!;
  expect(firstDay).toMatch(new RegExp(`^${displayName}\\. `));
  await page.keyboard.press('ArrowRight');
  await expect(focused).toHaveAccessibleName(firstDay);
  // There is no later period, and the focus stays where it is.
  await page.keyboard.press('PageDown');
  await expect(focused).toHaveAccessibleName(firstDay);
  await expectAccessibleInBothThemes(page);
});

for (const [locale, heading] of [
  ['en-US', 'Subjects in all studies'],
  ['ja-JP', '被験者'],
] as const) {
  test.describe(`1024 x 640, ${locale}`, () => {
    test.use({ locale: 'en-US', viewport: { width: 1024, height: 640 } });

    test('tables and tools fit', async ({ page, site }) => {
      await page.evaluate(
        (language) => {
          localStorage.setItem('outpost.preferences', JSON.stringify({ language }));
        },
        locale.slice(0, 2),
      );
      await page.goto('/subjects');
      await expect(page.getByRole('heading', { level: 1 })).toContainText(heading);
      await expect(page.getByRole('row').nth(1)).toBeVisible();
      const frame = page.locator('main section[tabindex="0"]');
      expect(await frame.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);

      await page.goto(days(site));
      const csv = page.getByRole('button', { name: /CSV/ });
      const first = page.locator('main [class*="_tools_"] button').first();
      const [a, b] = [await csv.boundingBox(), await first.boundingBox()];
      expect(Math.abs(a!.y - b!.y)).toBeLessThan(8);

      await expect(page.locator('main [class*="_below_"] section').nth(2)).toBeVisible();
      const cut = await page
        .locator('main [class*="_below_"] section')
        .evaluateAll((panels) =>
          panels.filter((panel) => panel.scrollWidth > panel.clientWidth).map((panel) => panel.ariaLabel),
        );
      expect(cut).toEqual([]);
      const boxes = await page
        .locator('main [class*="_below_"] section')
        .evaluateAll((panels) => panels.map((panel) => panel.getBoundingClientRect().toJSON() as DOMRect));
      const [totals, , ofDay] = boxes;
      if (!totals || !ofDay) throw new Error('The page has fewer panels than expected.');
      expect(ofDay.top >= totals.bottom || ofDay.left >= totals.right).toBe(true);
    });
  });
}
