/** Commands that change a site wherever it is open: a site that runs does them itself, a closed one is opened for them. */
import { OutpostError } from '../../errors.ts';
import { openSite, type SiteFolder } from '../folder.ts';
import { callRunningSite } from './control-client.ts';

/**
 * Has the running site of a folder do `command`, or opens the folder and does `work`.
 * @throws SITE_LOCKED when a site runs that cannot be reached, the errors of `openSite`, of the command and of `work`
 */
export async function atSite<T>(
  dir: string,
  command: string,
  input: unknown,
  work: (folder: SiteFolder) => Promise<T>,
): Promise<T> {
  let folder: SiteFolder;
  try {
    folder = await openSite(dir);
  } catch (thrown) {
    const isInUse = thrown instanceof OutpostError && thrown.code === 'SITE_LOCKED';
    const answer = isInUse ? await callRunningSite(dir, command, input) : undefined;
    if (!answer) throw thrown;
    return answer.result as T;
  }
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}
