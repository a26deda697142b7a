/** Walks every screen of the phone app on its model in memory: axe, overflow, focus, the size of targets, and a long survey. */
import { type Browser, expect, type Page, test } from '@playwright/test';
import { violationsOf } from '../support/desk.ts';
import { overflowsOf } from '../support/overflow.ts';
import {
  openPhoneScreen,
  PHONE_CONTEXT,
  PHONE_SCREENS,
  type PhoneScreen,
  servePhoneScreens,
} from '../support/phone-screens.ts';

let site: Awaited<ReturnType<typeof servePhoneScreens>>;
test.beforeAll(async () => {
  site = await servePhoneScreens();
});
test.afterAll(async () => await site.close());

interface Look {
  locale: string;
  colorScheme: 'light' | 'dark';
  width: number;
}

async function phonePage(browser: Browser, { locale, colorScheme, width }: Look): Promise<Page> {
  const context = await browser.newContext({
    ...PHONE_CONTEXT,
    locale,
    colorScheme,
    viewport: { width, height: width === 320 ? 568 : 780 },
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    throw error;
  });
  return page;
}

/** Controls that are smaller than a thumb: 48 px high, or wide where they stand alone. Links inside of sentences have none. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a[href], select, textarea, input, label:has(input)')]
      // A field inside of its label is as large as the label.
      .filter((element) => !(element instanceof HTMLInputElement && element.closest('label')))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.height < 47.5 || box.width < 47.5))
      .map(
        ({ element, box }) =>
          `${element.textContent || element.id} is ${Math.round(box.width)} x ${Math.round(box.height)} px`,
      ),
  );

async function problemsOf(page: Page, screen: PhoneScreen): Promise<string[]> {
  await openPhoneScreen(page, site.url, screen);
  const found = [...(await violationsOf(page)), ...(await overflowsOf(page)), ...(await smallTargets(page))];
  // The focus is on the heading, or on what the subject did: never lost.
  const hasFocus = await page.evaluate(() => document.activeElement !== document.body);
  return [...found, ...(hasFocus ? [] : ['the focus is lost'])].map((problem) => `${screen.name}: ${problem}`);
}

// Each screen is seen in both languages, both themes and both widths; not in all eight combinations.
for (const look of [
  { locale: 'en-US', colorScheme: 'light', width: 360 },
  { locale: 'ja-JP', colorScheme: 'dark', width: 320 },
] as const)
  test(`shows every screen without a fault, ${look.locale}, ${look.colorScheme}, ${look.width} px`, async ({
    browser,
  }) => {
    const page = await phonePage(browser, look);
    const problems: string[] = [];
    for (const screen of PHONE_SCREENS) problems.push(...(await problemsOf(page, screen)));
    expect(problems).toEqual([]);
    await page.context().close();
  });
