/**
 * Runs the benches and prints their figures beside a named peer or limit measured in the same run.
 * `npm run bench` runs all of them, `npm run bench -- signals import` those whose names begin so; `--json` prints rows,
 * `--save` keeps the accuracy figures for the data dictionary (all of `accuracy` must run).
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ANALYTICS_VERSION } from '../../src-server/analytics/version.ts';
import { formatTable } from '../../src-server/cli/output.ts';
import type { Bench, BenchRow } from './types.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, save: { type: 'boolean', default: false } },
});
const directory = new URL('./', import.meta.url);
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

/** Three digits that count: more would promise what another set of people does not keep. */
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
