/**
 * `npm run dev`: electron-vite's development server. Changes of the desk show in place; a change of the main process shows
 * at the next start. Arguments are passed on to the desktop program (`--data`, `--port`).
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireElectron } from './electron-binary.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const electronVite = join(root, 'node_modules/electron-vite/bin/electron-vite.js');

const passedOn = process.argv.slice(2);
const port = /^--port(?:=(\d+))?$/;
const at = passedOn.findIndex((argument) => port.test(argument));
const sitePort = at < 0 ? undefined : (port.exec(passedOn[at] ?? '')?.[1] ?? passedOn[at + 1]);
const child = spawn(process.execPath, [electronVite, 'dev', '--', ...passedOn], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    ELECTRON_EXEC_PATH: requireElectron(),
    // The development server forwards the API to the site, so both must know its port.
    ...(sitePort !== undefined && { OUTPOST_PORT: sitePort }),
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));
