/**
 * A week of a subject with the real app against the real listener of the local network, whose certificate this browser does not
 * trust: the phone's clock is three hours wrong and jumps, pages are killed, the site is away for a day, answers are lost and
 * the store is full. In the end the site has every answer once, at its true time.
 */
import { type BrowserContext, expect, type Page } from '@playwright/test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src-server/durations.ts';
import type { TestLanSite } from '../../src-server/testing/test-lan-site.ts';
import { test } from '../support/lan-site.ts';

test.use({
  viewport: { width: 360, height: 780 },
  hasTouch: true,
  isMobile: true,
  ignoreHTTPSErrors: true,
  actionTimeout: 8_000,
  siteName: 'phone-week',
  locale: 'en-US',
});

/** While `test.full` is set, the browser has no room for another record. */
const QUOTA = () => {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...record: Parameters<typeof put>) {
    if (localStorage.getItem('test.full')) throw new DOMException('No room is left.', 'QuotaExceededError');
    return put.apply(this, record);
  };
};

/** Moves the clocks of the pages: `passed` is time that goes by, `ahead` is what the phone's clock is wrong by. */
const CLOCKS = () => {
  const { now } = Date;
  const shift = (name: string) => Number(localStorage.getItem(`test.${name}`) ?? 0);
  const [RealDate, realPerformanceNow] = [Date, performance.now.bind(performance)];
  const opened = shift('passed');
  RealDate.now = () => now() + shift('ahead') + shift('passed');
  performance.now = () => realPerformanceNow() + shift('passed') - opened;
};

async function setShift(page: Page, name: 'ahead' | 'passed', ms: number): Promise<void> {
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), [`test.${name}`, String(ms)] as const);
}

interface Survey {
  taskId: string;
  questionIds: string[];
}

async function makeStudy(lan: TestLanSite): Promise<Survey> {
  const { store } = lan.site.folder;
  const { studyId, userId } = lan.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  const questions = [
    { text: 'How do you feel?', type: 'RANGE', values: ['0', '10'] },
    { text: 'Did you sleep well?', type: 'BOOLEAN', values: [] },
    { text: 'Anything else?', type: 'FREETEXT', values: [] },
  ];
  const study = await store.studies.putDefinition(
    studyId,
    { activities: [], diaries: [{ displayName: 'Diary', mode: 'UNSUPERVISED', pipelineIds: [], questions }] },
    change,
  );
  const diary = study.diaries[0]!;
  const tasks = [{ taskId: diary.id, type: 'diary' as const, days: 'daily' as const }];
  await store.studies.putDefinition(studyId, { program: { days: 9, tasks } }, change);
  await store.studies.move(studyId, 'start', change);
  return { taskId: diary.id, questionIds: diary.questions.map(({ id }) => id) };
}

const answerFirst = async (page: Page, value: string) => {
  await page.getByRole('radio', { name: value, exact: true }).check({ force: true });
  await page.getByRole('button', { name: 'Next' }).click();
  // The next question comes once the answer is stored.
  await expect(page.getByRole('heading', { name: 'Did you sleep well?' })).toBeVisible();
};

/** From the second question to the end. */
async function finish(page: Page, note: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Did you sleep well?' })).toBeVisible();
  await page.getByRole('button', { name: 'Skip' }).click();
  await page.getByRole('textbox').fill(note);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: /^(Send|Finish)$/ }).click();
}

const begin = (page: Page, word = 'Begin') => page.getByRole('button', { name: `${word} Diary` }).click();

async function newPage(context: BrowserContext, lan: TestLanSite): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${lan.lanUrl}/phone/`);
  return page;
}

// Fails about one time in six, in different steps, once with a time five hours off: not part of the gate until that is understood.
test.skip(process.env.OUTPOST_PHONE_WEEK !== '1', 'Runs with OUTPOST_PHONE_WEEK=1: it does not pass reliably yet.');

test('delivers every answer of a week once, at its true time', async ({ context, lan }) => {
  const { taskId, questionIds } = await makeStudy(lan);
  const place = { studyId: lan.place.studyId, subjectId: lan.place.subjectIds[0]! };
  const { token } = await lan.client.call('createSubjectToken', { params: place });
  for (const script of [CLOCKS, QUOTA]) await context.addInitScript(script);
  let passedMs = 0;
  /** True times of completion, in order. */
  const completed: { note: string; ts: number }[] = [];
  const now = () => Date.now() + lan.clock.aheadMs;
  const nextDay = async (page: Page) => {
    passedMs += DAY_MS;
    lan.clock.aheadMs += DAY_MS;
    await setShift(page, 'passed', passedMs);
    await page.evaluate(() => location.replace('#/today'));
    await page.reload();
  };
  const done = async (page: Page, note: string) => {
    await finish(page, note);
    completed.push({ note, ts: now() });
  };
  const toToday = (page: Page) =>
    page
      .getByRole('link', { name: 'Go to Today' })
      .or(page.getByRole('link', { name: 'Today' }))
      .first()
      .click();

  let page = await context.newPage();
  await page.goto(`${lan.lanUrl}/phone/`);
  await setShift(page, 'ahead', 3 * HOUR_MS);
  const expiry = Math.round(now() / 1000) + 3600;
  await page.goto('about:blank');
  await page.goto(`${lan.lanUrl}/phone#1&s=site&n=Harbour&t=${token}&e=${expiry}`);

  await test.step('signs in by the link, three hours ahead', async () => {
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByText('Subject 1')).toBeVisible();
    expect(page.url()).not.toContain(token);
    await page.getByRole('button', { name: 'Yes, this is right' }).click();
    await begin(page);
    await answerFirst(page, '1');
    await done(page, 'online');
    await expect(page.getByText('Sent', { exact: true })).toBeVisible();
  });

  await test.step('a tab killed in the middle of a survey, while the clock jumps', async () => {
    await nextDay(page);
    await begin(page);
    await answerFirst(page, '2');
    await page.close({ runBeforeUnload: false });
    page = await newPage(context, lan);
    await begin(page, 'Continue');
    await setShift(page, 'ahead', -2 * HOUR_MS);
    await done(page, 'killed');
    await expect(page.getByText('Sent', { exact: true })).toBeVisible();
  });

  await test.step('the site is away for a day, and the clock jumps meanwhile', async () => {
    await nextDay(page);
    await context.route('**/api/**', (route) => route.abort('connectionrefused'));
    await begin(page);
    await answerFirst(page, '3');
    await done(page, 'away');
    await expect(page.getByText('Kept on this phone')).toBeVisible();
    await setShift(page, 'ahead', HOUR_MS);
    await nextDay(page);
    await begin(page);
    await answerFirst(page, '4');
    await done(page, 'away again');
  });

  await test.step('answers of the site are lost five times', async () => {
    await context.unroute('**/api/**');
    let lost = 0;
    let arrived = 0;
    await context.route('**/api/v1/phone/sync', async (route) => {
      const isFull = (route.request().postData() ?? '').includes('"answers"');
      const response = await route.fetch();
      if (isFull) arrived += 1;
      if (!isFull || lost >= 4) return await route.fulfill({ response });
      lost += 1;
      await route.abort('connectionreset');
    });
    for (let attempt = 0; attempt < 5; attempt++) {
      await page.reload();
      await expect.poll(() => arrived).toBeGreaterThan(attempt);
    }
    await context.unroute('**/api/v1/phone/sync');
    expect(arrived).toBe(5);
  });

  await test.step('a full store is reported and loses nothing', async () => {
    await nextDay(page);
    await begin(page);
    await answerFirst(page, '5');
    await page.evaluate(() => localStorage.setItem('test.full', '1'));
    await page.getByRole('button', { name: 'Skip' }).click();
    await expect(page.getByText('This phone is full.', { exact: false }).first()).toBeVisible();
    await page.evaluate(() => localStorage.removeItem('test.full'));
    await done(page, 'full');
    await expect(page.getByText('Sent', { exact: true })).toBeVisible();
    await toToday(page);
  });

  const { items } = await lan.client.call('listTaskReports', { params: place });
  const stored = items.toSorted((a, b) => (a.completedTs ?? 0) - (b.completedTs ?? 0));
  expect(stored).toHaveLength(completed.length);
  for (const [index, { ts }] of completed.entries()) {
    const report = stored[index]!;
    expect(report.taskId).toBe(taskId);
    expect(Math.abs((report.completedTs ?? 0) - ts)).toBeLessThan(MINUTE_MS / 4);
    expect(report.startTs).toBeLessThanOrEqual(report.stopTs);
  }
  const { items: notes } = await lan.client.call('listAnnotations', { params: place, query: {} });
  const texts = notes.flatMap(({ value }) => (completed.some(({ note }) => note === value) ? [value] : []));
  expect(texts.toSorted()).toEqual(completed.map(({ note }) => note).toSorted());
  expect(questionIds).toHaveLength(3);
});
