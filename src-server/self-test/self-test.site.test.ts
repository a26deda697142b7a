/** The self-test as a process: it passes on this computer, and each check fails in its own words when its subject is broken. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/signal-fixtures.ts';
import { OUTPOST_COMMAND } from '../testing/test-site.ts';
import { CHECKS, type SelfTestReport } from './run.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

function selfTest(parameters: string[], nodeArguments: string[] = [], environment: Record<string, string> = {}) {
  return new Promise<Run>((resolve) => {
    execFile(
      process.execPath,
      [...nodeArguments, OUTPOST_COMMAND, 'self-test', ...parameters],
      { env: { ...process.env, ...environment } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

const reportOf = ({ stdout }: Run) => JSON.parse(stdout) as SelfTestReport;

describe('on this computer', () => {
  it('passes, and prints a line per check and a summary', async () => {
    const { code, stdout, stderr } = await selfTest([]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, -1).map((line) => line.replace(/ \(\d+ ms\)$/, ''))).toEqual(
      CHECKS.map(({ name }) => `ok      ${name}`),
    );
    expect(lines.at(-1)).toMatch(/^All \d+ checks passed in \d+\.\d s on Node 24\.\S+, \w+ \w+\.$/);
    expect(stderr.trim().split('\n')).toEqual(CHECKS.map(({ name }) => `checking ${name}`));
    expect(code).toBe(0);
  });

  it('runs only the checks that are named', async () => {
    const run = await selfTest(['--json', 'time-zones', 'hashes']);
    expect(reportOf(run).checks.map(({ name }) => name)).toEqual(['hashes', 'time-zones']);
    expect(run.code).toBe(0);
    const unknown = await selfTest(['time-zone']);
    expect(unknown.stderr).toMatch(/There is no check named time-zone\. The checks are: hashes, /);
    expect(unknown.code).toBe(2);
  });

  it('has distinct names and complete words', () => {
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
    for (const { name, subject, advice } of CHECKS) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(subject).toMatch(/^[A-Z].*[^.]$/);
      expect(advice).toMatch(/^[A-Z].*\.$/);
    }
  });
});

/** A broken runtime: code that runs before the program, the checks that must fail, and what each must say. */
interface Fault {
  what: string;
  preload: string;
  fails: Record<string, RegExp>;
}

const crypto = (statements: string) => `import crypto from 'node:crypto';\n${statements}`;

const FAULTS: readonly Fault[] = [
  {
    what: 'no zstd',
    preload: `import zlib from 'node:zlib';
      zlib.zstdCompressSync = () => { throw new Error('zstd is not built in'); };
      zlib.zstdDecompressSync = zlib.zstdCompressSync;`,
    fails: {
      'signal-files': /zstd is not built in/i,
      'stored-columns': /zstd is not built in/i,
      parquet: /zstd is not built in/i,
      'worker-threads': /./i,
      'analytics-process': /./i,
    },
  },
  {
    what: 'zstd that decompresses to something else',
    preload: `import zlib from 'node:zlib';
      const right = zlib.zstdDecompressSync;
      zlib.zstdDecompressSync = (...given) => { const bytes = right(...given); bytes[0] ^= 1; return bytes; };`,
    fails: { 'stored-columns': /damaged/i, 'signal-files': /problems of a new signal file/i },
  },
  {
    what: 'no brotli',
    preload: `import zlib from 'node:zlib'; zlib.brotliCompress = (bytes, options, done) => done(new Error('no brotli'));`,
    fails: { 'compressed-answers': /coding of an answer|fetch failed|not/i },
  },
  {
    what: 'a cipher that is not known',
    preload: crypto(`const right = crypto.createCipheriv;
      const known = (name, ...rest) => { if (name === 'aes-256-gcm') throw new Error('Unknown cipher'); return right(name, ...rest); };
      crypto.createCipheriv = known;`),
    fails: { 'sealed-text': /Unknown cipher/i },
  },
  {
    what: 'HKDF that derives nothing',
    preload: crypto(`crypto.hkdfSync = () => { throw new Error('HKDF derivation failed'); };`),
    fails: { 'sealed-text': /HKDF derivation failed/i },
  },
  {
    what: 'HKDF with another result',
    preload: crypto(`crypto.hkdfSync = () => new ArrayBuffer(32);`),
    fails: { 'sealed-text': /sealed under OpenSSL.* is undefined, not Sealed under OpenSSL/i },
  },
  {
    what: 'no PBKDF2',
    preload: crypto(`crypto.pbkdf2 = (...given) => given.at(-1)(new Error('PBKDF2 job failed'));`),
    fails: { 'pairing-codes': /PBKDF2 job failed/i },
  },
  {
    what: 'no SHA-256 in one call',
    preload: crypto(`crypto.hash = () => { throw new Error('Digest method not supported'); };`),
    fails: { hashes: /Digest method not supported/i, certificates: /Digest method not supported/i },
  },
  {
    what: 'HMAC with another result',
    preload: crypto(`const right = crypto.createHmac; crypto.createHmac = (name, key) => right('sha512', key);`),
    fails: { 'keyed-hashes': /is \S+, not S-6TLGG93U9JYD/i, 'pairing-codes': /proof of a pairing device/i },
  },
  {
    what: 'no P-256 in WebCrypto',
    preload: crypto(`crypto.webcrypto.subtle.importKey = async () => { throw new Error('Unrecognized namedCurve'); };`),
    fails: {
      certificates: /Unrecognized namedCurve/i,
      'certificate-authority': /Unrecognized namedCurve/i,
      'device-tls': /Unrecognized namedCurve/i,
      'device-requests': /Unrecognized namedCurve/i,
      'webhook-tls': /Unrecognized namedCurve/i,
    },
  },
  {
    what: 'no keys on P-256',
    preload: crypto(`crypto.generateKeyPairSync = () => { throw new Error('Invalid EC curve name'); };`),
    fails: { certificates: /Invalid EC curve name/i },
  },
  {
    what: 'signatures that nobody accepts',
    preload: crypto(`crypto.X509Certificate.prototype.verify = () => false;`),
    fails: { 'certificate-authority': /not accepted as signed|is UNREADABLE/i },
  },
  {
    what: 'no triple DES',
    preload: crypto(`const right = crypto.createDecipheriv;
      crypto.createDecipheriv = (name, ...rest) => { if (name.startsWith('des')) throw new Error('Unknown cipher'); return right(name, ...rest); };`),
    fails: { 'certificate-files': /does not open this file/i },
  },
  {
    what: 'certificates without addresses',
    preload: crypto(
      `Object.defineProperty(crypto.X509Certificate.prototype, 'subjectAltName', { get: () => undefined });`,
    ),
    fails: { certificates: /addresses in a certificate is \[\], not/i },
  },
  {
    what: 'no TLS 1.2',
    preload: `import https from 'node:https';
      const right = https.createServer;
      https.createServer = (options, answer) => right({ ...options, minVersion: 'TLSv1.3' }, answer);`,
    fails: { 'device-tls': /a TLSv1\.2 connection is undefined, not TLSv1\.2/i },
  },
  {
    what: 'argon2 that cannot be loaded',
    preload: `const right = process.dlopen;
      process.dlopen = (module, name, ...rest) => { if (name.includes('argon2')) throw new Error('argon2: wrong ELF class'); return right(module, name, ...rest); };`,
    fails: { passwords: /^A native module could not be loaded \(argon2: wrong ELF class\)\.$/ },
  },
  {
    what: 'better-sqlite3 that cannot be loaded',
    preload: `const right = process.dlopen;
      process.dlopen = (module, name, ...rest) => { if (name.includes('better-sqlite3')) throw new Error('better-sqlite3: wrong ELF class'); return right(module, name, ...rest); };`,
    fails: { database: /better-sqlite3/i, 'site-lock': /better-sqlite3/i, 'whole-site': /better-sqlite3/i },
  },
  {
    what: 'crc32 that cannot be loaded',
    preload: `const right = process.dlopen;
      process.dlopen = (module, name, ...rest) => { if (name.includes('crc32')) throw new Error('crc32: wrong ELF class'); return right(module, name, ...rest); };`,
    fails: { 'signal-files': /crc32/i, 'worker-threads': /./i },
  },
  {
    what: 'a time zone that is missing',
    preload: `const Right = Intl.DateTimeFormat;
      Intl.DateTimeFormat = function (locale, options) {
        if (options?.timeZone === 'US/Samoa') throw new RangeError('Invalid time zone specified: US/Samoa');
        return new Right(locale, options);
      };
      Object.assign(Intl.DateTimeFormat, { prototype: Right.prototype, supportedLocalesOf: Right.supportedLocalesOf });`,
    fails: { 'time-zones': /Unknown time zones: US\/Samoa/i },
  },
  {
    what: 'locale data for English alone',
    preload: `const Right = Intl.DateTimeFormat;
      Intl.DateTimeFormat = function (locale, options) { return new Right('en-US', options); };
      Object.assign(Intl.DateTimeFormat, { prototype: Right.prototype, supportedLocalesOf: Right.supportedLocalesOf });`,
    fails: { languages: /Dates in Japanese are not written in Japanese/i },
  },
  {
    what: 'folders that cannot be flushed',
    preload: `import promises from 'node:fs/promises';
      const right = promises.open;
      promises.open = async (path, flags, ...rest) => {
        const handle = await right(path, flags, ...rest);
        if ((await handle.stat()).isDirectory()) handle.sync = async () => { throw new Error('EINVAL: invalid argument, fsync'); };
        return handle;
      };`,
    fails: { 'durable-files': /EINVAL: invalid argument, fsync/i },
  },
  {
    what: 'paths of at most 260 characters',
    preload: `import promises from 'node:fs/promises';
      const right = promises.mkdir;
      promises.mkdir = async (path, ...rest) => {
        if (String(path).length > 260) throw new Error('ENAMETOOLONG: name too long, mkdir');
        return right(path, ...rest);
      };`,
    fails: { 'durable-files': /ENAMETOOLONG/i, 'whole-site': /ENAMETOOLONG/i },
  },
  {
    what: 'no free space of a disk',
    preload: `import promises from 'node:fs/promises';
      promises.statfs = async () => ({ bavail: undefined, bsize: undefined, blocks: undefined });`,
    fails: { 'free-space': /reads as NaN bytes/i },
  },
  {
    what: 'no worker threads',
    preload: `import threads from 'node:worker_threads';
      threads.Worker = class { constructor() { throw new Error('Worker threads are not available'); } };`,
    fails: { 'worker-threads': /./i, 'database-in-worker': /./i },
  },
  {
    what: 'processes that may not start',
    preload: `import processes from 'node:child_process';
      processes.fork = () => { throw new Error('spawn EACCES'); };`,
    fails: { 'analytics-process': /spawn EACCES/i },
  },
  {
    what: 'CRC-32 with another result',
    preload: `import zlib from 'node:zlib'; const right = zlib.crc32; zlib.crc32 = (...given) => (right(...given) ^ 1) >>> 0;`,
    fails: { 'stored-columns': /damaged/i },
  },
  {
    what: 'no deflate with a dictionary',
    preload: `import zlib from 'node:zlib'; const right = zlib.inflateRawSync;
      zlib.inflateRawSync = (bytes, options) => { if (options?.dictionary) throw new Error('Bad dictionary'); return right(bytes, options); };`,
    fails: { 'audit-changes': /Bad dictionary/i },
  },
  {
    what: 'no streamed inflate',
    preload: `import zlib from 'node:zlib';
      zlib.InflateRaw.prototype._transform = (chunk, encoding, done) => done(new Error('no inflate'));`,
    fails: { 'zip-files': /no inflate/i },
  },
];

describe('when a part of the runtime is broken', () => {
  it.each(FAULTS)('names the checks that fail with $what', async ({ what, preload, fails }) => {
    const path = join(folder.path, `${what.replaceAll(/\W+/g, '-')}.mjs`);
    await writeFile(
      path,
      `import { syncBuiltinESMExports } from 'node:module';\n${preload}\nsyncBuiltinESMExports();\n`,
    );
    // Only the checks that must fail: the others are covered by the run without a fault.
    const run = await selfTest(['--json', ...Object.keys(fails)], ['--import', pathToFileURL(path).href]);
    const report = reportOf(run);
    for (const [name, words] of Object.entries(fails)) {
      const outcome = report.checks.find((one) => one.name === name);
      expect(outcome?.ok, `${name} passed`).toBe(false);
      expect(outcome?.message).toMatch(words);
      expect(outcome?.advice).toBe(CHECKS.find((check) => check.name === name)?.advice);
    }
    expect(report.ok).toBe(false);
    expect(run.code).toBe(7);
  });

  it('leaves no check that no fault reaches', () => {
    const reached = new Set(FAULTS.flatMap(({ fails }) => Object.keys(fails)));
    const unreached = CHECKS.map(({ name }) => name).filter((name) => !reached.has(name));
    expect(unreached).toEqual([]);
  });
});
