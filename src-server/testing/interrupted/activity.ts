/** Work on a folder that may end at any moment, by SIGKILL or a power cut, and what has to be there afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySite } from '../../integrity/verify.ts';
import { openSite } from '../../site/folder.ts';

export interface Activity {
  name: string;
  /** Fills the folder of the activity, which exists and is empty. */
  prepare(): Promise<void>;
  /** Works there to the end, or until its process is killed or the disk gone. */
  work(interruption: Interruption): Promise<WorkEnd>;
  /**
   * Does what a person does next, and reports what is wrong.
   * @param acknowledged what {@link Interruption.acknowledge} received before the end
   */
  problems(acknowledged: readonly string[]): Promise<string[]>;
  /** Most of what changes anything comes early, so random moments do too. */
  isEarly?: boolean;
}

export interface Interruption {
  /** For the process that works; see `kill-hook.ts`. */
  environment?: Record<string, string>;
  /** Since the moment from which {@link WorkEnd.durationMs} counts. */
  killAfterMs?: number;
  /** Resolves when the disk is gone: work that would wait forever may end. */
  gone?: Promise<void>;
  /** Something is stored, says the program; from now on it must be found again. */
  acknowledge(what: string): void;
}

export interface WorkEnd {
  wasKilled: boolean;
  durationMs: number;
}

/** What a command that ends without an error acknowledges. */
export const DONE = 'done';

export const KILL_HOOK = join(import.meta.dirname, 'kill-hook.ts');

/** Runs a program of ours as the work of an activity. */
export async function runCommand(
  words: readonly string[],
  { environment, killAfterMs, acknowledge }: Partial<Interruption> = {},
): Promise<WorkEnd> {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--import', KILL_HOOK, ...words], {
    stdio: 'ignore',
    env: { ...process.env, ...environment },
  });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  if (killAfterMs !== undefined) void sleep(killAfterMs).then(() => child.kill('SIGKILL'));
  const [code, signal] = await exited;
  if (code === 0) acknowledge?.(DONE);
  return { wasKilled: signal === 'SIGKILL', durationMs: performance.now() - startMs };
}

/** Opens a site, as the next start does, and then reads all of it. */
export async function siteProblems(dir: string, recordings?: number): Promise<string[]> {
  try {
    await (await openSite(dir)).close();
  } catch (thrown) {
    return [`${dir} does not open: ${String(thrown)}`];
  }
  const { problems, checked } = await verifySite(dir);
  const found = problems.map(({ step, message }) => `${step}: ${message}`);
  if (recordings !== undefined && checked.recordings !== recordings)
    found.push(`${dir} has ${checked.recordings} recordings, not ${recordings}.`);
  return found;
}
