/**
 * `npm start`: builds stale targets, then starts the desktop program. With `--browser` it serves the same site without
 * Electron, from the folder that the desktop program would open. All other arguments (`--data`, `--port`, `--lan-port`)
 * are passed on.
 */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build-ui.ts';
import { requireElectron } from './electron-binary.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Electron's `userData` for a program named "outpost" (electronjs.org/docs/latest/api/app#appgetpathname). */
function userDataDir(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  if (process.platform === 'win32') return join(APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'outpost');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'outpost');
  return join(XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'outpost');
}

/** Runs a program in place of this one: same streams, forwarded signals, same exit code. */
function runInPlace(command: string, parameters: readonly string[]): void {
  const child = spawn(command, parameters, { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.once('error', ({ message }) => {
    process.stderr.write(`${command} could not be started: ${message}\n`);
    process.exit(1);
  });
  child.once('exit', (code) => process.exit(code ?? 1));
}

const args = process.argv.slice(2);
const passedOn = args.filter((argument) => argument !== '--browser');
if (args.includes('--browser')) {
  buildIfStale(['desk', 'phone']);
  const hasOption = (name: string) => passedOn.some((argument) => argument === name || argument.startsWith(`${name}=`));
  const defaultData = process.env.OUTPOST_DATA ?? join(userDataDir(), 'site');
  const command = join(root, 'src-server/cli/main.ts');
  runInPlace(process.execPath, [
    command,
    'serve',
    '--set-up',
    ...(hasOption('--data') ? [] : ['--data', defaultData]),
    ...passedOn,
  ]);
} else {
  const electron = requireElectron();
  buildIfStale(['desk', 'phone', 'desktop']);
  runInPlace(electron, ['.', ...passedOn]);
}
