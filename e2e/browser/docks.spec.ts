/** A recording in a watched folder: from Today to the list of docks, taken for a subject, and stored. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { madeCwa } from '../../src-server/testing/made-cwa.ts';
import { expectAccessible, focusByTab, signIn, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

test('leads from Today to a recording in a watched folder, which is taken by keyboard and stored', async ({
  page,
  site,
}) => {
  const expectNoProblems = watchPage(page);
  const study = await ownStudy(site, 'Docked');
  const { client, studyId } = study;
  const subject = await client.call('createSubject', {
    params: { studyId },
    body: { displayName: 'DK-7', timezone: 'UTC' },
  });
  const folder = await mkdtemp(join(tmpdir(), 'outpost-watched-'));
  const { docks } = await client.call('getSiteSettings');
  try {
    const folders = [...docks.folders, { path: folder, studyId, action: 'OFFER' as const }];
    await client.call('updateSiteSettings', { body: { docks: { ...docks, folders } } });
    await page.goto('/');
    await signIn(page, site);
    // The same content is one recording: a run before this one on the same site has taken its own.
    const serial = 10_000 + Math.floor(Math.random() * 50_000);
    const fileName = `wrist-${serial}.cwa`;
    await writeFile(join(folder, fileName), madeCwa({ serial, blocks: 200 }));
    const item = page.locator(`[data-item="DOCK_WAITING:${studyId}"]`);
    await expect(item).toContainText('1 recording on a docked device or in a watched folder is waiting to be taken', {
      timeout: 20_000,
    });
    await expect(item).toContainText(fileName);
    await item.getByRole('link', { name: /^Open docks/ }).press('Enter');
    const row = page.getByRole('row').filter({ hasText: fileName });
    await expect(row).toContainText('Question');
    await expectAccessible(page);
    const take = row.getByRole('button', { name: /^Take/ });
    await focusByTab(take);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Study').selectOption({ label: study.displayName });
    await dialog.getByLabel('Subject').selectOption({ label: 'DK-7' });
    await page.keyboard.press('Control+Enter');
    await expect(dialog.getByText('Enter a reason.')).toBeVisible();
    await dialog.getByLabel(/^Reason/).fill('Given to DK-7 on paper.');
    await expectAccessible(page);
    await page.keyboard.press('Control+Enter');
    await expect(row).toContainText('Verified and stored', { timeout: 30_000 });
    await row.getByRole('button', { name: /^Confirm/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Confirm/ })
      .click();
    await expect(row).toContainText('Confirmed');
    const { items } = await client.call('listSubjectRecordings', { params: { studyId, subjectId: subject.id } });
    expect(items).toHaveLength(1);
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
    await expect(item).toHaveCount(0);
  } finally {
    await client.call('updateSiteSettings', { body: { docks } });
    await rm(folder, { recursive: true, force: true });
  }
  expectNoProblems();
});
