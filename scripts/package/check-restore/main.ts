/**
 * Restores a site onto an empty machine with the commands of the documents, taken out of their text: the README's section on restoring, the
 * guide of the package on installing and backing up, and the page on encrypted backups. One clean Debian makes the backups, plain and
 * encrypted; the other has nothing but the package and the disk. Run as a script, as root: `main.ts [--root <.tar of a clean Debian>]`.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeAppFolder } from '../app-folder.ts';
import { boot, installDepends, type Machine, makeRoot } from '../check-deb/clean-machine.ts';
import { client, logged, makeRecording, readAll, say, siteUrl } from '../check-deb/site-on-machine.ts';
import { makeDeb } from '../deb.ts';
import { blockNaming } from '../document-commands.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const GUIDE = textOf('scripts/package/debian/README.md');
const PASSPHRASE = 'correct horse battery staple';
/** The program asks within this time, also on a busy computer. */
const PROMPT_SECONDS = 12;
/** The user of the service on another computer has another number. */
const OTHER_OWNER = '4711:4711';

/** Types each line as a person would; one that asks for a passphrase gets it, at a terminal. */
async function typed(machine: Machine, commands: readonly string[], passphrases = 0): Promise<void> {
  for (const command of commands) {
    const asks = passphrases > 0 && /outpost (restore|backup)/.test(command);
    // A person types after each question; what comes at once is taken as one answer.
    const answers = Array.from({ length: passphrases }, () => `sleep ${PROMPT_SECONDS}; echo '${PASSPHRASE}'`);
    const keys = `(${[...answers, `sleep ${PROMPT_SECONDS}`].join('; ')})`;
    const line = asks ? `${keys} | script --quiet --return --command "${command}" /dev/null` : command;
    const { code, text } = await machine.run(`cd /root && ${line}`);
    assert.equal(code, 0, `"${command}" ends with ${code}: ${text}`);
    say(`  ${command}`);
  }
}

const onMachine = async <T>(root: string, run: (machine: Machine) => Promise<T>): Promise<T> => {
  const machine = await boot(root);
  try {
    return await run(machine);
  } finally {
    await machine.stop();
  }
};

/** The clinic's server: installed, filled and backed up by the guide. Returns what it answers about its data. */
async function server(root: string, recording: string): Promise<string> {
  return await onMachine(root, async (machine) => {
    await typed(machine, blockNaming(GUIDE, 'Install', 'apt-get install'));
    await client(machine, 'set-up', await logged(machine, /http:\S+set-up\S+/));
    await client(machine, 'fill', await siteUrl(machine), recording);
    await typed(machine, blockNaming(GUIDE, 'Back up', 'outpost backup'));
    const [once = ''] = blockNaming(textOf('resources/encrypted-backups.md'), 'Encrypted backups', '--encrypt');
    await machine.do('install -d -o outpost -g outpost -m 0700 /mnt/backup/encrypted');
    const encrypted = once.replace('SITE', '/var/lib/outpost/site').replace('FOLDER', '/mnt/backup/encrypted');
    await typed(machine, [encrypted], 2);
    await machine.do('cp /var/lib/outpost/site/site.key /mnt/backup/site.key');
    return await readAll(machine);
  });
}

/** An empty machine with the disk: what the README says, and the site answers the same. */
async function restored(root: string, answers: string, passphrases: number): Promise<void> {
  await onMachine(root, async (machine) => {
    await typed(
      machine,
      blockNaming(textOf('README.md'), 'Restore on an empty computer', 'apt-get install'),
      passphrases,
    );
    assert.equal(await readAll(machine), answers, 'the restored site answers as the lost one did');
    const report = JSON.parse(await machine.do('outpost verify --deep --json --data /var/lib/outpost/site')) as {
      problems: unknown[];
    };
    assert.deepEqual(report.problems, []);
    assert.equal(await machine.do('find /var/lib/outpost ! -user outpost'), '', 'the service owns all of it');
  });
}

/** Puts the disk of the server into a machine, as another computer wrote it. */
function plugIn(from: string, to: string, folder: string): void {
  const disk = join(to, 'mnt/backup');
  mkdirSync(disk, { recursive: true });
  execFileSync('cp', ['-a', join(from, 'mnt/backup', folder), join(disk, 'outpost')]);
  cpSync(join(from, 'mnt/backup/site.key'), join(disk, 'site.key'));
  execFileSync('chown', ['-R', OTHER_OWNER, disk]);
  execFileSync('chmod', ['-R', 'go=', disk]);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { root: { type: 'string' } } });
  if (process.getuid?.() !== 0) throw new Error('Run this as root: it makes a clean Debian in a container.');
  const work = mkdtempSync(join(tmpdir(), 'outpost-check-restore-'));
  try {
    const clean = join(work, 'clean');
    if (values.root) {
      mkdirSync(clean);
      execFileSync('tar', ['-xf', values.root, '-C', clean, '--exclude=./dev/*']);
    } else makeRoot(clean);
    const app = join(work, 'app');
    await makeAppFolder(app);
    const deb = await makeDeb(work, { app, compression: 'gzip' });
    installDepends(clean, execFileSync('dpkg-deb', ['--field', deb, 'Depends']).toString().trim());
    renameSync(deb, join(clean, 'root', basename(deb)));
    say('made a clean Debian with the package on it');
    const copy = (name: string): string => {
      const to = join(work, name);
      execFileSync('cp', ['-a', clean, to]);
      return to;
    };
    const first = copy('server');
    const answers = await server(first, await makeRecording(work));
    assert.match(answers, /"recordings":\[\{/);
    say('the server is backed up, plain and encrypted');
    for (const [folder, passphrases] of [
      ['outpost', 0],
      ['encrypted', 1],
    ] as const) {
      const empty = copy(`empty-${folder}`);
      plugIn(first, empty, folder);
      assert.ok(!existsSync(join(empty, 'var/lib/outpost')), 'the machine is empty');
      await restored(empty, answers, passphrases);
      say(
        `restored from the ${passphrases === 0 ? 'plain' : 'encrypted'} backup: opened, verified, every subject shown`,
      );
      rmSync(empty, { recursive: true });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

await main();
