/** Finds the Electron program. Its npm package downloads it on first use; where that fails, explains the alternatives. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packageDir = dirname(createRequire(import.meta.url).resolve('electron/package.json'));

const MISSING = `
The Electron program is not on this computer, and it could not be downloaded. What you can do:

  Without Electron:  npm start -- --browser
                     The same site, in your web browser instead of a separate window.
  Behind a proxy:    set HTTPS_PROXY and ELECTRON_GET_USE_PROXY=1, run "npx install-electron", then "npm start".
  From a mirror:     set ELECTRON_MIRROR to its address, run "npx install-electron", then "npm start".
  From a copy:       unpack the Electron ${electronVersion()} archive for this system, set ELECTRON_EXEC_PATH to the
                     electron program in it, then "npm start".
`;

function electronVersion(): string {
  return (JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Path of the downloaded program; undefined before the download. */
function downloadedPath(): string | undefined {
  const name = join(packageDir, 'path.txt');
  if (!existsSync(name)) return undefined;
  const path = join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(packageDir, 'dist'), readFileSync(name, 'utf8'));
  return existsSync(path) ? path : undefined;
}

/**
 * Returns the path of the Electron program: ELECTRON_EXEC_PATH, or that of the npm package, downloaded if necessary.
 * Without a program, prints the alternatives to stderr and ends the process with exit code 1.
 */
export function requireElectron(): string {
  const configured = process.env.ELECTRON_EXEC_PATH;
  if (configured !== undefined && configured !== '') {
    if (existsSync(configured)) return configured;
    process.stderr.write(`ELECTRON_EXEC_PATH is ${configured}, but this file does not exist.\n`);
    process.exit(1);
  }
  const downloaded = downloadedPath();
  if (downloaded) return downloaded;
  process.stderr.write('Downloading the Electron program (only the first time) ...\n');
  const { status, stderr } = spawnSync(process.execPath, [join(packageDir, 'install.js')], { encoding: 'utf8' });
  const path = status === 0 ? downloadedPath() : undefined;
  if (path) return path;
  const reason = stderr.split('\n').find((line) => /error/i.test(line));
  process.stderr.write(`${reason ? `${reason.trim()}\n` : ''}${MISSING}`);
  process.exit(1);
}
