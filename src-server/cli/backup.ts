import { resolve } from 'node:path';
import { makeBackup } from '../integrity/backup/make.ts';
import { answer, EXIT_PROBLEMS_FOUND, formatBytes, say, startProgress } from './output.ts';

/** Backs up a site, running or not. Returns the exit code. */
export async function backup(options: { data: string; to: string; json: boolean }): Promise<number> {
  const progress = await startProgress('Backing up');
  const made = await makeBackup(
    { siteDir: options.data, to: resolve(options.to), reason: 'manual', nowTs: Date.now() },
    { onProgress: ({ done, total, step }) => progress.update(done, total, step) },
  ).finally(() => progress.stop());
  for (const problem of made.problems) say(problem);
  if (options.json) answer(made);
  else {
    const { recordings, sizeBytes, newBytes, path, lacking } = made;
    const outcome =
      lacking.length === 0
        ? 'It was verified and is complete.'
        : `It is incomplete: the site has no good copy of ${lacking.join(', ')}. An older backup may contain one.`;
    answer(
      `Backup of ${recordings} recordings in ${path}: ${formatBytes(sizeBytes)}, ${formatBytes(newBytes)} of it new. ${outcome}`,
    );
  }
  return made.outcome === 'complete' ? 0 : EXIT_PROBLEMS_FOUND;
}
