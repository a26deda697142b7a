/**
 * Runs the benches and prints their figures beside a named peer or limit measured in the same run.
 * `npm run bench` runs all of them, `npm run bench -- signals import` those whose names begin so; `--json` prints rows.
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { formatTable } from '../../src-server/cli/output.ts';
import type { Bench, BenchRow } from './types.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const directory = new URL('.', import.meta.url);
const files = readdirSync(directory)
  .filter((name) => name.endsWith('.bench.ts'))
  .filter((name) => positionals.length === 0 || positionals.some((wanted) => name.startsWith(wanted)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`No bench is called ${positionals.join(', ')}.\n`);
  process.exitCode = 2;
}

const number = (value: number | undefined): string =>
  value === undefined ? '' : value.toLocaleString('en', { maximumSignificantDigits: 4 });

function describe(row: BenchRow): string[] {
  const peer = row.peer ? `${row.peer} ${number(row.peerValue)}` : '';
  const ratio = row.ratio === undefined ? '' : `x ${number(row.ratio)}`;
  return [row.name, `${number(row.value)} ${row.unit}`, peer, ratio, row.bar ?? '', row.pass ? 'ok' : 'MISSED'];
}

const all: (BenchRow & { bench: string })[] = [];
for (const file of files) {
  const bench = file.replace('.bench.ts', '');
  process.stderr.write(`${bench} ...\n`);
  const { run } = (await import(new URL(file, directory).href)) as Bench;
  const rows = await run();
  all.push(...rows.map((row) => ({ bench, ...row })));
  if (!values.json) {
    const heading = ['what', 'measured', 'peer or limit', 'ratio', 'bar', ''];
    process.stdout.write(`\n${bench}\n${formatTable([heading, ...rows.map(describe)])}\n`);
  }
}
if (values.json) process.stdout.write(`${JSON.stringify(all)}\n`);
if (all.some((row) => !row.pass)) process.exitCode = 1;
