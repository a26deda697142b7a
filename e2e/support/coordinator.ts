/** A coordinator at the desk: everything by clicks and keys in the browser, a new one on each day of work. */
import type { Browser, BrowserContext, Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { signIn, watchPage } from './desk.ts';
import type { MonthSite } from './month-site.ts';
import { EMPTY_SITE_ADMIN } from './sites.ts';

export class Coordinator {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #expectNoProblems: () => void;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    this.#expectNoProblems = watchPage(page);
  }

  /** Opens the desk with the clock of the site, and signs in. */
  static async arrives(browser: Browser, month: MonthSite): Promise<Coordinator> {
    const context = await browser.newContext({
      baseURL: month.site.url,
      locale: 'en-US',
      timezoneId: 'UTC',
      viewport: { width: 1440, height: 900 },
    });
    // A step that is not possible fails at once, and not with the whole month.
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    await page.clock.install({ time: month.clock() });
    const coordinator = new Coordinator(context, page);
    await page.goto('/');
    await signIn(page, EMPTY_SITE_ADMIN);
    return coordinator;
  }

  /** Ends the day: nothing went wrong on any page. */
  async leaves(): Promise<void> {
    this.#expectNoProblems();
    await this.#context.close();
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  /** A tab of a study or a subject. */
  async tab(name: string): Promise<void> {
    await this.page.getByRole('main').getByRole('link', { name, exact: true }).first().click();
  }

  async press(name: string, within: Page | Locator = this.page): Promise<void> {
    await within.getByRole('button', { name, exact: true }).first().click();
  }

  /** The input of a radio lies under its label. */
  async choose(name: string): Promise<void> {
    await this.page.getByRole('radio', { name, exact: true }).check({ force: true });
  }

  /** Presses the button of the dialog that saves, and waits until it closes. */
  async submit(name: string): Promise<void> {
    await this.press(name, this.dialog);
    await expect(this.dialog).toBeHidden();
  }

  async openToday(): Promise<void> {
    await this.page.getByRole('link', { name: 'Today', exact: true }).first().click();
    await expect(this.page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  }

  async openStudy(name: string): Promise<void> {
    await this.page.getByRole('link', { name: 'Studies', exact: true }).first().click();
    await this.page.getByRole('main').getByRole('link', { name, exact: true }).first().click();
    await expect(this.page.getByRole('heading', { name, level: 1 })).toBeVisible();
  }

  /** Finds a subject in the palette. */
  async openSubject(name: string, tab?: string): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+k');
    await this.page.getByRole('searchbox', { name: 'Search or go to' }).fill(name);
    await this.page.getByRole('menuitem', { name }).first().click();
    await expect(this.page.getByRole('heading', { name, level: 1 })).toBeVisible();
    if (tab !== undefined) await this.tab(tab);
  }

  card(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  visit(name: string): Locator {
    return this.page.getByRole('row', { name: new RegExp(`^${name} `) });
  }

  /** From Today to the visits of a subject. */
  async followVisit(subject: string, visit: string): Promise<void> {
    await this.page.getByRole('link', { name: new RegExp(`^Open visits: ${subject}\\. ${visit}: `) }).click();
    await expect(this.visit(visit)).toBeVisible();
  }

  async visitDone(visit: string, date?: string): Promise<void> {
    await this.press(`Done: ${visit}`);
    if (date !== undefined) await this.dialog.getByLabel('Date', { exact: true }).fill(date);
    await this.submit('Done');
    await expect(this.visit(visit)).toContainText('Done');
  }

  async visitMissed(visit: string, reason = ''): Promise<void> {
    await this.press(`Missed: ${visit}`);
    if (reason !== '') await this.dialog.getByRole('textbox', { name: /^Reason/ }).fill(reason);
    await this.submit('Missed');
    await expect(this.visit(visit)).toContainText('Missed');
  }

  async scheduleVisit(act: 'Schedule' | 'Move', visit: string, date: string, time: string): Promise<void> {
    await this.press(`${act}: ${visit}`);
    await this.dialog.getByLabel('Date', { exact: true }).fill(date);
    await this.dialog.getByLabel('Time (optional)').fill(time);
    await this.submit(act);
    await expect(this.visit(visit)).toContainText(time);
  }

  /** Writes a note about the subject or the study whose notes are on the page. */
  async note(text: string, { kind, followUp }: { kind?: string; followUp?: string } = {}): Promise<void> {
    await this.tab('Notes');
    await this.press('Add note');
    await this.dialog.getByRole('textbox', { name: 'Text' }).fill(text);
    if (kind !== undefined) await this.dialog.getByRole('combobox', { name: 'Kind' }).selectOption(kind);
    if (followUp !== undefined) {
      await this.dialog.getByLabel('Follow up on (optional)').fill(followUp);
      await this.dialog.getByRole('combobox', { name: 'Assigned to' }).selectOption({ index: 1 });
    }
    await this.page.keyboard.press('ControlOrMeta+Enter');
    await expect(this.dialog).toBeHidden();
  }

  /** Creates a token for the phone of a subject, and answers it. */
  async tokenFor(subject: string): Promise<string> {
    await this.openSubject(subject);
    await this.press('Subject');
    await this.page.getByRole('menuitem', { name: 'Sign in phone' }).click();
    await this.press('Create token', this.dialog);
    await this.dialog.getByText('No camera?').click();
    return ((await this.dialog.getByRole('status', { name: 'Sign-in token' }).textContent()) ?? '').trim();
  }

  async importFile(subject: string, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    await this.page.getByRole('link', { name: 'Exports', exact: true }).first().click();
    await this.press('Import files');
    await this.dialog.getByRole('combobox', { name: 'Subject' }).selectOption({ label: subject });
    const choosing = this.page.waitForEvent('filechooser');
    await this.press('Choose files', this.dialog);
    await (await choosing).setFiles([file]);
    await this.dialog.getByRole('combobox', { name: 'Worn at' }).selectOption({ index: 1 });
    await this.press('Import', this.dialog);
    await this.dialog.getByRole('link', { name: 'View recordings' }).click();
    await expect(this.page.getByRole('table').getByRole('row').nth(1)).toBeVisible();
  }

  /** Opens a query about the day that the page of a subject shows first. */
  async openQuery(subject: string, text: string): Promise<void> {
    await this.openSubject(subject);
    await expect(this.page.getByRole('button', { name: /^Open query: / })).toBeVisible();
    await this.page.keyboard.press('q');
    await this.dialog.getByRole('textbox', { name: 'Question' }).fill(text);
    await this.page.keyboard.press('ControlOrMeta+Enter');
    await expect(this.dialog).toBeHidden();
  }

  /** The next step of a query in the list on the page. */
  async queryStep(act: 'Answer' | 'Resolve' | 'Reopen', query: string, text: string, state: string): Promise<void> {
    const row = this.page.getByRole('list', { name: 'Data queries' }).locator('> li').filter({ hasText: query });
    await row.getByRole('button', { name: new RegExp(`^${act}:`) }).click();
    if (text !== '') await this.dialog.getByRole('textbox', { name: 'Text' }).fill(text);
    await this.page.keyboard.press('ControlOrMeta+Enter');
    await expect(row).toHaveAttribute('data-state', state);
  }

  /** Ends the participation of the subject on the page. */
  async withdraw(reason: string, decision: string, date?: string): Promise<void> {
    await this.press('Withdraw', this.card('Status'));
    if (date !== undefined) await this.dialog.getByLabel('Date', { exact: true }).fill(date);
    await this.dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await this.dialog.getByRole('radio', { name: decision }).check();
    await this.submit('Withdraw');
    await expect(this.card('Status')).toContainText(decision);
  }

  async complete(): Promise<void> {
    await this.press('Complete', this.card('Status'));
    await this.submit('Complete');
    await expect(this.card('Status')).toContainText('Completed');
  }

  async consent(version: string): Promise<void> {
    await this.press('Record consent');
    await this.dialog.getByRole('combobox', { name: 'Version of the form' }).selectOption(version);
    await this.submit('Record consent');
    await expect(this.card('Consent')).toContainText(`Version ${version}`);
  }

  async voidConsent(version: string, reason: string): Promise<void> {
    await this.press(`Void consent to version ${version}`);
    await this.dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await this.submit('Void');
  }

  async changeGroup(group: string, reason: string): Promise<void> {
    await this.press('Change group');
    await this.dialog.getByRole('combobox', { name: 'Group' }).selectOption(group);
    await this.dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await this.submit('Change group');
    await expect(this.card('Group')).toContainText(group);
  }
}
