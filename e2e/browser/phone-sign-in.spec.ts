/** Sign-in of a subject's phone by QR code, and the list of refused devices. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import QRCode from 'qrcode';
import { signInLink, webSignInLink } from '../../src-server/api/contract/subject-token.ts';
import { SimulatedPhone } from '../../src-server/simulator/phone/phone.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';
import { test } from '../support/lan-site.ts';

test('signs in a phone with the address, key and token of the QR code', async ({ desk, lan }) => {
  const expectNoProblems = watchPage(desk);
  const { studyId, subjectIds } = lan.place;
  await desk.goto(`/studies/${studyId}/subjects/${subjectIds[0]}`);
  await desk.getByRole('button', { name: 'Subject', exact: true }).click();
  await desk.getByRole('menuitem', { name: 'Sign in phone' }).click();
  const dialog = desk.getByRole('dialog');
  await desk.setViewportSize({ width: 1024, height: 640 });
  const beforeMs = Date.now();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const picture = dialog.getByRole('img', { name: /QR code/ });
  await expect(picture).toHaveAccessibleName('QR code for the camera of the phone of Subject 1');
  const afterMs = Date.now();
  // The whole code must be visible without scrolling, so that a phone can scan it.
  const [code, frame] = [await picture.boundingBox(), await dialog.boundingBox()];
  if (!code || !frame) throw new Error('The code is not on the screen.');
  expect(code.y).toBeGreaterThanOrEqual(0);
  expect(code.y + code.height).toBeLessThanOrEqual(640);
  expect(await dialog.evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
  await dialog.getByText('No camera?').click();
  const fingerprint = lan.site.lan.fingerprint ?? '';
  await expect(dialog.getByText(lan.lanUrl)).toBeVisible();
  await expect(dialog.getByText(fingerprint.match(/.{1,4}/g)?.join(' ') ?? '')).toBeVisible();
  const token = (await dialog.getByRole('status', { name: 'Sign-in token' }).textContent()) ?? '';
  await expectAccessible(desk);

  const { siteId, siteName } = await lan.client.call('deviceHello');
  const facts = { siteId, siteName, token: token.trim(), fingerprint, addresses: [lan.lanUrl] };
  // Renders the expected code for each possible second of its creation, and compares the drawings.
  const shownLink = async (linkAt: (expirationTs: number) => string) => {
    const drawn = await picture.locator('path').last().getAttribute('d');
    for (let madeMs = beforeMs; madeMs <= afterMs + 1000; madeMs += 1000) {
      const candidate = linkAt(madeMs + 7 * 24 * 3_600_000);
      const svg = await QRCode.toString(candidate, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
      if (drawn && svg.includes(drawn)) return candidate;
    }
    return undefined;
  };
  const web = await shownLink((expirationTs) => webSignInLink(lan.lanUrl, { ...facts, expirationTs }));
  expect(web?.startsWith(`${lan.lanUrl}/phone#1&s=${siteId}&`)).toBe(true);
  await dialog.getByText('Study app', { exact: true }).click();
  await expect(picture).toHaveAccessibleName('Sign-in QR code for Subject 1');
  const link = await shownLink((expirationTs) => signInLink({ ...facts, expirationTs }));
  const folder = mkdtempSync(join(tmpdir(), 'outpost-phone-'));
  const phone = await SimulatedPhone.open({ folder });
  try {
    await phone.signInByLink(link ?? 'The picture says something else.');
    await phone.contact(80);
    expect(phone.site?.pins).toEqual([fingerprint]);
    await expect(dialog.getByText('Phone of Subject 1 signed in.')).toBeVisible();
    await expect(picture).toHaveCount(0);
    await expectAccessible(desk);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await desk.goto('/equipment/devices');
    const row = desk.getByRole('row').filter({ hasText: 'Phone of Subject 1' });
    await expect(row).toContainText('80%');
    await expect(row).not.toContainText('no contact yet');
  } finally {
    phone.close();
    rmSync(folder, { recursive: true });
  }
  expectNoProblems();
});

test('lists refused devices with reason and count under Devices and in the audit trail', async ({ desk, lan }) => {
  const lost = await lan.pairDevice({ serial: 'HUB-LOST' });
  const params = { accountId: lan.place.accountId };
  const { items } = await lan.client.call('listDevices', { params });
  const deviceId = items.find(({ serial }) => serial === 'HUB-LOST')?.id ?? '';
  await lan.client.call('revokeDevice', { params: { ...params, deviceId } });
  await desk.goto('/equipment/devices');
  // From here on, changes arrive over the live connection.
  await expect(desk.getByText('Up to date')).toBeVisible();
  for (let turn = 0; turn < 3; turn++) await lost.call('/device/status').catch(() => undefined);
  const table = desk.getByRole('table', { name: 'Refused in the last 14 days' });
  const row = table.getByRole('row', { name: /Device HUB-LOST/ });
  await expect(row).toContainText('Revoked at this site but still connecting.');
  await desk.reload();
  await expect(row.getByRole('cell', { name: '3', exact: true })).toBeVisible();
  await expectAccessible(desk);

  await desk.goto('/site/audit');
  await desk.getByLabel('What').selectOption('refusal');
  await expect(desk.getByRole('row').filter({ hasText: 'Device refused' }).first()).toBeVisible();
});
