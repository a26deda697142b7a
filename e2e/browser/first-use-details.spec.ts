/** First-use details: durations with units, heights, scrolling, selection, printing, progress and narrow windows. */

import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Page } from '@playwright/test';
import { HOUR_MS } from '../../src-server/durations.ts';
import { type DaySite, openDesk, startDaySite, THIGH } from '../support/day-site.ts';
import { test as deskTest } from '../support/lan-site.ts';
import { removeFolder } from '../support/remove-folder.ts';

deskTest.describe('a field with a unit', () => {
  deskTest('parses durations as typed, and keeps and explains invalid input', async ({ desk, lan }) => {
    const { accountId } = lan.place;
    const { id: studyId } = await lan.client.call('createStudy', {
      params: { accountId },
      body: { displayName: `Lengths ${crypto.randomUUID().slice(0, 4)}` },
    });
    await desk.goto(`/studies/${studyId}/definition`);
    await desk.getByRole('button', { name: 'Add activity' }).click();
    await desk.getByRole('textbox', { name: 'Name' }).fill('Walk');
    const duration = desk.getByRole('textbox', { name: 'Duration (s)' });
    await duration.fill('6 min');
    await duration.blur();
    await expect(duration).toHaveValue('360');
    await duration.fill('６分');
    await duration.blur();
    await expect(duration).toHaveValue('360');
    await duration.fill('6 apples');
    await duration.blur();
    await expect(duration).toHaveValue('6 apples');
    await expect(desk.getByText(/such as 90 s, 6 min or 1:30/)).toBeVisible();
    await duration.press('Escape');
    await expect(duration).toHaveValue('360');
    await desk.getByRole('button', { name: 'Save definition', exact: true }).click();
    await expect(desk.getByText('All changes saved')).toBeVisible();
    const { activities } = await lan.client.call('getDefinition', { params: { studyId } });
    expect(activities.map(({ durationSec }) => durationSec)).toEqual([360]);
  });

  deskTest('accepts a height in centimetres and rejects an impossible age', async ({ desk, lan }) => {
    const { studyId } = lan.place;
    const displayName = `H-${crypto.randomUUID().slice(0, 4)}`;
    await desk.goto(`/studies/${studyId}/subjects`);
    await desk.getByRole('button', { name: 'Enrol subject' }).first().click();
    const field = (name: RegExp) => desk.getByRole('dialog').getByRole('textbox', { name });
    await field(/^Code or name/).fill(displayName);
    await field(/^Height \(cm\)/).fill('172');
    await field(/^Age/).fill('150');
    const submit = desk.getByRole('dialog').getByRole('button', { name: 'Enrol', exact: true });
    await submit.click();
    await expect(desk.getByText(/whole number from 18 to 125/)).toBeVisible();
    await field(/^Age/).fill('50');
    await submit.click();
    await expect(desk.getByRole('dialog')).toHaveCount(0);
    const { items } = await lan.client.call('listSubjects', { params: { studyId } });
    expect(items.find((one) => one.displayName === displayName)).toMatchObject({ height: 1.72, age: 50 });
  });
});

deskTest.describe('the desk', () => {
  deskTest('shows the whole jobs button in a window of 700 pixels', async ({ desk }) => {
    await desk.setViewportSize({ width: 700, height: 600 });
    const button = desk.getByRole('contentinfo').getByRole('button');
    await expect(button).toBeVisible();
    const box = await button.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 700).toBe(true);
    const isOnTop = await button.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(left + width - 4, top + height / 2));
    });
    expect(isOnTop).toBe(true);
  });

  deskTest(
    'opens a subject scrolled to the top, and restores the scroll position of the list',
    async ({ desk, lan }) => {
      const { studyId } = lan.place;
      for (let i = 0; i < 40; i++)
        await lan.client.call('createSubject', {
          params: { studyId },
          body: { displayName: `Z-${String(i).padStart(3, '0')}-${crypto.randomUUID().slice(0, 4)}`, timezone: 'UTC' },
        });
      await desk.setViewportSize({ width: 1024, height: 640 });
      await desk.goto(`/studies/${studyId}/subjects`);
      const link = desk.getByRole('link', { name: /^Z-039/ }).first();
      await link.scrollIntoViewIfNeeded();
      const top = () => desk.locator('#content').evaluate(({ scrollTop }) => scrollTop);
      expect(await top()).toBeGreaterThan(100);
      await link.click();
      await expect(desk.getByRole('heading', { level: 1, name: /^Z-039/ })).toBeVisible();
      await expect.poll(top).toBe(0);
      await desk.goBack();
      await expect(link).toBeVisible();
      await expect.poll(top).toBeGreaterThan(100);
    },
  );

  deskTest('shows a running job, and its progress once known', async ({ desk }) => {
    const job = { id: '1', kind: 'archive', state: 'running', createdTs: Date.now(), attempts: 1, actions: [] };
    let progress: object | undefined;
    await desk.route(/\/api\/v1\/jobs(\?|$)/, (route) =>
      route.fulfill({ json: { items: [{ ...job, ...(progress && { progress }) }], size: 1 } }),
    );
    await desk.reload();
    await desk.getByRole('contentinfo').getByRole('button').click();
    const bar = desk.getByRole('dialog').getByRole('progressbar');
    await expect(bar).toBeVisible();
    expect(await bar.getAttribute('aria-valuenow')).toBeNull();
    progress = { done: 3, total: 12, step: 'writing days' };
    await expect(bar).toHaveAttribute('aria-valuenow', '25');
    await expect(desk.getByRole('dialog').getByText(/writing days.*25/)).toBeVisible();
  });
});

deskTest.describe('a day', () => {
  let site: DaySite;
  let subjectId: string;
  deskTest.beforeAll(async () => {
    site = await startDaySite();
    subjectId = await site.addSubject('P-1', 'UTC');
    const startMs = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 24 * HOUR_MS;
    await site.record(subjectId, {
      ...{ startMs, stopMs: startMs + 4 * HOUR_MS, timeZone: 'UTC', sensors: THIGH },
    });
    await site.site.engine.jobs.whenIdle();
  });
  deskTest.afterAll(() => site.close());

  const openDay = async (page: Page) => {
    await openDesk(page, site);
    await page.goto(site.days(subjectId));
    await expect(page.getByRole('slider').first()).toBeVisible();
  };

  deskTest('selects no text when dragging with Shift held', async ({ page }) => {
    await openDay(page);
    await page.getByRole('heading', { level: 1 }).click();
    const box = await page.getByRole('slider').first().boundingBox();
    if (!box) throw new Error('The timeline has no place.');
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 60, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 260, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('');
  });

  deskTest('prints completely, up to the right edge of the timeline', async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await openDay(page);
    await expect(page.locator('figure canvas').first()).toBeVisible();
    // The last part of the page that arrives.
    await expect(page.getByRole('heading', { name: /^Metrics of / })).toBeVisible();
    const folder = await mkdtemp(join(tmpdir(), 'outpost-print-'));
    try {
      const path = join(folder, 'day.pdf');
      await writeFile(path, await page.pdf({ preferCSSPageSize: true }));
      await promisify(execFile)('pdftotext', ['-bbox', path, join(folder, 'day.html')]);
      const { readFile } = await import('node:fs/promises');
      const text = await readFile(join(folder, 'day.html'), 'utf8');
      const pages = [...text.matchAll(/<page width="([\d.]+)" height="([\d.]+)"/g)];
      expect(Number(pages[0]?.[1])).toBeGreaterThan(Number(pages[0]?.[2]));
      const words = [...text.matchAll(/xMin="([\d.]+)" yMin="[\d.]+" xMax="([\d.]+)" yMax="[\d.]+">([^<]*)</g)];
      const beyond = words.filter(([, , right]) => Number(right) > Number(pages[0]?.[1]));
      expect(beyond.map(([, , , word]) => word)).toEqual([]);
      // The labels of the axis: from noon to the evening of the next day, so each of these twice.
      for (const clock of ['12:00', '21:00'])
        expect(words.filter(([, , , word]) => word === clock).length, clock).toBeGreaterThanOrEqual(2);
      // Nothing of the frame around the page.
      expect(words.some(([, , , word]) => word === 'Server')).toBe(false);
    } finally {
      await removeFolder(folder);
    }
  });
});
