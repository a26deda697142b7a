/** Walks every screen of the phone app on its model in memory: axe, overflow, focus, the size of targets, and a long survey. */
import { type Browser, type CDPSession, expect, type Page, test } from '@playwright/test';
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

/** What the language and the width can change; the rest of the page is the same and was looked at before. */
const RULES_OF_LOOKS = ['target-size', 'button-name', 'link-name', 'label', 'image-alt', 'html-has-lang'];

async function problemsOf(page: Page, screen: PhoneScreen, rules?: readonly string[]): Promise<string[]> {
  await openPhoneScreen(page, site.url, screen);
  // What lies below a bar that stays on the screen can be scrolled out from under it; axe counts it as too small a target.
  await page.evaluate(() => {
    for (const bar of document.querySelectorAll<HTMLElement>('[class*="foot"], [class*="actions"]'))
      bar.style.position = 'static';
  });
  const found = [...(await violationsOf(page, rules)), ...(await overflowsOf(page)), ...(await smallTargets(page))];
  // The focus is on the heading, or on what the subject did: never lost.
  const hasFocus = await page.evaluate(() => document.activeElement !== document.body);
  return [...found, ...(hasFocus ? [] : ['the focus is lost'])].map((problem) => `${screen.name}: ${problem}`);
}

/** Attributes that styles depend on. */
const STATES = ['aria-disabled', 'aria-current', 'disabled', 'checked', 'open', 'type'];

/** Where texts stand: what a theme gives a colour to. Each is an element and those around it, with their classes and states. */
const colourPlacesOf = (page: Page): Promise<string[]> =>
  page.evaluate((states) => {
    const nameOf = ({ tagName, classList, attributes }: Element) =>
      [
        tagName,
        ...classList,
        ...[...attributes].flatMap(({ name, value }) => (states.includes(name) ? name + value : [])),
      ].join();
    const pathOf = (element: Element): string =>
      element.parentElement ? `${pathOf(element.parentElement)} > ${nameOf(element)}` : nameOf(element);
    const texts = [...document.body.querySelectorAll('*')].filter(
      (element) =>
        element.matches('input, textarea') ||
        [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== ''),
    );
    return [...new Set(texts.map(pathOf))];
  }, STATES);

/** Few screens that together have every place of a colour. */
function screensOfAllColours(places: ReadonlyMap<PhoneScreen, readonly string[]>): PhoneScreen[] {
  const missing = new Set([...places.values()].flat());
  const chosen: PhoneScreen[] = [];
  while (missing.size > 0) {
    const gain = (screen: PhoneScreen) => places.get(screen)!.filter((place) => missing.has(place)).length;
    const best = [...places.keys()].reduce((most, screen) => (gain(screen) > gain(most) ? screen : most));
    for (const place of places.get(best)!) missing.delete(place);
    chosen.push(best);
  }
  return chosen;
}

// A theme changes colours alone, so it is looked at on as many screens as have them all; each language on every screen.
for (const { otherThemes, ...look } of [
  { locale: 'en-US', colorScheme: 'light', width: 360, rules: undefined, otherThemes: ['dark'] },
  { locale: 'ja-JP', colorScheme: 'dark', width: 320, rules: RULES_OF_LOOKS, otherThemes: ['dark', 'light'] },
] as const)
  test(`shows every screen without a fault, ${look.locale}, ${look.width} px, in both themes`, async ({ browser }) => {
    test.slow();
    const page = await phonePage(browser, look);
    const problems: string[] = [];
    const places = new Map<PhoneScreen, string[]>();
    for (const screen of PHONE_SCREENS) {
      problems.push(...(await problemsOf(page, screen, look.rules)));
      places.set(screen, await colourPlacesOf(page));
    }
    for (const colorScheme of otherThemes) {
      await page.emulateMedia({ colorScheme });
      for (const screen of screensOfAllColours(places)) {
        await openPhoneScreen(page, site.url, screen);
        const found = await violationsOf(page, ['color-contrast']);
        problems.push(...found.map((problem) => `${screen.name}, ${colorScheme}: ${problem}`));
      }
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

/**
 * Scrolls from top to bottom, 120 px a frame. The times are printed, not held: other programs on this machine decide them too.
 * @returns how many layouts came on one frame
 */
async function scrollThrough(page: Page, session: CDPSession, name: string): Promise<number> {
  const costs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const secondsOf = (metric: string) => metrics.find((one) => one.name === metric)?.value ?? 0;
    return [
      secondsOf('TaskDuration'),
      secondsOf('ScriptDuration'),
      secondsOf('RecalcStyleDuration'),
      secondsOf('LayoutDuration'),
      secondsOf('LayoutCount') / 1000,
    ];
  };
  const before = await costs();
  const frames = await page.evaluate(async () => {
    const times: number[] = [];
    scrollTo(0, 0);
    let last = await new Promise(requestAnimationFrame);
    const height = document.documentElement.scrollHeight - innerHeight;
    for (let at = 0; at < height; at += 120) {
      scrollTo(0, at);
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times.sort((a, b) => a - b);
  });
  const after = await costs();
  const [work, script, style, layout, layouts] = after.map((seconds, index) =>
    (((seconds - (before[index] ?? 0)) * 1000) / frames.length).toFixed(1),
  );
  const at = (share: number) => (frames[Math.floor((frames.length - 1) * share)] ?? 0).toFixed(1);
  console.log(
    `${name}: ${frames.length} frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms; work a frame ${work} ms ` +
      `(script ${script}, style ${style}, layout ${layout}), ${layouts} layouts a frame`,
  );
  return Number(layouts);
}

test('scrolls the list of 200 questions on a processor four times slower without laying anything out', async ({
  browser,
}) => {
  const page = await phonePage(browser, { locale: 'en-US', colorScheme: 'light', width: 360 });
  await openPhoneScreen(page, site.url, { name: 'overview', state: 'long', path: '/draft/draft-long/all' });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  // Rows that were laid out only near the screen (content-visibility) cost 7 ms of each frame: one in seven was late.
  expect(await scrollThrough(page, session, 'the survey')).toBeLessThan(0.2);
  // The floor of this machine at this moment: a page as high, with nothing on it.
  await page.evaluate(() => {
    const height = document.documentElement.scrollHeight;
    document.body.replaceChildren(Object.assign(document.createElement('div'), { style: `height: ${height}px` }));
  });
  await scrollThrough(page, session, 'an empty page of the same height');
  await page.context().close();
});

test('sends a picture made smaller, without the notes of the camera, and says which it cannot read', async ({
  browser,
}) => {
  const page = await phonePage(browser, { locale: 'en-US', colorScheme: 'light', width: 360 });
  await openPhoneScreen(page, site.url, { name: 'messages', state: 'due', path: '/messages' });
  const plain = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(2400, 1200);
    canvas.getContext('2d')!.fillRect(0, 0, 100, 100);
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg' })).arrayBuffer())];
  });
  const note = Buffer.from('Exif\0\0a place and a time');
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, note.length + 2]), note]);
  const photo = Buffer.concat([Buffer.from(plain.slice(0, 2)), segment, Buffer.from(plain.slice(2))]);
  const field = page.getByLabel('Picture', { exact: true });

  await field.setInputFiles({ name: 'photo.heic', mimeType: 'image/heic', buffer: Buffer.from('not decodable here') });
  await expect(page.getByRole('alert').filter({ hasText: 'HEIC' })).toBeVisible();
  await field.setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo });
  await expect(page.getByAltText('Picture 1')).toBeVisible();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.evaluate(() => window.phoneModel?.snapshot().messages.length)).toBe(4);
  const sent = await page.evaluate(async () => {
    const [picture] = window.phoneModel!.snapshot().messages.at(-1)!.pictures;
    const blob = await (await fetch(picture!.url!)).blob();
    const { width, height } = await createImageBitmap(blob);
    return { type: blob.type, width, height, hasNote: (await blob.text()).includes('Exif') };
  });
  expect(sent).toEqual({ type: 'image/jpeg', width: 1600, height: 800, hasNote: false });
  await page.context().close();
});
