/** A browser with a trust store of its own: Chromium on Linux reads the NSS database in its home folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from './chromium.ts';

/** Whether the program that edits such a database is there (Debian: libnss3-tools). */
export function hasCertutil(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    execFileSync('certutil', ['-H'], { stdio: 'pipe' });
    return true;
  } catch (thrown) {
    // Help ends with a status of its own.
    return (thrown as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

export interface TrustingBrowser {
  browser: Browser;
  close(): Promise<void>;
}

/** A home folder for a browser that trusts the given roots (PEM), besides those it brings. */
export function homeThatTrusts(roots: readonly string[]): { env: Record<string, string>; remove(): void } {
  const home = mkdtempSync(join(tmpdir(), 'outpost-home-'));
  const database = join(home, '.pki', 'nssdb');
  mkdirSync(database, { recursive: true });
  execFileSync('certutil', ['-N', '--empty-password', '-d', `sql:${database}`]);
  for (const [index, root] of roots.entries()) {
    const path = join(home, `root-${index}.pem`);
    writeFileSync(path, root);
    execFileSync('certutil', ['-A', '-n', `root ${index}`, '-t', 'C,,', '-i', path, '-d', `sql:${database}`]);
  }
  return {
    env: { ...process.env, HOME: home } as Record<string, string>,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Starts a browser that trusts the given roots; `names` lead to this computer. */
export async function browserThatTrusts(
  roots: readonly string[],
  names: readonly string[] = [],
): Promise<TrustingBrowser> {
  const home = homeThatTrusts(roots);
  const rules = names.map((name) => `MAP ${name} 127.0.0.1`).join(',');
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_FLAGS, ...(rules ? [`--host-resolver-rules=${rules}`] : [])],
    env: home.env,
  });
  return {
    browser,
    close: async () => {
      await browser.close();
      home.remove();
    },
  };
}
