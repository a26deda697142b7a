/** Processes under measurement: the server and the commands, each with the meter and a clock at the site's own time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FullSite } from '../../../src-server/testing/full-site/site-folder.ts';
import { OUTPOST_COMMAND, type ServerProcess, startServerProcess } from '../../../src-server/testing/test-site.ts';
import type { Usage } from './meter-hook.ts';

const METER_HOOK = join(import.meta.dirname, 'meter-hook.ts');
const CLOCK_HOOK = join(import.meta.dirname, '..', '..', '..', 'src-server', 'testing', 'clock-hook.ts');
const NODE_ARGUMENTS = ['--import', CLOCK_HOOK, '--import', METER_HOOK];
/** A server is idle when it has used less than this in the pause between two readings. */
const IDLE_MS = 15;
const IDLE_PAUSE_MS = 400;
const LONGEST_SETTLING_MS = 120_000;

export interface MeteredServer extends ServerProcess {
  usage(): Promise<Usage>;
  /** From the start of the process to its ready line. */
  ready: { wallMs: number; cpuMs: number };
  /** Waits until background work of the start has ended; returns the CPU of the whole process until then. */
  settle(): Promise<number>;
}

async function environmentOf(folder: string, aheadMs: number): Promise<{ METER_FILE: string; CLOCK_FILE: string }> {
  const own = await mkdtemp(join(folder, 'process-'));
  const clockFile = join(own, 'clock');
  await writeFile(clockFile, String(aheadMs));
  return { METER_FILE: join(own, 'meter'), CLOCK_FILE: clockFile };
}

/** @param folder for files that belong to the process */
export async function startMetered(site: FullSite, folder: string): Promise<MeteredServer> {
  const environment = await environmentOf(folder, site.nowTs - Date.now());
  const started = performance.now();
  const server = await startServerProcess(site.dir, { nodeArguments: NODE_ARGUMENTS, environment });
  const wallMs = performance.now() - started;
  while (!existsSync(environment.METER_FILE)) await sleep(5);
  const { port } = JSON.parse(await readFile(environment.METER_FILE, 'utf8')) as { port: number };
  const usage = async () => (await (await fetch(`http://127.0.0.1:${port}`)).json()) as Usage;
  const { processMs: cpuMs } = await usage();
  const settle = async () => {
    const until = performance.now() + LONGEST_SETTLING_MS;
    let before = (await usage()).processMs;
    for (;;) {
      await sleep(IDLE_PAUSE_MS);
      const { processMs } = await usage();
      if (processMs - before < IDLE_MS || performance.now() > until) return processMs;
      before = processMs;
    }
  };
  return { ...server, usage, ready: { wallMs, cpuMs }, settle };
}

export interface CommandRun {
  wallMs: number;
  /** All threads. */
  cpuMs: number;
  peakBytes: number;
  readBytes: number;
  writtenBytes: number;
  exitCode: number | null;
  stdout: string;
}

/**
 * Runs an `outpost` command to its end. Its clock is never behind the computer's, by which files have their times: a backup would take
 * the database for one that may still be written to, and read all of it.
 */
export async function runCommand(site: FullSite, folder: string, words: readonly string[]): Promise<CommandRun> {
  const environment = await environmentOf(folder, Math.max(0, site.nowTs - Date.now()));
  const started = performance.now();
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, OUTPOST_COMMAND, ...words], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000);
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const wallMs = performance.now() - started;
  if (!existsSync(`${environment.METER_FILE}.end`))
    throw new Error(`outpost ${words[0]} ended with ${exitCode}: ${stderr}`);
  const { processMs, ...used } = JSON.parse(await readFile(`${environment.METER_FILE}.end`, 'utf8')) as Usage;
  const { peakBytes, readBytes, writtenBytes } = used;
  return { wallMs, cpuMs: processMs, peakBytes, readBytes, writtenBytes, exitCode, stdout };
}
