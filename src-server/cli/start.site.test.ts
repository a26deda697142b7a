/** What a start of the `outpost` command loads: every module costs a script that starts it often. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../simulator/physiology/write.ts';
import { initSite } from '../site/folder.ts';
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

const pathsIn = (stderr: string) => [...stderr.matchAll(/^loads file:(.*)$/gm)].map(([, path]) => path!);
const packagesIn = (stderr: string) =>
  new Set(pathsIn(stderr).flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));

async function start(...parameters: string[]): Promise<{ stdout: string; packages: Set<string>; own: string[] }> {
  const node = ['--import', pathToFileURL(hook).href, OUTPOST_COMMAND];
  const { stdout, stderr } = await execute(process.execPath, [...node, ...parameters], { maxBuffer: 64e6 });
  return {
    stdout,
    packages: packagesIn(stderr),
    own: pathsIn(stderr).flatMap((path) => /.*\/src-server\/(.*)/.exec(path)?.[1] ?? []),
  };
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
    own.filter((path) => /^(api|site|services|integrity|importers\/(csv|edf\/edf-source|wfdb\/wfdb))/.test(path)),
  ).toEqual([]);
});

it('serves a site without loading what it needs rarely: certificates, mail, Arrow, QR codes', async () => {
  const dir = join(folder, 'site');
  await initSite(dir, {
    account: 'Clinic',
    email: 'a@example.org',
    password: 'correct horse 1',
    timeZone: 'UTC',
  });
  const loads: Set<string>[] = [];
  // The first start makes the certificate.
  for (let n = 0; n < 2; n++) {
    const words = ['serve', '--data', dir, '--port', '0', '--lan-port', '0', '--no-desk'];
    const child = spawn(process.execPath, ['--import', pathToFileURL(hook).href, OUTPOST_COMMAND, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await once(child, 'close');
    loads.push(packagesIn(stderr));
  }
  expect([...loads[0]!]).toContain('@peculiar/x509');
  expect([...loads[1]!]).toContain('express');
  for (const name of ['@peculiar/x509', 'reflect-metadata', 'nodemailer', 'apache-arrow', 'qrcode'])
    expect([...loads[1]!]).not.toContain(name);
});

const edf = realData('formats/edf/test_generator.edf');
it.skipIf(!edf)('analyses an EDF file with one package beside the argument parser', async () => {
  const { packages } = await start('analyze', '--json', '--sensor', `MEDIAL_CHEST=${edf}`);
  expect([...packages].sort()).toEqual(['commander', 'temporal-polyfill', 'temporal-utils']);
});
