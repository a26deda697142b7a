/**
 * `Outpost --self-test`: runs the self-test inside the desktop program, without a window, and ends. What differs between Node
 * and Electron shows here only, so this is the first thing to run with a new binary. `--json` prints the report as one line.
 */
import { writeSync } from 'node:fs';
import { app } from 'electron';
import { PROGRAM_FILES } from '../src-server/program-files.ts';
import { outcomeLine, runSelfTest, summaryLine } from '../src-server/self-test/run.ts';
import { forkUtilityProcess } from './utility-process.ts';

/** As the exit code of `outpost self-test`. */
const EXIT_PROBLEMS_FOUND = 7;

/** Written at once: after a crash of native code a buffered line would be lost, and ending the program drops pending writes. */
const print = (descriptor: 1 | 2, text: string): void => {
  try {
    writeSync(descriptor, `${text}\n`);
  } catch {
    // A desktop program on Windows may have no output; the exit code still tells.
  }
};

export async function selfTest(json: boolean): Promise<void> {
  await app.whenReady();
  const report = await runSelfTest({
    entries: PROGRAM_FILES,
    fork: forkUtilityProcess,
    onStart: ({ name }) => print(2, `checking ${name}`),
    onEnd: (outcome) => {
      if (!json) print(1, outcomeLine(outcome));
    },
  });
  print(1, json ? JSON.stringify(report) : summaryLine(report));
  app.exit(report.ok ? 0 : EXIT_PROBLEMS_FOUND);
}
