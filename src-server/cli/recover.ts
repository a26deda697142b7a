import { resolve } from 'node:path';
import type { Adopted } from '../site/recovery/adopt.ts';
import { type BackupSearch, findGoodBackup, holdsRecordings } from '../site/recovery/newest-good.ts';
import { putSiteFileBack, rebuildInPlace, restoreInPlace } from '../site/recovery/recover.ts';
import { siteState } from '../site/recovery/state.ts';
import { answer, EXIT_PROBLEMS_FOUND, formatBytes, say, startProgress } from './output.ts';
import { readPassphrase } from './passphrase.ts';

interface RecoverOptions {
  data: string;
  restore: boolean;
  rebuild: boolean;
  backups: string[];
  to?: string;
  passphraseFile?: string;
  json: boolean;
}

/** Says what is wrong with a site and what to do next; with an option, does it. Returns the exit code. */
export async function recover(options: RecoverOptions): Promise<number> {
  const { data, to, json } = options;
  const progress = await startProgress('Recovering');
  const onProgress = ({ done, total, step }: { done: number; total: number; step: string }) =>
    progress.update(done, total, step);
  let passphrase: Promise<string> | undefined;
  const askPassphrase = () => {
    passphrase ??= readPassphrase('Passphrase of the backups', options.passphraseFile);
    return passphrase;
  };
  const target = { onProgress, askPassphrase, ...(to !== undefined && { to }) };
  try {
    if (options.rebuild) {
      const rebuilt = await rebuildInPlace(data, target);
      progress.stop();
      if (json) answer(rebuilt);
      else {
        answer(`Rebuilt a site in ${rebuilt.dir}. ${adoptedText(rebuilt.adopted)}`);
        answer(`Sign in as ${rebuilt.email} with the password ${rebuilt.password} and change both.`);
        say(LOST_BY_REBUILD);
        say(`The damaged site is kept in ${rebuilt.damagedDir}.`);
      }
      return rebuilt.adopted.unreadable.length === 0 ? 0 : EXIT_PROBLEMS_FOUND;
    }
    const state = await siteState(data);
    if (state.part === 'site-file' && options.restore) {
      const putBack = await putSiteFileBack(data, { places: options.backups, askPassphrase });
      progress.stop();
      if (json) answer(putBack);
      else answer(putBack.source === 'backup' ? `Put site.json back from ${putBack.path}.` : NEW_SITE_FILE);
      return 0;
    }
    const search = await findGoodBackup(data, { places: options.backups, askPassphrase, onProgress });
    if (options.restore && search.good) {
      const recovered = await restoreInPlace(data, search.good.path, target);
      progress.stop();
      if (json) answer(recovered);
      else {
        const { restored, adopted } = recovered;
        answer(`Restored the site of ${new Date(restored.createdTs).toISOString()} to ${recovered.dir}.`);
        answer(adoptedText(adopted));
        for (const { file, state: fileState } of restored.lost) say(`${fileState}: ${file}`);
        say(`The damaged site is kept in ${recovered.damagedDir}.`);
      }
      return recovered.restored.outcome === 'complete' ? 0 : EXIT_PROBLEMS_FOUND;
    }
    progress.stop();
    if (json) answer({ ...state, ...search });
    else await report(data, state, search);
    return state.code === undefined && !options.restore ? 0 : EXIT_PROBLEMS_FOUND;
  } finally {
    progress.stop();
  }
}

const LOST_BY_REBUILD =
  'Lost with the database: studies, subjects, labels, diaries, messages, users, paired devices and the audit. Recordings are in the study named after the rebuild, one subject for each sensor.';
const NEW_SITE_FILE = 'No backup has site.json, so a new one was made. Pair the hubs and phones of this site again.';

function adoptedText({ added, unassigned, filesReturned, partial, unreadable }: Adopted): string {
  const parts = [
    `Recordings added from signal files: ${added}${unassigned > 0 ? `, ${unassigned} of them without a known subject` : ''}.`,
  ];
  if (filesReturned > 0) parts.push(`Files put back: ${filesReturned}.`);
  for (const { file, message } of partial) parts.push(`\nOnly in part: ${file}. ${message}`);
  for (const { file, message } of unreadable) parts.push(`\nNot readable, kept in inbox/orphaned: ${file}. ${message}`);
  return parts.join(' ');
}

async function report(data: string, state: Awaited<ReturnType<typeof siteState>>, search: BackupSearch): Promise<void> {
  if (state.message === undefined) answer(`The site in ${resolve(data)} opens.`);
  else answer(`${state.message} (${state.code})`);
  for (const { path, isThere } of search.places) if (!isThere) answer(`Not there: ${path}`);
  for (const { path, message } of search.rejected) answer(`Not usable: ${path}. ${message}`);
  const { good } = search;
  if (good) {
    const missing = good.lacking.length > 0 ? `, ${good.lacking.length} files missing or damaged` : '';
    answer(
      `Newest good backup, read and checked now: ${new Date(good.createdTs).toISOString()}, ${good.countRecordings} recordings, ${formatBytes(good.sizeBytes)}${missing}, in ${good.path}.`,
    );
  } else answer('No good backup was found. Connect the disk that holds one, and name its folder with --backups.');
  if (state.message === undefined) return;
  if (good)
    answer(`To restore it in the place of the damaged site, which is kept: outpost recover --restore --data ${data}`);
  else if (await holdsRecordings(data))
    answer(`To rebuild the recordings from their own files alone: outpost recover --rebuild --data ${data}`);
}
