/**
 * Reports of crashes, one text file each, in the folder `logs` of the site. They stay on this computer: an administrator finds them in
 * the diagnostics that they send to support themselves. What they may hold is decided in `crash-lines.ts`.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { VERSION } from '../version.ts';
import { crashLines } from './crash-lines.ts';

/** What ended. */
export type CrashedPart = 'analytics' | 'site' | 'window';

export interface Crash {
  part: CrashedPart;
  /** How it ended, in words of this program: `ended by SIGKILL`. Never a message of an error. */
  reason: string;
  /** A thrown value with its stack, or what the process wrote last; only known forms of it are kept. */
  error?: unknown;
  output?: string;
  /** How long it had run. */
  aliveMs?: number;
}

export interface CrashReport {
  name: string;
  text: string;
}

/** The newest reports are kept. */
const MOST_REPORTS = 20;
const MOST_BYTES = 16_384;
/** Exists while a run lasts. */
const RUNNING = 'running';
const NAME = /^crash-\d{8}T\d{9}Z-[a-z]+(?:-\d+)?\.txt$/;
/** This file is in `src-server/site` of the program or in a bundle in `out/main`. */
const PROGRAM_ROOTS = ['../../', '../'].map((up) => resolve(import.meta.dirname, up));

export class CrashReports {
  readonly #folder: string;

  /** @param siteDir the folder of the site */
  constructor(siteDir: string) {
    this.#folder = join(siteDir, 'logs');
  }

  /**
   * Writes a report, at once: the process may be about to end. Returns its file name; undefined where it cannot be written, since a
   * crash must not become a second one.
   */
  write(crash: Crash, nowTs = Date.now()): string | undefined {
    try {
      this.#makeFolder();
      const text = Buffer.from(textOf(crash, nowTs)).subarray(0, MOST_BYTES);
      const stem = `crash-${new Date(nowTs).toISOString().replace(/[-:.]/g, '')}-${crash.part}`;
      const taken = new Set(this.#names());
      let name = `${stem}.txt`;
      for (let copy = 2; taken.has(name); copy++) name = `${stem}-${copy}.txt`;
      const file = openSync(join(this.#folder, name), 'wx', 0o600);
      try {
        writeSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      for (const old of [...taken].sort().slice(0, Math.max(0, taken.size + 1 - MOST_REPORTS))) {
        rmSync(join(this.#folder, old), { force: true });
      }
      return name;
    } catch {
      return undefined;
    }
  }

  /**
   * Notes that a run begins, and reports the one before it if that did not end with {@link endRun} or a report of its own: it was
   * killed, or the computer lost power.
   */
  beginRun(nowTs = Date.now()): void {
    const marker = join(this.#folder, RUNNING);
    if (existsSync(marker))
      this.write({ part: 'site', reason: 'ended without closing (killed, crashed or no power)' }, nowTs);
    try {
      this.#makeFolder();
      writeFileSync(marker, '');
    } catch {
      // The site works without reports.
    }
  }

  endRun(): void {
    rmSync(join(this.#folder, RUNNING), { force: true });
  }

  /** Reports the error that is about to end this process. Returns a function that stops watching. */
  watchProcess(): () => void {
    // A monitor changes nothing about what the process does with the error.
    const onError = (error: unknown) => {
      if (this.write({ part: 'site', reason: 'uncaught error', error, aliveMs: process.uptime() * 1000 }))
        this.endRun();
    };
    process.on('uncaughtExceptionMonitor', onError);
    return () => void process.off('uncaughtExceptionMonitor', onError);
  }

  /** The kept reports, the newest first. */
  list(): CrashReport[] {
    return this.#names()
      .sort()
      .reverse()
      .flatMap((name) => {
        try {
          return { name, text: readFileSync(join(this.#folder, name), 'utf8').slice(0, MOST_BYTES) };
        } catch {
          return [];
        }
      });
  }

  /** Never the folders above: where the disk of the site was pulled, nothing is made in its place. */
  #makeFolder(): void {
    if (!existsSync(this.#folder)) mkdirSync(this.#folder, { mode: 0o700 });
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => NAME.test(name));
    } catch {
      return [];
    }
  }
}

function textOf({ part, reason, error, output, aliveMs }: Crash, nowTs: number): string {
  const { node, v8, electron } = process.versions;
  const runtime = electron === undefined ? `Node ${node}` : `Electron ${electron}, Node ${node}`;
  const seconds = aliveMs === undefined ? undefined : Math.round(aliveMs / 1000);
  const lines = [
    ...(error === undefined ? [] : crashLines(stackOf(error), PROGRAM_ROOTS)),
    ...(output === undefined ? [] : crashLines(output, PROGRAM_ROOTS)),
  ];
  return [
    'Outpost crash report. It holds no personal data and stays on this computer.',
    '',
    `when     ${new Date(nowTs).toISOString()}`,
    `what     ${part}`,
    `how      ${/^[\w ,.()-]{1,80}$/.test(reason) ? reason : 'unknown'}`,
    `version  ${VERSION}`,
    `runtime  ${runtime}, V8 ${v8}, ${process.platform} ${process.arch}`,
    `memory   ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB in the process of the site`,
    ...(seconds === undefined ? [] : [`alive    ${seconds} s`]),
    '',
    ...(lines.length > 0 ? lines : ['(no stack)']),
    '',
  ].join('\n');
}

/** The stack of an error and of those that caused it. */
function stackOf(error: unknown): string {
  const parts: string[] = [];
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 4; one = one.cause, depth++) {
    parts.push(one.stack ?? one.name);
  }
  return parts.join('\n');
}
