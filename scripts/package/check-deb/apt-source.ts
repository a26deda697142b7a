/** A folder of packages as a source of apt, made and used by the words of the page on updates. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blockNaming } from '../document-commands.ts';
import type { Machine } from './clean-machine.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../../resources/updates.md', import.meta.url)), 'utf8');
const HEADING = 'Debian packages';
/** What the page has an administrator write on each server. */
export const APT_SOURCE = ['/usr/share/keyrings/outpost.gpg', '/etc/apt/sources.list.d/outpost.list'];
const KEY = 'packages@clinic.example';

/** Presses Enter as a person would, until the program has ended; many at once fill the memory of the terminal. */
const ENTER = 'while sleep 1 && echo; do :; done';

/** Puts packages where the page has them, and makes the folder a signed source, as the person who makes the packages. */
export function makeAptSource(root: string, packages: readonly string[]): void {
  const folder = join(root, 'mnt/updates');
  mkdirSync(folder, { recursive: true });
  for (const path of packages) copyFileSync(path, join(folder, basename(path)));
  const keys = mkdtempSync(join(tmpdir(), 'outpost-keys-'));
  const environment = { ...process.env, GNUPGHOME: keys, KEY };
  const run = (line: string) =>
    execFileSync('sh', ['-c', line], { cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    run(`gpg --batch --quiet --passphrase '' --quick-generate-key "$KEY" ed25519 sign never`);
    // As for the next version: what is there is replaced without a question.
    for (let turn = 0; turn < 2; turn++) for (const line of blockNaming(PAGE, HEADING, 'apt-ftparchive')) run(line);
    run('gpgconf --kill all');
  } finally {
    rmSync(keys, { recursive: true, force: true });
  }
}

/**
 * Upgrades from the source, at a terminal: both versions may have changed the settings, and Enter keeps those of the administrator.
 * @throws Error when a command fails
 */
export async function upgradeFromSource(machine: Machine): Promise<void> {
  for (const line of blockNaming(PAGE, HEADING, 'apt-get')) {
    const isAsking = /^apt-get install/.test(line);
    await machine.do(
      `cd /root && ${isAsking ? `${ENTER} | script --quiet --return --command "${line}" /dev/null` : line}`,
    );
  }
}
