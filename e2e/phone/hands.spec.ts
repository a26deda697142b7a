/** What hands do to the screens: tap twice, tap nothing, go back, leave in the middle and return. On the model in memory. */
import { type Browser, expect, type Page, test } from '@playwright/test';
import type { PhoneSnapshot } from '../../src-renderer/phone/model.ts';
import { openPhoneScreen, PHONE_CONTEXT, type PhoneScreen, servePhoneScreens } from '../support/phone-screens.ts';

let site: Awaited<ReturnType<typeof servePhoneScreens>>;
test.beforeAll(async () => {
  site = await servePhoneScreens();
});
test.afterAll(async () => await site.close());

async function phoneAt(browser: Browser, screen: Omit<PhoneScreen, 'name'>): Promise<Page> {
  const context = await browser.newContext({
    ...PHONE_CONTEXT,
    locale: 'en-US',
    viewport: { width: 360, height: 780 },
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    throw error;
  });
  await openPhoneScreen(page, site.url, { name: '', ...screen });
  return page;
}

const change = (page: Page, changes: Partial<PhoneSnapshot>) =>
  page.evaluate((one) => window.phoneModel?.change(() => one), changes);

const picture = async (page: Page, side = 60) => ({
  name: 'skin.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    await page.evaluate(async (size) => {
      const canvas = new OffscreenCanvas(size, size);
      canvas.getContext('2d')!.fillRect(0, 0, 10, 10);
      return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
    }, side),
  ),
});

const tab = (page: Page, name: RegExp) => page.getByRole('navigation').getByRole('link', { name }).tap();

test('keeps half a message, with its picture, while the subject looks at Today', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'due', path: '/messages' });
  const field = page.getByRole('textbox');
  await field.fill('The strap');
  await page.getByLabel('Picture', { exact: true }).setInputFiles(await picture(page));
  await expect(page.getByAltText('Picture 1')).toBeVisible();
  await tab(page, /^Today/);
  await tab(page, /^Messages/);
  await expect(field).toHaveValue('The strap');
  await expect(page.getByAltText('Picture 1')).toBeVisible();
  await field.fill('The strap itches.');
  await page.getByRole('button', { name: 'Send' }).tap();
  await expect(page.getByText('The strap itches.')).toBeVisible();
  await tab(page, /^Today/);
  await tab(page, /^Messages/);
  await expect(field).toHaveValue('');
  await expect(page.getByAltText('Picture 1')).toBeHidden();
  await page.context().close();
});

test('keeps a problem that is half described, and starts the next one empty', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'due', path: '/problem' });
  const skin = page.getByRole('radio', { name: 'My skin itches or is sore' });
  await skin.check();
  await page.getByRole('textbox').fill('Red');
  await page.getByRole('button', { name: 'Back' }).tap();
  await page.getByRole('link', { name: 'Report a problem' }).tap();
  await expect(page.getByRole('textbox')).toHaveValue('Red');
  await expect(skin).toBeChecked();
  await page.getByRole('button', { name: 'Send' }).tap();
  await expect(page.getByText('Your study team will get this')).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).tap();
  await page.getByRole('link', { name: 'Report a problem' }).tap();
  await expect(skin).not.toBeChecked();
  await expect(page.getByRole('textbox')).toHaveValue('');
  await page.context().close();
});

test('sends a problem only once its picture is ready', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'due', path: '/problem' });
  // A slow phone: the picture takes until it is let go.
  await page.evaluate(() => {
    const { createImageBitmap: real } = window;
    const gate = new Promise<void>((resolve) => Object.assign(window, { letGo: resolve }));
    Object.assign(window, {
      createImageBitmap: async (blob: Blob, options: ImageBitmapOptions) => {
        await gate;
        return await real(blob, options);
      },
    });
  });
  await page.getByRole('radio', { name: 'Something else' }).check();
  await page.getByLabel('Picture', { exact: true }).setInputFiles(await picture(page));
  await expect(page.getByText('Preparing picture…')).toBeVisible();
  await page.getByRole('button', { name: 'Send' }).dispatchEvent('click');
  await page.evaluate(() => (window as unknown as { letGo: () => void }).letGo());
  await expect(page.getByAltText('Picture 1')).toBeVisible();
  await page.getByRole('button', { name: 'Send' }).tap();
  await expect(page.getByText('Your study team will get this')).toBeVisible();
  const sent = await page.evaluate(() => window.phoneModel!.snapshot().messages.at(-1));
  expect([sent?.isProblem, sent?.pictures.length]).toEqual([true, 1]);
  await page.context().close();
});

test('takes the sentence about too many pictures away once there are fewer', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'due', path: '/messages' });
  const one = await picture(page);
  await page.getByLabel('Picture', { exact: true }).setInputFiles([one, one, one, one, one]);
  await expect(page.getByText('You can send up to 4 pictures at once.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove picture 4' }).tap();
  await expect(page.getByText('You can send up to 4 pictures at once.')).toBeHidden();
  await page.context().close();
});

test('leads back from a sent survey to Today, past its questions', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'due', path: '/today' });
  await page.getByRole('button', { name: 'Begin Morning questions' }).tap();
  for (let question = 1; question <= 9; question++) {
    await expect(page.getByText(`Question ${question} of 9`, { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Skip' }).tap();
    const anyway = page.getByRole('button', { name: 'Skip anyway' });
    if (await anyway.isVisible()) await anyway.tap();
  }
  await page.getByRole('button', { name: 'Send' }).tap();
  await expect(page.getByRole('heading', { name: 'Sent' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Good morning' })).toBeVisible();
  await expect(page).toHaveURL(/#\/today$/);
  await page.context().close();
});

test('says of a report that waits or was refused what became of it', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'allDone', path: '/done/2026-11-20/morning/report-1' });
  const item = { id: 'report-1', kind: 'REPORT', title: 'Morning questions', createdTs: 0 } as const;
  await expect(page.getByRole('heading', { name: 'Sent' })).toBeVisible();
  await change(page, { waiting: [{ ...item, state: 'WAITING' }] });
  await expect(page.getByRole('heading', { name: 'Kept on this phone' })).toBeVisible();
  await change(page, { waiting: [{ ...item, state: 'REFUSED', code: 'NOT_FOUND' }] });
  await expect(page.getByRole('heading', { name: 'Not accepted' })).toBeVisible();
  // A day that the phone's program does not know any more.
  await change(page, { waiting: [], days: [] });
  await expect(page.getByRole('heading', { name: 'Sent' })).toBeVisible();
  await page.context().close();
});

test('does not count an empty code as a try', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'locked', path: '/today' });
  const tries = await page.evaluateHandle(() => {
    const { actions } = window.phoneModel!;
    const made: string[] = [];
    const { unlock } = actions;
    actions.unlock = (code) => {
      made.push(code);
      return unlock(code);
    };
    return made;
  });
  for (const code of ['', '246']) {
    await page.getByLabel('Your code').fill(code);
    await page.getByRole('button', { name: 'Unlock' }).tap();
    await expect(page.getByText('The code needs 4 to 8 digits.')).toBeVisible();
  }
  await page.getByLabel('Your code').fill('2468');
  await page.getByRole('button', { name: 'Unlock' }).tap();
  await expect(page.getByRole('heading', { name: 'Good morning' })).toBeVisible();
  expect(await tries.jsonValue()).toEqual(['2468']);
  await page.context().close();
});

test('enters the time of the site for a phone whose clock is three hours wrong', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'started', path: '/draft/draft-morning/6' });
  await change(page, { clock: { state: 'MEASURED', offsetMs: 3 * 3_600_000, uncertaintyMs: 40 } });
  await page.getByRole('button', { name: 'Now' }).tap();
  // 09:24 by the phone.
  await expect(page.locator('input[type=time]')).toHaveValue('12:24');
  await page.context().close();
});

test('says why there is nothing to compare yet when the clinic is out of reach after the sign-in', async ({
  browser,
}) => {
  const page = await phoneAt(browser, { state: 'due', path: '/confirm' });
  const notice = page.getByText(/so your code and your study cannot be shown yet/);
  await expect(notice).toBeHidden();
  await page.evaluate(() =>
    window.phoneModel?.change(() => ({
      subjectName: undefined,
      studyName: undefined,
      connection: { state: 'OFFLINE' },
    })),
  );
  await expect(notice).toBeVisible();
  await page.context().close();
});

test('sets Arabic text from the right, in questions, choices and messages', async ({ browser }) => {
  const page = await phoneAt(browser, { state: 'due', path: '/messages' });
  await page.evaluate(() =>
    window.phoneModel?.change(({ messages }) => ({
      messages: messages.map((message) => ({ ...message, body: 'مرحبا، كيف حالك؟\nA line' })),
    })),
  );
  const gaps = await page
    .getByText('مرحبا، كيف حالك؟')
    .last()
    .evaluate((paragraph) => {
      const range = document.createRange();
      range.setStart(paragraph.firstChild!, 0);
      range.setEnd(paragraph.firstChild!, 5);
      const [text, box] = [range.getBoundingClientRect(), paragraph.getBoundingClientRect()];
      return { right: Math.round(box.right - text.right), left: Math.round(text.left - box.left) };
    });
  expect(gaps.right).toBeLessThan(2);
  expect(gaps.left).toBeGreaterThan(40);
  await page.getByRole('textbox').fill('مرحبا');
  expect(await page.getByRole('textbox').evaluate((field) => getComputedStyle(field).unicodeBidi)).toBe('plaintext');
  await page.context().close();
});
