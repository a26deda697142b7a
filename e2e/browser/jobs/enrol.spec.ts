/** The main job "enrol a subject and hand out equipment", by mouse and by keyboard alone; then the hub knows whose it is. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { SimulatedHub } from '../../../src-server/simulator/hub/hub.ts';
import type { TestLanSite } from '../../../src-server/testing/test-lan-site.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../../src-server/testing/test-site.ts';
import { watchPage } from '../../support/desk.ts';
import { Keyboard } from '../../support/keyboard.ts';
import { test as base } from '../../support/lan-site.ts';
import { removeFolder } from '../../support/remove-folder.ts';

interface Ward {
  studyName: string;
  sensor: string;
  hubSerial: string;
  /** Paired and not yet assigned. */
  hub: SimulatedHub;
}

async function makeWard({ client, place, clock }: TestLanSite, folder: string): Promise<Ward> {
  const tag = crypto.randomUUID().slice(0, 4).toUpperCase();
  const params = { accountId: place.accountId };
  const studyName = `Ward ${tag}`;
  const { id: studyId } = await client.call('createStudy', { params, body: { displayName: studyName } });
  await client.call('startStudy', { params: { studyId } });
  const sensor = `SN-${tag}`;
  await client.call('registerEquipment', { params, body: { id: sensor, type: 'SENSOR', displayName: `Chest ${tag}` } });
  const hub = await SimulatedHub.open({
    folder,
    serial: `HUB-${tag}`,
    displayName: `Hub ${tag}`,
    clock: () => Date.now() + clock.aheadMs,
  });
  const { id, link } = await client.call('startPairing', { body: {} });
  const onCheckCode = async (checkCode: string) =>
    void (await client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode } }));
  await hub.pair({ link }, { onCheckCode, collectEveryMs: 50 });
  await hub.contact({ batteryPercent: 70 });
  return { studyName, sensor, hubSerial: `HUB-${tag}`, hub };
}

const test = base.extend<{ ward: Ward }>({
  ward: async ({ lan }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'outpost-ward-'));
    const ward = await makeWard(lan, folder);
    await use(ward);
    ward.hub.close();
    await removeFolder(folder);
  },
});

test.describe.configure({ timeout: 180_000 });

test('by mouse: reports invalid values, then assigns the sensor and hub to the subject', async ({ desk, ward }) => {
  const expectNoProblems = watchPage(desk);
  await desk.getByRole('link', { name: 'Studies', exact: true }).first().click();
  await desk.getByRole('link', { name: ward.studyName, exact: true }).click();
  await desk.getByRole('button', { name: 'Enrol subject' }).first().click();
  const dialog = desk.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Enrol', exact: true }).click();
  await expect(dialog.getByRole('textbox', { name: 'Code or name' })).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByRole('textbox', { name: 'Code or name' }).fill('M-7');
  await dialog.getByRole('combobox', { name: 'Time zone' }).fill('tokyo');
  await desk.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await dialog.getByRole('button', { name: 'Enrol', exact: true }).click();
  await expect(desk.getByRole('heading', { name: 'M-7', level: 1 })).toBeVisible();

  const views = desk.getByRole('navigation', { name: 'Subject views' });
  await views.getByRole('link', { name: 'Equipment' }).click();
  await expect(desk.getByRole('heading', { name: 'No equipment assigned' })).toBeVisible();
  for (const piece of [ward.sensor, ward.hubSerial]) {
    await desk.getByRole('button', { name: 'Hand out', exact: true }).click();
    const pieces = dialog.getByRole('combobox', { name: 'Equipment' });
    await pieces.selectOption(piece);
    await dialog.getByRole('button', { name: 'Hand out', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(desk.getByRole('button', { name: /^Take .* back/ }).first()).toBeVisible();
  }
  await expect(desk.getByRole('button', { name: /^Take .* back/ })).toHaveCount(2);
  const [assigned, ...others] = await ward.hub.assignments();
  expect(others).toEqual([]);
  expect(assigned).toMatchObject({ timezone: 'Asia/Tokyo', sensors: [{ serial: ward.sensor }] });
  expectNoProblems();
});

test('by keyboard alone', async ({ page, ward }) => {
  const keys = await Keyboard.at(page);
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await keys.signIn({ email: TEST_EMAIL, password: TEST_PASSWORD });
  await keys.command(ward.studyName);
  await expect(page.getByRole('heading', { name: ward.studyName, level: 1 })).toBeVisible();
  await keys.command('Enrol subject');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: 'Code or name' })).toBeFocused();
  // Given up, and the focus is back where a screen begins, not lost.
  await keys.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.locator('main')).toContainText('Overview');
  await keys.activate(page.getByRole('button', { name: 'Enrol subject' }).first());
  await expect(dialog.getByRole('textbox', { name: 'Code or name' })).toBeFocused();
  await keys.press('Enter');
  await expect(dialog.getByRole('textbox', { name: 'Code or name' })).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByRole('textbox', { name: 'Code or name' })).toBeFocused();
  await keys.type('K-7');
  await keys.write(dialog.getByRole('combobox', { name: 'Time zone' }), 'canada/yuk');
  await keys.press('ArrowDown', 'Enter');
  await expect(dialog.getByRole('combobox', { name: 'Time zone' })).toHaveValue('Canada/Yukon');
  await keys.press('Control+Enter');
  await expect(page.getByRole('heading', { name: 'K-7', level: 1 })).toBeVisible();

  const views = page.getByRole('navigation', { name: 'Subject views' });
  await keys.activate(views.getByRole('link', { name: 'Equipment' }));
  await expect(page.getByRole('heading', { name: 'No equipment assigned' })).toBeVisible();
  for (const piece of [`Chest ${ward.sensor.slice(3)}`, `Hub ${ward.sensor.slice(3)}`]) {
    await keys.activate(page.getByRole('button', { name: 'Hand out', exact: true }));
    await expect(dialog.getByRole('combobox', { name: 'Equipment' })).toBeFocused();
    await keys.choose(dialog.getByRole('combobox', { name: 'Equipment' }), piece);
    await keys.press('Control+Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('button', { name: `Take ${piece} back from K-7` })).toBeVisible();
    await expect(page.locator('body')).not.toBeFocused();
  }
  const [assigned] = await ward.hub.assignments();
  expect(assigned).toMatchObject({ timezone: 'Canada/Yukon', sensors: [{ serial: ward.sensor }] });
  keys.expectNoMouse();
  expectNoProblems();
});
