/** A person starts an analysis run with other parameters, compares it and adopts it; what was in use stays. */
import { expect, test } from '@playwright/test';
import { HOUR_MS } from '../../src-server/durations.ts';
import { CHEST, openDesk, startDaySite } from '../support/day-site.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';

test('starts a run with other thresholds, compares it with what is in use, and adopts it with a reason', async ({
  page,
}) => {
  const site = await startDaySite(Date.UTC(2026, 2, 6, 12));
  try {
    const subjectId = await site.addSubject('N-104', 'UTC');
    const startMs = Date.UTC(2026, 2, 4, 9);
    const jobId = await site.record(subjectId, {
      startMs,
      stopMs: startMs + 2 * HOUR_MS,
      timeZone: 'UTC',
      sensors: CHEST,
    });
    await site.site.engine.jobs.whenEnded(jobId);
    const expectNoProblems = watchPage(page);
    await openDesk(page, site);
    const { studyId } = site.place;
    await page.goto(`${site.site.url}/studies/${studyId}/analysis`);
    await expect(page.getByText('1 day with version')).toBeVisible();

    await page.getByRole('button', { name: 'New analysis run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await expect(dialog.getByText('Enter a name.')).toBeVisible();
    await dialog.getByLabel('Name', { exact: true }).fill('Higher thresholds');
    await dialog.getByLabel('Reason').fill('Protocol amendment 2');
    await dialog.getByLabel('Fast rate above (beats/min)').fill('150');
    await dialog.getByLabel('Slow rate below (beats/min)').fill('99');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await expect(dialog).toBeHidden();

    const run = page.getByRole('region', { name: 'Analysis run Higher thresholds' });
    await expect(run.getByText('Ready')).toBeVisible({ timeout: 60_000 });
    await expect(run.getByRole('row', { name: /Episodes below/ })).toBeVisible();
    // Its channels stand beside those in use in the viewer of the recording.
    const { items } = await site.client.call('listSubjectRecordings', { params: { studyId, subjectId } });
    await page.goto(`${site.site.url}/studies/${studyId}/subjects/${subjectId}/recordings/${items[0]!.id}`);
    const beside = page.getByRole('region', { name: 'Analysis run beside' });
    await beside.getByLabel('Analysis run beside').selectOption({ label: 'Higher thresholds (version 11)' });
    await expect(beside.getByText('Heart rate, in use')).toBeVisible();
    await expect(beside.getByText('Heart rate, run')).toBeVisible();
    await expect(beside.getByText('are the same in every minute')).toBeVisible();
    const slow = beside.getByRole('row', { name: 'Slow heart rate' }).getByRole('cell');
    await expect(slow).toHaveCount(2);
    expect(Number(await slow.nth(1).textContent())).toBeGreaterThan(Number(await slow.nth(0).textContent()));
    await expectAccessible(page);
    await page.goBack();

    await run.getByRole('button', { name: 'Adopt run' }).click();
    await dialog.getByLabel('Reason').fill('As the amendment says');
    await dialog.getByRole('button', { name: 'Adopt run' }).click();
    await expect(dialog).toBeHidden();
    await expect(run.getByText('As the amendment says')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Before Higher thresholds' })).toBeVisible();

    // What is in use is not deleted; what it replaced is, once its name is entered.
    await expect(run.getByRole('button', { name: 'Delete run' })).toBeHidden();
    await page.getByRole('link', { name: 'Before Higher thresholds' }).click();
    const before = page.getByRole('region', { name: 'Analysis run Before Higher thresholds' });
    await before.getByRole('button', { name: 'Delete run' }).click();
    await dialog.getByLabel('Reason').fill('Not needed any more');
    await dialog.getByLabel('Enter “Before').fill('Before');
    await dialog.getByRole('button', { name: 'Delete run' }).click();
    await expect(dialog.getByText("This isn't the name of the run.")).toBeVisible();
    await dialog.getByLabel('Enter “Before').fill('Before Higher thresholds');
    await dialog.getByRole('button', { name: 'Delete run' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('link', { name: 'Before Higher thresholds' })).toBeHidden();
    await expect(page.getByRole('link', { name: 'Higher thresholds' })).toBeVisible();
    const analysis = await site.client.call('getAnalysis', { params: { studyId } });
    expect(analysis.parameters.rhythm).toMatchObject({ bradycardiaBpm: 99, tachycardiaBpm: 150 });
    expectNoProblems();
  } finally {
    await site.close();
  }
});
