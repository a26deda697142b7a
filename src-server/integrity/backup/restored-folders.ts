/** The sites that were restored from backups of a site and are still where they were made: they hold everything that the backups held. */
import { stat } from 'node:fs/promises';
import type { Store } from '../../services/index.ts';
import type { RestorePayload } from '../../study/jobs.ts';
import { sitePaths } from '../site-file.ts';

/** More restores than a person starts in years. */
const MOST_RESTORES = 500;

export async function restoredFolders({ jobs }: Pick<Store, 'jobs'>): Promise<string[]> {
  const done = await jobs.list({
    studyIds: [],
    withSiteJobs: true,
    kind: 'restore',
    states: ['done'],
    limit: MOST_RESTORES,
  });
  const folders = [...new Set(done.map(({ payload }) => (payload as RestorePayload).folder))].sort();
  const isThere = await Promise.all(
    folders.map((folder) =>
      stat(sitePaths(folder).siteFile).then(
        () => true,
        () => false,
      ),
    ),
  );
  return folders.filter((_, i) => isThere[i]);
}
