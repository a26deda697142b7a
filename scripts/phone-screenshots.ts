/**
 * Pictures of the phone app's screens and of the page about the certificate, for `screenshots.ts`: 360 and 320 px, both themes and
 * languages, and text of twice the size.
 */
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { overflowsOf } from '../e2e/support/overflow.ts';
import {
  openPhoneScreen,
  PHONE_CONTEXT,
  PHONE_SCREENS,
  type PhoneScreen,
  servePhoneScreens,
} from '../e2e/support/phone-screens.ts';
import { TRUST_SCRIPT, TRUST_STYLE } from '../src-server/api/trust-pages/assets.ts';
import { type TrustPageFacts, trustPage } from '../src-server/api/trust-pages/page.ts';
import { SCRIPT_PATH, STYLE_PATH, TRUST_PATH } from '../src-server/api/trust-pages/paths.ts';

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

type PhonePicture = PhoneScreen | { name: string; trustOn: TrustPageFacts['system'] };

/** Names of the pictures begin with `phone-`, apart from those of the desk. */
export const PHONE_PICTURES: readonly PhonePicture[] = [
  ...PHONE_SCREENS.map((screen) => ({ ...screen, name: `phone-${screen.name}` })),
  { name: 'phone-trust-android', trustOn: 'ANDROID' },
  { name: 'phone-trust-ios', trustOn: 'IOS' },
  { name: 'phone-trust-other', trustOn: 'OTHER' },
];

/** Shows the page of the site, which needs no site for its picture. */
async function openTrustPage(page: Page, url: string, facts: Pick<TrustPageFacts, 'language' | 'system'>) {
  const root = {
    name: 'Lakeside Heart Clinic (Outpost)',
    fingerprint: '3fa94c07d1'.repeat(7).slice(0, 64),
    hostName: 'lakeside-heart.local',
  };
  const body = trustPage({ ...facts, siteName: 'Lakeside Heart Clinic', root, otherUrl: undefined });
  for (const [path, contentType, content] of [
    [TRUST_PATH, 'text/html', body],
    [STYLE_PATH, 'text/css', TRUST_STYLE],
    [SCRIPT_PATH, 'text/javascript', TRUST_SCRIPT],
  ] as const)
    await page.route(new URL(path, url).href, (route) => route.fulfill({ contentType, body: content }));
  await page.goto(new URL(TRUST_PATH, url).href);
  await page.getByRole('status').filter({ hasText: /./ }).waitFor();
}

/** Takes the pictures into a folder, and describes what overflows. */
export async function takePhonePictures(
  browser: Browser,
  target: string,
  pictures: readonly PhonePicture[],
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
      for (const picture of pictures) {
        const name = `${picture.name}-${lookName}`;
        const isTrust = 'trustOn' in picture;
        if (isTrust) {
          const language = locale === 'ja-JP' ? 'ja' : 'en';
          await openTrustPage(page, site.url, { language, system: picture.trustOn });
        } else await openPhoneScreen(page, site.url, picture);
        await page.screenshot({ path: join(target, `${name}.png`), fullPage: isTrust });
        problems.push(...(await overflowsOf(page)).map((found) => `${name}: ${found}`));
        if (isTrust) await page.goto('about:blank');
      }
      await context.close();
    }
  } finally {
    await site.close();
  }
  return problems;
}
