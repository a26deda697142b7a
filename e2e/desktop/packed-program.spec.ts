/**
 * The application as the installers carry it, packed by electron-builder, elsewhere and without the sources: a site from its creation to
 * its restored backup. Plain Node cannot read the archive, so it runs what was packed from a folder again.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { extractAll, listPackage, statFile } from '@electron/asar';
import { expect, test } from '@playwright/test';
import { makeAppFolder } from '../../scripts/package/app-folder.ts';
import { makeDeb } from '../../scripts/package/deb.ts';
import { buildDesktop } from '../../scripts/package/desktop.ts';
import { ICON_SIZES, makeIcons } from '../../scripts/package/icons.ts';
import type { Client } from '../../src-server/api/contract/client.ts';
import { HOUR_MS } from '../../src-server/durations.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../src-server/simulator/physiology/write.ts';
import {
  jobEnd,
  signIn,
  startServerProcess,
  TEST_EMAIL,
  TEST_PASSWORD,
  upload,
} from '../../src-server/testing/test-site.ts';
import { zipContents } from '../../src-server/testing/zip-contents.ts';
import { fusesOf, makeElectronDistribution } from '../support/electron-distribution.ts';
import { removeFolder } from '../support/remove-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Later steps use the site that the first one created.
test.describe.configure({ mode: 'serial' });
test.setTimeout(180_000);

let folder: string;
/** What an installer puts on a computer. */
let desktop: string;
let app: string;
let program: string;
let site: string;
let recording: string;
let accountId: string;
let study: { studyId: string; subjectId: string };

/** Runs the packed command; nothing of this checkout is in its environment. */
async function outpost(...parameters: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...parameters], { cwd: folder, env: {} });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const serve = () => startServerProcess(site, { program });

test.beforeAll(async () => {
  test.setTimeout(180_000);
  folder = await mkdtemp(join(tmpdir(), 'outpost-packed-'));
  const made = join(folder, 'made');
  await makeAppFolder(made);
  const electronDist = join(folder, 'electron');
  await makeElectronDistribution(electronDist);
  await buildDesktop(join(folder, 'dist'), { app: made, dirOnly: true, electronDist });
  desktop = join(folder, 'dist/linux-unpacked');
  // In a place as a person may name it.
  app = join(folder, 'Études – 研究');
  extractAll(join(desktop, 'resources/app.asar'), app);
  program = join(app, 'out/main/cli.js');
  site = join(folder, 'site');
  const startMs = Date.UTC(2024, 4, 14, 14);
  const span = { startMs, stopMs: startMs + 2 * HOUR_MS };
  const { recordings } = simulateSubject({ seed: 1, timeZone: 'UTC', ...span, dailyCharging: false });
  const chest = recordings.find(({ header }) => header.physicalConfig.location === 'MEDIAL_CHEST');
  recording = (await writeSimulatedRecording(folder, chest!)).path;
});
test.afterAll(() => removeFolder(folder));

test('the folder names no file of the computer that it was made on', async () => {
  const named: string[] = [];
  for (const entry of await readdir(app, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(root)) named.push(path);
  }
  expect(named).toEqual([]);
});

test('only native modules lie beside the archive, and the fuses that a stranger could use are off', async () => {
  // The stand-in is a folder in the form that Electron has on Linux.
  test.skip(process.platform !== 'linux', 'electron-builder was given a stand-in for Electron on Linux.');
  const archive = join(desktop, 'resources/app.asar');
  const files = listPackage(archive, { isPack: false });
  const isUnpacked = (path: string) => {
    const entry = statFile(archive, path.slice(1));
    return 'unpacked' in entry && entry.unpacked === true && !('files' in entry);
  };
  const unpacked = files.filter(isUnpacked);
  expect(unpacked).toEqual(files.filter((path) => path.endsWith('.node')));
  expect(unpacked.length).toBeGreaterThan(2);
  expect(await fusesOf(join(desktop, 'outpost-desktop'))).toEqual([
    'cookieEncryption',
    'asarIntegrity',
    'onlyLoadAppFromAsar',
  ]);
});

test('icons of every size are drawn from one source', async () => {
  const icons = join(folder, 'icons');
  await makeIcons(icons);
  const SIGNATURE = '89504e470d0a1a0a';
  const isPng = (bytes: Buffer, size: number) =>
    bytes.toString('hex', 0, 8) === SIGNATURE && bytes.readUInt32BE(16) === size && bytes.readUInt32BE(20) === size;
  for (const size of ICON_SIZES) {
    expect(isPng(await readFile(join(icons, `png/${size}x${size}.png`)), size), String(size)).toBe(true);
  }
  const ico = await readFile(join(icons, 'outpost.ico'));
  const inIco = Array.from({ length: ico.readUInt16LE(4) }, (_, index) => {
    const at = 6 + 16 * index;
    const size = ico.readUInt8(at) || 256;
    return isPng(ico.subarray(ico.readUInt32LE(at + 12)), size) ? size : 'damaged';
  });
  expect(inIco).toEqual([16, 24, 32, 48, 64, 128, 256]);
  const icns = await readFile(join(icons, 'outpost.icns'));
  expect(icns.readUInt32BE(4)).toBe(icns.length);
  const inIcns: number[] = [];
  for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4)) inIcns.push(icns.readUInt32BE(at + 24));
  expect(inIcns).toEqual([16, 32, 32, 64, 128, 256, 256, 512, 512, 1024]);
});

test('its Debian package is complete, and its scripts refuse an older version', async () => {
  const hasTools = ['dpkg-deb', 'dpkg-shlibdeps'].every((name) => spawnSync(name, ['--version']).status === 0);
  // They exist on Debian and its kin alone.
  test.skip(!hasTools, 'Skipped without dpkg-deb and dpkg-shlibdeps. npm run check:deb does the whole cycle.');
  const debPath = await makeDeb(join(folder, 'deb'), { app, compression: 'none', version: '1.0.0-beta.1' });
  const tree = join(folder, 'tree');
  await promisify(execFile)('dpkg-deb', ['--raw-extract', debPath, tree]);
  const inTree = (path: string) => readFile(join(tree, path), 'utf8');
  const control = await inTree('DEBIAN/control');
  expect(control).toContain('\nVersion: 1.0.0~beta.1\n');
  // Found by looking at the shipped Node and addons.
  for (const library of ['libc6', 'libstdc++6', 'libgcc-s1'])
    expect(control).toMatch(new RegExp(`[ ,]${library.replaceAll('+', '\\+')} \\(>= `));
  expect(await inTree('DEBIAN/conffiles')).toBe('/etc/default/outpost\n');
  await promisify(execFile)('md5sum', ['--check', '--quiet', 'DEBIAN/md5sums'], { cwd: tree });
  const unit = await inTree('usr/lib/systemd/system/outpost.service');
  expect(unit).toContain('\nExecStart=/usr/bin/outpost serve ');
  const bom = JSON.parse(await inTree('usr/lib/outpost/app/sbom.cdx.json')) as {
    components: { name: string; version: string }[];
  };
  expect(bom.components).toContainEqual(expect.objectContaining({ name: 'node', version: process.versions.node }));
  const node = join(tree, 'usr/lib/outpost/bin/node');
  const { stdout } = await promisify(execFile)(node, [join(tree, 'usr/lib/outpost/app/out/main/cli.js'), '--version'], {
    env: {},
  });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  for (const name of ['DEBIAN/preinst', 'DEBIAN/postinst', 'DEBIAN/prerm', 'DEBIAN/postrm', 'usr/bin/outpost']) {
    expect(spawnSync('sh', ['-n', join(tree, name)]).stderr.toString(), name).toBe('');
  }
  const outcome = (name: string, ...parameters: string[]) =>
    spawnSync('sh', [join(tree, 'DEBIAN', name), ...parameters], { env: { PATH: process.env.PATH } });
  expect(outcome('preinst', 'upgrade', '1.0.0~alpha.1').status).toBe(0);
  expect(outcome('preinst', 'upgrade', '1.0.0').stderr.toString()).toContain('Nothing was changed.');
  expect(outcome('prerm', 'upgrade', '0.9.0').status).toBe(1);
  expect(outcome('prerm', 'failed-upgrade', '1.0.0').status).toBe(1);
});

test('its command creates a site', async () => {
  const options = ['--account', 'Clinic', '--email', TEST_EMAIL, '--password', TEST_PASSWORD, '--time-zone', 'UTC'];
  const made = await outpost('init', '--data', site, ...options);
  expect(made).toHaveProperty('siteId');
  accountId = String(made.accountId);
});

/** Requests an export and returns the names of what its ZIP holds. */
async function exported(client: Client, format: 'ARCHIVE' | 'PARQUET'): Promise<string[]> {
  const params = { studyId: study.studyId };
  const { id } = await client.call('requestStudyExport', { params, body: { format } });
  expect(await jobEnd(client, id)).toMatchObject({ state: 'done' });
  const { href } = await client.call('getStudyExportFile', { params: { ...params, exportId: id } });
  const response = await fetch(href);
  expect(response.status).toBe(200);
  return [...(await zipContents(new Uint8Array(await response.arrayBuffer()))).keys()];
}

test('its server shows the desk, takes a recording, analyses and exports it', async () => {
  const server = await serve();
  try {
    const page = await (await fetch(server.url)).text();
    const [, script] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
    expect((await fetch(new URL(script!, server.url))).status).toBe(200);
    const client = await signIn(server.url);
    const { id: studyId } = await client.call('createStudy', {
      params: { accountId },
      body: { displayName: 'Packed' },
    });
    const body = { displayName: 'S-1', timezone: 'UTC' };
    const { id: subjectId } = await client.call('createSubject', { params: { studyId }, body });
    study = { studyId, subjectId };
    const { id } = await upload(client, study, [recording]);
    expect(await jobEnd(client, id)).toMatchObject({ state: 'done' });
    const days = async () => (await client.call('listMetrics', { params: study })).items.length;
    await expect.poll(days, { timeout: 60_000, message: 'the recording is analysed' }).toBe(1);
    expect(await exported(client, 'ARCHIVE')).toContain('manifest.json');
    expect((await exported(client, 'PARQUET')).filter((name) => name.endsWith('.parquet'))).not.toEqual([]);
  } finally {
    expect(await server.stop()).toBe(0);
  }
  expect(server.stderr()).not.toContain('Cannot find');
});

test('its command analyses, imports, backs up, verifies and restores', async () => {
  const analysis = await outpost('analyze', '--json', '--sensor', `MEDIAL_CHEST=${recording}`);
  expect(analysis).toHaveProperty('beatTs.0');
  const { studyId, subjectId } = study;
  await outpost('import', '--json', '--data', site, '--study', studyId, '--subject', subjectId, recording);
  const backups = join(folder, 'backups');
  expect(await outpost('backup', '--json', '--data', site, '--to', backups)).toMatchObject({ recordings: 1 });
  const restored = join(folder, 'restored');
  await outpost('restore', '--json', '--from', backups, '--data', restored);
  for (const dir of [site, restored]) {
    expect(await outpost('verify', '--deep', '--json', '--data', dir)).toMatchObject({ problems: [] });
  }
});

test('its command simulates a demo site, whose devices pair and upload', async () => {
  const demo = await outpost(
    'demo',
    '--data',
    join(folder, 'demo'),
    '--subjects',
    '1',
    '--days',
    '1',
    '--once',
    '--json',
  );
  expect(demo).toHaveProperty('subjects.0.heartRateBpm');
});
