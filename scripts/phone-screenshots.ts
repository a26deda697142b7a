/** Pictures of the phone app's screens, for `screenshots.ts`: 360 and 320 px, both themes and languages, and text of twice the size. */
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { overflowsOf } from '../e2e/support/overflow.ts';
import { openPhoneScreen, PHONE_CONTEXT, PHONE_SCREENS, servePhoneScreens } from '../e2e/support/phone-screens.ts';

export interface PhoneLook {
  name: string;
  locale: string;
  theme: 'light' | 'dark';
  size: { width: number; height: number };
  textPercent: number;
}

const SIZES = [
  { width: 360, height: 780, textPercent: 100 },
  { width: 320, height: 568, textPercent: 100 },
  { width: 360, height: 780, textPercent: 200 },
] as const;

export const PHONE_LOOKS: readonly PhoneLook[] = (['en', 'ja'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    SIZES.map(({ width, height, textPercent }) => ({
      name: `${language}-${theme}-${width}${textPercent === 100 ? '' : '-large'}`,
      locale: language === 'ja' ? 'ja-JP' : 'en-US',
      theme,
      size: { width, height },
      textPercent,
    })),
  ),
);

/** Names of the pictures begin with `phone-`, apart from those of the desk. */
export const PHONE_PICTURES = PHONE_SCREENS.map((screen) => ({ ...screen, name: `phone-${screen.name}` }));

/** Takes the pictures into a folder, and describes what overflows. */
export async function takePhonePictures(
  browser: Browser,
  target: string,
  screens: readonly (typeof PHONE_PICTURES)[number][],
  looks: readonly PhoneLook[],
): Promise<string[]> {
  const site = await servePhoneScreens();
  const problems: string[] = [];
  try {
    for (const { name: lookName, locale, theme, size, textPercent } of looks) {
      const context = await browser.newContext({ ...PHONE_CONTEXT, locale, colorScheme: theme, viewport: size });
      const page = await context.newPage();
      if (textPercent !== 100)
        await page.addInitScript((percent) => {
          const enlarge = () => {
            // As a phone does it: the size of the page's text, without a change of its width.
            document.documentElement.style.fontSize = `${1.0625 * percent}%`;
          };
          addEventListener('DOMContentLoaded', enlarge);
        }, textPercent);
      for (const screen of screens) {
        const name = `${screen.name}-${lookName}`;
        await openPhoneScreen(page, site.url, screen);
        await page.screenshot({ path: join(target, `${name}.png`) });
        problems.push(...(await overflowsOf(page)).map((found) => `${name}: ${found}`));
      }
      await context.close();
    }
  } finally {
    await site.close();
  }
  return problems;
}
