/** Sites for tests and pictures, made and served by the `outpost` command itself. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const command = fileURLToPath(new URL('../../src-server/cli/main.ts', import.meta.url));

/** What `outpost demo --json` prints, as far as the tests use it. */
export interface DemoSite {
  dir: string;
  email: string;
  password: string;
  studyId: string;
  subjects: { id: string; displayName: string }[];
}

/** A demo site that answers at its address. */
export interface ServedDemo extends DemoSite {
  url: string;
}

/** Makes a demo site in an empty or new folder. Takes some seconds. */
export const makeDemoSite = async (dir: string, days = 1): Promise<DemoSite> => {
  if (!existsSync(fileURLToPath(new URL('../../out/renderer/index.html', import.meta.url)))) {
    throw new Error('The desk is not built. Run "npm run build" first.');
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [command, 'demo', '--data', dir, '--days', String(days), '--once', '--json'],
    { cwd: root },
  );
  return { ...JSON.parse(stdout), dir };
};

export const EMPTY_SITE_ADMIN = { email: 'admin@harbour.example', password: 'a long enough one' };

/** Makes an empty site with one administrator. */
export const makeEmptySite = async (dir: string): Promise<void> => {
  const options = ['--account', 'Harbour Clinic', '--email', EMPTY_SITE_ADMIN.email, '--password-file', '-'];
  const made = promisify(execFile)(process.execPath, [command, 'init', '--data', dir, ...options], { cwd: root });
  made.child.stdin?.end(`${EMPTY_SITE_ADMIN.password}\n`);
  await made;
};

/** Longer than the command gives itself. */
const LONGEST_STOP_MS = 75_000;

export interface ServedSite {
  url: string;
  stop(): Promise<void>;
}

/** Starts `outpost serve`, and answers how to stop it; `onEarlyEnd` receives why it ended early. */
function startServing(dir: string, options: readonly string[], onEarlyEnd: (reason: Error) => void) {
  const child: ChildProcess = spawn(
    process.execPath,
    [command, 'serve', '--no-desk', '--data', dir, '--port', '0', ...options],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.once('exit', (code) => onEarlyEnd(new Error(`outpost serve ended with code ${code}:\n${log}`)));
  const stop = async () => {
    child.kill('SIGTERM');
    // A run once waited here until its time was over; what held the site was not known.
    const hung = setTimeout(() => child.kill('SIGKILL'), LONGEST_STOP_MS);
    await ended;
    clearTimeout(hung);
    if (child.signalCode === 'SIGKILL') throw new Error(`outpost serve did not end:\n${log}`);
  };
  return { child, stop };
}

/** Serves a site with `outpost serve` on a free port and waits until it is ready; for devices too when asked for. */
export const serveSite = (dir: string, { lan = false } = {}): Promise<ServedSite> =>
  new Promise((resolve, reject) => {
    const { child, stop } = startServing(dir, lan ? ['--lan-port', '0'] : ['--no-lan'], reject);
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', (line) => {
      resolve({ url: JSON.parse(line).url, stop });
    });
  });

/** Runs `outpost serve --set-up` on a folder without a site, and answers the one-time address that it prints. */
export const offerNewSite = (dir: string): Promise<ServedSite> =>
  new Promise((resolve, reject) => {
    const { child, stop } = startServing(dir, ['--no-lan', '--set-up'], reject);
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('http://')) resolve({ url: line, stop });
    });
  });

/** Runs `outpost restore` and answers what it printed. */
export const restoreBackup = async (from: string, dir: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'restore', '--from', from, '--data', dir], {
    cwd: root,
  });
  return stdout;
};
