/**
 * Proves the Debian package on a clean machine: installed, used, upgraded, refused as a downgrade, removed, purged, installed again.
 * Run as a script, as root: `main.ts [--root <folder or .tar of a clean Debian>] [--previous <older package> | --from <older commit>]`.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeAppFolder } from '../app-folder.ts';
import { makeDeb } from '../deb.ts';
import { APT_SOURCE, makeAptSource, upgradeFromSource } from './apt-source.ts';
import { boot, installDepends, type Machine, makeRoot } from './clean-machine.ts';
import { lostIn, makeOlderPackage, schemaInBackups } from './older-package.ts';
import { client, logged, makeRecording, readAll, say, siteUrl } from './site-on-machine.ts';

const SITE = '/var/lib/outpost/site';
const SETTINGS = '/etc/default/outpost';
const EXTRA_BACKUPS = '/var/lib/outpost/extra-backup';
/** Older than any release. */
const PREVIOUS_VERSION = '0.0.1';
/** Nobody answers dpkg's questions: settings that an administrator changed stay. */
const INSTALL = 'dpkg --force-confdef --force-confold -i';

interface Packages {
  /** The previous package is of an earlier program, not of this one under another version. */
  isOlderProgram: boolean;
  previous: string;
  current: string;
}

/** Hashes of the recordings on the disk. */
const signalHashes = (root: string): Record<string, string> => {
  const folder = join(root, SITE, 'signals');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ name, parentPath }) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(parentPath, name)))
        .digest('hex'),
    ]),
  );
};

/** Gives a package other default settings, so that an upgrade finds them changed by both sides. */
function changeSettings(path: string): void {
  const tree = `${path}-tree`;
  execFileSync('dpkg-deb', ['--raw-extract', path, tree]);
  appendFileSync(join(tree, SETTINGS), '# A remark of the previous version.\n');
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, path], { stdio: 'ignore' });
  rmSync(tree, { recursive: true });
}

async function passesSelfTest(machine: Machine): Promise<void> {
  const report = JSON.parse(await machine.do('runuser -u outpost -- outpost self-test --json')) as { ok: boolean };
  assert.ok(report.ok, JSON.stringify(report));
}

async function installs(machine: Machine, { previous }: Packages): Promise<void> {
  await machine.do(`${INSTALL} /packages/${previous}`);
  const verified = await machine.run('systemd-analyze verify /usr/lib/systemd/system/outpost.service');
  assert.deepEqual(verified, { code: 0, text: '' }, 'systemd finds nothing to say about the unit');
  const exposure = await machine.do('systemd-analyze security --no-pager outpost.service | tail -1');
  say(exposure.trim());
  await passesSelfTest(machine);
  assert.equal((await machine.do('systemctl is-enabled outpost')).trim(), 'enabled');
  const once = await logged(machine, /http:\S+set-up\S+/);
  await client(machine, 'set-up', once);
}

async function runsConfined(machine: Machine): Promise<void> {
  const pid = (await machine.do('systemctl show outpost --property=MainPID --value')).trim();
  const status = await machine.do(`cat /proc/${pid}/status`);
  assert.match(status, /^CapEff:\s+0+$/m, 'no capability');
  assert.match(status, /^NoNewPrivs:\s+1$/m, 'no new privileges');
  assert.match(status, /^Seccomp:\s+2$/m, 'system calls are filtered');
  assert.equal((await machine.do(`stat -c %U /proc/${pid}`)).trim(), 'outpost');
  assert.equal((await machine.do('stat -c "%U %a" /var/lib/outpost')).trim(), 'outpost 750');
}

async function keepsOwner(machine: Machine): Promise<void> {
  await machine.do(`outpost backup --data ${SITE} --to ${EXTRA_BACKUPS}`);
  assert.equal(await machine.do('find /var/lib/outpost ! -user outpost'), '', 'root leaves no file of its own');
}

async function upgrades(machine: Machine, root: string, { current, isOlderProgram }: Packages): Promise<void> {
  const before = { answers: await readAll(machine), hashes: signalHashes(root) };
  assert.ok(Object.keys(before.hashes).length > 0);
  await machine.do(`sed -i 's/^OUTPOST_PORT=.*/OUTPOST_PORT=8555/' ${SETTINGS}`);
  makeAptSource(root, [join(root, 'packages', current)]);
  await upgradeFromSource(machine);
  await passesSelfTest(machine);
  assert.match(await machine.do(`cat ${SETTINGS}`), /^OUTPOST_PORT=8555$/m, 'the changed settings stay');
  await machine.do(`test -f ${SETTINGS}.dpkg-dist`);
  assert.match(await siteUrl(machine), /:8555$/, 'and count');
  const after = await readAll(machine);
  if (isOlderProgram)
    assert.deepEqual(lostIn(JSON.parse(before.answers), JSON.parse(after)), [], 'every answer is kept');
  else assert.equal(after, before.answers, 'the interface answers the same');
  assert.deepEqual(signalHashes(root), before.hashes);
  await machine.do('systemctl stop outpost');
  const report = JSON.parse(await machine.do(`outpost verify --deep --json --data ${SITE}`)) as { problems: unknown[] };
  assert.deepEqual(report.problems, []);
  await machine.do('systemctl start outpost');
}

async function refusesDowngrade(machine: Machine, { previous, current }: Packages): Promise<void> {
  const installed = await machine.do('dpkg --status outpost');
  const refused = await machine.run(`${INSTALL} /packages/${previous}`);
  assert.notEqual(refused.code, 0);
  assert.match(refused.text, /may not be able to open its site\. Nothing was changed/);
  assert.equal(await machine.do('dpkg --status outpost'), installed);
  await readAll(machine);
  await machine.do(`${INSTALL} /packages/${previous}`, { OUTPOST_ALLOW_DOWNGRADE: '1' });
  await machine.do(`${INSTALL} /packages/${current}`);
}

async function keepsDataWhenRemoved(machine: Machine, root: string): Promise<void> {
  const hashes = signalHashes(root);
  await machine.do('dpkg --remove outpost');
  assert.equal((await machine.run('systemctl is-active outpost')).code === 0, false);
  assert.ok(!existsSync(join(root, 'usr/lib/outpost')), 'the program is gone');
  assert.deepEqual(signalHashes(root), hashes);
  const purge = await machine.run('dpkg --purge outpost');
  assert.equal(purge.code, 0, purge.text);
  assert.match(purge.text, /the data in \/var\/lib\/outpost is kept/);
  assert.ok(!existsSync(join(root, SETTINGS)), 'the settings are gone');
  assert.deepEqual(signalHashes(root), hashes, 'nobody agreed to delete the data');
}

async function installsAgain(machine: Machine, { current }: Packages, answers: string): Promise<void> {
  await machine.do(`${INSTALL} /packages/${current}`);
  assert.equal(await readAll(machine), answers, 'the site continues');
  // A service that somebody disabled is not enabled by the next version.
  await machine.do('systemctl disable outpost && systemctl stop outpost');
  await machine.do(`${INSTALL} /packages/${current}`);
  assert.equal((await machine.run('systemctl is-enabled outpost')).text.trim(), 'disabled');
}

async function deletesDataOnRequest(machine: Machine, root: string): Promise<void> {
  await machine.do(`rm ${APT_SOURCE.join(' ')} && apt-get clean`);
  await machine.do('echo "outpost outpost/delete-data boolean true" | debconf-set-selections');
  await machine.do('dpkg --purge outpost');
  assert.ok(!existsSync(join(root, 'var/lib/outpost')), 'a yes deletes the data');
  assert.notEqual((await machine.run('getent passwd outpost')).code, 0, 'and the user');
  assert.equal(
    await machine.do(
      'find / -xdev -name "*outpost*" -not -path "/proc/*" -not -path "/packages*" -not -path "/mnt/updates*" -not -path "/var/log/*"',
    ),
    '',
  );
}

async function cycle(root: string, packages: Packages, recordings: string[]): Promise<void> {
  const machine = await boot(root);
  try {
    await installs(machine, packages);
    say('installed, self-test passed, site created at the one-time address');
    await client(machine, 'fill', await siteUrl(machine), ...recordings);
    await runsConfined(machine);
    await keepsOwner(machine);
    say(`took ${recordings.map((path) => basename(path)).join(', ')}; confined; backed up by root`);
    const schemaBefore = schemaInBackups(join(root, EXTRA_BACKUPS));
    await upgrades(machine, root, packages);
    say('upgraded by apt from a signed folder: data, answers and the changed settings kept, verify clean');
    await keepsOwner(machine);
    const schema = schemaInBackups(join(root, EXTRA_BACKUPS));
    if (packages.isOlderProgram) assert.ok(schema > schemaBefore, 'the older program has an older schema');
    const answers = await readAll(machine);
    say(`the site had schema ${schemaBefore}, and has ${schema}`);
    await refusesDowngrade(machine, packages);
    say('refused the downgrade, then made it on request');
    await keepsDataWhenRemoved(machine, root);
    say('removed and purged: data kept');
    await installsAgain(machine, packages, answers);
    say('installed again: the site continues');
    await deletesDataOnRequest(machine, root);
    say('purged with a yes: nothing is left');
  } finally {
    await machine.stop();
  }
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { root: text, previous: text, from: text } });
  if (process.getuid?.() !== 0) throw new Error('Run this as root: it makes a clean Debian in a container.');
  const work = mkdtempSync(join(tmpdir(), 'outpost-check-deb-'));
  try {
    const root = join(work, 'root');
    const shared = join(root, 'packages');
    if (values.root) {
      mkdirSync(root);
      execFileSync('tar', ['-xf', values.root, '-C', root, '--exclude=./dev/*']);
    } else makeRoot(root);
    say('made a clean Debian');
    const app = join(work, 'app');
    await makeAppFolder(app);
    mkdirSync(shared);
    const current = await makeDeb(shared, { app, compression: 'gzip' });
    const isOlderProgram = Boolean(values.previous ?? values.from);
    const previous = isOlderProgram
      ? join(shared, 'previous.deb')
      : await makeDeb(shared, { app, compression: 'gzip', version: PREVIOUS_VERSION });
    if (values.previous) copyFileSync(values.previous, previous);
    else if (values.from) makeOlderPackage(values.from, PREVIOUS_VERSION, work, previous);
    changeSettings(previous);
    execFileSync('lintian', ['--fail-on', 'error', '--allow-root', current], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const depends = execFileSync('dpkg-deb', ['--field', current, 'Depends']).toString().trim();
    say(`built both packages; lintian finds no error; needs ${depends}`);
    installDepends(root, depends);
    const recording = await makeRecording(work);
    await cycle(root, { previous: basename(previous), current: basename(current), isOlderProgram }, [recording]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

await main();
