import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { SimulatedHub } from '../../src-server/simulator/hub/hub.ts';
import { TestDevice } from '../../src-server/testing/test-device.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';
import { tabTo, test } from '../support/lan-site.ts';

test.describe.configure({ mode: 'serial' });

/** Opens the page for pairing and answers what its QR code says. */
async function openPairing(page: Page, open: () => Promise<unknown>): Promise<string> {
  const started = page.waitForResponse(
    (response) => response.url().endsWith('/pairings') && response.request().method() === 'POST',
  );
  await open();
  const { link } = (await (await started).json()) as { link: string };
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible();
  return link;
}

test('pairs a simulated hub for a subject, hands it out, and revokes it', async ({ desk, lan }) => {
  const expectNoProblems = watchPage(desk);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-pairing-'));
  const hub = await SimulatedHub.open({
    folder,
    serial: 'HUB-MOUSE',
    displayName: 'Bedside hub',
    firmwareId: '1.4.0',
    clock: () => Date.now() + lan.clock.aheadMs,
  });
  try {
    await desk.goto(`/studies/${lan.place.studyId}/subjects/${lan.place.subjectIds[0]}/equipment`);
    await expect(desk.getByRole('heading', { name: 'Holds no equipment' })).toBeVisible();
    const link = await openPairing(desk, () => desk.getByRole('link', { name: 'Add hub or phone' }).click());
    const box = await desk.getByRole('img', { name: /QR code/ }).boundingBox();
    // 6 cm at 96 pixels per inch.
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(227);
    await expect(desk.getByRole('timer')).toHaveText(/Expires in (10:00|9:\d\d)/);

    let shown = '';
    const paired = hub.pair(
      { link },
      {
        onCheckCode: (code) => {
          shown = code;
        },
        collectEveryMs: 50,
      },
    );
    await expect(desk.getByRole('heading', { name: /Do both show/ })).toBeVisible();
    await expect(desk.getByText('Bedside hub')).toBeVisible();
    await expect(desk.locator('output')).toHaveText(shown);
    await desk.getByRole('button', { name: 'Yes, both show it' }).click();
    await paired;
    await expect(desk.getByRole('heading', { name: 'Bedside hub is paired' })).toBeVisible();
    await hub.contact({ batteryPercent: 64 });
    await expect(desk.getByText('64 %')).toBeVisible();
    await expect(desk.getByText('Handed out to')).toBeVisible();

    await desk.getByRole('link', { name: 'Go to the device' }).click();
    await hub.reportManifest([
      { recordingId: crypto.randomUUID(), sensor: 'SN-1', sizeBytes: 5_000_000, startTs: 1000, stopTs: 2000 },
    ]);
    await expect(desk.getByText('1 recording, 5.0 MB')).toBeVisible();
    await desk.getByRole('button', { name: 'Revoke' }).click();
    const dialog = desk.getByRole('dialog');
    await expect(dialog).toContainText('Its access stops now.');
    await expect(dialog).toContainText('1 recording (5.0 MB) was not yet received.');
    await expectAccessible(desk);
    await dialog.getByRole('textbox').fill('Lost on a train');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await expect(dialog).toBeHidden();
    await expect(desk.getByRole('button', { name: 'Revoke' })).toBeHidden();
    await expect(hub.status()).rejects.toMatchObject({ status: 401 });
    expectNoProblems();
  } finally {
    hub.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('by keyboard alone, with the code that is typed', async ({ desk, lan }) => {
  await desk.keyboard.press('Control+k');
  await expect(desk.getByRole('dialog').getByRole('searchbox')).toBeFocused();
  await desk.keyboard.type('Go to equipment');
  await expect(desk.getByRole('menuitem')).toHaveCount(1);
  await desk.keyboard.press('Enter');
  await expect(desk.getByRole('heading', { name: 'Equipment', level: 1 })).toBeVisible();
  await tabTo(desk, 'Pair hub or phone', 'link');
  await openPairing(desk, () => desk.keyboard.press('Enter'));
  const code = (await desk.getByText(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/).textContent()) ?? '';
  const device = new TestDevice({ kind: 'PHONE', serial: 'PHONE-KEYS' });
  await device.type(lan.lanUrl, code);
  await expect(desk.getByRole('heading', { name: `Do both show ${device.checkCode}?` })).toBeFocused();
  await desk.keyboard.press('Tab');
  await expect(desk.getByRole('button', { name: 'Yes, both show it' })).toBeFocused();
  await desk.keyboard.press('Enter');
  await expect(desk.getByRole('heading', { name: /^Confirmed/ })).toBeFocused();
  expect(await device.collect()).toBe(true);
  await device.call('/device/status');
  await expect(desk.getByRole('heading', { name: 'Device PHONE-KEYS is paired' })).toBeFocused();
  await expect(desk.getByText('Nobody holds it yet.')).toBeVisible();
});

test('codes that differ: refused at the desk, the device gets nothing', async ({ desk, lan }) => {
  const link = await openPairing(desk, () => desk.goto('/equipment/pair'));
  const device = new TestDevice({ serial: 'HUB-WRONG', clock: () => Date.now() + lan.clock.aheadMs });
  await device.scan(link);
  await desk.getByRole('button', { name: 'No, refuse it' }).click();
  await expect(desk.getByRole('heading', { name: 'You refused the device' })).toBeVisible();
  await expect(device.collect()).rejects.toMatchObject({ code: 'PAIRING_REFUSED' });
  await openPairing(desk, () => desk.getByRole('button', { name: 'New code' }).click());
});

test('a wrong code, a wrong clock and a code that has expired each say what to do', async ({ desk, lan }) => {
  let link = await openPairing(desk, () => desk.goto('/equipment/pair'));
  await expect(new TestDevice({ serial: 'HUB-GUESS' }).type(lan.lanUrl, 'AAAA-AAAA')).rejects.toMatchObject({
    code: 'PAIRING_CODE_WRONG',
  });
  await expect(
    desk.getByText('A wrong code was typed 1 time. After 60 wrong codes this pairing is closed.'),
  ).toBeVisible();

  const late = new TestDevice({ serial: 'HUB-LATE', clock: () => Date.now() - 3_600_000 });
  await expect(late.scan(link)).rejects.toMatchObject({ code: 'PAIRING_CLOCK' });
  await expect(desk.getByText(/The clock of the device differs by 1 h 0 min/)).toBeVisible();

  lan.clock.aheadMs += 11 * 60_000;
  await expect(desk.getByRole('heading', { name: 'The code has expired' })).toBeVisible();
  const clock = () => Date.now() + lan.clock.aheadMs;
  await expect(new TestDevice({ serial: 'HUB-OLD', clock }).scan(link)).rejects.toMatchObject({
    code: 'PAIRING_EXPIRED',
  });
  link = await openPairing(desk, () => desk.getByRole('button', { name: 'New code' }).click());
  await desk.reload();
  await expect(desk.getByRole('heading', { name: 'The code is shown only once' })).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme });

    test('axe finds nothing while pairing; the code is dark on light', async ({ desk, lan }) => {
      const link = await openPairing(desk, () => desk.goto('/equipment/pair'));
      await desk.getByText('The device does not find this computer').click();
      await expectAccessible(desk);
      const svg = await desk.getByRole('img', { name: /QR code/ }).getAttribute('src');
      expect(decodeURIComponent(svg ?? '')).toContain('fill="#ffffff"');
      const device = new TestDevice({
        serial: `HUB-${colorScheme}`,
        clock: () => Date.now() + lan.clock.aheadMs,
      });
      await device.scan(link);
      await expect(desk.getByRole('button', { name: 'Yes, both show it' })).toBeVisible();
      await expectAccessible(desk);
      await desk.getByRole('button', { name: 'No, refuse it' }).click();
      await expect(desk.getByRole('button', { name: 'New code' })).toBeVisible();
      await expectAccessible(desk);
    });
  });
}
