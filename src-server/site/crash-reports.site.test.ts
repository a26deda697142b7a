/** Reports of crashes: what they hold, what they never hold, how many there are. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutpostError } from '../errors.ts';
import { MARK } from '../testing/planted-site.ts';
import { makeTestSite, signIn, startServerProcess, type TestSite } from '../testing/test-site.ts';
import { CrashReports } from './crash-reports.ts';
import { startSite } from './server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), `outpost-${MARK}-`));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SECRETS = `${MARK} Anna Weiß anna@example.org 192.168.17.23 fe80::1 DE:AD:BE:EF:00:01 /home/${MARK}/night.edf C:\\Users\\${MARK}`;
const named = (name: string, message: string) => Object.assign(new Error(message), { name });
const thrownBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};
const data: Record<string, { x: () => string } | undefined> = {};
const things: Record<string, () => void> = {};

/** Errors whose message, name, frames or causes hold what a report must not. */
const ERRORS: [name: string, error: unknown, kept: RegExp][] = [
  ['an error of ours', new OutpostError('INTERNAL', SECRETS), /Error: \(message left out/],
  ['a cause', new Error('outer', { cause: new TypeError(`${SECRETS}`) }), /TypeError: \(message left out/],
  ['a name', named(MARK, 'x'), /crash-reports\.site\.test\.ts:\d+/],
  ['a name like an error', named(`${MARK}Error`, 'x'), /Error: \(message left out/],
  ['several lines', new Error(`a\n    at ${MARK} (/home/${MARK}/x.ts:1:2)\n${MARK}Error: b`), /\(elsewhere\)/],
  ['a property', thrownBy(() => data[MARK]!.x), /Cannot read properties of undefined/],
  ['JSON', thrownBy(() => JSON.parse(`{"a": ${SECRETS}`)), /SyntaxError: /],
  ['a path', thrownBy(() => statSync(`/nowhere/${MARK}/${SECRETS}`)), /Error: ENOENT\n {4}at /],
  ['words like those of a system', new Error(`EXYZ: ${MARK}`), /message left out/],
  ['a function', thrownBy(() => things[MARK]!()), /is not a function/],
  ['a time zone', thrownBy(() => new Intl.DateTimeFormat('en', { timeZone: `${MARK}/X` })), /RangeError: \(message/],
  ['no error', SECRETS, /no stack/],
];

const OUTPUTS: [name: string, output: string, kept: RegExp][] = [
  ['what a library prints', `${SECRETS}\nwarning: ${MARK}`, /no stack/],
  [
    'a full heap',
    `<--- Last few GCs --->\n\n[4711:0x55d0c8f0]    12345 ms: Mark-Compact 95.1 (98.2) -> 95.0 (98.4) MB, pooled: 0 MB ${MARK}\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n\n 1: 0x931db0  [/home/${MARK}/bin/node]\n 2: 0x9eb6c2 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [/home/${MARK}/node]\n`,
    /heap out of memory[\s\S]*Native stack trace[\s\S]*OOMErrorHandler.*\[node\]/,
  ],
  [
    'a source line',
    `file:///home/${MARK}/x.ts:12\n  const ${MARK} = 1;\n\nTypeError: ${MARK} is not a function\n`,
    /TypeError: is not a function/,
  ],
];

const noMarks = (text: string) => {
  for (const mark of [
    MARK,
    'Anna',
    'Wei',
    'example.org',
    '192.168',
    'fe80',
    'DE:AD',
    'night.edf',
    'C:\\',
    `${tmpdir()}/`,
    folder,
  ]) {
    expect(text).not.toContain(mark);
  }
  const own = [hostname(), userInfo().username].filter((name) => name.length > 4);
  for (const name of own) expect(text).not.toContain(name);
};

describe('a report', () => {
  it.each(ERRORS)('keeps the form of an error, but not what it says: %s', (_name, error, kept) => {
    const reports = new CrashReports(folder);
    expect(reports.write({ part: 'site', reason: 'uncaught error', error })).toMatch(/^crash-\d{8}T\d{9}Z-site\.txt$/);
    const [{ text } = { text: '' }] = reports.list();
    expect(text).toMatch(kept);
    expect(text).toMatch(/when {5}\d{4}-\d\d-\d\dT[\s\S]*what {5}site[\s\S]*how {6}uncaught error[\s\S]*version {2}\d/);
    noMarks(text);
  });

  it.each(OUTPUTS)('keeps of the last output only what V8 says: %s', (_name, output, kept) => {
    const reports = new CrashReports(folder);
    reports.write({ part: 'analytics', reason: `ended by ${MARK}: ${SECRETS}`, output });
    const [{ text } = { text: '' }] = reports.list();
    expect(text).toMatch(kept);
    expect(text).toContain('how      unknown');
    noMarks(text);
  });

  it('is one of at most twenty, the newest, and is small', () => {
    const reports = new CrashReports(folder);
    const huge = Array.from({ length: 20_000 }, () => 'Error: x').join('\n');
    for (let n = 0; n < 25; n++) {
      reports.write(
        { part: 'analytics', reason: `ended with code ${n}`, output: huge },
        Date.UTC(2026, 0, 1, 0, 0, n >> 1),
      );
    }
    const kept = reports.list();
    expect(kept).toHaveLength(20);
    expect(kept.some(({ text }) => text.includes('code 24'))).toBe(true);
    expect(kept.some(({ text }) => text.includes('code 3\n'))).toBe(false);
    for (const { name } of kept) expect(statSync(join(folder, 'logs', name)).size).toBeLessThan(16_385);
  });

  it('that cannot be written is no second crash', () => {
    writeFileSync(join(folder, 'logs'), '');
    const reports = new CrashReports(folder);
    expect(reports.write({ part: 'site', reason: 'uncaught error' })).toBeUndefined();
    expect(reports.list()).toEqual([]);
  });
});

describe('a site', () => {
  let test: TestSite;
  beforeEach(async () => {
    test = await makeTestSite();
  });
  afterEach(async () => await test.remove());

  const reportsOf = () => new CrashReports(test.dir).list();

  it('reports a run that was killed, once, and nothing after a clean close', async () => {
    const server = await startServerProcess(test.dir);
    await server.kill();
    expect(reportsOf()).toEqual([]);
    for (let starts = 0; starts < 2; starts++) {
      const site = await startSite({ dir: test.dir, port: 0, log: pino({ level: 'silent' }) });
      const client = await signIn(site.url);
      const { crashes } = await client.call('getDiagnostics');
      expect(crashes).toEqual([
        { name: expect.stringMatching(/-site\.txt$/), text: expect.stringContaining('ended without closing') },
      ]);
      await site.close();
    }
  });

  it('reports the error that ends its process, in which nothing planted is left', async () => {
    const hook = join(test.dir, '..', 'throws.mjs');
    writeFileSync(hook, `process.on('SIGUSR2', () => { throw new TypeError(${JSON.stringify(SECRETS)}); });`);
    const server = await startServerProcess(test.dir, { nodeArguments: ['--import', hook] });
    server.child.kill('SIGUSR2');
    expect(await server.exited).not.toBe(0);
    const [report, ...others] = reportsOf();
    expect(others).toEqual([]);
    expect(report?.text).toMatch(/how {6}uncaught error[\s\S]*TypeError: \(message left out/);
    noMarks(report?.text ?? '');
    // The error itself is the report of that run: the next start adds none.
    const again = await startServerProcess(test.dir);
    expect(await again.stop()).toBe(0);
    expect(reportsOf()).toHaveLength(1);
    expect(readdirSync(join(test.dir, 'logs'))).toEqual([report?.name]);
  });
});
