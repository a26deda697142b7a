/** Measures frame times in a real browser, with code that runs inside the page. */
import type { Locator, Page } from '@playwright/test';

export interface Frames {
  /** Time between animation frames, ms. */
  intervalsMs: number[];
  /** Main-thread work per frame, ms of processor time. */
  busyMs: number;
  /** Frames that showed every sample of the window. */
  complete: number;
}

async function measured(page: Page, frames: number, run: () => Promise<Omit<Frames, 'busyMs'>>): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  // Processor time of the thread: what else the machine does must not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  const before = await taskMs();
  const result = await run();
  const busyMs = ((await taskMs()) - before) / frames;
  await session.detach();
  return { ...result, busyMs };
}

/** Scrolls a strip by `stepPx` in every frame, like a hand on a touch pad. */
export function panning(surface: Locator, frames: number, stepPx: number): Promise<Frames> {
  return measured(surface.page(), frames, () =>
    surface.evaluate(
      (element, { frames, stepPx }) =>
        new Promise<Omit<Frames, 'busyMs'>>((resolve) => {
          const intervalsMs: number[] = [];
          let complete = 0;
          let last = 0;
          const frame = (now: number) => {
            if (last > 0) {
              intervalsMs.push(now - last);
              if (element.getAttribute('aria-busy') === 'false') complete++;
            }
            last = now;
            if (intervalsMs.length >= frames) return resolve({ intervalsMs, complete });
            element.dispatchEvent(new WheelEvent('wheel', { deltaX: stepPx, bubbles: true, cancelable: true }));
            requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
        }),
      { frames, stepPx },
    ),
  );
}

/** The simplest animation as a baseline: a canvas of the same size, filled with one colour per frame on its own page. */
export function emptyCanvas(page: Page, frames: number, size: { widthPx: number; heightPx: number }): Promise<Frames> {
  return measured(page, frames, () =>
    page.evaluate(
      ({ frames, widthPx, heightPx }) =>
        new Promise<Omit<Frames, 'busyMs'>>((resolve) => {
          const canvas = document.createElement('canvas');
          canvas.width = widthPx * devicePixelRatio;
          canvas.height = heightPx * devicePixelRatio;
          canvas.style.width = `${widthPx}px`;
          document.body.replaceChildren(canvas);
          const context = canvas.getContext('2d', { alpha: false });
          if (!context) throw new Error('The browser has no canvas.');
          const intervalsMs: number[] = [];
          let last = 0;
          const frame = (now: number) => {
            if (last > 0) intervalsMs.push(now - last);
            last = now;
            context.fillStyle = intervalsMs.length % 2 === 0 ? 'white' : 'whitesmoke';
            context.fillRect(0, 0, canvas.width, canvas.height);
            if (intervalsMs.length < frames) requestAnimationFrame(frame);
            else resolve({ intervalsMs, complete: frames });
          };
          requestAnimationFrame(frame);
        }),
      { frames, ...size },
    ),
  );
}
