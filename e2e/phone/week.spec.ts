/**
 * Seven days of a subject with the real app against the real listener of the local network, whose certificate this browser does
 * not trust: the phone's clock is three hours wrong and jumps, pages are killed, the site is stopped for a day, answers are lost,
 * the line breaks at any byte and the store of the browser is full. In the end the site has every answer once, at its true time, and pages of
 * the desk that were open have shown them.
 */
import { type Browser, devices, expect, type Page } from '@playwright/test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src-server/durations.ts';
import { seededRandom } from '../../src-server/testing/signal-fixtures.ts';
import type { TestLanSite } from '../../src-server/testing/test-lan-site.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { signIn } from '../support/desk.ts';
import { test } from '../support/lan-site.ts';
import { RoughLine } from '../support/rough-line.ts';

// Which browser runs is decided for all tests.
const { defaultBrowserType: _browser, ...PHONE } = devices['Pixel 7'];
test.use({
  ...PHONE,
  ignoreHTTPSErrors: true,
  actionTimeout: 8_000,
  siteName: 'phone-week',
  locale: 'en-US',
});

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

/** Everything in one store of the phone's database. */
const stored = (page: Page, name: 'state' | 'outbox') =>
  page.evaluate(
    (store) =>
      new Promise<unknown[]>((resolve, reject) => {
        const opening = indexedDB.open('outpost-phone');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const reading = opening.result.transaction(store).objectStore(store).getAll();
          reading.onerror = () => reject(reading.error);
          reading.onsuccess = () => {
            opening.result.close();
            resolve(reading.result);
          };
        };
      }),
    name,
  );

/** Gives the browser no room for another record, or all of its room again. */
async function setFull(page: Page, isFull: boolean): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send('Storage.overrideQuotaForOrigin', { origin, ...(isFull && { quotaSize: 1 }) });
  if (!isFull) return;
  const write = () =>
    page.evaluate(
      () =>
        new Promise<string | undefined>((resolve) => {
          const opening = indexedDB.open('test-room');
          opening.onupgradeneeded = () => opening.result.createObjectStore('rows', { autoIncrement: true });
          opening.onerror = () => resolve(opening.error?.name);
          opening.onsuccess = () => {
            const tx = opening.result.transaction('rows', 'readwrite');
            const end = () => {
              opening.result.close();
              resolve(tx.error?.name);
            };
            tx.objectStore('rows').add('some text');
            tx.oncomplete = end;
            tx.onabort = end;
          };
        }),
    );
  // Chromium believes for 30 s what it last knew of the room for a database.
  await expect.poll(write, { timeout: 60_000, intervals: [1000] }).toBe('QuotaExceededError');
}

const waitingItems = async (page: Page) => (await stored(page, 'outbox')).length;

/** A picture as a phone's camera makes it: more pixels than the site needs. */
const photo = async (page: Page): Promise<Buffer> => {
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 4000, height: 3000 });
    const context = canvas.getContext('2d')!;
    context.fillStyle = 'tomato';
    context.fillRect(500, 500, 3000, 2000);
    return canvas.toDataURL('image/jpeg');
  });
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
};

/** Pages of the desk that stay open while answers arrive. */
async function openDesk(browser: Browser, lan: TestLanSite, nowMs: number) {
  const context = await browser.newContext({ baseURL: lan.site.url, locale: 'en-US' });
  const subject = `/studies/${lan.place.studyId}/subjects/${lan.place.subjectIds[0]}`;
  const open = async (path?: string) => {
    const page = await context.newPage();
    await page.clock.install({ time: nowMs });
    await page.goto('/');
    if (context.pages().length === 1) await signIn(page, { email: TEST_EMAIL, password: TEST_PASSWORD });
    if (path) await page.goto(`${subject}/${path}`);
    return page;
  };
  const today = await open();
  const [tasks, messages, history] = [await open('tasks?view=table'), await open('messages'), await open('history')];
  return {
    today,
    messages,
    /** Entries of the audit trail. */
    reported: history.getByRole('row').filter({ hasText: 'Task reported' }),
    /** Days in a row with nothing done are one line of the table until it is opened. */
    expectDays: (counts: string[]) =>
      expect(async () => {
        const closed = tasks.locator('td > button[aria-expanded="false"]');
        if ((await closed.count()) > 0) await closed.first().click({ timeout: 5_000 });
        const done = tasks.getByRole('row').getByText(/^\d of \d$/);
        const expected = [...counts, ...Array(9 - counts.length).fill('0 of 1')];
        await expect(done).toHaveText(expected, { timeout: 1_000 });
      }).toPass({ timeout: 30_000 }),
    close: () => context.close(),
  };
}

const CUTS = 50;
/** About what a call with one item carries, with its handshake. */
const CALL_BYTES = 24_000;

test('delivers every answer of a week once, at its true time', async ({ browser, context, lan }) => {
  test.setTimeout(240_000);
  const seed = Number(process.env.OUTPOST_SEED ?? Date.now() % 1_000_000);
  process.stdout.write(`The week breaks its line with OUTPOST_SEED=${seed}.\n`);
  const { taskId, questionIds } = await makeStudy(lan);
  const place = { studyId: lan.place.studyId, subjectId: lan.place.subjectIds[0]! };
  const { token } = await lan.client.call('createSubjectToken', { params: place });
  await context.addInitScript(CLOCKS);
  const line = await new RoughLine(lan.lanUrl).open();
  let passedMs = 0;
  /** True times of completion, in order. */
  const completed: { note: string; ts: number }[] = [];
  const sentTexts: string[] = [];
  const now = () => Date.now() + lan.clock.aheadMs;
  const passDay = async (page: Page) => {
    passedMs += DAY_MS;
    lan.clock.aheadMs += DAY_MS;
    await setShift(page, 'passed', passedMs);
  };
  const nextDay = async (page: Page) => {
    // No call is on its way while the two clocks move.
    await page.goto(`${line.url}/phone/trust`);
    await passDay(page);
    await page.goto(`${line.url}/phone/#/today`);
  };
  const done = async (page: Page, note: string, outcome: 'Sent' | 'Kept on this phone' = 'Sent') => {
    await finish(page, note);
    completed.push({ note, ts: now() });
    await expect(page.getByText(outcome, { exact: true })).toBeVisible();
  };
  const write = async (page: Page, text: string) => {
    await page.getByRole('textbox').fill(text);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByRole('textbox')).toHaveValue('');
    sentTexts.push(text);
  };

  let page = await context.newPage();
  await page.goto(`${line.url}/phone/`);
  await setShift(page, 'ahead', 3 * HOUR_MS);
  const expiry = Math.round(now() / 1000) + 3600;
  await page.goto('about:blank');
  await page.goto(`${line.url}/phone#1&s=site&n=Harbour&t=${token}&e=${expiry}`);

  await test.step('day 1: signs in by the link, three hours ahead', async () => {
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByText('Subject 1')).toBeVisible();
    expect(page.url()).not.toContain(token);
    await page.getByRole('button', { name: 'Yes, this is right' }).click();
    await begin(page);
    await answerFirst(page, '1');
    await done(page, 'online');
  });

  await test.step('day 2: a tab killed in the middle of a survey, while the clock jumps', async () => {
    await nextDay(page);
    await begin(page);
    await answerFirst(page, '2');
    await page.close({ runBeforeUnload: false });
    page = await context.newPage();
    await page.goto(`${line.url}/phone/`);
    await begin(page, 'Continue');
    await setShift(page, 'ahead', -2 * HOUR_MS);
    await done(page, 'killed');
  });

  await test.step('days 3 and 4: the site is stopped, and the clock jumps meanwhile', async () => {
    await nextDay(page);
    await expect(page.getByRole('button', { name: 'Begin Diary' })).toBeVisible();
    await lan.stop();
    await begin(page);
    await answerFirst(page, '3');
    await done(page, 'away', 'Kept on this phone');
    await setShift(page, 'ahead', HOUR_MS);
    // Seen within seconds, and kept. A clock that is set while the app is closed leaves an estimate.
    await expect.poll(async () => JSON.stringify(await stored(page, 'state')).match(/"SET"/g)).toHaveLength(2);
    // The app stays open: this browser does not trust the site, so it could not be opened again now.
    await passDay(page);
    await page.goto(`${line.url}/phone/#/today`);
    await begin(page);
    await answerFirst(page, '4');
    await done(page, 'away again', 'Kept on this phone');
    await page.goto(`${line.url}/phone/#/messages`);
    await write(page, 'The strap itches.');
    await page.goto(`${line.url}/phone/#/problem`);
    await page.getByRole('radio', { name: 'My skin itches or is sore' }).check({ force: true });
    const picture = { name: 'skin.jpg', mimeType: 'image/jpeg', buffer: await photo(page) };
    await page.locator('input[type=file]').last().setInputFiles(picture);
    await page.getByRole('textbox').fill('Red under the sensor.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByText('Your study team will get this')).toBeVisible();
    sentTexts.push('Red under the sensor.');
  });

  // The site is back a while before the phone reaches it.
  line.breakAfter(0);
  await lan.start();
  line.leadTo(lan.lanUrl);
  const desk = await openDesk(browser, lan, now());
  await test.step('day 4: the answers of the site are lost five times, pages of the desk are open', async () => {
    await desk.expectDays(['1 of 1', '1 of 1']);
    await expect(desk.reported).toHaveCount(2);
    let lost = 0;
    let arrived = 0;
    // Before the site is reached: a call in between would bring everything at once.
    await context.route('**/api/v1/phone/sync', async (route) => {
      const isFull = (route.request().postData() ?? '').includes('"answers"');
      const response = await route.fetch();
      if (isFull) arrived += 1;
      if (!isFull || lost >= 4) return await route.fulfill({ response });
      lost += 1;
      await route.abort('connectionreset');
    });
    line.mend();
    for (let attempt = 0; attempt < 5; attempt++) {
      await page.reload();
      await expect.poll(() => arrived).toBeGreaterThan(attempt);
    }
    await context.unroute('**/api/v1/phone/sync');
    expect(arrived).toBe(5);
    await desk.expectDays(['1 of 1', '1 of 1', '1 of 1', '1 of 1']);
    await expect(desk.reported).toHaveCount(4);
    await expect(desk.messages.getByText('The strap itches.').last()).toBeVisible();
    await desk.today.getByRole('button', { name: /^Show \d new items?$/ }).click();
    await expect(desk.today.getByText('Skin irritation')).toBeVisible();
    const problem = desk.messages.getByRole('listitem').filter({ hasText: 'Red under the sensor.' });
    await expect(problem.getByText('Skin irritation')).toBeVisible();
    const width = (image: Element) => (image as HTMLImageElement).naturalWidth;
    await expect.poll(() => problem.locator('img').evaluate(width)).toBe(1600);
  });

  await desk.close();

  await test.step(`day 5: the line breaks ${CUTS} times at random bytes`, async () => {
    await nextDay(page);
    await begin(page);
    await answerFirst(page, '5');
    line.breakAfter(0);
    await done(page, 'cut', 'Kept on this phone');
    await page.evaluate(() => location.replace('#/messages'));
    const random = seededRandom(seed);
    const watched = await openDesk(browser, lan, now());
    await watched.expectDays(['1 of 1', '1 of 1', '1 of 1', '1 of 1']);
    const first = line.breaks;
    while (line.breaks < first + CUTS) {
      const before = line.breaks;
      line.breakAfter(Math.floor(random() * CALL_BYTES));
      // Each text is new to the site, and of another length.
      if ((await waitingItems(page)) > 0) await page.evaluate(() => dispatchEvent(new Event('online')));
      else await write(page, `Note ${sentTexts.length} ${'x'.repeat(random() * 3000)}`);
      await expect.poll(async () => line.breaks > before || (await waitingItems(page)) === 0).toBe(true);
    }
    process.stdout.write(`${sentTexts.length} messages went through ${line.breaks - first} breaks.\n`);
    line.mend();
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await expect.poll(() => waitingItems(page)).toBe(0);
    await watched.expectDays(['1 of 1', '1 of 1', '1 of 1', '1 of 1', '1 of 1']);
    for (const text of sentTexts) {
      const start = text.slice(0, 'Note 10 '.length);
      await expect(watched.messages.getByRole('listitem').filter({ hasText: start })).toHaveCount(1);
    }
    await watched.close();
  });

  await test.step('day 6: a full store is reported and loses nothing', async () => {
    await nextDay(page);
    await begin(page);
    await answerFirst(page, '6');
    await setFull(page, true);
    await page.getByRole('button', { name: 'Skip' }).click();
    await expect(page.getByText('This phone is full.', { exact: false }).first()).toBeVisible();
    await setFull(page, false);
    await done(page, 'full');
  });

  await test.step('day 7: the clock is corrected during a survey', async () => {
    await nextDay(page);
    await begin(page);
    await answerFirst(page, '7');
    await setShift(page, 'ahead', 0);
    await done(page, 'right');
  });
  await line.close();

  const { items } = await lan.client.call('listTaskReports', { params: place });
  const reports = items.toSorted((a, b) => (a.completedTs ?? 0) - (b.completedTs ?? 0));
  const found = JSON.stringify(reports, null, 1);
  expect(reports, found).toHaveLength(completed.length);
  for (const [index, { ts }] of completed.entries()) {
    const report = reports[index]!;
    expect(report.taskId).toBe(taskId);
    expect(Math.abs((report.completedTs ?? 0) - ts), found).toBeLessThan(MINUTE_MS / 4);
    expect(report.startTs).toBeLessThanOrEqual(report.stopTs);
  }
  const { items: notes } = await lan.client.call('listAnnotations', { params: place, query: {} });
  const texts = notes.flatMap(({ value }) => (completed.some(({ note }) => note === value) ? [value] : []));
  expect(texts.toSorted()).toEqual(completed.map(({ note }) => note).toSorted());
  const { items: messages } = await lan.client.call('listMessages', { params: place, query: {} });
  expect(messages.map(({ body }) => body).toSorted()).toEqual(sentTexts.toSorted());
  expect(questionIds).toHaveLength(3);
});
