/** Builds `out/` when it is missing or older than its sources. Run as a script, it checks the pages of desk and phone only. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

const TARGETS = {
  phone: {
    built: 'out/phone/index.html',
    sources: ['src-renderer/phone', 'src-renderer/shared', 'src-server/api/contract'],
  },
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

const run = (script: string, ...parameters: string[]): void => {
  execFileSync(process.execPath, [join(root, 'node_modules', script), ...parameters], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
};

/** Builds everything when one of the targets is stale; the phone's app alone when only that is. @throws Error when the build fails */
export function buildIfStale(targets: readonly (keyof typeof TARGETS)[]): void {
  const stale = targets.filter((target) => isStale(TARGETS[target]));
  if (stale.length === 0) return;
  process.stderr.write(`Building the ${stale.at(-1)} ...\n`);
  if (stale.some((target) => target !== 'phone'))
    run('electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'warn');
  run('vite/bin/vite.js', 'build', '--config', 'phone.vite.config.ts', '--logLevel', 'warn');
}

if (import.meta.main) buildIfStale(['desk', 'phone']);
