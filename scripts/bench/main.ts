/**
 * Runs the benchmarks and prints each figure next to a peer or limit measured in the same run. `npm run bench` runs all,
 * `npm run bench -- signals import` those whose names start with these words. `--json` prints the rows as JSON; `--save`
 * writes the accuracy figures of the data dictionary and requires all `accuracy` benchmarks to run.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ANALYTICS_VERSION } from '../../src-server/analytics/version.ts';
import { formatTable } from '../../src-server/cli/tables.ts';
import type { Bench, BenchRow } from './types.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, save: { type: 'boolean', default: false } },
});
const directory = new URL('./', import.meta.url);
const files = readdirSync(directory)
  .filter((name) => name.endsWith('.bench.ts'))
  .filter((name) => positionals.length === 0 || positionals.some((prefix) => name.startsWith(prefix)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`No benchmark matches ${positionals.join(', ')}.\n`);
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

/** Rounds to three significant digits; more would suggest a precision that does not carry over to other people. */
const rounded = (value: number): number => Number(value.toPrecision(value > 0.9 && value < 1 ? 4 : 3));

if (values.save) {
  const figures = all.flatMap(({ name, value, unit, bar, accuracy }) =>
    accuracy
      ? [{ method: accuracy.method, what: name, value: rounded(value), unit, data: accuracy.data, ...(bar && { bar }) }]
      : [],
  );
  writeFileSync(
    new URL('../../src-server/analytics/dictionary/measured-accuracy.json', import.meta.url),
    `${JSON.stringify({ analyticsVersion: ANALYTICS_VERSION, figures }, null, 2)}\n`,
  );
}
if (values.json) process.stdout.write(`${JSON.stringify(all)}\n`);
if (all.some((row) => !row.pass)) process.exitCode = 1;
