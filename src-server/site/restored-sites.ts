/** For the desktop program, which opens a restored site although it was never open before. */
import { restoredFolders } from '../integrity/backup/restored-folders.ts';
import type { SiteFolder } from './folder.ts';

/** Whether a site in this folder was restored from a backup of the given one. */
export async function isRestored({ store }: Pick<SiteFolder, 'store'>, dir: string): Promise<boolean> {
  return (await restoredFolders(store)).includes(dir);
}
