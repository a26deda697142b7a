/** Builds the desk of a fresh checkout while its site is being served. A packaged program contains its desk. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROGRAM_FILES } from '../program-files.ts';
import { say } from './output.ts';

const BUILT_DESK = new URL('index.html', PROGRAM_FILES.desk);
const BUILD_SCRIPT = new URL('../../scripts/build-ui.ts', import.meta.url);

/**
 * Starts a build if the desk is missing, and reports the outcome. The API is served meanwhile. Returns a function that
 * stops the build.
 */
export function buildMissingDesk(): () => void {
  if (existsSync(BUILT_DESK) || !existsSync(BUILD_SCRIPT)) return () => undefined;
  say('The desk is not built yet. Building it takes about 30 s; the API is available meanwhile.');
  const build = spawn(process.execPath, [fileURLToPath(BUILD_SCRIPT)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  build.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  let isStopped = false;
  const failed = (reason: string) => {
    if (isStopped) return;
    say(`The desk could not be built, so only the API is served. Run "npm ci", then "npm run build".\n${reason}`);
  };
  build.once('error', ({ message }) => failed(message));
  build.once('close', (code) => (code === 0 ? say('The desk is ready.') : failed(log)));
  return () => {
    isStopped = true;
    build.kill();
  };
}
