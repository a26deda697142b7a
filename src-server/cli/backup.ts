import { resolve } from 'node:path';
import { makeBackup } from '../integrity/backup/make.ts';
import { answer, formatBytes, say, startProgress } from './output.ts';

/** Backs up a site, closed or running. */
export async function backup(options: { data: string; to: string; json: boolean }): Promise<undefined> {
  const progress = startProgress('Backing up');
  const made = await makeBackup(
    { siteDir: options.data, to: resolve(options.to), reason: 'manual', nowTs: Date.now() },
    { onProgress: ({ done, total, step }) => progress.update(done, total, step) },
  ).finally(() => progress.stop());
  for (const problem of made.problems) say(problem);
  if (options.json) answer(made);
  else {
    const { recordings, sizeBytes, newBytes, path } = made;
    answer(
      `Backup of ${recordings} recordings in ${path}: ${formatBytes(sizeBytes)}, ${formatBytes(newBytes)} of it new. It was read back and is whole.`,
    );
  }
  return undefined;
}
