/**
 * The first start of a new version: its self-test runs before it opens a site, so a program that this computer cannot run has migrated
 * nothing. It is trusted once it has opened the site; after two starts that did not, the way back is offered instead.
 */
import { execFile } from 'node:child_process';
import { MINUTE_MS } from '../../src-server/durations.ts';
import type { OutpostError } from '../../src-server/errors.ts';
import { stateAtStart, type UpdateRecord } from './attempt.ts';

/** It takes two seconds; a program that hangs has failed. */
const SELF_TEST_TIMEOUT_MS = 2 * MINUTE_MS;

/** What stands in the way of any version: another program, the disk, the folder. It says nothing about the new one. */
const NOT_OF_THE_PROGRAM: ReadonlySet<string> = new Set([
  'SITE_LOCKED',
  'SITE_MISSING',
  'SITE_READ_ONLY',
  'SITE_DISCONNECTED',
  'PORT_TAKEN',
  'DISK_FULL',
]);

/** The names of the checks that failed; what else went wrong, in words of the system; `passed` for none. */
export function outcomeOf(code: number | null, stdout: string, stderr: string): 'passed' | { failed: string } {
  try {
    const { checks } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
      checks: { name: string; ok: boolean }[];
    };
    const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
    if (failed.length > 0) return { failed: failed.join(', ') };
    if (code === 0) return 'passed';
  } catch {
    // No report: it did not come that far.
  }
  return { failed: stderr.trim().split('\n').at(-1)?.slice(0, 300) || `code ${code}` };
}

const runSelfTest = ({ program, args }: SelfTestCommand): Promise<'passed' | { failed: string }> =>
  new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { timeout: SELF_TEST_TIMEOUT_MS, maxBuffer: 16e6 },
      (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : null) : 0;
        resolve(outcomeOf(code, stdout, error && child.exitCode === null ? String(error.message) : stderr));
      },
    );
  });

interface SelfTestCommand {
  program: string;
  args: readonly string[];
}

export class Trial {
  readonly #record: UpdateRecord;
  readonly #version: string;
  readonly #selfTest: SelfTestCommand;
  #isTrial = false;
  #isFirstLook = true;

  constructor(record: UpdateRecord, version: string, selfTest: SelfTestCommand) {
    this.#record = record;
    this.#version = version;
    this.#selfTest = selfTest;
  }

  /**
   * To be called before a site is opened. Returns false when the new version has not proved itself: nothing is opened then.
   * @param onTest called before the self-test, which takes some seconds
   */
  async mayOpen(onTest: () => void): Promise<boolean> {
    const state = this.#isFirstLook || this.#isTrial ? await stateAtStart(this.#record, this.#version) : 'usual';
    this.#isFirstLook = false;
    this.#isTrial = state === 'trial';
    if (state !== 'trial') return state === 'usual';
    if (this.#record.attempt?.selfTest === undefined) {
      onTest();
      await this.#record.change({ selfTest: await runSelfTest(this.#selfTest) });
    }
    if (this.#record.attempt?.selfTest !== 'passed') {
      await this.#record.change({ stage: 'failed' });
      return false;
    }
    // Counted before it is tried: a crash leaves no other trace.
    await this.#record.change({ opens: (this.#record.attempt?.opens ?? 0) + 1 });
    return true;
  }

  /** The site is open: the new version is trusted. */
  async opened(): Promise<void> {
    if (!this.#isTrial) return;
    this.#isTrial = false;
    await this.#record.change({ stage: 'confirmed' });
  }

  /** The site did not open. Returns true when the way back should be offered. */
  async notOpened({ code, message }: OutpostError): Promise<boolean> {
    if (!this.#isTrial) return false;
    const opens = this.#record.attempt?.opens ?? 1;
    if (NOT_OF_THE_PROGRAM.has(code)) {
      await this.#record.change({ opens: opens - 1 });
      return false;
    }
    await this.#record.change({ problem: message });
    return (await stateAtStart(this.#record, this.#version)) === 'failed';
  }

  /** The person wants another attempt with the new version. */
  async again(): Promise<void> {
    this.#isTrial = true;
    await this.#record.change({ stage: 'trial', opens: 0 });
  }
}
