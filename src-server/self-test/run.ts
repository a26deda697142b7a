/**
 * The self-test: exercises, through the modules of the site, everything that can differ between Node and Electron, between builds,
 * and between computers. Checks run one at a time, so that a crash in native code points at the one that was announced last.
 * It uses a folder of its own and no site.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutpostError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { Check, SelfTestContext } from './check.ts';
import { cryptographyChecks } from './checks/cryptography.ts';
import { localeChecks } from './checks/locale.ts';
import { networkChecks } from './checks/network.ts';
import { processChecks } from './checks/processes.ts';
import { siteChecks } from './checks/site.ts';
import { storageChecks } from './checks/storage.ts';

export const CHECKS: readonly Check[] = [
  ...cryptographyChecks,
  ...storageChecks,
  ...localeChecks,
  ...networkChecks,
  ...processChecks,
  ...siteChecks,
];

/** A check that takes longer counts as hung: each takes tenths of a second, and some seconds on a computer that is busy. */
const DEADLINE_MS = 60_000;

export interface CheckOutcome {
  name: string;
  subject: string;
  ok: boolean;
  durationMs: number;
  /** What failed, and what to do; absent when `ok`. */
  message?: string;
  advice?: string;
}

export interface SelfTestReport {
  ok: boolean;
  version: string;
  /** What runs the program. */
  runtime: Record<string, string>;
  durationMs: number;
  checks: CheckOutcome[];
}

export interface SelfTestOptions extends Omit<SelfTestContext, 'dir'> {
  /** Names of the checks to run; default: all. */
  only?: readonly string[];
  /** Announces a check before it runs. */
  onStart?: (check: Check) => void;
  onEnd?: (outcome: CheckOutcome) => void;
}

/**
 * Runs the checks and reports their outcomes, failures included. For a process that does nothing else.
 * @throws INVALID_INPUT for a name in `only` that no check has; an error of the file system when no temporary folder can be made
 */
export async function runSelfTest({ only = [], onStart, onEnd, ...context }: SelfTestOptions): Promise<SelfTestReport> {
  const startedMs = performance.now();
  const wanted = checksNamed(only);
  catchStrays();
  const dir = await mkdtemp(join(tmpdir(), 'outpost self-test '));
  const checks: CheckOutcome[] = [];
  try {
    for (const check of wanted) {
      onStart?.(check);
      const outcome = await outcomeOf(check, { ...context, dir });
      checks.push(outcome);
      onEnd?.(outcome);
    }
  } finally {
    // A process of a failed check may still hold a file; the system empties this folder later.
    await rm(dir, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
  return {
    ok: checks.every(({ ok }) => ok),
    version: VERSION,
    runtime: runtime(),
    durationMs: Math.round(performance.now() - startedMs),
    checks,
  };
}

function checksNamed(names: readonly string[]): readonly Check[] {
  if (names.length === 0) return CHECKS;
  const unknown = names.find((name) => !CHECKS.some((check) => check.name === name));
  if (unknown !== undefined) {
    const known = CHECKS.map(({ name }) => name).join(', ');
    throw new OutpostError('INVALID_INPUT', `There is no check named ${unknown}. The checks are: ${known}.`);
  }
  return CHECKS.filter(({ name }) => names.includes(name));
}

/** Receives errors that no caller awaits, for the check that runs. */
const strays: { receive(thrown: unknown): void } = { receive: () => undefined };

/**
 * Errors that no caller receives, such as those of a thread that cannot start, would end the program without a report. They count
 * against the running check. Never undone: a failed check may throw once more after its end.
 */
function catchStrays(): void {
  const receive = (thrown: unknown) => strays.receive(thrown);
  process.on('uncaughtException', receive).on('unhandledRejection', receive);
}

async function outcomeOf(check: Check, context: SelfTestContext): Promise<CheckOutcome> {
  const { name, subject, advice } = check;
  const startedMs = performance.now();
  const failed = Promise.withResolvers<never>();
  // Also rejected after its check has ended.
  failed.promise.catch(() => undefined);
  const timer = setTimeout(() => failed.reject(new Error(`no end after ${DEADLINE_MS / 1000} s`)), DEADLINE_MS);
  const since = () => Math.round(performance.now() - startedMs);
  strays.receive = failed.reject;
  try {
    await Promise.race([check.run(context), failed.promise]);
    return { name, subject, ok: true, durationMs: since() };
  } catch (thrown) {
    return { name, subject, ok: false, durationMs: since(), message: sentenceOf(thrown), advice };
  } finally {
    clearTimeout(timer);
  }
}

/** The reason as a sentence, with the first of the causes behind it: a wrapped error hides which function is missing. */
function sentenceOf(thrown: unknown): string {
  const reasons: string[] = [];
  for (let error = thrown; error !== undefined && error !== null; error = (error as Error).cause) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n');
    reasons.push(line.replace(NPM_ADVICE, 'a native module could not be loaded').replace(/\.$/, ''));
  }
  const [first = 'unknown reason', ...causes] = reasons;
  // Loaders try several files; that one of them is missing is rarely the reason.
  const cause = causes.findLast((reason) => !reason.startsWith('Cannot find module')) ?? causes.at(-1);
  const head = first.charAt(0).toUpperCase() + first.slice(1);
  return `${head}${cause === undefined || cause === first ? '' : ` (${cause})`}.`;
}

/** What the loaders of napi-rs say instead of the reason, for developers. */
const NPM_ADVICE = /^Cannot find native binding.*/;

function runtime(): Record<string, string> {
  const { versions, platform, arch, execPath } = process;
  const wanted = [
    'electron',
    'chrome',
    'node',
    'v8',
    'modules',
    'napi',
    'openssl',
    'icu',
    'cldr',
    'tz',
    'zstd',
    'zlib',
  ];
  const known = wanted.flatMap((name) => (versions[name] === undefined ? [] : [[name, versions[name]]]));
  return { ...Object.fromEntries(known), platform, arch, execPath };
}

/** Lines for people, one per check. */
export function outcomeLine({ subject, name, ok, durationMs, message, advice }: CheckOutcome): string {
  if (ok) return `ok      ${name} (${durationMs} ms)`;
  return `FAILED  ${name}: ${subject}\n        ${message}\n        ${advice}`;
}

export function summaryLine({ ok, checks, runtime: of, durationMs }: SelfTestReport): string {
  const by = of.electron === undefined ? `Node ${of.node}` : `Electron ${of.electron} (Node ${of.node})`;
  const failed = checks.filter((check) => !check.ok).length;
  const seconds = (durationMs / 1000).toFixed(1);
  return ok
    ? `All ${checks.length} checks passed in ${seconds} s on ${by}, ${of.platform} ${of.arch}.`
    : `${failed} of ${checks.length} checks failed on ${by}, ${of.platform} ${of.arch}.`;
}
