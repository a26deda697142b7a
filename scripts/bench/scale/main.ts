/**
 * `npm run bench:scale`: makes sites of several sizes (kept in a cache folder), measures every read of the desk, starts,
 * backups and verification on each, prints them with the exponent of their growth, and fails above the bars of `bars.ts`.
 *
 *     --sizes 10x30,200x365   default: all five; exponents need two, the bars 200x365
 *     --only NAME             reads and processes whose name contains this; may be repeated
 *     --json FILE             writes all figures
 *     --folder DIR            where sites are kept; default: the cache folder of the operating system
 *     --make 200x365          only makes the site, or finds it, and prints its path
 *
 * The administrator of every site is that of `testing/test-site.ts`. Copy a site before anything writes to it (`copyOfSite`).
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { formatTable } from '../../../src-server/cli/tables.ts';
import { READS } from '../../../src-server/testing/full-site/desk-reads.ts';
import { cacheFolder, keptSite, parseSize } from '../../../src-server/testing/full-site/site-folder.ts';
import { growthOf, judge } from './judge.ts';
import { measureSite, type SiteFigures } from './measure.ts';

const { values } = parseArgs({
  options: {
    make: { type: 'string', multiple: true },
    sizes: { type: 'string', default: '10x30,50x90,200x90,200x365,10000x1' },
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    folder: { type: 'string', default: cacheFolder() },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);
const figure = (value: number | undefined) =>
  value === undefined ? '' : value.toLocaleString('en', { maximumSignificantDigits: value >= 100 ? 4 : 3 });

function printTables(sites: readonly SiteFigures[]): void {
  const heading = ['CPU ms (kept)', ...sites.map(({ size }) => size), 'wall ms', 'kB', 'exponent'];
  const reads = READS.flatMap(({ name, shows }) => {
    const found = sites.map((site) => site.reads.find(({ read }) => read === name));
    const last = found.findLast((one) => one !== undefined);
    if (!last) return [];
    const cells = found.map((one) => {
      if (!one) return '';
      return `${figure(one.cpuMs)} (${figure(one.keptCpuMs)})${one.status === 200 ? '' : ` HTTP ${one.status}`}`;
    });
    return [
      [name, ...cells, figure(last.wallMs), figure(last.bytes / 1000), figure(growthOf(name, shows, sites)) || shows],
    ];
  });
  const names = [...new Set(sites.flatMap(({ processes }) => processes.map(({ name }) => name)))];
  const processes = names.map((name) => {
    const found = sites.map((site) => site.processes.find((one) => one.name === name));
    const unit = found.find((one) => one)?.unit ?? '';
    return [`${name}, ${unit}`, ...found.map((one) => figure(one?.value)), '', '', ''];
  });
  process.stdout.write(`${formatTable([heading, ...reads, ...processes])}\n`);
}

async function measureAll(): Promise<void> {
  const sites: SiteFigures[] = [];
  for (const size of values.sizes.split(',')) {
    const site = await keptSite(parseSize(size), values.folder, say);
    const keep = (figures: SiteFigures) => {
      if (values.json) writeFileSync(values.json, `${JSON.stringify([...sites, figures], null, 1)}\n`);
    };
    sites.push(await measureSite(site, { only: values.only, folder: values.folder, say, keep }));
  }
  printTables(sites);
  const failed = sites.flatMap(({ size, reads }) =>
    reads.flatMap(({ read, status }) => (status === 200 ? [] : [`${size} ${read}: HTTP ${status}`])),
  );
  const rows = judge(sites, READS);
  const missed = rows.filter(({ pass }) => !pass);
  const text = missed.map(({ name, value, unit, bar }) => [name, `${figure(value)} ${unit}`, bar ?? '']);
  if (missed.length > 0) process.stdout.write(`\nMissed\n${formatTable([['what', 'measured', 'bar'], ...text])}\n`);
  for (const one of failed) process.stdout.write(`${one}\n`);
  process.stdout.write(`\n${rows.length - missed.length} of ${rows.length} bars met.\n`);
  if (missed.length + failed.length > 0) process.exitCode = 1;
}

if (values.make) {
  for (const size of values.make)
    process.stdout.write(`${(await keptSite(parseSize(size), values.folder, say)).dir}\n`);
} else await measureAll();
