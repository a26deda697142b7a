/** What a start of the `outpost` command loads: every module costs a script that starts it often. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../simulator/physiology/write.ts';
import { realData } from '../testing/real-data.ts';
import { OUTPOST_COMMAND } from '../testing/test-site.ts';
import { VERSION } from '../version.ts';

const execute = promisify(execFile);

/** Writes the address of each module that is loaded to stderr. */
const REPORT_LOADS = `
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    process.stderr.write('loads ' + url + '\\n');
    return next(url, context);
  },
});`;

let folder: string;
let hook: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-start-'));
  hook = join(folder, 'report-loads.mjs');
  await writeFile(hook, REPORT_LOADS);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(...parameters: string[]): Promise<{ stdout: string; packages: Set<string>; own: string[] }> {
  const node = ['--import', pathToFileURL(hook).href, OUTPOST_COMMAND];
  const { stdout, stderr } = await execute(process.execPath, [...node, ...parameters], { maxBuffer: 64e6 });
  const loaded = [...stderr.matchAll(/^loads file:(.*)$/gm)].map(([, path]) => path!);
  const packages = new Set(loaded.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
  return { stdout, packages, own: loaded.flatMap((path) => /.*\/src-server\/(.*)/.exec(path)?.[1] ?? []) };
}

it('prints the version without loading the argument parser or a command', async () => {
  const { stdout, packages, own } = await start('--version');
  expect(stdout).toBe(`${VERSION}\n`);
  expect([...packages]).toEqual([]);
  expect(own.sort()).toEqual(['cli/main.ts', 'version.ts']);
});

it('analyses a recording without loading the database, the API or formats that it does not have', async () => {
  const startMs = Date.UTC(2024, 4, 14, 14);
  const { recordings } = simulateSubject({ seed: 1, timeZone: 'UTC', startMs, stopMs: startMs + 60_000 });
  const { path } = await writeSimulatedRecording(folder, recordings[0]!);
  const { stdout, packages, own } = await start('analyze', '--json', '--sensor', `MEDIAL_CHEST=${path}`);
  expect(JSON.parse(stdout)).toHaveProperty('recordings.0.format', 'Outpost signal file');
  for (const name of ['kysely', 'better-sqlite3', 'express', 'csv-parse', 'yauzl', 'uuid', 'cli-progress'])
    expect(packages).not.toContain(name);
  expect(
    own.filter((path) => /^(api|site|services|integrity|importers\/(csv|edf\/edf-source|wfdb))/.test(path)),
  ).toEqual([]);
});

const edf = realData('formats/edf/test_generator.edf');
it.skipIf(!edf)('analyses an EDF file with one package beside the argument parser', async () => {
  const { packages } = await start('analyze', '--json', '--sensor', `MEDIAL_CHEST=${edf}`);
  expect([...packages].sort()).toEqual(['commander', 'temporal-polyfill', 'temporal-utils']);
});
