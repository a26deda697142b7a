import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';
import { addUser, adminClient, ownStudy } from '../support/study.ts';

test('lets a new user set a password with a code and see what a monitor may see', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const email = `new-${crypto.randomUUID().slice(0, 8)}@clinic.example`;
  await page.goto('/');
  await signIn(page, site);
  await page.getByRole('link', { name: 'Site', exact: true }).click();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('button', { name: 'Add user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('First name').fill('Noor');
  await dialog.getByLabel('Last name').fill('Haddad');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('radio', { name: 'Monitor' }).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create user' }).click();
  const code = await dialog.getByLabel('Password code').textContent();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('row').filter({ hasText: email })).toContainText('Monitor');

  await page.getByRole('button', { name: /Account and settings/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Set password' }).click();
  await page.getByLabel('One-time code').fill(code ?? '');
  await page.getByLabel('New password', { exact: true }).fill('a long enough one');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('Password set.')).toBeVisible();
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await signIn(page, { email, password: 'a long enough one' });
  await page.getByRole('link', { name: 'Site', exact: true }).click();
  await expect(page.getByRole('navigation', { name: 'Site pages' }).getByRole('link')).toHaveText(['State', 'Jobs']);
  await expect(page.getByRole('button', { name: 'Run check' })).toHaveCount(0);
  await page.goto('/site/users');
  await expect(page.getByRole('heading', { name: 'Administrators only' })).toBeVisible();
  expectNoProblems();
});

test('disables and enables a user by keyboard alone', async ({ page, site }) => {
  const study = await ownStudy(site, 'Unused');
  const { id, email } = await addUser(study, 'ANALYST');
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/site/users');
  const row = page.getByRole('row').filter({ hasText: email });
  await row.getByRole('button', { name: /^Disable/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText('Ends all their sessions');
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(row).toContainText('Disabled since');
  await row.getByRole('button', { name: /^Enable/ }).focus();
  await page.keyboard.press('Enter');
  await expect(row.getByText('Active')).toBeVisible();
  expect((await study.client.call('getUser', { params: { userId: id } })).isDisabled).toBe(false);
});

test('adds a member to a study, changes the role and removes the member', async ({ page, site }) => {
  const study = await ownStudy(site, 'Shared');
  const { email } = await addUser(study, 'COORDINATOR');
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${study.studyId}`);
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('button', { name: 'Add member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User').selectOption({ label: `Robin Marsh (${email})` });
  await expect(dialog.getByRole('radio', { name: 'Coordinator' })).toBeChecked();
  await dialog.getByRole('radio', { name: 'Analyst' }).check();
  await dialog.getByRole('button', { name: 'Add member' }).click();
  const row = page.getByRole('row').filter({ hasText: email });
  await expect(row).toContainText('Analyst');
  await row.getByRole('button', { name: /^Change role/ }).click();
  await dialog.getByRole('radio', { name: 'Monitor' }).check();
  await dialog.getByRole('button', { name: 'Change role' }).click();
  await expect(row).toContainText('Monitor');
  await row.getByRole('button', { name: /^Remove/ }).click();
  await dialog.getByLabel('Reason').fill('Left the clinic');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(row).toHaveCount(0);
  const { items } = await study.client.call('listStudyAudit', { params: { studyId: study.studyId } });
  expect(items[0]!.reason).toBe('Left the clinic');
});

test("suggests the user's own role for a new member, never a higher one", async ({ page, site }) => {
  const study = await ownStudy(site, 'Watched');
  const { email } = await addUser(study, 'MONITOR');
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${study.studyId}/members`);
  await page.getByRole('button', { name: 'Add member' }).first().click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('radio', { name: 'Monitor' })).toBeChecked();
  await dialog.getByLabel('User').selectOption({ label: `Robin Marsh (${email})` });
  await expect(dialog.getByRole('radio', { name: 'Monitor' })).toBeChecked();
  await dialog.getByRole('button', { name: 'Add member' }).click();
  await expect(page.getByRole('row').filter({ hasText: email })).toContainText('Monitor');
});

test('creates a webhook, shows its secret once, sends a sample and removes it', async ({ page, site }) => {
  const bodies: string[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.end('taken');
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  try {
    await page.goto('/');
    await signIn(page, site);
    await page.goto('/site/webhooks');
    const isAllowed = page.getByRole('checkbox', { name: 'Allow webhooks to this computer' });
    await isAllowed.click();
    await expect(isAllowed).toBeChecked();
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('no address');
    await dialog.getByLabel('Name').fill('Ward board');
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await expect(dialog.getByText('must be an http or https address').first()).toBeVisible();
    await expect(dialog.getByLabel('Name')).toHaveValue('Ward board');
    await dialog.getByLabel('URL').fill(url);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await expect(dialog.getByLabel('Signing secret')).toHaveText(/^whsec_/);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Send sample' }).click();
    await expect(page.getByText('The receiver accepted the sample.')).toBeVisible();
    expect(JSON.parse(bodies[0]!)).toHaveProperty('action');
    await expect(page.getByRole('row').filter({ hasText: '200 response' })).toHaveCount(1);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
    // The box follows the site's answer, so it is not unchecked at once.
    const local = page.getByRole('checkbox', { name: 'Allow webhooks to this computer' });
    await local.click();
    await expect(local).toBeChecked({ checked: false });
  } finally {
    receiver.close();
  }
});

test('creates, checks and deletes a backup, and checks the whole site', async ({ page, site }) => {
  // Three jobs, which wait for those of other tests on the same site.
  test.setTimeout(180_000);
  const { client } = await adminClient(site);
  // Another flow on the same site leaves backups, and the row of an older one would be taken for that of this flow.
  for (const { id: backupId, directory } of (await client.call('listBackups', {})).items)
    await client.call('deleteBackup', { params: { backupId }, query: { directory } });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/site/backups');
  await page.getByRole('button', { name: 'Back up now' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Back up now' }).click();
  const row = page.getByRole('row').filter({ hasText: 'manual' });
  await expect(row.getByText('Complete')).toBeVisible({ timeout: 40_000 });
  await row.getByRole('button', { name: /^Check backup/ }).click();
  // On a busy site the check waits for its turn. Once it is done, the row must show it.
  const stateOfCheck = async () => {
    const { items } = await client.call('listJobs', { query: { kind: 'verify' } });
    const { state = 'none', error } = items[0] ?? {};
    return error ? `${state}: ${error.message}` : state;
  };
  await expect.poll(stateOfCheck, { timeout: 60_000 }).toBe('done');
  await expect(row.getByText('at creation')).toHaveCount(0, { timeout: 20_000 });
  await row.getByRole('button', { name: /^Delete backup/ }).click();
  await dialog.getByRole('button', { name: 'Delete backup' }).click();
  await expect(row).toHaveCount(0);
  await page.goto('/site');
  await page.getByRole('button', { name: 'Run check' }).click();
  await expect(page.getByText('No problems found')).toBeVisible({ timeout: 45_000 });
});

test('encrypts backups with a passphrase, prints a key sheet and changes the passphrase', async ({ page, site }) => {
  // Each use of a passphrase costs a second of processor time on purpose.
  test.setTimeout(120_000);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-e2e-encrypted-'));
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/site/backups');
  await page.getByRole('button', { name: 'Encrypt backups' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Folder').fill(join(folder, 'encrypted'));
  await dialog.getByLabel('Passphrase', { exact: true }).fill('password2026');
  await expect(dialog.getByText('Strength: weak')).toBeVisible();
  await dialog.getByLabel('Repeat passphrase').fill('password2027');
  await dialog.getByRole('button', { name: 'Encrypt backups' }).click();
  await expect(dialog.getByText('The two passphrases differ.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Suggest a passphrase' }).click();
  const passphrase = (await dialog.getByLabel('Suggested passphrase').textContent()) ?? '';
  await expect(dialog.getByText('Strength: strong')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Encrypt backups' }).click();
  await expect(dialog.getByRole('heading', { name: 'Keep the passphrase safe' })).toBeVisible({ timeout: 30_000 });
  const sheet = page.getByTestId('key-sheet');
  await expect(sheet).toBeHidden();
  await page.emulateMedia({ media: 'print' });
  await expect(sheet).toContainText(join(folder, 'encrypted'));
  await expect(sheet).not.toContainText(passphrase);
  await expect(dialog).toBeHidden();
  await page.emulateMedia({ media: 'screen' });
  await dialog.getByRole('checkbox', { name: 'Print the passphrase' }).check();
  await page.emulateMedia({ media: 'print' });
  await expect(sheet).toContainText(passphrase);
  await page.emulateMedia({ media: 'screen' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(sheet).toHaveCount(0);
  const status = page.getByRole('region', { name: 'Last and next backup' });
  await expect(status.getByText('Encrypted with a passphrase')).toBeVisible();

  expectNoProblems();
  await status.getByRole('button', { name: 'Change passphrase' }).click();
  await dialog.getByLabel('Current passphrase').fill('not the passphrase');
  await dialog.getByLabel('New passphrase').fill('another eight words on paper');
  await dialog.getByLabel('Repeat passphrase').fill('another eight words on paper');
  await dialog.getByRole('button', { name: 'Change passphrase' }).click();
  await expect(dialog.getByText('This is not the passphrase of')).toBeVisible({ timeout: 30_000 });
  await dialog.getByLabel('Current passphrase').fill(passphrase);
  await dialog.getByRole('button', { name: 'Change passphrase' }).click();
  await expect(dialog.getByRole('heading', { name: 'Keep the passphrase safe' })).toBeVisible({ timeout: 30_000 });
  await dialog.getByRole('button', { name: 'Close' }).click();
  // Other tests of this site back up to its own folder.
  await page.getByRole('form', { name: 'Schedule' }).getByLabel('Folder').fill('');
  await page.getByRole('form', { name: 'Schedule' }).getByRole('button', { name: 'Save' }).click();
  await expect(status.getByText('Not encrypted')).toBeVisible();
  await rm(folder, { recursive: true, force: true });
});
