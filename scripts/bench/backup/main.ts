/**
 * `npm run bench:backup`: makes a site of 5 GB and backs it up: for the first time, with nothing changed, with one more recording, and with
 * 1 % more. Prints what each backup costs beside what had changed, and fails where the cost does not follow the change.
 *
 *     --gigabytes 5    of recordings, each six hours long; their backups take as much again
 *     --encrypted      into an encrypted folder
 *     --folder DIR     where all of it is made, and removed afterwards; default: the folder for temporary files
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from '../../../src-server/cli/tables.ts';
import { HOUR_MS } from '../../../src-server/durations.ts';
import { type FullSite, makeFullSite } from '../../../src-server/testing/full-site/site-folder.ts';
import { runCommand } from '../scale/processes.ts';
import { addNoiseRecordings } from './noise-recordings.ts';

/** Its rows are those of some subjects who wear sensors for a month. */
const ROWS = { subjects: 10, days: 30 };
/** Of all content, so much is read again by each backup, in the site and in the folder; see `dueForReading`. */
const DUE_SHARE = 1 / 28;
/** Each changed byte is read in the site to be copied, and in the copy to be verified. */
const READS_OF_CHANGE = 2;
/** Above what these give: the program itself, the pages of the database and lists of content. */
const SLACK_BYTES = 150e6;

const { values } = parseArgs({
  options: {
    gigabytes: { type: 'string', default: '5' },
    encrypted: { type: 'boolean', default: false },
    folder: { type: 'string', default: tmpdir() },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);

interface BackupCost {
  what: string;
  /** Bytes of files that the site has and the folder of backups has not. */
  changedBytes: number;
  newBytes: number;
  cpuMs: number;
  readBytes: number;
  writtenBytes: number;
}

async function measure(site: FullSite, work: string, what: string, changedBytes: number): Promise<BackupCost> {
  const words = ['backup', '--data', site.dir, '--to', join(work, 'backups'), '--json'];
  if (values.encrypted) words.push('--encrypt', '--passphrase-file', join(work, 'passphrase'));
  const { cpuMs, readBytes, writtenBytes, exitCode, stdout } = await runCommand(site, work, words);
  if (exitCode !== 0) throw new Error(`${what}: the backup ended with ${exitCode}: ${stdout}`);
  const { newBytes } = JSON.parse(stdout) as { newBytes: number };
  say(`${what}: ${Math.round(cpuMs)} ms CPU`);
  return { what, changedBytes, newBytes, cpuMs, readBytes, writtenBytes };
}

const work = await mkdtemp(join(values.folder, 'outpost-bench-backup-'));
const costs: BackupCost[] = [];
let siteBytes = 0;
try {
  const site = await makeFullSite(join(work, 'made'), ROWS);
  await writeFile(join(work, 'passphrase'), 'a passphrase for benches');
  const add = async (bytes: number) => {
    const added = await addNoiseRecordings(site, bytes, 6 * HOUR_MS);
    siteBytes += added;
    return added;
  };
  say('making recordings');
  await add(Number(values.gigabytes) * 1e9);
  costs.push(await measure(site, work, 'first backup', siteBytes));
  costs.push(await measure(site, work, 'nothing changed', 0));
  costs.push(await measure(site, work, 'one recording more', await add(1)));
  costs.push(await measure(site, work, '1 % more', await add(0.01 * siteBytes)));
} finally {
  await rm(work, { recursive: true, force: true });
}

const megabytes = (bytes: number) => (bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 });
const allowedBytes = ({ changedBytes }: BackupCost) =>
  2 * 1.5 * DUE_SHARE * siteBytes + READS_OF_CHANGE * changedBytes + SLACK_BYTES;
const heading = ['backup', 'changed MB', 'new MB', 'CPU s', 'read MB', 'allowed MB', 'written MB', ''];
const isMet = (cost: BackupCost) =>
  cost.readBytes <= allowedBytes(cost) && cost.writtenBytes <= 1.2 * cost.newBytes + SLACK_BYTES;
const lines = costs.map((cost) => [
  cost.what,
  megabytes(cost.changedBytes),
  megabytes(cost.newBytes),
  (cost.cpuMs / 1000).toFixed(2),
  megabytes(cost.readBytes),
  megabytes(allowedBytes(cost)),
  megabytes(cost.writtenBytes),
  isMet(cost) ? 'ok' : 'MISSED',
]);
process.stdout.write(`${formatTable([heading, ...lines])}\n`);
if (!costs.every(isMet)) process.exitCode = 1;
