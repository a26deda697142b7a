/**
 * The addons without external array buffers, as under V8's memory cage in Electron. Node's own function cannot be replaced from
 * outside, so copies of the addons import one that refuses, under a name of the same length.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/signal-fixtures.ts';
import { OUTPOST_COMMAND } from '../testing/test-site.ts';
import { CHECKS, type SelfTestReport } from './run.ts';

const canBuild = process.platform === 'linux' && spawnSync('gcc', ['--version']).status === 0;
if (!canBuild) process.stderr.write('Without Linux and gcc, addons are not tested without external buffers.\n');

/** Loads copies of addons whose import of the function is replaced; one copy of each, as there is one original. */
const preloadIn = (folder: string) => `
  import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
  import { basename, join } from 'node:path';
  import { threadId } from 'node:worker_threads';
  const load = process.dlopen;
  process.dlopen = (module, name, ...rest) => {
    const bytes = readFileSync(name);
    const at = bytes.indexOf('napi_create_external_buffer\\0');
    if (at < 0) return load(module, name, ...rest);
    const copy = join(${JSON.stringify(folder)}, basename(name));
    if (!existsSync(copy)) {
      bytes.write('napi_refuse_external_buffer', at, 'latin1');
      writeFileSync(\`\${copy}.\${process.pid}.\${threadId}\`, bytes);
      renameSync(\`\${copy}.\${process.pid}.\${threadId}\`, copy);
    }
    return load(module, copy, ...rest);
  };`;

describe.skipIf(!canBuild)('without external array buffers', () => {
  const folder = temporaryFolder();
  const environment: NodeJS.ProcessEnv = { ...process.env };
  afterAll(() => folder.remove());

  beforeAll(() => {
    const library = join(folder.path, 'refuse.so');
    const source = join(import.meta.dirname, '../testing/refuse-external-buffers.c');
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source]);
    const preload = join(folder.path, 'preload.mjs');
    writeFileSync(preload, preloadIn(folder.path));
    // Reaches the analytics process too.
    environment.NODE_OPTIONS = `--import=${pathToFileURL(preload).href}`;
    environment.LD_PRELOAD = library;
  });

  const run = (...parameters: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, parameters, { env: environment }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });

  /** Functions that Outpost does not call, because they return buffers that the addon allocated. */
  const PROBES = {
    'better-sqlite3': `
      import Database from 'better-sqlite3';
      const database = new Database(':memory:');
      database.exec("CREATE TABLE kept (bytes BLOB); INSERT INTO kept VALUES (x'0102')");
      const copy = new Database(database.serialize());
      process.stdout.write(copy.prepare('SELECT hex(bytes) FROM kept').pluck().get());`,
    '@node-rs/argon2': `
      import { hashRawSync } from '@node-rs/argon2';
      const options = { salt: Buffer.alloc(16, 1) };
      const once = hashRawSync('text', options);
      process.stdout.write(once.length === 32 && once.equals(hashRawSync('text', options)) ? '0102' : once.toString('hex'));`,
  };

  it.each(Object.entries(PROBES))('%s copies into a buffer of V8 instead', async (_addon, probe) => {
    const { stdout, stderr } = await run('--input-type=module', '--eval', probe);
    expect(stderr).toContain('external buffer refused');
    expect(stdout).toBe('0102');
  });

  it('the self-test passes, in its worker threads and the analytics process too', async () => {
    const { code, stdout } = await run(OUTPOST_COMMAND, 'self-test', '--json');
    const { checks } = JSON.parse(stdout) as SelfTestReport;
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks).toHaveLength(CHECKS.length);
    expect(code).toBe(0);
  });
});
