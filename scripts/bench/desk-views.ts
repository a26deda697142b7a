/**
 * First views of screens in a real browser: time to the first picture, processor time of the page's main thread, and its
 * longest task. Tasks are measured in thread time, so a busy machine does not lengthen them.
 */
import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test';

export interface FirstView {
  /** From navigation to the frame after the picture appears. */
  pictureMs: number;
  /** Processor time of the main thread until the screen has settled. */
  cpuMs: number;
  /** Longest task of the main thread, in its processor time. */
  longestTaskMs: number;
  /** Tasks longer than 50 ms of processor time. */
  longTasks: number;
}

const LONG_TASK_MS = 50;
/** The screen has settled when no request ran for this long. */
const QUIET_MS = 700;

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Wall and thread time, µs. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

async function traced(session: CDPSession, run: () => Promise<void>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]));
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline', 'toplevel', '__metadata'] },
  });
  await run();
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await complete;
  session.off('Tracing.dataCollected', collect);
  return events;
}

/** Tasks of the main thread that worked longest: that of the page, as others wait. */
function mainThreadTasks(events: readonly TraceEvent[]): number[] {
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const tasks = mains.map(({ pid, tid }) =>
    events
      .filter((one) => one.name === 'RunTask' && one.pid === pid && one.tid === tid)
      .map(({ dur = 0, tdur = dur }) => tdur / 1000),
  );
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return tasks.reduce((most, one) => (sum(one) > sum(most) ? one : most), []);
}

async function settled(page: Page): Promise<void> {
  let lastMs = performance.now();
  const touch = () => {
    lastMs = performance.now();
  };
  page.on('request', touch);
  page.on('requestfinished', touch);
  page.on('requestfailed', touch);
  while (performance.now() - lastMs < QUIET_MS) await page.waitForTimeout(100);
}

/** Opens an address; returns the time from navigation to the frame after the selector appears. */
export async function firstPictureMs(page: Page, path: string, selector: string): Promise<number> {
  await page.goto(path, { waitUntil: 'commit' });
  const handle = await page.waitForFunction(
    (wanted) =>
      document.querySelector(wanted) &&
      new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now()))),
    selector,
    { polling: 'raf' },
  );
  return Number(await handle.jsonValue());
}

/** Opens an address on a new page of the context and waits until it has settled. */
export async function firstView(
  browser: Browser,
  context: BrowserContext,
  path: string,
  selector: string,
): Promise<FirstView> {
  const page = await context.newPage();
  const session = await browser.newBrowserCDPSession();
  let pictureMs = 0;
  try {
    const events = await traced(session, async () => {
      pictureMs = await firstPictureMs(page, path, selector);
      await settled(page);
    });
    const tasks = mainThreadTasks(events);
    return {
      pictureMs,
      cpuMs: tasks.reduce((sum, ms) => sum + ms, 0),
      longestTaskMs: Math.max(0, ...tasks),
      longTasks: tasks.filter((ms) => ms > LONG_TASK_MS).length,
    };
  } finally {
    await session.detach();
    await page.close();
  }
}
