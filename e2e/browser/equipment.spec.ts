import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { SimulatedHub } from '../../src-server/simulator/hub/hub.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { makeUploadFile } from '../../src-server/testing/upload-site.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';
import { Keyboard } from '../support/keyboard.ts';
import { test } from '../support/lan-site.ts';
import { removeFolder } from '../support/remove-folder.ts';

test.describe.configure({ mode: 'serial', timeout: 180_000 });

test('registers a sensor, hands it out and takes it back', async ({ desk, lan }) => {
  const expectNoProblems = watchPage(desk);
  await desk.goto('/equipment');
  await expect(desk.getByRole('heading', { name: 'No equipment yet' })).toBeVisible();
  await desk.getByRole('button', { name: 'Register equipment' }).first().click();
  const dialog = desk.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Register' }).click();
  await expect(dialog).toContainText('Enter a serial number.');
  await dialog.getByLabel('Serial number').fill('SN-MOUSE');
  await dialog.getByLabel('Name (optional)').fill('Chest 7');
  await dialog.getByLabel(/MAC address/).fill('AA:BB:CC:00:00:77');
  await dialog.getByRole('button', { name: 'Register' }).click();
  await expect(dialog).toBeHidden();
  const row = desk.getByRole('row').filter({ hasText: 'Chest 7' });
  await expect(row).toContainText('Unassigned');

  await row.getByRole('button', { name: 'Hand out Chest 7' }).click();
  await dialog.getByLabel('Study').selectOption({ index: 1 });
  await dialog.getByLabel('Subject').selectOption({ index: 1 });
  await dialog.getByRole('button', { name: 'Hand out' }).click();
  await expect(row.getByRole('button', { name: /Take Chest 7 back from/ })).toBeVisible();

  await row.getByRole('link').nth(1).click();
  await expect(desk.getByRole('heading', { name: 'Current equipment' })).toBeVisible();
  await desk.getByRole('button', { name: /Take Chest 7 back/ }).click();
  await expect(dialog).toContainText('New recordings belong to no subject');
  await dialog.getByRole('button', { name: 'Take back' }).click();
  await expect(desk.getByRole('heading', { name: 'Previous equipment' })).toBeVisible();
  await desk.getByRole('link', { name: 'Chest 7' }).click();
  const history = desk.getByRole('region', { name: 'Assignment history' });
  await expect(history.getByRole('row')).toHaveCount(3);
  await expect(history).toContainText('Taken back');

  // A change from elsewhere appears without a reload.
  const place = { studyId: lan.place.studyId, subjectId: lan.place.subjectIds[0] ?? '' };
  await lan.client.call('assignEquipment', { params: { ...place, equipmentId: 'SN-MOUSE' } });
  await expect(history.getByRole('row')).toHaveCount(4);
  expectNoProblems();
});

test('registers and hands out by keyboard alone, from the list', async ({ page }) => {
  const keys = await Keyboard.at(page);
  await page.goto('/');
  await keys.signIn({ email: TEST_EMAIL, password: TEST_PASSWORD });
  await keys.command('Go to Equipment');
  await expect(page.getByRole('heading', { name: 'Equipment', level: 1 })).toBeVisible();
  await keys.activate(page.getByRole('button', { name: 'Register equipment' }).first());
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Serial number')).toBeFocused();
  await keys.type('SN-KEYS');
  await keys.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Register equipment' })).toBeFocused();
  await keys.activate(page.getByRole('button', { name: 'Hand out SN-KEYS' }));
  await keys.choose(dialog.getByLabel('Study'), 'Test study');
  await keys.choose(dialog.getByLabel('Subject'), 'Subject 1');
  await keys.press('Control+Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: /Take SN-KEYS back from/ })).toBeVisible();
  keys.expectNoMouse();
});

test('accepts an unassigned recording for a subject with a reason, and rejects another', async ({ desk, lan }) => {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-uploads-'));
  const clock = () => Date.now() + lan.clock.aheadMs;
  const hub = await SimulatedHub.open({ folder, serial: 'HUB-UP', displayName: 'Hub up', clock });
  try {
    const { id, link } = await lan.startPairing();
    const confirm = (checkCode: string) =>
      lan.client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode } });
    await hub.pair({ link }, { onCheckCode: async (code) => void (await confirm(code)), collectEveryMs: 50 });
    // Recorded before anybody held the sensor; and one of a sensor that is not registered.
    for (const [hoursBack, sensor] of [
      [50, 'SN-MOUSE'],
      [40, 'SN-MOUSE'],
      [30, 'SN-STRANGE'],
    ] as const) {
      const startUs = (clock() - hoursBack * 3_600_000) * 1000;
      const made = await makeUploadFile(folder, { startUs, udid: 'AA:BB:CC:00:00:77' });
      const path = join(folder, `${made.recordingId}.made`);
      await writeFile(path, made.bytes);
      await hub.takeRecording(path, sensor);
    }
    await desk.goto('/equipment/uploads');
    await expect(desk.getByRole('heading', { name: 'No uploads to review' })).toBeVisible();
    await hub.sendAll();
    const waiting = desk.getByRole('region', { name: 'Needs a decision' });
    await expect(waiting.getByText('The sensor was unassigned when it recorded.')).toHaveCount(2);
    const refused = desk.getByRole('region', { name: 'Refused' });
    await expect(refused).toContainText("The sensor isn't registered.");
    await expect(desk.getByRole('link', { name: /Uploads 2 files need a decision/ })).toBeVisible();
    const progress = desk.getByRole('region', { name: 'Last 24 hours' }).getByRole('row', { name: /Hub up/ });
    await expect(progress).toContainText('3 blocked files, see below');
    await expectAccessible(desk);

    const dialog = desk.getByRole('dialog');
    await waiting.getByRole('button', { name: 'Accept' }).first().click();
    await dialog.getByLabel('Study').selectOption({ index: 1 });
    await dialog.getByLabel('Subject').selectOption({ index: 1 });
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await expect(dialog).toContainText('Enter a reason.');
    await dialog.getByLabel(/Reason/).fill('Handed out before it was entered');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await expect(waiting.getByRole('button', { name: 'Accept' })).toHaveCount(1);
    for (const step of [2, 3]) {
      await expect(progress.getByRole('cell').nth(step)).toHaveText('1 of 1 recording', { timeout: 60_000 });
    }

    await waiting.getByRole('button', { name: 'Reject' }).click();
    await expect(dialog).toContainText('may delete it');
    await dialog.getByLabel(/Reason/).fill('A test of the sensor');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    const rejected = desk.getByRole('region', { name: 'Rejected' });
    await expect(rejected).toContainText('A test of the sensor');

    await refused.getByRole('button', { name: 'Register sensor' }).click();
    await expect(dialog.getByLabel('Serial number')).toHaveValue('SN-STRANGE');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const { studyId } = lan.place;
    await expect
      .poll(async () => (await lan.client.call('listStudyRecordings', { params: { studyId } })).size)
      .toBeGreaterThan(0);
  } finally {
    hub.close();
    await removeFolder(folder);
  }
});
