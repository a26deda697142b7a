/**
 * The quick half of the gate: format and lint, types, import rules, unused code, and the unit tests that the change
 * reaches through imports. Meant for every save and commit; `npm test` runs everything.
 *
 * `npm run test:quick [-- --base REV]` tests the changes since REV, including uncommitted ones. The default is the merge base
 * with the upstream branch, or the last commit without an upstream.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

interface Step {
  name: string;
  command: readonly [program: string, ...args: string[]];
}

const git = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

function defaultBase(): string {
  try {
    return git('merge-base', 'HEAD', '@{upstream}');
  } catch {
    return 'HEAD';
  }
}

const { values } = parseArgs({ options: { base: { type: 'string' } } });
const base = values.base ?? defaultBase();

const steps: Step[] = [
  { name: 'types', command: ['tsc', '-p', '.', '--noEmit'] },
  { name: 'lint', command: ['biome', 'check', '--error-on-warnings', '.'] },
  {
    name: `unit tests since ${base.slice(0, 12)}`,
    command: ['vitest', 'run', '--project', 'unit', '--project', 'mocked', '--changed', base],
  },
  { name: 'import rules', command: ['npm', 'run', '--silent', 'boundaries'] },
  { name: 'unused code', command: ['npm', 'run', '--silent', 'unused'] },
];

/** Runs one step and resolves to whether it passed; its output is printed only when it failed. */
async function run({ name, command: [program, ...args] }: Step): Promise<boolean> {
  const started = performance.now();
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  child.stdout?.on('data', (data: Buffer) => output.push(data));
  child.stderr?.on('data', (data: Buffer) => output.push(data));
  const exitCode = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (exitCode === 0) {
    console.log(`ok      ${name} (${seconds} s)`);
    return true;
  }
  process.stderr.write(Buffer.concat(output));
  console.log(`FAILED  ${name} (${seconds} s)`);
  return false;
}

const waiting = [...steps];
const results: boolean[] = [];
await Promise.all(
  Array.from({ length: Math.min(availableParallelism(), steps.length) }, async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) results.push(await run(step));
  }),
);

process.exitCode = results.every(Boolean) ? 0 : 1;
