/** An ECG strip measured on the paper it prints on: the PDF is rendered at 600 dpi and measured in its pixels. */
import { expect, type Page, test } from '@playwright/test';
import { type Box, hasPoppler, type RenderedPage, RenderedPdf } from '../support/rendered-pdf.ts';
import { MISSING_MINUTE, SIGNALS_START_MS, type SignalSite, startSignalSite } from '../support/signal-site.ts';

const DPI = 600;
/** The bar: half a percent. */
const near = (value: number, expected: number) =>
  expect(Math.abs(value / expected - 1), `${value.toFixed(3)} mm instead of ${expected} mm`).toBeLessThan(0.005);
/** Greys of what is drawn: a trace and ticks are dark, the grid is light, and bold lines are darker than fine ones. */
const DARK = [0, 150] as const;
const GRID = [0, 250] as const;

let signals: SignalSite;
test.beforeAll(async () => {
  signals = await startSignalSite();
});
test.afterAll(() => signals.close());

// Measured on the paper alone: without poppler's programs there is nothing to measure with.
test.skip(!hasPoppler, 'pdftoppm is not installed (Debian package poppler-utils): the PDF cannot be measured.');

/** The print view, once everything that prints is there. */
async function openStrip(
  page: Page,
  fromMs: number,
  lengthMs: number,
  paper: 'a4' | 'letter',
  site = signals,
): Promise<void> {
  const [path = ''] = site.signals(fromMs).split('?');
  await page.goto(`/print${path}?from=${fromMs}&to=${fromMs + lengthMs}&paper=${paper}`);
  await expect(page.locator('[data-testid=sheets][data-ready=true]')).toBeVisible();
}

/** As Electron's printToPDF with the same choice: the style sheet decides the size of the paper. */
const printed = async (page: Page) =>
  new RenderedPdf(await page.pdf({ preferCSSPageSize: true, printBackground: true }));

/** Where the paper of a line is on its sheet, roughly: only to know where to look. */
async function paperOf(page: Page, line: number): Promise<Box> {
  const box = await page
    .locator('section')
    .first()
    .evaluate((sheet, index) => {
      const mm = 96 / 25.4;
      const origin = sheet.getBoundingClientRect();
      const picture = sheet.querySelectorAll('svg[role=img]')[index]!.getBoundingClientRect();
      return { left: (picture.left - origin.left) / mm, top: (picture.top - origin.top) / mm };
    }, line);
  // The picture begins half a millimetre before the paper, and with the marks of time above it.
  return { left: box.left + 0.5, top: box.top + 5, right: box.left + 260.5, bottom: box.top + 40 };
}

/** The first line of a strip that begins with a pulse of 1 mV from its third second to its fourth. */
function measureLine(sheet: RenderedPage, paper: Box): void {
  const seconds = { left: paper.left + 9, right: paper.right + 0.6, top: paper.top - 0.7, bottom: paper.top - 0.2 };
  const ticks = sheet.lines(seconds, 'upright', ...DARK);
  expect(ticks).toHaveLength(11);
  for (const [i, x] of ticks.slice(1).entries()) near(x - ticks[i]!, 25);
  near(ticks.at(-1)! - ticks[0]!, 250);

  // Above the trace and below it there is nothing but the grid.
  const above = {
    ...paper,
    left: paper.left - 0.3,
    right: paper.right + 0.3,
    top: paper.top + 1.2,
    bottom: paper.top + 3.8,
  };
  const upright = sheet.lines(above, 'upright', ...GRID);
  expect(upright).toHaveLength(261);
  near(upright.at(-1)! - upright[0]!, 260);
  for (const [i, x] of upright.slice(1).entries()) expect(Math.abs(x - upright[i]! - 1)).toBeLessThan(0.06);
  const beside = { left: paper.left + 0.2, right: paper.left + 0.8, top: paper.top - 0.3, bottom: paper.bottom + 0.3 };
  const lying = sheet.lines(beside, 'lying', ...GRID);
  expect(lying).toHaveLength(36);
  near(lying.at(-1)! - lying[0]!, 35);

  // The calibration pulse: two feet and a top.
  const foot = sheet.lines({ ...paper, left: paper.left + 1.8, right: paper.left + 2.6 }, 'lying', ...DARK);
  const top = sheet.lines({ ...paper, left: paper.left + 4, right: paper.left + 7 }, 'lying', ...DARK);
  expect([foot.length, top.length]).toEqual([1, 1]);
  near(foot[0]! - top[0]!, 10);

  // The signal: 1 mV between 2 s and 3 s, on a zero line that continues the foot of the calibration pulse.
  const second = (at: number) => ticks[0]! + 25 * at;
  const between = (from: number, to: number) => ({ ...paper, left: second(from), right: second(to) });
  const [zero] = sheet.lines(between(1, 1.9), 'lying', ...DARK);
  const [high] = sheet.lines(between(2.1, 2.9), 'lying', ...DARK);
  near(zero! - high!, 10);
  expect(Math.abs(zero! - foot[0]!)).toBeLessThan(0.06);
  const edges = sheet.lines({ ...between(1.5, 3.5), top: high! + 1, bottom: zero! - 1 }, 'upright', ...DARK);
  expect(edges).toHaveLength(2);
  near(edges[1]! - edges[0]!, 25);
  // One sample of 4 ms, a tenth of a millimetre, lies between the last low and the first high.
  expect(Math.abs(edges[0]! - second(2))).toBeLessThan(0.12);
}

/** The ruler at the foot of a sheet: by it a person sees whether a printer changed the size. */
async function measureRuler(page: Page, pdf: RenderedPdf): Promise<void> {
  const ruler = await page
    .locator('section footer svg')
    .first()
    .evaluate((svg) => {
      const origin = svg.closest('section')!.getBoundingClientRect();
      const place = svg.getBoundingClientRect();
      return { left: (place.left - origin.left) * (25.4 / 96), top: (place.top - origin.top) * (25.4 / 96) };
    });
  const box = { left: ruler.left, right: ruler.left + 53, top: ruler.top + 2.4, bottom: ruler.top + 3.3 };
  const ticks = pdf.page(1, DPI, { top: ruler.top, bottom: ruler.top + 5 }).lines(box, 'upright', ...DARK);
  expect(ticks).toHaveLength(6);
  for (const [i, x] of ticks.slice(1).entries()) near(x - ticks[i]!, 10);
  near(ticks.at(-1)! - ticks[0]!, 50);
}

const SHEETS = { a4: [297, 210], letter: [279.4, 215.9] } as const;
const SECOND_MS = 1000;

for (const [paper, locale, rateHz] of [
  ['a4', 'en-US', 250],
  ['a4', 'ja-JP', 500],
  ['letter', 'en-US', 256],
  ['letter', 'ja-JP', 250],
] as const)
  test(`draws 25 mm/s and 10 mm/mV on ${paper}, ${locale}, ${rateHz} Hz`, async ({ browser }) => {
    const site = rateHz === 250 ? signals : await startSignalSite(rateHz);
    // The pixel ratio of a screen must not reach the paper.
    const page = await site.open(browser, { locale, deviceScaleFactor: paper === 'a4' ? 1 : 1.75 });
    await openStrip(page, SIGNALS_START_MS, 60 * SECOND_MS, paper, site);
    const place = await paperOf(page, 0);
    const pdf = await printed(page);
    try {
      const sizes = pdf.sizes();
      expect(sizes).toHaveLength(2);
      for (const size of sizes)
        for (const side of [0, 1] as const) expect(Math.abs(size[side] - SHEETS[paper][side])).toBeLessThan(0.3);
      measureLine(pdf.page(1, DPI, { top: place.top - 6, bottom: place.bottom + 1 }), place);
      await measureRuler(page, pdf);
      expect(pdf.images()).toEqual([]);
      for (const [index, text] of pdf.texts().entries()) expectHeader(text, index, locale);
    } finally {
      pdf.remove();
      await page.context().close();
      if (site !== signals) await site.close();
    }
  });

function expectHeader(text: string, index: number, locale: 'en-US' | 'ja-JP'): void {
  const seconds = index === 0 ? '06:00:00 – 06:00:40' : '06:00:40 – 06:01:00';
  const both = ['Test clinic', 'Test study', 'Subject 1', 'AA:BB:CC:00:00:01', '25 mm/s', '10 mm/mV'];
  const own =
    locale === 'en-US'
      ? [`Page ${index + 1} of 2`, 'No filter', 'Mid-chest', 'Not for real-time monitoring, diagnosis or alarms.']
      : [`${index + 1} / 2ページ`, 'フィルターなし', '胸部中央', '監視、診断、警報には使用できません。'];
  // pdftotext guesses spaces from distances.
  const plain = (words: string) => words.replaceAll(/\s/g, '');
  for (const words of [...both, ...own, `2026-01-15 ${seconds}, US/Eastern (UTC-05:00)`])
    expect(plain(text)).toContain(plain(words));
}

test('prints what the viewer shows, and draws gaps as gaps', async ({ browser }) => {
  const page = await signals.open(browser, { colorScheme: 'dark' });
  const gapMs = SIGNALS_START_MS + MISSING_MINUTE * 60 * SECOND_MS;
  await page.goto(signals.signals(gapMs));
  await expect(page.getByTestId('scale')).toContainText('25 mm/s');
  await page.getByRole('combobox', { name: 'Display filter' }).selectOption('band50');
  await page.keyboard.press('p');
  await expect(page.locator('[data-testid=sheets][data-ready=true]')).toBeVisible();
  await expect(page.getByText('Filtered 0.5–40 Hz, 50 Hz notch').first()).toBeVisible();
  const [from, to] = ['from', 'to'].map((name) => Number(new URL(page.url()).searchParams.get(name)));
  expect(from).toBeLessThan(gapMs);
  expect(to).toBeGreaterThan(gapMs);

  // Without the filter the line before the gap is flat, and known.
  await openStrip(page, gapMs - 5 * SECOND_MS, 75 * SECOND_MS, 'a4');
  await expect(page.getByText(/^No samples for 1 min/).first()).toBeVisible();
  const place = await paperOf(page, 0);
  const pdf = await printed(page);
  try {
    const sheet = pdf.page(1, DPI, { top: place.top - 6, bottom: place.bottom + 1 });
    const dark = (fromSecond: number, toSecond: number) =>
      sheet.lines(
        { ...place, left: place.left + 10 + 25 * fromSecond, right: place.left + 10 + 25 * toSecond },
        'lying',
        ...DARK,
      );
    expect(dark(3.5, 4.9)).toHaveLength(1);
    for (const second of [5, 6, 9]) expect(dark(second + 0.1, second + 0.9)).toEqual([]);
    expect(pdf.texts()).toHaveLength(2);
  } finally {
    pdf.remove();
    await page.context().close();
  }
});

test('keeps ten minutes to small pages of lines', async ({ browser }) => {
  const page = await signals.open(browser);
  await openStrip(page, SIGNALS_START_MS, 600 * SECOND_MS, 'letter');
  await expect(page.getByText('Strips hold up to')).toHaveCount(0);
  const bytes = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  const pdf = new RenderedPdf(bytes);
  try {
    expect(pdf.sizes()).toHaveLength(15);
    expect(pdf.images()).toEqual([]);
    expect(bytes.length / 15).toBeLessThan(200_000);
    expect(pdf.texts().at(-1)).toContain('Page 15 of 15');
  } finally {
    pdf.remove();
    await page.context().close();
  }
});
