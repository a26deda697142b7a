import { expect, type Page } from '@playwright/test';
import { madeCwa } from '../../src-server/testing/made-cwa.ts';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';
import { addUser, ownStudy } from '../support/study.ts';

const rowOf = (page: Page, studyName: string) => page.getByRole('row').filter({ hasText: studyName });

test('requests a de-identified Parquet export by keyboard, and then its changes', async ({ page, site }) => {
  const study = await ownStudy(site, 'Parquet');
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/exports');
  await page.getByRole('button', { name: 'New export' }).first().waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Study')).toBeFocused();
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('radio', { name: 'Parquet' })).toBeChecked();
  await dialog.getByLabel('De-identify').check();
  await page.keyboard.press('Control+Enter');
  await expect(rowOf(page, study.displayName).getByText('Ready')).toBeVisible({ timeout: 60_000 });
  await expect(rowOf(page, study.displayName).getByText('De-identified')).toBeVisible();

  await rowOf(page, study.displayName)
    .getByRole('button', { name: /^Export changes/ })
    .click();
  await expect(dialog.getByLabel('Contents')).not.toHaveValue('all');
  await expect(dialog.getByLabel('De-identify')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Create export' }).click();
  const changes = rowOf(page, study.displayName).filter({ hasText: 'Changes only' });
  await expect(changes.getByText('Ready')).toBeVisible({ timeout: 60_000 });
  await expect(changes.getByText('De-identified')).toBeVisible();
});

test('includes free text and numbers in a de-identified export only when selected', async ({ page, site }) => {
  const study = await ownStudy(site, 'Words');
  const params = { studyId: study.studyId };
  const subjectMetadataFields = [
    { displayName: 'Record number', type: 'NUMBER' as const },
    { displayName: 'Notes', type: 'FREETEXT' as const },
  ];
  await study.client.call('putDefinition', { params, body: { subjectMetadataFields } });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/exports');
  await page.getByRole('button', { name: 'New export' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  const record = dialog.getByLabel('Subject field “Record number”');
  await expect(record).toHaveCount(0);
  await dialog.getByLabel('De-identify').check();
  await expect(record).not.toBeChecked();
  await expect(dialog.getByLabel('Names of tasks, questions and choices')).not.toBeChecked();
  await expect(dialog.getByLabel(/Notes/)).toHaveCount(0);
  await record.check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create export' }).click();
  await expect(rowOf(page, study.displayName).getByText('Ready')).toBeVisible({ timeout: 60_000 });
  const { items } = await study.client.call('listStudyExports', { params });
  expect(items[0]).toMatchObject({ deidentified: true, includeFields: ['Record number'], includeDefinition: false });
});

test('rejects files that are not recordings with an explanation', async ({ page, site }) => {
  const study = await ownStudy(site, 'Imported');
  await study.client.call('createSubject', {
    params: { studyId: study.studyId },
    body: { displayName: 'F-1', timezone: 'US/Eastern' },
  });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/exports');
  await page.getByRole('button', { name: 'Import files' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  await dialog.getByLabel('Subject').selectOption({ label: 'F-1' });
  const choosing = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose files' }).click();
  await (await choosing).setFiles({
    name: 'notes.edf',
    mimeType: 'text/plain',
    buffer: Buffer.from('not a recording'),
  });
  await expect(dialog.getByText('notes.edf', { exact: true })).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog.getByText(/Code (UNSUPPORTED_FORMAT|FILE_DAMAGED)/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.goto('/site/jobs');
  await page.getByRole('radio', { name: 'Failed' }).click();
  await expect(page.getByText('The files are no longer available. Import them again.').first()).toBeVisible();
});

test('asks for the time zone of a set of files, and offers that of the site', async ({ page, site }) => {
  const study = await ownStudy(site, 'Sets');
  const params = { studyId: study.studyId };
  const subject = await study.client.call('createSubject', {
    params,
    body: { displayName: 'Z-1', timezone: 'US/Eastern' },
  });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/exports');
  await page.getByRole('button', { name: 'Import files' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  await dialog.getByLabel('Subject').selectOption({ label: 'Z-1' });
  const zone = dialog.getByRole('combobox', { name: 'Time zone of the recorder' });
  await expect(zone).toBeHidden();
  const stamp = (ms: number): string => new Date(Date.UTC(2022, 3, 25, 11, 39, 36) + ms).toISOString().slice(0, -1);
  const rows = (step: number, value: string): Buffer =>
    Buffer.from(Array.from({ length: 200 }, (_, i) => `${stamp(i * step)};${value}\n`).join(''));
  const named = (name: string, header: string, body: Buffer) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.concat([Buffer.from(`${header}\n`), body]),
  });
  const choosing = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose files' }).click();
  await (await choosing).setFiles([
    named('Polar_H10_02849638_HR.txt', 'Phone timestamp;HR [bpm]', rows(1000, '66')),
    named('MARKER.txt', 'Phone timestamp;Marker start/stop', Buffer.from(`${stamp(500)};MARKER_START\n`)),
  ]);
  await expect(zone).toHaveValue(Intl.DateTimeFormat().resolvedOptions().timeZone);
  await zone.fill('Asia/Tokyo');
  await page.keyboard.press('Tab');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog.getByText('1 recording imported.')).toBeVisible({ timeout: 30_000 });
  const { items } = await study.client.call('listSubjectRecordings', { params: { ...params, subjectId: subject.id } });
  expect(items.map(({ recordingStartTs }) => new Date(recordingStartTs).toISOString())).toEqual([
    '2022-04-25T02:39:36.000Z',
  ]);
});

test('asks when a list of intervals was recorded before it can be imported', async ({ page, site }) => {
  const study = await ownStudy(site, 'Lists');
  const params = { studyId: study.studyId };
  await study.client.call('createSubject', { params, body: { displayName: 'L-1', timezone: 'US/Eastern' } });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/exports');
  await page.getByRole('button', { name: 'Import files' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  await dialog.getByLabel('Subject').selectOption({ label: 'L-1' });
  const choosing = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose files' }).click();
  const intervals = Array.from({ length: 300 }, (_, i) => `${800 + ((i * 7) % 50)}\n`).join('');
  await (await choosing).setFiles({ name: 'rr.txt', mimeType: 'text/plain', buffer: Buffer.from(intervals) });
  await expect(dialog.getByText('RR intervals (text)', { exact: true })).toBeVisible();
  await expect(dialog.getByText(/does not say when it was recorded/)).toBeVisible();
  const send = dialog.getByRole('button', { name: 'Import', exact: true });
  await expect(send).toBeDisabled();
  await dialog.getByLabel('Start').fill('2026-03-01T08:00');
  await expect(send).toBeEnabled();
  await expectAccessible(page);
  await send.click();
  await expect(dialog.getByText('1 recording imported.')).toBeVisible({ timeout: 30_000 });
});

test('names a recording of the same device and time, and keeps both when the user says so', async ({ page, site }) => {
  const study = await ownStudy(site, 'Copies');
  const params = { studyId: study.studyId };
  const subject = await study.client.call('createSubject', { params, body: { displayName: 'C-1', timezone: 'UTC' } });
  const { studyId } = study;
  const form = new FormData();
  form.set('timeZone', 'UTC');
  form.set('file', new File([Uint8Array.from(madeCwa({ blocks: 200 }))], 'first.cwa'));
  const started = await study.client.call('importRecordings', {
    params: { studyId, subjectId: subject.id },
    body: form,
  });
  await expect
    .poll(async () => (await study.client.call('getJob', { params: { jobId: started.id } })).state, { timeout: 30_000 })
    .toBe('done');
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/exports');
  await page.getByRole('button', { name: 'Import files' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  await dialog.getByLabel('Subject').selectOption({ label: 'C-1' });
  const choosing = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose files' }).click();
  const longer = { name: 'longer.cwa', mimeType: 'application/octet-stream', buffer: madeCwa({ blocks: 300 }) };
  await (await choosing).setFiles(longer);
  const zone = dialog.getByRole('combobox', { name: 'Time zone of the recorder' });
  await zone.fill('UTC');
  await page.keyboard.press('Tab');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog.getByText(/is a copy of recording/)).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Import and keep both' }).click();
  await expect(dialog.getByText('1 recording imported.')).toBeVisible({ timeout: 30_000 });
  const { size } = await study.client.call('listSubjectRecordings', { params: { studyId, subjectId: subject.id } });
  expect(size).toBe(2);
});

/** Skin temperature at 4 Hz, in local time and with decimal commas, as no reader knows it. */
function textOfLogger(rows: number): string {
  const startMs = Date.UTC(2026, 1, 26, 10, 55, 6);
  const lines = Array.from({ length: rows }, (_, row) => {
    const [date, time] = new Date(startMs + row * 250).toISOString().slice(0, -1).split('T');
    return `${date} ${time};${String(32 + (row % 8) / 16).replace('.', ',')};0`;
  });
  return ['Zeit;Haut;Reserve', ...lines].join('\n');
}

test('maps the columns of a text, keeps them as a template, and asks for the time zone', async ({ page, site }) => {
  const study = await ownStudy(site, 'Mapped');
  const params = { studyId: study.studyId };
  const subject = await study.client.call('createSubject', {
    params,
    body: { displayName: 'M-1', timezone: 'Europe/Berlin' },
  });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/exports');
  const choose = async (name: string, rows: number) => {
    await page.getByRole('button', { name: 'Import files' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Study').selectOption({ label: study.displayName });
    await dialog.getByLabel('Subject').selectOption({ label: 'M-1' });
    const choosing = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose files' }).click();
    await (await choosing).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(textOfLogger(rows)) });
    return dialog;
  };
  const dialog = await choose('logger.csv', 400);
  await expect(dialog.getByText('No reader knows this file.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Import', exact: true })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Map columns' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  const channel = dialog.getByRole('group', { name: 'Channel 1' });
  await channel.getByLabel('Type').selectOption({ label: 'Temperature' });
  await channel.getByLabel('Column', { exact: true }).selectOption({ label: '2: Haut' });
  await expect(dialog.getByText('Rows in the first part of the file: 400.')).toBeVisible();
  await expect(dialog.getByRole('cell', { name: '32.0625' }).first()).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel('Name of the template').fill('Skin logger');
  await dialog.getByRole('button', { name: 'Use mapping' }).click();
  await expect(dialog.getByText('The columns are mapped.')).toBeVisible();
  await dialog.getByRole('combobox', { name: 'Time zone of the recorder' }).fill('Europe/Berlin');
  await page.keyboard.press('Tab');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog.getByText('1 recording imported.')).toBeVisible({ timeout: 30_000 });
  const place = { ...params, subjectId: subject.id };
  const { items } = await study.client.call('listSubjectRecordings', { params: place });
  // 10:55:06 in Berlin's winter.
  expect(items.map(({ recordingStartTs }) => new Date(recordingStartTs).toISOString())).toEqual([
    '2026-02-26T09:55:06.000Z',
  ]);
  await dialog.getByRole('button', { name: 'Close' }).click();

  const again = await choose('another.csv', 200);
  await expect(again.getByText('The columns are read by the template “Skin logger” of this study.')).toBeVisible();
});

test('explains to a monitor why exports are unavailable, and offers no job actions', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const study = await ownStudy(site, 'Watched');
  const monitor = await addUser(study, 'MONITOR');
  const params = { studyId: study.studyId, userId: monitor.id };
  await study.client.call('setStudyMember', { params, body: { role: 'MONITOR' } });
  await page.goto('/');
  await signIn(page, monitor);
  await page.goto('/exports');
  await expect(page.getByRole('heading', { name: "You can't export data" })).toBeVisible();
  await expect(page.getByRole('button', { name: /New export|Import files/ })).toHaveCount(0);
  await page.goto('/site/jobs');
  await expect(page.getByRole('heading', { name: 'Jobs', level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Cancel|Try again)/ })).toHaveCount(0);
  expectNoProblems();
});
