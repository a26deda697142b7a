/** Builds `out/` when it is missing or older than its sources. Run as a script, it checks the desk only. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

const TARGETS = {
  desk: { built: 'out/renderer/index.html', sources: ['src-renderer', 'src-server/api/contract'] },
  desktop: { built: 'out/main/index.js', sources: ['src-main', 'src-server'] },
} as const;

function newestChangeMs(directory: string): number {
  let newest = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  }
  return newest;
}

function isStale({ built, sources }: (typeof TARGETS)[keyof typeof TARGETS]): boolean {
  const path = join(root, built);
  if (!existsSync(path)) return true;
  const builtMs = statSync(path).mtimeMs;
  return sources.some((source) => newestChangeMs(join(root, source)) > builtMs);
}

/** Builds everything with electron-vite when one of the targets is stale. @throws Error when the build fails */
export function buildIfStale(targets: readonly (keyof typeof TARGETS)[]): void {
  if (!targets.some((target) => isStale(TARGETS[target]))) return;
  process.stderr.write(`Building the ${targets.at(-1)} ...\n`);
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--logLevel', 'warn'],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

if (import.meta.main) buildIfStale(['desk']);
