/** Builds the desk into out/renderer when it is missing or older than its sources, so that the demo can show it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const built = join(root, 'out/renderer/index.html');

function newestChangeMs(directory: string): number {
  let newest = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  }
  return newest;
}

const sources = [join(root, 'src-renderer'), join(root, 'src-server/api/contract')];
const stale = !existsSync(built) || statSync(built).mtimeMs < Math.max(...sources.map(newestChangeMs));
if (stale) {
  process.stderr.write('Building the desk ...\n');
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--logLevel', 'warn'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
}
