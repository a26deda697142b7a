import { resolve } from 'node:path';
import { restoreSite } from '../integrity/backup/restore.ts';
import { answer, EXIT_PROBLEMS_FOUND, formatBytes, say, startProgress } from './output.ts';
import { readPassphrase } from './passphrase.ts';

/** Restores a backup as a site in an empty or new folder. Returns the exit code. */
export async function restore(options: {
  from: string;
  data: string;
  strict: boolean;
  key?: string;
  passphraseFile?: string;
  json: boolean;
}): Promise<number> {
  const progress = await startProgress('Restoring');
  const restored = await restoreSite(resolve(options.from), options.data, {
    isStrict: options.strict,
    askPassphrase: () => readPassphrase('Passphrase of the backups', options.passphraseFile),
    ...(options.key !== undefined && { keyFile: resolve(options.key) }),
    onProgress: ({ done, total, step }) => progress.update(done, total, step),
  }).finally(() => progress.stop());
  for (const problem of restored.problems) say(problem);
  for (const { file, state } of restored.lost)
    say(`${state === 'MISSING' ? 'Not restored' : 'Restored damaged'}: ${file}`);
  if (options.json) answer(restored);
  else {
    const { createdTs, recordings, sizeBytes, lost } = restored;
    const outcome =
      lost.length === 0
        ? ''
        : ` It is incomplete: ${lost.length} ${lost.length === 1 ? 'file is' : 'files are'} damaged or missing, as listed above. The site marks the affected recordings; another backup may contain good copies.`;
    answer(
      `Restored the site of ${new Date(createdTs).toISOString()} to ${resolve(options.data)}: ${recordings} recordings, ${formatBytes(sizeBytes)}.${outcome}`,
    );
  }
  return restored.outcome === 'complete' ? 0 : EXIT_PROBLEMS_FOUND;
}
