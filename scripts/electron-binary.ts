/** Where the Electron program is, and what to do where it is not: its npm package downloads the program at first use. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));

const MISSING = `
The Electron program is not on this computer, and it could not be downloaded. What you can do:

  Without Electron:  npm start -- --browser
                     The same site, shown in your web browser instead of a window of its own.
  Behind a proxy:    set HTTPS_PROXY and ELECTRON_GET_USE_PROXY=1, run "npx install-electron", then "npm start".
  From a mirror:     set ELECTRON_MIRROR to its address, run "npx install-electron", then "npm start".
  From a copy:       unpack the Electron ${versionOf()} archive for this system, set ELECTRON_EXEC_PATH to the
                     electron program in it, then "npm start".
`;

function versionOf(): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The program that the package downloaded; undefined before that. */
function downloadedPath(): string | undefined {
  const name = join(folder, 'path.txt');
  if (!existsSync(name)) return undefined;
  const path = join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist'), readFileSync(name, 'utf8'));
  return existsSync(path) ? path : undefined;
}

/**
 * Path of the Electron program: ELECTRON_EXEC_PATH, or the one of the npm package, downloaded when it is not there yet.
 * Where there is none, says what to do on stderr and ends the process with exit code 1.
 */
export function requireElectron(): string {
  const given = process.env.ELECTRON_EXEC_PATH;
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given;
    process.stderr.write(`ELECTRON_EXEC_PATH names ${given}, and there is no such file.\n`);
    process.exit(1);
  }
  const known = downloadedPath();
  if (known) return known;
  process.stderr.write('Downloading the Electron program, once ...\n');
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'install.js')], { encoding: 'utf8' });
  const path = status === 0 ? downloadedPath() : undefined;
  if (path) return path;
  const reason = stderr.split('\n').find((line) => /error/i.test(line));
  process.stderr.write(`${reason ? `${reason.trim()}\n` : ''}${MISSING}`);
  process.exit(1);
}
