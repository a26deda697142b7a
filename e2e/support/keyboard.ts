/** Drives the desk by keyboard only, as a user without a mouse. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { TestSite } from './desk.ts';

/** Beyond this number of steps, a control does not count as reachable. */
const MOST_STEPS = 80;

export class Keyboard {
  readonly #page: Page;
  readonly #pointers: string[] = [];

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Records every pointer event from here on. Call before opening the page. */
  static async at(page: Page): Promise<Keyboard> {
    const keyboard = new Keyboard(page);
    await page.exposeFunction('noteOfPointer', (what: string) => keyboard.#pointers.push(what));
    await page.addInitScript(() => {
      const { noteOfPointer } = globalThis as unknown as { noteOfPointer: (what: string) => void };
      for (const type of ['pointerdown', 'mousedown', 'wheel'])
        addEventListener(type, (event) => event.isTrusted && noteOfPointer(`${type} on ${location.pathname}`), true);
    });
    return keyboard;
  }

  /** Fails if a pointer was used. */
  expectNoMouse(): void {
    expect(this.#pointers).toEqual([]);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Presses Tab (or Shift+Tab) until the target has the focus, which must be visible and uncovered. */
  async tabTo(target: Locator, { back = false } = {}): Promise<void> {
    await expect(target).toBeVisible();
    for (let step = 0; step < MOST_STEPS && !(await hasFocus(target)); step++)
      await this.press(back ? 'Shift+Tab' : 'Tab');
    await expect(target).toBeFocused();
    // The page may still be scrolling to it.
    await expect.poll(() => target.evaluate(focusProblem)).toBe('');
  }

  /** Tabs to a button or link and presses Enter. */
  async activate(target: Locator, options?: { back?: boolean }): Promise<void> {
    await this.tabTo(target, options);
    await this.press('Enter');
  }

  /** Tabs to a field and replaces its content. */
  async write(field: Locator, text: string): Promise<void> {
    await this.tabTo(field);
    await this.press('ControlOrMeta+a');
    await this.type(text);
  }

  /** Tabs to a select and chooses the option with this name, or whose name starts with it. */
  async choose(list: Locator, name: string): Promise<void> {
    await this.tabTo(list);
    await expect(list.locator('option').filter({ hasText: name })).not.toHaveCount(0);
    const [label, steps] = await list.evaluate((element, wanted) => {
      const { options, selectedIndex } = element as HTMLSelectElement;
      const all = [...options];
      const option = all.find(({ text }) => text === wanted) ?? all.find(({ text }) => text.startsWith(wanted));
      if (!option) throw new Error(`No choice is called ${wanted}.`);
      return [option.text, option.index - selectedIndex] as const;
    }, name);
    for (let step = 0; step < Math.abs(steps); step++) await this.press(steps > 0 ? 'ArrowDown' : 'ArrowUp');
    await expect(list.locator('option:checked')).toHaveText(label);
  }

  /** Tabs to a group of radio buttons and selects one of them. */
  async pick(choice: Locator): Promise<void> {
    await expect(choice).toBeVisible();
    const inGroup = () =>
      choice.evaluate((element) => {
        const group = element.closest('fieldset, [role="radiogroup"]') ?? element.parentElement;
        return group?.contains(document.activeElement) ?? false;
      });
    for (let step = 0; step < MOST_STEPS && !(await inGroup()); step++) await this.press('Tab');
    for (let step = 0; step < 12 && !(await hasFocus(choice)); step++) await this.press('ArrowRight');
    await expect(choice).toBeFocused();
    if (!(await choice.isChecked())) await this.press('Space');
    await expect(choice).toBeChecked();
  }

  /** Runs a command or opens a page through the command palette. */
  async command(text: string, name: string | RegExp = text): Promise<void> {
    await this.press('ControlOrMeta+k');
    await expect(this.#page.getByRole('dialog').getByRole('searchbox')).toBeFocused();
    await this.type(text);
    const item = this.#page.getByRole('menuitem', { name }).first();
    await expect(item).toBeVisible();
    for (let step = 0; step < 10 && (await item.getAttribute('data-focused')) === null; step++) {
      const focused = this.#page.locator('[role="menuitem"][data-focused]');
      await expect(focused).toHaveCount(1);
      if ((await item.getAttribute('data-focused')) === null) await this.press('ArrowDown');
    }
    await this.press('Enter');
    await expect(this.#page.getByRole('dialog').getByRole('searchbox')).toHaveCount(0);
  }

  /** Signs in. Expects the first field to have the focus. */
  async signIn({ email, password }: Pick<TestSite, 'email' | 'password'>): Promise<void> {
    const page = this.#page;
    await expect(page.getByRole('textbox', { name: 'Email' })).toBeFocused();
    await this.type(email);
    await this.press('Tab');
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
    await this.type(password);
    await this.press('Enter');
    await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  }
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);

/** Describes why the focus on the element is not visible (WCAG 2.4.7 and 2.4.11); empty if it is. */
export function focusProblem(element: Element): string {
  const isMarked = (one: Element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  };
  const marked = [element, element.parentElement, element.closest('label')].some((one) => one && isMarked(one));
  if (!marked) return 'no outline shows the focus';
  const box = element.getBoundingClientRect();
  const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
  const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
  if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return 'it is outside of the window';
  const top = document.elementFromPoint(x, y);
  if (top === null || element.contains(top) || top.contains(element)) return '';
  return `it is covered by <${top.tagName.toLowerCase()} class="${top.getAttribute('class') ?? ''}">`;
}
