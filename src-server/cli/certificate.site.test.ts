/** `outpost certificate` as a process, on a closed and on a running site, and what OpenSSL gets from the listener afterwards. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import {
  makeTestSite,
  OUTPOST_COMMAND,
  type ServerProcess,
  signIn,
  startServerProcess,
  type TestSite,
} from '../testing/test-site.ts';

const NAME = 'outpost.clinic.example';
const PASSPHRASE = 'pässwörd 日本';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

let site: TestSite;
const dir = mkdtempSync(join(tmpdir(), 'outpost-certificate-command-'));
const at = (name: string) => join(dir, name);
const openssl = (parameters: string[], input?: string) =>
  execFileSync('openssl', parameters, {
    cwd: dir,
    stdio: 'pipe',
    encoding: 'utf8',
    ...(input !== undefined && { input }),
  });

/** `outpost certificate <verb> --data ...`; `input` is written to its stdin. */
function certificate(verb: string, parameters: string[] = [], input = ''): Promise<Outcome> {
  return new Promise((resolve) => {
    const words = [OUTPOST_COMMAND, 'certificate', verb, '--data', site.dir, ...parameters];
    const child = execFile(process.execPath, words, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

const done = { code: 0, stderr: '' };
const show = async () => JSON.parse((await certificate('show', ['--json'])).stdout);

/** What the listener serves to a client that asks for a name: subject, issuer, and OpenSSL's verdict against the clinic's root. */
function served(port: number, name: string | undefined): string {
  const sni = name === undefined ? ['-noservername'] : ['-servername', name, '-verify_hostname', name];
  const where = ['s_client', '-connect', `127.0.0.1:${port}`, ...sni, '-CAfile', 'root.pem', '-verify_return_error'];
  try {
    const session = openssl(where, '');
    return openssl(['x509', '-noout', '-fingerprint', '-sha256'], session).trim();
  } catch (thrown) {
    return `refused: ${/verify error:(.*)/.exec(String((thrown as { stderr?: string }).stderr))?.[1]}`;
  }
}

const fingerprintOf = (file: string) => openssl(['x509', '-in', file, '-noout', '-fingerprint', '-sha256']).trim();
const colons = (hex: string) => `sha256 Fingerprint=${hex.toUpperCase().match(/../g)?.join(':')}`;

beforeAll(async () => {
  site = await makeTestSite();
  const issue = (name: string, signer: string[], extensions: string) => {
    openssl([
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
    ]);
    writeFileSync(at('x.cnf'), extensions);
    openssl([
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...signer,
      '-days',
      '60',
      '-extfile',
      'x.cnf',
      '-out',
      `${name}.pem`,
    ]);
  };
  const by = (name: string) => ['-CA', `${name}.pem`, '-CAkey', `${name}.key`, '-CAcreateserial'];
  const authority = 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign';
  issue('root', ['-signkey', 'root.key'], authority);
  issue('middle', by('root'), authority);
  const server = (name: string) =>
    `subjectAltName=DNS:${name}\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:FALSE`;
  issue('first', by('middle'), server(NAME));
  issue('renewed', by('middle'), server(NAME));
  issue('wild', by('middle'), server('*.clinic.example'));
  writeFileSync(at('chain.pem'), readFileSync(at('middle.pem'), 'utf8') + readFileSync(at('root.pem'), 'utf8'));
  const bundle = (name: string) => ['-in', `${name}.pem`, '-inkey', `${name}.key`, '-certfile', 'chain.pem'];
  openssl(['pkcs12', '-export', ...bundle('renewed'), '-passout', `pass:${PASSPHRASE}`, '-out', 'renewed.p12']);
  openssl(['pkcs12', '-export', ...bundle('wild'), '-passout', 'pass:', '-out', 'wild.p12']);
  openssl([
    'pkcs8',
    '-topk8',
    '-in',
    'first.key',
    '-v2',
    'aes256',
    '-passout',
    `pass:${PASSPHRASE}`,
    '-out',
    'locked.key',
  ]);
  writeFileSync(at('passphrase'), `${PASSPHRASE}\r\nanother line\n`);
});
afterAll(async () => {
  await site?.remove();
  rmSync(dir, { recursive: true, force: true });
});

describe('outpost certificate on a closed site', () => {
  it('shows that there is nothing yet, and has nothing to remove', async () => {
    expect(await show()).toEqual({
      ...{ listener: { isOn: true, port: 8481 }, site: null, nextKey: null, authority: null, own: null },
    });
    const shown = await certificate('show');
    expect({ code: shown.code, stderr: shown.stderr }).toEqual(done);
    expect(shown.stdout).toMatch(/None yet: the first start(.|\n)*None\.\n$/);
    const removed = await certificate('remove', ['--json']);
    expect([removed.code, JSON.parse(removed.stdout).error.code]).toEqual([3, 'NOT_FOUND']);
  });

  it('refuses what the desk refuses, with its codes, and changes nothing', async () => {
    const refusals: [string[], string][] = [
      [['first.pem', 'first.key'], 'CERTIFICATE_CHAIN'],
      [['first.pem', 'chain.pem'], 'CERTIFICATE_KEY'],
      [['first.pem', 'renewed.key', 'chain.pem'], 'CERTIFICATE_KEY'],
      [['wild.p12'], 'CERTIFICATE_NAMES'],
      [['renewed.p12', 'first.pem'], 'INVALID_INPUT'],
      [['x.cnf'], 'CERTIFICATE_UNREADABLE'],
    ];
    for (const [files, code] of refusals) {
      const refused = await certificate('set', ['--json', ...files.map(at)]);
      expect([files, refused.code, JSON.parse(refused.stdout).error.code]).toEqual([files, 2, code]);
    }
    expect((await certificate('set', ['--json', at('absent.pem')])).code).toBe(3);
    const noPassphrase = await certificate('set', ['--json', at('renewed.p12'), '--passphrase-file', at('absent')]);
    expect([noPassphrase.code, JSON.parse(noPassphrase.stdout).error.code]).toEqual([3, 'NOT_FOUND']);
    expect((await certificate('set')).code).toBe(2);
    expect((await show()).own).toBeNull();
  });

  it('asks for a passphrase only when one is needed, and takes it from no argument', async () => {
    const files = ['first.pem', 'chain.pem', 'locked.key'].map(at);
    const asked = await certificate('set', files);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--passphrase-file')]);
    const wrong = await certificate('set', [...files, '--passphrase-file', '-', '--json'], 'x\n');
    expect(JSON.parse(wrong.stdout).error.code).toBe('CERTIFICATE_PASSWORD');
    const set = await certificate('set', [...files, '--passphrase-file', at('passphrase')]);
    expect({ code: set.code, stderr: set.stderr }).toEqual(done);
    expect(set.stdout).toContain(`as soon as the site listens, for ${NAME}`);
    expect(set.stdout).toContain(fingerprintOf('first.pem').split('=')[1]);
    expect((await show()).own).toMatchObject({ state: 'SERVED', hostName: NAME, names: [NAME], issuer: 'middle' });
    const named = await certificate('set', [at('wild.p12'), '--name', 'Outpost.clinic.example']);
    expect(named.code).toBe(0);
    expect((await show()).own).toMatchObject({ hostName: NAME, names: ['*.clinic.example'] });
    expect((await certificate('set', [...files, '--passphrase-file', '-'], `${PASSPHRASE}\n`)).code).toBe(0);
  });
});

describe('outpost certificate on a running site', () => {
  let server: ServerProcess;
  let client: Client;
  let port: number;
  beforeAll(async () => {
    server = await startServerProcess(site.dir, { lan: true });
    client = await signIn(server.url);
    port = (await client.call('getNetwork')).port as number;
  });
  afterAll(() => server?.stop());

  it('finds what was set before the start in use, and shows what OpenSSL gets', async () => {
    expect(served(port, NAME)).toBe(fingerprintOf('first.pem'));
    const { site: own, authority, own: clinic } = await show();
    expect(colons(clinic.fingerprint)).toBe(fingerprintOf('first.pem'));
    expect(own).toMatchObject({ isSignedByAuthority: true, issuer: `${authority.name} issuer` });
    expect(own.names).toContain('test-clinic.local');
    const chain = openssl(['s_client', '-connect', `127.0.0.1:${port}`, '-noservername'], '');
    expect(openssl(['x509', '-noout', '-fingerprint', '-sha256'], chain).trim()).toBe(colons(own.fingerprint));
    const pin = openssl(['x509', '-noout', '-pubkey'], chain);
    const der = execFileSync('openssl', ['pkey', '-pubin', '-outform', 'DER'], { input: pin });
    expect(openssl(['dgst', '-sha256', '-r'], der as unknown as string).slice(0, 64)).toBe(own.pin);
    expect(own.pin).toBe((await client.call('getNetwork')).pins?.fingerprint);
    const text = (await certificate('show')).stdout;
    for (const fact of [own.pin, authority.name, NAME, fingerprintOf('first.pem').split('=')[1]!]) {
      expect(text).toContain(fact);
    }
  });

  it('serves a renewed certificate at once, and the certificate of the site after its removal', async () => {
    const set = await certificate('set', [at('renewed.p12'), '--passphrase-file', '-', '--json'], PASSPHRASE);
    expect(JSON.parse(set.stdout)).toMatchObject({
      ...{ isServed: true, own: { hostName: NAME, warnings: [{ code: 'CERTIFICATE_NOT_REACHED' }] } },
    });
    expect([set.code, set.stderr]).toEqual([0, expect.stringContaining(NAME)]);
    expect(served(port, NAME)).toBe(fingerprintOf('renewed.pem'));
    // Devices, which call addresses, keep the pinned key.
    expect(served(port, undefined)).toMatch(/^refused/);
    expect((await client.call('getCertificates')).own?.hostName).toBe(NAME);
    const refused = await certificate('set', [at('first.pem'), at('first.key'), '--json']);
    expect(JSON.parse(refused.stdout).error.code).toBe('CERTIFICATE_CHAIN');
    expect(served(port, NAME)).toBe(fingerprintOf('renewed.pem'));
    expect((await certificate('remove')).code).toBe(0);
    expect(served(port, NAME)).toMatch(/^refused/);
    expect((await show()).own).toBeNull();
    expect((await certificate('remove')).code).toBe(3);
  });

  it('records each change once in the audit trail, as a change of this computer and without a key', async () => {
    const { items } = await client.call('listAccountAudit', { params: { accountId: site.accountId } });
    const entries = items.filter(({ action }) => action === 'lan.certificate');
    expect(entries.map(({ actor }) => actor.type)).toEqual(Array(5).fill('SYSTEM'));
    expect(JSON.stringify(entries)).toContain(NAME);
    expect(JSON.stringify(items)).not.toContain('PRIVATE KEY');
  });

  it('gives its control to nobody without the key in the folder', async () => {
    const file = join(site.dir, 'control.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { port: control } = JSON.parse(readFileSync(file, 'utf8'));
    const command = JSON.stringify({ command: 'removeOwnCertificate', input: {} });
    for (const body of [command, `v1.${Buffer.alloc(64).toString('base64')}`, 'x'.repeat(5_000_000)]) {
      const answer = await fetch(`http://127.0.0.1:${control}/`, { method: 'POST', body }).catch(() => undefined);
      expect(answer?.status ?? 403).toBe(403);
      expect((await answer?.text()) ?? '').toBe('');
    }
    await server.stop();
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('says that the site is in use when a killed run left its address to another program', async () => {
    const killed = await startServerProcess(site.dir);
    const file = join(site.dir, 'control.json');
    const stale = readFileSync(file, 'utf8');
    await killed.kill();
    const next = await startServerProcess(site.dir);
    writeFileSync(file, stale);
    const refused = await certificate('remove', ['--json']);
    expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([5, 'SITE_LOCKED']);
    await next.stop();
  });
});
