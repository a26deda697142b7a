/** The commands of the README in a fresh checkout, without a build and without Electron. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, expect, type Page, test } from '@playwright/test';
import { signIn, testSite } from '../support/desk.ts';
import { removeFolder } from '../support/remove-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const register = new URL('../support/electron-stand-in/register.ts', import.meta.url).href;

// Later steps use what the first one built.
test.describe.configure({ mode: 'serial' });
test.setTimeout(240_000);

let folder: string;
let checkout: string;
let electron: string;
/** A copy of the demo site for this file alone: a site is open in one program at a time. */
let siteDir: string;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-checkout-'));
  checkout = join(folder, 'outpost');
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of files.toString().split('\0').filter(Boolean)) {
    if (!existsSync(join(root, file))) continue;
    await mkdir(dirname(join(checkout, file)), { recursive: true });
    await cp(join(root, file), join(checkout, file));
  }
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
  siteDir = join(folder, 'site');
  await cp(testSite().pristineDir, siteDir, { recursive: true });
  electron = join(folder, 'electron');
  await writeFile(electron, `#!/bin/sh\nexec "${process.execPath}" --import "${register}" "$@"\n`, { mode: 0o755 });
});
test.afterAll(() => removeFolder(folder));

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

interface Run {
  child: ChildProcess;
  /** Everything it wrote so far. */
  output(): string;
  ended: Promise<number | null>;
}

function npm(parameters: string[], environment: Record<string, string>): Run {
  const child = spawn('npm', parameters, {
    cwd: checkout,
    env: { ...process.env, OUTPOST_LAN_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm does not pass signals on to its script; the group gets them instead.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, output: () => output, ended };
}

async function stop({ child, ended }: Run): Promise<void> {
  if (child.pid === undefined) return void (await ended);
  const group = -child.pid;
  if (child.exitCode === null) process.kill(group, 'SIGTERM');
  await ended;
  // npm ends before the program it started, and that before its browser: none of them may outlive the test.
  await expect
    .poll(() => groupRuns(group), { timeout: 20_000, message: 'everything npm started has ended' })
    .toBe(false);
}

function groupRuns(group: number): boolean {
  try {
    process.kill(group, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs an npm script with the stand-in as its Electron, and hands over the window that it opens. */
async function withWindow(parameters: string[], use: (window: Page) => Promise<void>): Promise<void> {
  const report = join(folder, 'devtools');
  await rm(report, { force: true });
  const run = npm(parameters, {
    ELECTRON_EXEC_PATH: electron,
    OUTPOST_USER_DATA: join(folder, 'user-data'),
    OUTPOST_STAND_IN_DEVTOOLS: report,
  });
  try {
    await expect.poll(() => existsSync(report), { timeout: 120_000, message: 'a window opens' }).toBe(true);
    const browser = await chromium.connectOverCDP(readFileSync(report, 'utf8'));
    const [context] = browser.contexts();
    const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
    if (!page) throw new Error(`No window opened.\n${run.output()}`);
    await page.waitForURL((url) => url.href !== 'about:blank');
    await use(page);
    await browser.close();
  } finally {
    await stop(run);
  }
}

test('npm start explains what to do when Electron cannot be downloaded', async () => {
  const run = npm(['start'], { ELECTRON_MIRROR: 'http://127.0.0.1:9/', ELECTRON_EXEC_PATH: '' });
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain('could not be downloaded');
  expect(run.output()).toContain('npm start -- --browser');
  expect(existsSync(join(checkout, 'out'))).toBe(false);
});

test('serve --set-up in a fresh checkout leads to the desk', async ({ page }) => {
  const port = await freePort();
  const data = join(folder, 'made-here');
  const run = npm(
    ['run', '-s', 'outpost', '--', 'serve', '--set-up', '--no-lan', '--data', data, '--port', String(port)],
    {},
  );
  try {
    await expect.poll(() => /http:\/\/\S+set-up\S*/.exec(run.output())?.[0], { timeout: 60_000 }).toBeTruthy();
    await page.goto(/http:\/\/\S+set-up\S*/.exec(run.output())?.[0] ?? '');
    await page.getByLabel('Organisation').fill('Harbour Clinic');
    await page.getByLabel('First name').fill('Robin');
    await page.getByLabel('Last name').fill('Marsh');
    await page.getByLabel('Your email address').fill('admin@harbour.example');
    await page.getByLabel('Password').fill('a long enough one');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Create site' }).click();
    // Until the build has ended, a page that waits for the desk stands here.
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 150_000 });
  } finally {
    await stop(run);
  }
});

test('npm start builds the desktop program and opens its window', async () => {
  const site = testSite();
  await withWindow(['start', '--', '--data', siteDir, '--port', '0'], async (window) => {
    await signIn(window, site);
    await expect(window.getByRole('navigation').first()).toBeVisible();
  });
});

test('npm run dev shows the desk from the development server', async () => {
  const site = testSite();
  const port = await freePort();
  await withWindow(['run', 'dev', '--', '--data', siteDir, '--port', String(port)], async (window) => {
    expect(new URL(window.url()).port).not.toBe(String(port));
    await signIn(window, site);
    await expect(window.getByRole('navigation').first()).toBeVisible();
    expect(await window.evaluate(() => document.querySelector('script[src*="@vite/client"]') !== null)).toBe(true);
  });
});
