/**
 * `npm run dev`: electron-vite's development server. Changes to the desk reload in place; changes to the main process need
 * a restart. Arguments are passed on to the desktop program (`--data`, `--port`).
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireElectron } from './electron-binary.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const electronVite = join(root, 'node_modules/electron-vite/bin/electron-vite.js');

const parameters = process.argv.slice(2);
const portOption = /^--port(?:=(\d+))?$/;
const portIndex = parameters.findIndex((argument) => portOption.test(argument));
const sitePort =
  portIndex < 0 ? undefined : (portOption.exec(parameters[portIndex] ?? '')?.[1] ?? parameters[portIndex + 1]);
const child = spawn(process.execPath, [electronVite, 'dev', '--', ...parameters], {
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
