/**
 * From the start of the desktop program to its first painted desk: the demo site, signed in, on the stand-in for Electron with a real
 * Chromium, beside a program that shows an empty window the same way. Wall times are those of this computer as it is now, so the
 * two take turns; the processor time of the main process does not depend on what else runs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { register } from '../../e2e/support/desktop.ts';
import { makeDemoSite } from '../../e2e/support/sites.ts';
import { buildIfStale } from '../build-ui.ts';
import { barRow, comparedTo, median } from './rows.ts';
import type { BenchRow } from './types.ts';

const ROUNDS = 5;
const BAR_MS = 2000;
const MAIN = fileURLToPath(new URL('../../out/main/index.js', import.meta.url));

const EMPTY = fileURLToPath(new URL('../../e2e/support/empty-program.mjs', import.meta.url));

interface Start {
  paintedMs: number;
  /** Of the main process, until then. */
  cpuMs: number;
}

interface Program {
  main: string;
  args: readonly string[];
  userData: string;
  /** Shown when the first window is complete. */
  complete: string;
}

/** When the largest part of the page was painted, as epoch milliseconds. */
const paintedAt = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          resolve(performance.timeOrigin + Math.max(...list.getEntries().map(({ startTime }) => startTime)));
        }).observe({ type: 'largest-contentful-paint', buffered: true });
      }),
  );

const cpuOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.on('message', ({ value }: { value?: NodeJS.CpuUsage }) => {
      if (value) resolve((value.user + value.system) / 1000);
    });
    child.send({ id: 1, source: '() => process.cpuUsage()', argument: null });
  });

async function withProgram<T>({ main, args, userData }: Program, use: (page: Page, child: ChildProcess) => Promise<T>) {
  const child = spawn(process.execPath, ['--import', register, main, ...args], {
    env: { ...process.env, OUTPOST_USER_DATA: userData, OUTPOST_LAN_PORT: '0' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const [{ devtools }] = (await once(child, 'message')) as [{ devtools: string }];
  const browser = await chromium.connectOverCDP(devtools);
  try {
    const [context] = browser.contexts();
    const page = context?.pages()[0] ?? (await context!.waitForEvent('page'));
    return await use(page, child);
  } finally {
    child.kill('SIGTERM');
    await ended;
    await browser.close();
  }
}

async function start(program: Program): Promise<Start> {
  const startedMs = Date.now();
  return await withProgram(program, async (page, child) => {
    await page.locator(program.complete).first().waitFor();
    const cpuMs = await cpuOf(child);
    return { paintedMs: (await paintedAt(page)) - startedMs, cpuMs };
  });
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
};

export async function run(): Promise<BenchRow[]> {
  buildIfStale(['desk', 'desktop']);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-first-window-'));
  try {
    const { dir, email, password } = await makeDemoSite(join(folder, 'site'));
    // The address stays as in use, so that the page's own settings are there.
    const args = ['--data', dir, '--port', String(await freePort())];
    const desk: Program = { main: MAIN, args, userData: join(folder, 'desk'), complete: 'main tbody tr, main li' };
    const empty: Program = { main: EMPTY, args: [], userData: join(folder, 'empty'), complete: 'h1' };
    await withProgram(desk, async (page) => {
      await page.getByRole('textbox', { name: 'Email' }).fill(email);
      await page.getByRole('textbox', { name: 'Password' }).fill(password);
      await page.getByRole('checkbox', { name: 'Stay signed in' }).check();
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator(desk.complete).first().waitFor();
    });
    const starts: Record<'desk' | 'empty', Start[]> = { desk: [], empty: [] };
    for (let round = 0; round < ROUNDS; round++) {
      starts.empty.push(await start(empty));
      starts.desk.push(await start(desk));
    }
    const middle = (name: 'desk' | 'empty', value: keyof Start) => median(starts[name].map((one) => one[value]));
    const [deskMs, emptyMs] = [middle('desk', 'paintedMs'), middle('empty', 'paintedMs')];
    const [deskCpuMs, emptyCpuMs] = [middle('desk', 'cpuMs'), middle('empty', 'cpuMs')];
    return [
      { ...barRow('first painted desk', deskMs, 'ms', BAR_MS), ...comparedTo('empty window', emptyMs, deskMs) },
      barRow('what Outpost adds to an empty window', deskMs - emptyMs, 'ms', BAR_MS),
      {
        ...barRow('processor time of the main process', deskCpuMs, 'ms', BAR_MS),
        ...comparedTo('empty window', emptyCpuMs, deskCpuMs),
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
