/** A package of an earlier state of this repository, with the schema that sites had then. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Builds the package of a commit in a folder of its own, with the packages that are installed here.
 * @param to where the package goes
 * @throws Error when that commit cannot be built or has no package yet
 */
export function makeOlderPackage(commit: string, version: string, work: string, to: string): void {
  const checkout = join(work, 'older');
  const git = (...command: string[]) =>
    execFileSync('git', ['-C', ROOT, ...command], { stdio: ['ignore', 'ignore', 'inherit'] });
  git('worktree', 'add', '--detach', checkout, commit);
  try {
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(checkout, 'node_modules'));
    const run = (...command: string[]) =>
      execFileSync(process.execPath, command, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
    run('node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'error');
    const folder = join(work, 'older-package');
    mkdirSync(folder);
    run('scripts/package/deb.ts', folder, version);
    renameSync(join(folder, readdirSync(folder).find((name) => name.endsWith('.deb'))!), to);
  } finally {
    git('worktree', 'remove', '--force', checkout);
    rmSync(checkout, { recursive: true, force: true });
  }
}

/** The schema of the site in a folder of backups, as the newest of them states it. */
export function schemaInBackups(folder: string): number {
  const newest =
    readdirSync(folder, { withFileTypes: true })
      // The folder's own id lies beside them in backup-folder.json.
      .filter((entry) => entry.isDirectory() && entry.name.startsWith('backup-'))
      .map(({ name }) => name)
      .sort()
      .at(-1) ?? '';
  return (JSON.parse(readFileSync(join(folder, newest, 'summary.json'), 'utf8')) as { schemaVersion: number })
    .schemaVersion;
}

/** What of a former answer is missing or different in a later one, which may hold more. Empty when all of it is kept. */
export function lostIn(before: unknown, after: unknown, path = ''): string[] {
  if (Array.isArray(before)) {
    if (!Array.isArray(after) || after.length !== before.length) return [`${path}: not the same number`];
    return before.flatMap((one, index) => lostIn(one, after[index], `${path}[${index}]`));
  }
  if (typeof before === 'object' && before !== null) {
    const other = (typeof after === 'object' && after !== null ? after : {}) as Record<string, unknown>;
    return Object.entries(before).flatMap(([name, value]) => lostIn(value, other[name], `${path}.${name}`));
  }
  return Object.is(before, after) ? [] : [`${path}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`];
}
