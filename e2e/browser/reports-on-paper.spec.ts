/** Reports on paper, read and measured in their PDFs: what is on every sheet, true sizes, and no pictures of dots. */
import { expect, type Page } from '@playwright/test';
import { createClient } from '../../src-server/api/contract/client.ts';
import { type signIn, type TestSite, test } from '../support/desk.ts';
import { hasPoppler, RenderedPdf } from '../support/rendered-pdf.ts';

// Measured on the paper alone: without poppler's programs there is nothing to measure with.
test.skip(!hasPoppler, 'pdftoppm is not installed (Debian package poppler-utils): the PDF cannot be measured.');
const MM_PER_PX = 25.4 / 96;
const SHEETS = { a4: [297, 210], letter: [279.4, 215.9] } as const;
type Paper = keyof typeof SHEETS;

/** pdftotext guesses spaces from distances. */
const plain = (text: string) => text.replaceAll(/\s/g, '');

interface Look {
  paper: Paper;
  locale: 'en-US' | 'ja-JP';
}
const LOOKS: readonly Look[] = [
  { paper: 'a4', locale: 'en-US' },
  { paper: 'letter', locale: 'ja-JP' },
];

const ready = (page: Page) => expect(page.locator('[data-testid=sheets][data-ready=true]')).toBeVisible();

async function pdfOf(page: Page): Promise<RenderedPdf> {
  await ready(page);
  return new RenderedPdf(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
}

/** Nothing is cut off: every word stands within the margins, and only the footer stands in its place. */
function expectWithin(pdf: RenderedPdf, [widthMm, heightMm]: readonly [number, number]): void {
  const below = pdf.words().map((words) => {
    const outside = words.filter(
      ({ left, top, right, bottom }) => left < 8 || top < 7 || right > widthMm - 7 || bottom > heightMm - 5,
    );
    expect(outside).toEqual([]);
    const footer = words.findLast(({ text }) => /^Retrospective/.test(text))!;
    expect(words.filter(({ top, bottom }) => top < footer.top - 0.5 && bottom > footer.top + 0.5)).toEqual([]);
    return words.filter(({ top }) => top > footer.top - 0.5).length;
  });
  // Page numbers and times are as many words everywhere.
  expect(new Set(below).size).toBe(1);
}

/** What stands on every sheet of every report. */
function expectSheets(pdf: RenderedPdf, { paper, locale }: Look, ...facts: string[]): string[] {
  const sizes = pdf.sizes();
  for (const size of sizes)
    for (const side of [0, 1] as const) expect(Math.abs(size[side] - SHEETS[paper][side])).toBeLessThan(0.3);
  expect(pdf.images()).toEqual([]);
  // The boxes of Japanese letters are those of their font, much higher than the letters.
  if (locale === 'en-US') expectWithin(pdf, SHEETS[paper]);
  const texts = pdf.texts().map(plain);
  expect(texts).toHaveLength(sizes.length);
  for (const [index, text] of texts.entries()) {
    const own =
      locale === 'en-US'
        ? [`Page ${index + 1} of ${sizes.length}`, 'Not for real-time monitoring', 'by Dana Whitfield, Outpost']
        : [`${index + 1} / ${sizes.length}`, 'ページ', '警報には使用できません', 'Dana Whitfield、Outpost'];
    for (const words of ['Northern Clinic', ...own, ...facts]) expect(text).toContain(plain(words));
  }
  return texts;
}

/** Signs the definition of the study, so that a report has a signature to print. */
async function signDefinition({ url, email, password, studyId }: TestSite): Promise<void> {
  const client = createClient({ baseUrl: url });
  const { user, accessToken } = await client.call('login', { body: { email, password } });
  client.credentials = { userId: user.id, accessToken };
  const target = { kind: 'study-definition', targetId: studyId } as const;
  const { contentSha256 } = await client.call('getSignableContent', { params: { studyId }, query: target });
  const body = { ...target, meaning: 'APPROVED', contentSha256, password } as const;
  await client.call('signRecord', { params: { studyId }, body });
}

/** Signs in on a dark desk: paper is white whatever the theme is. */
async function open(page: Page, site: Parameters<typeof signIn>[1], path: string): Promise<void> {
  await page.goto('/sign-in');
  await page.locator('form input').first().fill(site.email);
  await page.locator('input[type=password]').fill(site.password);
  await page.keyboard.press('Enter');
  await expect(page.locator('input[type=password]')).toHaveCount(0);
  await page.goto(path);
}

for (const look of LOOKS) {
  test.describe(() => {
    test.use({ locale: look.locale, colorScheme: 'dark' });

    test(`prints a day on ${look.paper}, ${look.locale}`, async ({ page, site }) => {
      // Its clock never changes, so that three hours have the same width everywhere.
      const subject = site.subjects.find(({ displayName }) => displayName === 'N-102')!;
      const days = `/studies/${site.studyId}/subjects/${subject.id}/days`;
      await open(page, site, days);
      await expect(page.locator('canvas').first()).toBeVisible();
      await page.keyboard.press('p');
      await ready(page);
      await page.goto(`${new URL(page.url()).pathname}${new URL(page.url()).search}&paper=${look.paper}`);
      await ready(page);
      const axis = await page
        .locator('section section svg')
        .nth(1)
        .evaluate((svg) => {
          const origin = document.querySelector('[data-testid=sheets] > section')!;
          const [place, sheet] = [svg.getBoundingClientRect(), origin.getBoundingClientRect()];
          return { left: place.left - sheet.left, right: place.right - sheet.left, bottom: place.bottom - sheet.top };
        });
      const pdf = await pdfOf(page);
      try {
        const texts = expectSheets(pdf, look, 'N-102', 'Everyday rhythm', 'Asia/Tokyo', '6.0 mm');
        const bottom = axis.bottom * MM_PER_PX;
        const ticks = pdf.page(1, 600, { top: bottom - 3, bottom: bottom + 1 }).lines(
          {
            left: axis.left * MM_PER_PX - 1,
            right: axis.right * MM_PER_PX + 1,
            top: bottom - 1,
            bottom: bottom - 0.3,
          },
          'upright',
          0,
          150,
        );
        expect(ticks.length).toBeGreaterThanOrEqual(12);
        for (const [index, x] of ticks.slice(1).entries())
          expect(Math.abs((x - ticks[index]!) / 18 - 1)).toBeLessThan(0.005);
        const words =
          look.locale === 'en-US' ? ['recorded', 'worn', 'bpm', 'No recording'] : ['装着', 'bpm', '記録なし'];
        for (const word of words) expect(texts.join('')).toContain(plain(word));
        // Long after the last recording.
        await page.goto(`${new URL(page.url()).pathname}?date=2020-01-01&paper=${look.paper}`);
        const empty = await pdfOf(page);
        expectSheets(empty, look, look.locale === 'en-US' ? 'No recording on this day.' : 'この日の記録はありません。');
        expect(empty.sizes()).toHaveLength(1);
        empty.remove();
      } finally {
        pdf.remove();
      }
    });

    test(`prints the other reports on ${look.paper}, ${look.locale}`, async ({ page, site }) => {
      test.setTimeout(120_000);
      const study = `/studies/${site.studyId}`;
      const subject = `${study}/subjects/${site.subjects[0]!.id}`;
      const isEnglish = look.locale === 'en-US';
      await open(page, site, `${subject}/days?view=week`);
      await expect(page.locator('canvas').first()).toBeVisible();
      /** Prints from the screen with its key, and then on the paper of this test. */
      const print = async (from: string | undefined, ...facts: string[]) => {
        if (from !== undefined) await page.goto(from);
        // The command exists once its screen does.
        await expect(async () => {
          await page.keyboard.press('p');
          await expect(page).toHaveURL(/\/print\//, { timeout: 500 });
        }).toPass();
        const { pathname, searchParams } = new URL(page.url());
        searchParams.set('paper', look.paper);
        await page.goto(`${pathname}?${searchParams}`);
        const pdf = await pdfOf(page);
        try {
          return expectSheets(pdf, look, ...facts);
        } finally {
          pdf.remove();
        }
      };
      const week = await print(undefined, 'N-101', 'Everyday rhythm', 'US/Eastern', '6.0 mm');
      expect(week.join('')).toContain(plain(isEnglish ? 'Partial day: recorded' : '1日の一部：記録'));
      // Tables alone: once is enough.
      if (isEnglish) {
        await signDefinition(site);
        const summary = await print(study, 'Everyday rhythm');
        // 21 CFR 11.50: printed name, date and time with the zone, and meaning.
        expect(summary.join('')).toMatch(
          /DanaWhitfield\d{4}-\d\d-\d\d\d\d:\d\d:\d\dApprovedStudydefinitionUnchanged.*\(Administrator\)\(UTC[+-]\d\d:\d\d\)/,
        );
        for (const { displayName } of site.subjects) expect(summary.join('')).toContain(displayName);
        const equipment = await print('/equipment', 'Equipment log');
        expect(equipment.join('')).toContain('Chest101');
        await page.goto('/equipment');
        await page.getByRole('link', { name: 'Chest 101' }).first().click();
        await expect(page.getByRole('heading', { name: /Chest 101/ })).toBeVisible();
        const item = await print(undefined, 'Equipment item log', 'N-101');
        expect(item.join('')).toContain('Everydayrhythm');
        // Each page has the head of the table, and no entry is lost between them.
        const audit = await print(`${subject}/history`, 'N-101', 'Changes');
        expect(audit.length).toBeGreaterThan(2);
        const entries = new Set(audit.join('').match(/Entry\d+,[0-9a-f]{8}/g));
        const [, count] = /Entries(\d+)entr/.exec(audit[0]!) ?? [];
        expect(entries.size).toBe(Number(count));
        await page.goto(`/print/history?type=study&record=${site.studyId}&paper=${look.paper}`);
        const ofStudy = await pdfOf(page);
        expect(expectSheets(ofStudy, look, 'Study,Everyday rhythm').join('')).toContain(plain('Study started'));
        ofStudy.remove();
      }
      await page.goto(`/print${study}/adherence?paper=${look.paper}`);
      const adherence = await pdfOf(page);
      const texts = expectSheets(adherence, look, 'Everyday rhythm');
      for (const { displayName } of site.subjects) expect(texts.join('')).toContain(displayName);
      adherence.remove();
    });
  });
}
