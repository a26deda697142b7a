import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';
import { addUser, ownStudy } from '../support/study.ts';

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
