/** The classes of electron-updater themselves, with programs and installers that are scripts. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type InstallFile, prepareInstall, replaceProgram, type UpdaterHost } from './installers.ts';

let root: string;
let program: string;
let relaunches: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'outpost-installers-'));
  program = join(root, 'Outpost of the clinic.AppImage');
  writeFileSync(program, 'the old program');
  chmodSync(program, 0o755);
  relaunches = 0;
  vi.stubEnv('APPIMAGE', program);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const host = (version = '1.1.0', more: Partial<UpdaterHost> = {}): UpdaterHost => ({
  version,
  workDir: join(root, 'work'),
  appImage: program,
  relaunch: () => {
    relaunches++;
  },
  ...more,
});

const fileWith = (content: string, version: string): InstallFile => {
  const path = join(root, `checked-${version}`);
  writeFileSync(path, content);
  const sha512 = createHash('sha512').update(content).digest('base64');
  return { path, version, sizeBytes: Buffer.byteLength(content), sha512 };
};

test('replaces an AppImage in its place, keeps its name, and starts it again', async () => {
  const prepared = await prepareInstall('appimage', fileWith('the new program', '1.2.0'), host());
  expect(readFileSync(program, 'utf8'), 'nothing happens before the site is closed').toBe('the old program');
  prepared.install(true);
  expect(readFileSync(program, 'utf8')).toBe('the new program');
  expect(statSync(program).mode & 0o777).toBe(0o755);
  expect(relaunches).toBe(1);
  expect(readdirSync(root).filter((name) => name.startsWith('Outpost'))).toEqual(['Outpost of the clinic.AppImage']);
});

test('goes back to an older version, without a start when the person quits', async () => {
  const prepared = await prepareInstall('appimage', fileWith('the older program', '1.0.0'), host('1.1.0'));
  prepared.install(false);
  expect(readFileSync(program, 'utf8')).toBe('the older program');
  expect(relaunches).toBe(0);
});

test('refuses a file that changed between the check and the copy', async () => {
  const file = fileWith('the new program', '1.2.0');
  writeFileSync(file.path, 'the bad program');
  await expect(prepareInstall('appimage', file, host())).rejects.toMatchObject({ reason: 'hash-differs' });
  expect(readFileSync(program, 'utf8')).toBe('the old program');
});

test('refuses a file that changed between the copy and the installation', async () => {
  const prepared = await prepareInstall('appimage', fileWith('the new program', '1.2.0'), host());
  const pending = join(root, 'work/installer/pending');
  const [copy] = readdirSync(pending).filter((name) => name.endsWith('.AppImage'));
  writeFileSync(join(pending, copy!), 'the bad program');
  expect(() => prepared.install(true)).toThrow('hash-differs');
  expect(readFileSync(program, 'utf8')).toBe('the old program');
  expect(existsSync(`${program}.new`)).toBe(false);
  expect(relaunches).toBe(0);
});

test('has no moment without a program: a failure leaves the old one', () => {
  expect(() => replaceProgram(join(root, 'missing'), program, '')).toThrow('ENOENT');
  expect(readFileSync(program, 'utf8')).toBe('the old program');
});

test('does not install the version that runs', async () => {
  await expect(prepareInstall('appimage', fileWith('the same', '1.1.0'), host())).rejects.toThrow('1.1.0');
});

// The installer is a script here; on Windows it would have to be a program.
test.skipIf(process.platform === 'win32')(
  'starts a Windows installer silently, and lets it start the program',
  async () => {
    const called = join(root, 'called');
    const installer = fileWith(`#!/bin/sh\necho "$@" > '${called}.part'; mv '${called}.part' '${called}'\n`, '1.2.0');
    const prepared = await prepareInstall('nsis', installer, host());
    prepared.install(true);
    await expect.poll(() => existsSync(called)).toBe(true);
    expect(readFileSync(called, 'utf8').trim()).toBe('--updated /S --force-run');
  },
);
