/** Finds a Chromium for tests and pictures, and the switches it is started with. */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge'];
const KNOWN_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

const isRoot = process.getuid?.() === 0;

const onPath = (): string | undefined => {
  const directories = (process.env.PATH ?? '').split(delimiter);
  for (const name of NAMES) {
    for (const directory of directories) {
      const path = join(directory, name);
      if (directory !== '' && existsSync(path)) return path;
    }
  }
  return KNOWN_PLACES.find((path) => existsSync(path));
};

const playwrightsOwn = (): string | undefined => {
  const path = chromium.executablePath();
  return path !== '' && existsSync(path) ? path : undefined;
};

/** Debian's package, for a bare machine on which we may install one. */
const installed = (): string | undefined => {
  if (!isRoot || !existsSync('/usr/bin/apt-get')) return undefined;
  process.stderr.write('No Chromium or Chrome found: installing the Debian package chromium ...\n');
  const options: ExecFileSyncOptions = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['install', '-y', '-qq', 'chromium', 'fonts-noto-cjk'], options);
  return onPath();
};

/**
 * Path of a Chromium: OUTPOST_CHROMIUM, then the system's Chromium or Chrome, then the one that Playwright manages, then
 * Debian's package.
 *
 * @throws Error with advice when there is none
 */
export const findChromium = (): string => {
  const given = process.env.OUTPOST_CHROMIUM;
  if (given && !existsSync(given)) throw new Error(`OUTPOST_CHROMIUM names ${given}, which does not exist.`);
  const path = given ?? onPath() ?? playwrightsOwn() ?? installed();
  if (!path)
    throw new Error(
      'No Chromium or Chrome found. Install one, run "npx playwright install chromium", or set OUTPOST_CHROMIUM.',
    );
  return path;
};

/** Quiet on the network, and able to run as root inside a container, whose shared memory may be too small for canvases. */
export const CHROMIUM_FLAGS: string[] = [
  ...(isRoot ? ['--no-sandbox'] : []),
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
