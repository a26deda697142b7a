/** What a screen shows first is asked for beside its code: once, and only with a credential that the site accepts. */
import { expect, type Page } from '@playwright/test';
import { signIn, type TestSite, test } from '../support/desk.ts';
import { holdFrame } from '../support/hold-frame.ts';
import { adminClient } from '../support/study.ts';

const subjectPath = ({ studyId, subjects }: TestSite) => `/studies/${studyId}/subjects/${subjects[0]!.id}`;

const FIRST = {
  day: [/\/subjects\/[^/?]+\?recordings=false$/],
  viewer: [
    /\/subjects\/[^/?]+\?recordings=false$/,
    /\/recordings\?overlapping=/,
    /\/overview\?bins=1500&readable=true$/,
  ],
};

/** Addresses that the page asks for, in their order. */
function watch(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET') asked.push(request.url());
  });
  return asked;
}

const apiUrls = (asked: readonly string[]) => asked.filter((url) => url.includes('/api/v1/'));
const twice = (urls: readonly string[]) => urls.filter((url, i) => urls.indexOf(url) !== i);

async function viewerPath(page: Page, site: TestSite): Promise<string> {
  await page.goto(`${subjectPath(site)}/recordings`);
  const row = page.getByRole('row').filter({ hasText: 'ECG' }).first();
  return (await row.getByRole('link', { name: /signals of the recording/ }).getAttribute('href'))!;
}

test.beforeEach(async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('a day and the viewer ask for their data before their code has arrived, and for nothing twice', async ({
  page,
  site,
}) => {
  const viewer = await viewerPath(page, site);
  const shown = {
    day: page.getByRole('slider', { name: 'Cursor' }),
    viewer: page.locator('[role="slider"][aria-label="Detail"][aria-busy="false"]'),
  };
  for (const [screen, path] of [
    ['day', `${subjectPath(site)}/days`],
    ['viewer', viewer],
  ] as const) {
    await page.goto('about:blank');
    const release = await holdFrame(page);
    const asked = watch(page);
    await page.goto(path, { waitUntil: 'commit' });
    for (const one of FIRST[screen])
      await expect.poll(() => apiUrls(asked).some((url) => one.test(url)), { message: String(one) }).toBe(true);
    expect(apiUrls(asked)[0]).toMatch(/\/live$/);
    expect(apiUrls(asked)).toHaveLength(FIRST[screen].length + 1);
    release();
    await expect(shown[screen]).toBeVisible();
    await page.waitForTimeout(1_000);
    const urls = apiUrls(asked);
    // What is polled while jobs run, and what a change of a running job makes stale, does not count.
    const first = urls.filter((url) => [...FIRST[screen], /\/live$/, /\/data\?/].some((one) => one.test(url)));
    expect(twice(first)).toEqual([]);
    if (screen === 'viewer') {
      const at = (pattern: RegExp) => asked.findIndex((url) => pattern.test(url));
      // The samples do not wait until the viewer has mounted, which asks for its labels.
      expect(at(/\/data\?/)).toBeGreaterThan(0);
      expect(at(/\/data\?/)).toBeLessThan(at(/\/annotations\?endFrom=/));
    }
    await page.unrouteAll({ behavior: 'wait' });
    page.removeAllListeners('request');
  }
});

test('a change while the code is on its way shows', async ({ page, site }) => {
  const release = await holdFrame(page);
  const asked = watch(page);
  const answered = page.waitForResponse(/\?recordings=false$/);
  await page.goto(`${subjectPath(site)}/days`, { waitUntil: 'commit' });
  await answered;
  const { client } = await adminClient(site);
  const params = { studyId: site.studyId, subjectId: site.subjects[0]!.id };
  const before = await client.call('getSubject', { params, query: { recordings: false } });
  const height = before.height === 1.913 ? 1.917 : 1.913;
  await client.call('updateSubject', { params, body: { height } });
  release();
  await expect(page.getByText(`${(height * 100).toFixed(1)} cm`).first()).toBeVisible();
  expect(apiUrls(asked).filter((url) => /\/live$/.test(url))).toHaveLength(1);
});

test('a credential that the site refuses is tried once ahead, and leads to the sign-in', async ({ page, site }) => {
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('outpost.session')!);
    localStorage.setItem('outpost.session', JSON.stringify({ ...session, accessToken: 'not-the-token' }));
  });
  // What the first page still asks for, with the credential that it read, does not count.
  await page.goto('about:blank');
  const release = await holdFrame(page);
  const asked = watch(page);
  const refused = page.waitForResponse(/\/live$/);
  await page.goto(`${subjectPath(site)}/days`, { waitUntil: 'commit' });
  expect((await refused).status()).toBe(401);
  await page.waitForTimeout(300);
  expect(apiUrls(asked)).toHaveLength(1);
  release();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});
