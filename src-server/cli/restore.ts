import { resolve } from 'node:path';
import { restoreSite } from '../integrity/backup/restore.ts';
import { answer, formatBytes, say, startProgress } from './output.ts';

/** Makes a site from a backup, in an empty or new folder. */
export async function restore(options: {
  from: string;
  data: string;
  skipDamaged: boolean;
  key?: string;
  json: boolean;
}): Promise<undefined> {
  const progress = startProgress('Restoring');
  const restored = await restoreSite(resolve(options.from), options.data, {
    isDamageAllowed: options.skipDamaged,
    ...(options.key !== undefined && { keyFile: resolve(options.key) }),
    onProgress: ({ done, total, step }) => progress.update(done, total, step),
  }).finally(() => progress.stop());
  for (const problem of restored.problems) say(problem);
  if (options.json) answer(restored);
  else {
    const { createdTs, recordings, sizeBytes } = restored;
    answer(
      `The site of ${new Date(createdTs).toISOString()} is in ${resolve(options.data)}: ${recordings} recordings, ${formatBytes(sizeBytes)}.`,
    );
  }
  return undefined;
}
