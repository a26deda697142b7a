/**
 * Mutation testing of the documented rules: breaks one rule at a time in a copy of the project and runs the tests nearest
 * to it, which have to fail. `npm run mutation` runs all mutants, `npm run mutation -- token` those whose rule contains the
 * word.
 *
 * The mutants are written by hand. A general tool mutates operators; these show which promises of the interface are tested.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatTable } from '../../src-server/cli/tables.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Copies the files under version control, with uncommitted changes, and links the installed packages. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'outpost-mutation-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const name of files.toString('utf8').split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    cpSync(join(ROOT, name), join(copy, name), { force: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  return copy;
}

interface Outcome {
  isSuccess: boolean;
  /** First failed test; undefined when no test ran, which does not count as a kill. */
  failed?: string;
  seconds: number;
}

interface VitestReport {
  success: boolean;
  numTotalTests: number;
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}

function runTests(copy: string, tests: readonly string[]): Outcome {
  const started = performance.now();
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  spawnSync(process.execPath, [vitest, 'run', '--bail=1', '--reporter=json', `--outputFile=${report}`, ...tests], {
    cwd: copy,
    stdio: 'ignore',
  });
  const { success, numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport;
  const failed = testResults
    .flatMap((file) => file.assertionResults)
    .find((assertion) => assertion.status === 'failed');
  return {
    isSuccess: success && numTotalTests > 0,
    failed: failed?.fullName,
    seconds: (performance.now() - started) / 1000,
  };
}

function outcomeOf(copy: string, { file, from, to, tests }: Mutant): Outcome {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(from).length !== 2) throw new Error(`${file} does not contain this text exactly once: ${from}`);
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  try {
    return runTests(copy, tests);
  } finally {
    writeFileSync(path, source);
  }
}

const word = process.argv[2]?.toLowerCase() ?? '';
const chosen = MUTANTS.filter(({ rule }) => rule.toLowerCase().includes(word));
const copy = copyProject();
try {
  const unchanged = runTests(copy, [...new Set(chosen.flatMap(({ tests }) => tests))]);
  if (!unchanged.isSuccess) throw new Error(`The tests fail without any change: ${unchanged.failed ?? 'none ran'}.`);
  const rows = chosen.map((mutant) => {
    const { failed, seconds } = outcomeOf(copy, mutant);
    const isKilled = failed !== undefined;
    process.stderr.write(`${isKilled ? 'killed  ' : 'SURVIVED'} ${mutant.rule}\n`);
    return {
      isKilled,
      cells: [mutant.rule, isKilled ? 'killed' : 'SURVIVED', `${seconds.toFixed(1)} s`, failed ?? ''],
    };
  });
  process.stdout.write(`${formatTable([['rule', 'mutant', 'took', 'by'], ...rows.map(({ cells }) => cells)])}\n`);
  const survivors = rows.filter(({ isKilled }) => !isKilled).length;
  process.stdout.write(`${rows.length - survivors} of ${rows.length} killed\n`);
  if (survivors > 0 || rows.length === 0) process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
