import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { expectAccessible, signIn, type TestSite, test, watchPage } from '../support/desk.ts';

const recordings = ({ studyId, subjects }: TestSite) => `/studies/${studyId}/subjects/${subjects[0]!.id}/recordings`;

/** Opens the first recording with an ECG, by its link in the list. */
async function openViewer(page: Page, site: TestSite): Promise<void> {
  await page.goto(recordings(site));
  const row = page.getByRole('row').filter({ hasText: 'ECG' }).first();
  await row.getByRole('link', { name: /signals of the recording/ }).press('Enter');
  await expect(page.getByRole('slider', { name: 'Detail', exact: true })).toBeVisible();
}

const measured = (page: Page) => page.getByTestId('measurement');

test.beforeEach(async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
});

test('by keyboard alone: find an episode, measure it, label it, undo and redo', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  await openViewer(page, site);
  await expect(page.getByTestId('scale')).toContainText('25 mm/s · 10 mm/mV');
  // The demo's first subject lives in US/Eastern.
  await expect(page.getByText(/^E[SD]TElapsed$/)).toBeVisible();

  await page.keyboard.press('g');
  await page.getByRole('textbox', { name: 'Time' }).fill('half past');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter a time within the recording')).toBeVisible();
  await page.getByRole('textbox', { name: 'Time' }).fill('+20m');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  const detail = page.getByRole('slider', { name: 'Detail', exact: true });
  await detail.focus();
  const before = Number(await detail.getAttribute('aria-valuenow'));
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(async () => Number(await detail.getAttribute('aria-valuenow'))).toBeGreaterThan(before + 5);

  await page.keyboard.press('[');
  const stop = page.getByRole('textbox', { name: 'End caliper' });
  await stop.fill('+0.8s');
  await stop.press('Enter');
  await expect(measured(page)).toContainText('800 ms');
  await expect(measured(page)).toContainText('75.0 /min');

  const handle = page.getByRole('slider', { name: 'End caliper' });
  await handle.focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await expect(measured(page)).toContainText('836 ms');

  await page.keyboard.press('r');
  await expect(page.getByRole('button', { name: 'Stop repeating' })).toBeVisible();
  // On the strip too, although the interval is far narrower than its words.
  await expect(page.getByTestId('between-calipers')).toHaveText('836 ms · 71.8 /min');
  await page.keyboard.press('l');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Palpitation felt');
  await page.keyboard.press('Enter');
  const list = page.getByRole('region', { name: 'On this recording' });
  await expect(list.getByText('Palpitation felt')).toBeVisible();
  await detail.focus();

  // Filtered to one's own labels, Control with an arrow goes from one to the next; B hides their lane; the list is a CSV.
  const labelledS = Number(await detail.getAttribute('aria-valuenow'));
  await list.getByRole('radio', { name: /^Label \d+$/ }).press('Space');
  await expect(list.getByText('Calibration: sitting')).toHaveCount(0);
  await detail.focus();
  await page.keyboard.press('End');
  await expect.poll(async () => Number(await detail.getAttribute('aria-valuenow'))).toBeGreaterThan(labelledS + 600);
  // The demo has a label of its own further on.
  const fromLabelS = async () => Math.abs(Number(await detail.getAttribute('aria-valuenow')) - labelledS);
  await expect(async () => {
    if ((await fromLabelS()) >= 12) await page.keyboard.press('Control+ArrowLeft');
    expect(await fromLabelS()).toBeLessThan(12);
  }).toPass();
  const heightPx = async () => (await detail.boundingBox())?.height ?? 0;
  const withLabelsPx = await heightPx();
  await page.keyboard.press('b');
  await expect.poll(heightPx).toBeLessThan(withLabelsPx);
  await page.keyboard.press('b');
  await expect.poll(heightPx).toBe(withLabelsPx);
  const saved = page.waitForEvent('download');
  await list.getByRole('button', { name: 'Download labels (CSV)' }).press('Enter');
  expect(await readFile(await (await saved).path(), 'utf8')).toContain('"label","Palpitation felt"');

  await detail.focus();
  await page.keyboard.press('Control+z');
  await expect(list.getByText('Palpitation felt')).toHaveCount(0);
  await page.keyboard.press('Control+Shift+z');
  await expect(list.getByText('Palpitation felt')).toBeVisible();
  await list.getByRole('button', { name: 'Delete label Palpitation felt' }).press('Enter');
  await expect(list.getByText('Palpitation felt')).toHaveCount(0);
  expectNoProblems();
});

test('by mouse: drag the window, zoom, filter, label by dragging', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  await openViewer(page, site);
  const detail = page.getByRole('slider', { name: 'Detail', exact: true });
  const start = Number(await detail.getAttribute('aria-valuenow'));
  const whole = await page.getByRole('slider', { name: /Whole recording/ }).boundingBox();
  if (!whole) throw new Error('The overview has no place.');
  await page.mouse.click(whole.x + whole.width / 2, whole.y + whole.height / 2);
  await expect.poll(async () => Number(await detail.getAttribute('aria-valuenow'))).toBeGreaterThan(start + 600);

  await page.getByRole('combobox', { name: 'Display filter' }).selectOption('band50');
  await expect(page.getByText('Filtered 0.5–40 Hz, 50 Hz notch').last()).toBeVisible();
  for (let i = 0; i < 5; i++) await page.getByRole('button', { name: 'Longer window' }).click();
  await expect(page.getByText('Minimum and maximum per pixel')).toBeVisible();
  await page.getByRole('button', { name: '10 s window' }).click();
  await expect(page.getByTestId('scale')).toContainText('10.0 s');

  await page.getByRole('button', { name: 'Label', exact: true }).click();
  const box = await detail.boundingBox();
  if (!box) throw new Error('The detail has no place.');
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 120);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.7 * box.width, box.y + 120, { steps: 4 });
  await page.mouse.up();
  await expect(measured(page)).toContainText(/(4,9\d\d|5,0\d\d) ms/);
  await page.getByRole('textbox', { name: 'Name' }).fill('Artefact');
  await page.getByRole('button', { name: 'Save label' }).click();
  const list = page.getByRole('region', { name: 'On this recording' });
  await list.getByRole('button', { name: 'Delete label Artefact' }).click();
  await expect(list.getByText('Artefact')).toHaveCount(0);
  expectNoProblems();
});

test('assigns another key to a command, reports conflicts, remembers it and resets it', async ({ page, site }) => {
  await openViewer(page, site);
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const goTo = page.getByRole('dialog', { name: 'Go to time' });
  const openHelp = async () => {
    await page.keyboard.press('?');
    await expect(help).toBeVisible();
  };
  await openHelp();
  await help.getByRole('button', { name: 'Change the shortcut for “Go to time”' }).press('Enter');
  await page.keyboard.press('m');
  await expect(help.getByRole('status')).toHaveText('M is already used for “Measure”.');
  await page.keyboard.press('ArrowLeft');
  await expect(help.getByRole('status')).toContainText("can't be used");
  await page.keyboard.press('j');
  await expect(help.getByRole('button', { name: 'Change the shortcut for “Go to time”' })).toBeFocused();
  await help.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(help).toHaveCount(0);

  await page.reload();
  await expect(page.getByTestId('in-view')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await expect(goTo).toBeVisible();
  await page.keyboard.press('Escape');

  await openHelp();
  await help.getByRole('button', { name: 'Reset', exact: true }).press('Enter');
  await expect(help.getByRole('button', { name: 'Reset all shortcuts' })).toHaveCount(0);
  await expectAccessible(page);
  await help.getByRole('button', { name: 'Close' }).press('Enter');
  await page.keyboard.press('g');
  await expect(goTo).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds no violations in the viewer, ${colorScheme}`, async ({ page, site }) => {
    await page.emulateMedia({ colorScheme });
    await openViewer(page, site);
    await page.keyboard.press('l');
    await page.keyboard.press('[');
    await page.keyboard.press('t');
    await expect(page.getByRole('region', { name: 'Table', exact: true }).getByRole('row')).not.toHaveCount(1);
    await expectAccessible(page);
  });

test('downloads a recording in another format from its menu', async ({ page, site }) => {
  await page.goto(recordings(site));
  await page
    .getByRole('button', { name: /^More formats for/ })
    .first()
    .press('Enter');
  const menu = page.getByRole('menu');
  // A recording of motion has no beats.
  await expect(menu.getByRole('menuitem')).toHaveCount(6);
  const downloading = page.waitForEvent('download');
  await menu.getByRole('menuitem', { name: 'EDF+ (any reader)' }).click();
  expect((await downloading).suggestedFilename()).toMatch(/^recording-.*\.edf$/);
});
