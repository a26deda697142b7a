/**
 * The day and the viewer of a subject with years of data cost what they show: they ask for the window in view, and panning
 * paints without rendering.
 */
import { expect, type Page } from '@playwright/test';
import { signIn, type TestSite, test } from '../support/desk.ts';

const subjectPath = ({ studyId, subjects }: TestSite) => `/studies/${studyId}/subjects/${subjects[0]!.id}`;

/** Reads that grow with the history of a subject, with the parameter that bounds each. */
const BOUNDED = [
  [/\/subjects\/[^/?]+$/, 'recordings'],
  [/\/subjects\/[^/]+\/recordings$/, /^(to|overlapping|limit)$/],
  [/\/annotations$/, /^(to|limit)$/],
  [/\/pipelines\/metrics$/, 'toDate'],
  [/\/messages$/, 'limit'],
  [/\/adherence$/, /^(toDate|subjectId)$/],
] as const;

async function unboundedReads(page: Page, open: () => Promise<void>): Promise<string[]> {
  const unbounded: string[] = [];
  let bounded = 0;
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    for (const [path, parameter] of BOUNDED) {
      if (request.method() !== 'GET' || !pathname.startsWith('/api/') || !path.test(pathname)) continue;
      if ([...searchParams.keys()].some((name) => name.match(parameter))) bounded++;
      else unbounded.push(request.url());
    }
  });
  await open();
  // The stream of live changes never ends, so the network is never idle.
  await page.waitForTimeout(1_500);
  expect(bounded).toBeGreaterThan(1);
  return unbounded;
}

test.beforeEach(async ({ page, site }) => {
  // React reports its commits to the developer tools.
  await page.addInitScript(() => {
    const counted = window as { commits?: number; __REACT_DEVTOOLS_GLOBAL_HOOK__?: object };
    counted.commits = 0;
    counted.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
      isDisabled: false,
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot: () => {
        counted.commits = (counted.commits ?? 0) + 1;
      },
      onCommitFiberUnmount: () => undefined,
    };
  });
  await page.goto('/');
  await signIn(page, site);
});

test('a day reads its window, not the history of its subject', async ({ page, site }) => {
  const unbounded = await unboundedReads(page, async () => {
    await page.goto(`${subjectPath(site)}/days`);
    await expect(page.getByRole('slider', { name: 'Cursor' })).toBeVisible();
  });
  expect(unbounded).toEqual([]);
});

test('the viewer reads its recording, and panning paints without rendering', async ({ page, site }) => {
  await page.goto(`${subjectPath(site)}/recordings`);
  const row = page.getByRole('row').filter({ hasText: 'ECG' }).first();
  const href = await row.getByRole('link', { name: /signals of the recording/ }).getAttribute('href');
  const detail = page.getByRole('slider', { name: 'Detail', exact: true });
  const unbounded = await unboundedReads(page, async () => {
    await page.goto(href!);
    await expect(detail).toHaveAttribute('aria-busy', 'false');
  });
  expect(unbounded).toEqual([]);
  const frames = 120;
  const commits = await detail.evaluate(
    (element, frames) =>
      new Promise<number>((resolve) => {
        const counted = window as { commits?: number };
        const before = counted.commits ?? 0;
        let left = frames;
        const frame = () => {
          if (left-- === 0) return resolve((counted.commits ?? 0) - before);
          element.dispatchEvent(new WheelEvent('wheel', { deltaX: 4, bubbles: true, cancelable: true }));
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    frames,
  );
  expect(await page.evaluate(() => (window as { commits?: number }).commits)).toBeGreaterThan(0);
  // The start of the view is read out by the second, and samples arrive: a few commits, not one per frame.
  expect(commits).toBeLessThan(frames / 3);
});
