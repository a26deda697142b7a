import { PROGRAM_FILES } from '../program-files.ts';
import { outcomeLine, runSelfTest, summaryLine } from '../self-test/run.ts';
import { answer, EXIT_PROBLEMS_FOUND, say } from './output.ts';

const LINGER_MS = 1000;

/** `outpost self-test`: checks that this program works on this computer. Needs no site. */
export async function selfTest({ names, json }: { names: string[]; json: boolean }): Promise<number> {
  const report = await runSelfTest({
    only: names,
    entries: PROGRAM_FILES,
    // Announced first: native code that crashes ends the process without an outcome.
    onStart: ({ name }) => say(`checking ${name}`),
    onEnd: (outcome) => {
      if (!json) answer(outcomeLine(outcome));
    },
  });
  answer(json ? report : summaryLine(report));
  // A failed check may leave a thread or a connection open, which would keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref();
  return report.ok ? 0 : EXIT_PROBLEMS_FOUND;
}
