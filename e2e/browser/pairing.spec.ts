import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { SimulatedHub } from '../../src-server/simulator/hub/hub.ts';
import { TestDevice } from '../../src-server/testing/test-device.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';
import { Keyboard } from '../support/keyboard.ts';
import { test } from '../support/lan-site.ts';
import { removeFolder } from '../support/remove-folder.ts';

test.describe.configure({ mode: 'serial', timeout: 180_000 });

/** Opens the pairing page and returns the text of its QR code. */
async function openPairing(page: Page, open: () => Promise<unknown>): Promise<string> {
  const started = page.waitForResponse(
    (response) => response.url().endsWith('/pairings') && response.request().method() === 'POST',
  );
  await open();
  const { link } = (await (await started).json()) as { link: string };
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible();
  return link;
}

test('pairs a simulated hub for a subject, hands it out and revokes it', async ({ desk, lan }) => {
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
    const { studyId } = lan.place;
    const person = { displayName: 'P-1', timezone: 'Etc/GMT' };
    const { id: subjectId } = await lan.client.call('createSubject', { params: { studyId }, body: person });
    await desk.goto(`/studies/${studyId}/subjects/${subjectId}/equipment`);
    await expect(desk.getByRole('heading', { name: 'No equipment assigned' })).toBeVisible();
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
    await desk.getByRole('button', { name: 'Yes, codes match' }).click();
    await paired;
    await expect(desk.getByRole('heading', { name: 'Bedside hub is paired' })).toBeVisible();
    await hub.contact({ batteryPercent: 64 });
    await expect(desk.getByText('64%')).toBeVisible();
    await expect(desk.getByText('Assigned to')).toBeVisible();

    await desk.getByRole('link', { name: 'View device' }).click();
    await hub.reportManifest([
      { recordingId: crypto.randomUUID(), sensor: 'SN-1', sizeBytes: 5_000_000, startTs: 1000, stopTs: 2000 },
    ]);
    await expect(desk.getByText('1 recording, 5.0 MB')).toBeVisible();
    await desk.getByRole('button', { name: 'Revoke' }).click();
    const dialog = desk.getByRole('dialog');
    await expect(dialog).toContainText('Its access ends now');
    await expect(dialog).toContainText('1 recording (5.0 MB) has not been received.');
    await expectAccessible(desk);
    await dialog.getByRole('textbox').fill('Lost on a train');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await expect(dialog).toBeHidden();
    await expect(desk.getByRole('button', { name: 'Revoke' })).toBeHidden();
    await expect(hub.status()).rejects.toMatchObject({ status: 401 });
    expectNoProblems();
  } finally {
    hub.close();
    await removeFolder(folder);
  }
});

test('pairs a simulated hub by keyboard alone with a typed code', async ({ page, lan }) => {
  const keys = await Keyboard.at(page);
  const expectNoProblems = watchPage(page);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-pairing-'));
  const hub = await SimulatedHub.open({
    folder,
    serial: 'HUB-KEYS',
    displayName: 'Kitchen hub',
    clock: () => Date.now() + lan.clock.aheadMs,
  });
  try {
    await page.goto('/');
    await keys.signIn({ email: TEST_EMAIL, password: TEST_PASSWORD });
    await keys.press('Alt+4');
    await expect(page.getByRole('heading', { name: 'Equipment', level: 1 })).toBeVisible();
    await openPairing(page, () => keys.activate(page.getByRole('link', { name: 'Pair hub or phone' }).first()));
    const code = (await page.getByText(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/).textContent()) ?? '';
    const checkCodes: string[] = [];
    const paired = hub.pair(
      { url: lan.lanUrl, code },
      { onCheckCode: (shown) => void checkCodes.push(shown), collectEveryMs: 50 },
    );
    const question = page.getByRole('heading', { name: /^Do both show/ });
    await expect(question).toBeFocused();
    expect(checkCodes).toHaveLength(1);
    await expect(question).toHaveText(`Do both show ${checkCodes[0]}?`);
    await keys.press('Tab');
    await expect(page.getByRole('button', { name: 'No, refuse device' })).toBeFocused();
    await keys.press('Tab');
    await expect(page.getByRole('button', { name: 'Yes, codes match' })).toBeFocused();
    await keys.press('Enter');
    await paired;
    await expect(page.getByRole('heading', { name: 'Kitchen hub is paired' })).toBeFocused();
    await hub.contact({ batteryPercent: 58 });
    await expect(page.getByText('58%')).toBeVisible();
    await expect(page.getByText('Unassigned. A hub in the clinic needs no subject.')).toBeVisible();
    keys.expectNoMouse();
    expectNoProblems();
  } finally {
    hub.close();
    await removeFolder(folder);
  }
});

test('gives a device no access when the codes differ and the desk refuses it', async ({ desk, lan }) => {
  const link = await openPairing(desk, () => desk.goto('/equipment/pair'));
  const device = new TestDevice({ serial: 'HUB-WRONG', clock: () => Date.now() + lan.clock.aheadMs });
  await device.scan(link);
  await expect(desk.getByRole('heading', { name: /Do both show/ })).toBeVisible();
  const second = new TestDevice({ serial: 'HUB-SECOND', clock: () => Date.now() + lan.clock.aheadMs });
  await expect(second.scan(link)).rejects.toMatchObject({ code: 'PAIRING_USED' });
  await expect(desk.getByText('Refused HUB-SECOND. The code was already used. Create a new one.')).toBeVisible();
  await desk.getByRole('button', { name: 'No, refuse device' }).click();
  await expect(desk.getByRole('heading', { name: 'Device refused' })).toBeVisible();
  await expect(device.collect()).rejects.toMatchObject({ code: 'PAIRING_REFUSED' });
  await openPairing(desk, () => desk.getByRole('button', { name: 'New code' }).click());
});

test('says what to do about an incorrect code, a wrong clock and an expired code', async ({ desk, lan }) => {
  let link = await openPairing(desk, () => desk.goto('/equipment/pair'));
  await expect(new TestDevice({ serial: 'HUB-GUESS' }).type(lan.lanUrl, 'AAAA-AAAA')).rejects.toMatchObject({
    code: 'PAIRING_CODE_WRONG',
  });
  await expect(
    desk.getByText('1 incorrect code entered. The typed code closes after 60; the QR code stays valid.'),
  ).toBeVisible();

  const late = new TestDevice({ serial: 'HUB-LATE', clock: () => Date.now() - 3_600_000 });
  await expect(late.scan(link)).rejects.toMatchObject({ code: 'PAIRING_CLOCK' });
  await expect(desk.getByText(/clock is off by 1 h 0 min/)).toBeVisible();

  const foreign = new TestDevice({ serial: 'HUB-FOREIGN', protocolVersion: 2 });
  await expect(foreign.scan(link)).rejects.toMatchObject({ code: 'PAIRING_VERSION' });
  await expect(desk.getByText(/Refused HUB-FOREIGN\. Its app version is incompatible/)).toBeVisible();

  lan.clock.aheadMs += 11 * 60_000;
  await expect(desk.getByRole('heading', { name: 'Code expired' })).toBeVisible();
  const clock = () => Date.now() + lan.clock.aheadMs;
  await expect(new TestDevice({ serial: 'HUB-OLD', clock }).scan(link)).rejects.toMatchObject({
    code: 'PAIRING_EXPIRED',
  });
  await expect(desk.getByText('Refused HUB-OLD. The code had expired. Create a new one.')).toBeVisible();
  link = await openPairing(desk, () => desk.getByRole('button', { name: 'New code' }).click());
  await desk.reload();
  await expect(desk.getByRole('heading', { name: 'Code no longer available' })).toBeVisible();
});

test('helps when a device does not appear: shows this computer and tests its addresses', async ({ desk, lan }) => {
  await desk.clock.install();
  await openPairing(desk, () => desk.goto('/equipment/pair'));
  const overdue = desk.getByText('No device has connected yet.');
  await expect(overdue).toBeHidden();
  await desk.clock.fastForward(46_000);
  await expect(overdue).toBeVisible();
  const help = desk.getByRole('group').filter({ hasText: "Device can't find this computer" });
  await expect(help).toContainText(hostname());
  await expect(help.getByText(lan.lanUrl)).toBeVisible();
  await expect(help).toContainText('none since the site started listening');
  await desk.getByRole('button', { name: 'Run check' }).click();
  await expect(
    help.getByRole('listitem').filter({ hasText: lan.lanUrl }).getByText('Responds', { exact: true }),
  ).toBeVisible();
  await expect(help).toContainText('no other device has connected');
  await expectAccessible(desk);

  const phone = connect({ port: Number(new URL(lan.lanUrl).port), host: '127.0.0.1', localAddress: '127.0.0.2' });
  await once(phone, 'connect');
  phone.destroy();
  await expect(async () => {
    await desk.clock.fastForward(15_000);
    await expect(desk.getByText('127.0.0.2 reached this site')).toBeVisible();
  }).toPass();
});

test('changes the port, and turns the local network off and on again', async ({ desk, lan }) => {
  const { port } = new URL(lan.lanUrl);
  const taken = new URL(lan.site.url).port;
  await desk.goto('/site/network');
  const card = desk.getByRole('region', { name: 'Local network' });
  await expect(card.getByText(`Outpost was started on port ${port}`)).toBeVisible();
  await card.getByLabel('Port', { exact: true }).fill(taken);
  await card.getByRole('button', { name: 'Save port' }).click();
  await expect(card.getByText(`Port ${taken} for the local network cannot be used`)).toBeVisible();
  await card.getByLabel('Port', { exact: true }).fill(port);
  await card.getByRole('button', { name: 'Save port' }).click();
  await expect(card.getByText(`Outpost was started on port ${port}`)).toBeHidden();
  await card.getByRole('button', { name: 'Turn off' }).click();
  const dialog = desk.getByRole('dialog');
  await expect(dialog).toContainText('Uploads in progress pause and resume later.');
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await expect(dialog).toBeHidden();
  await expect(card.getByText('Off', { exact: true })).toBeVisible();
  await expectAccessible(desk);
  await desk.goto('/equipment/pair');
  await expect(desk.getByText('The local network is off')).toBeVisible();
  await desk.goto('/site/network');
  await card.getByRole('button', { name: 'Turn on' }).click();
  await expect(card.getByText('Listening', { exact: true })).toBeVisible();
  await expect(card.getByText(lan.lanUrl)).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme });

    test('axe finds no violations while pairing, and the code is dark on light', async ({ desk, lan }) => {
      const link = await openPairing(desk, () => desk.goto('/equipment/pair'));
      await desk.getByText("Device can't find this computer").click();
      await expectAccessible(desk);
      const svg = await desk.getByRole('img', { name: /QR code/ }).getAttribute('src');
      expect(decodeURIComponent(svg ?? '')).toContain('fill="#ffffff"');
      const device = new TestDevice({
        serial: `HUB-${colorScheme}`,
        clock: () => Date.now() + lan.clock.aheadMs,
      });
      await device.scan(link);
      await expect(desk.getByRole('button', { name: 'Yes, codes match' })).toBeVisible();
      await expectAccessible(desk);
      await desk.getByRole('button', { name: 'No, refuse device' }).click();
      await expect(desk.getByRole('button', { name: 'New code' })).toBeVisible();
      await expectAccessible(desk);
    });
  });
}
