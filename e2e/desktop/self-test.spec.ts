/** `--self-test` of the built desktop program: every check in the bundles, without a window, also beside an open program. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { CHECKS } from '../../src-server/self-test/run.ts';
import { desktopCommand } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';

let folder: string;
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-self-test-'));
});
test.afterAll(() => removeFolder(folder));

function run(parameters: string[], nodeOptions = ''): Promise<{ code: number; stdout: string }> {
  const { program, args, environment } = desktopCommand({ userData: folder, args: parameters });
  const options = { env: { ...environment, NODE_OPTIONS: nodeOptions } };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => resolve({ code: error ? Number(error.code) : 0, stdout }));
  });
}

test('runs every check, opens no window and takes no lock', async () => {
  const { code, stdout } = await run(['--self-test', '--json']);
  const report = JSON.parse(stdout);
  expect(report.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  expect(report.checks.map(({ name }: { name: string }) => name)).toEqual(CHECKS.map(({ name }) => name));
  expect(report.runtime.node).toMatch(/^\d+\.\d+\.\d+/);
  expect(code).toBe(0);
  for (const left of ['instance.lock', 'chromium', 'site', 'desktop.json'])
    expect(existsSync(join(folder, left)), left).toBe(false);
});

test('reports native modules that cannot be loaded instead of failing to start', async () => {
  const preload = join(folder, 'no-native-modules.mjs');
  await writeFile(
    preload,
    `process.dlopen = (module, name) => { throw new Error(\`wrong architecture: \${name}\`); };\n`,
  );
  const { code, stdout } = await run(['--self-test'], `--import=${pathToFileURL(preload).href}`);
  expect(code).toBe(7);
  for (const name of ['passwords', 'database', 'signal-files']) expect(stdout).toContain(`FAILED  ${name}: `);
  expect(stdout).toContain('ok      hashes');
  expect(stdout).toContain('A native module could not be loaded (wrong architecture: ');
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d+ of \d+ checks failed on /);
});
