/**
 * `npm run dev`: electron-vite's development server, and Vite's for the app of phones (its address is printed). Changes to the
 * desk and the app reload in place; changes to the main process need a restart. Arguments are passed on to the desktop program (`--data`, `--port`).
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireElectron } from './electron-binary.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

const parameters = process.argv.slice(2);
const portOption = /^--port(?:=(\d+))?$/;
const portIndex = parameters.findIndex((argument) => portOption.test(argument));
const sitePort =
  portIndex < 0 ? undefined : (portOption.exec(parameters[portIndex] ?? '')?.[1] ?? parameters[portIndex + 1]);
const env = {
  ...process.env,
  ELECTRON_EXEC_PATH: requireElectron(),
  // The development servers forward the API to the site, so all must know its port.
  ...(sitePort !== undefined && { OUTPOST_PORT: sitePort }),
};
const start = (script: string, ...given: string[]) =>
  spawn(process.execPath, [join(root, 'node_modules', script), ...given], { cwd: root, stdio: 'inherit', env });
const desk = start('electron-vite/bin/electron-vite.js', 'dev', '--', ...parameters);
const phone = start('vite/bin/vite.js', '--config', 'phone.vite.config.ts', '--clearScreen', 'false');
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    for (const child of [desk, phone]) child.kill(signal);
  });
desk.once('exit', (code) => {
  phone.kill();
  process.exit(code ?? 1);
});
