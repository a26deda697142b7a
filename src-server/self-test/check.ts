/** What a check of the self-test is, and how it states what it expected. */
import { isDeepStrictEqual } from 'node:util';
import type { ForkProcess } from '../jobs/analytics/supervisor.ts';

export interface SelfTestContext {
  /** A new folder for this run, empty at its start, removed at its end. */
  dir: string;
  /** Entry files of the analytics process and the worker threads: the sources, or the bundles of a built program. */
  entries: { analytics: URL; worker: URL };
  /** Starts an analytics process; default: a Node child process. */
  fork?: ForkProcess | undefined;
}

export interface Check {
  /** Stable name for scripts and reports: lower case, with hyphens. */
  name: string;
  /** What must work, as a noun phrase. */
  subject: string;
  /** What to do when it does not. */
  advice: string;
  /**
   * Exercises the subject through the modules of the site that use it, which it loads itself: a module that cannot be loaded fails
   * its own checks only. Throws an error that says what differs.
   */
  run(context: SelfTestContext): Promise<void>;
}

/** Ends a check with its reason. */
export class SelfTestFailure extends Error {}

/** @throws SelfTestFailure unless both are equal, with both values in words */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new SelfTestFailure(`${what} is ${shown(actual)}, not ${shown(expected)}`);
}

/** @throws SelfTestFailure with `sentence` unless `condition` holds */
export function expectThat(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new SelfTestFailure(sentence);
}

const LONGEST_SHOWN = 120;

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}

/** Advice for parts that come with the program and have no installer of their own. */
export const REINSTALL =
  'This build of Outpost does not fit its runtime. Install Outpost again; if that does not help, send this report to support.';
