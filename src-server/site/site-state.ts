/** Tells whether a site could be opened, without opening it: for lists of sites, which show folders that may be anywhere. */
import { access, constants, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type LockOwner, lookAtFileLock } from '../db/index.ts';
import { toOutpostError } from '../errors.ts';
import { LOCK_FILE, readSiteFile } from '../integrity/site-file.ts';

export type SiteState =
  | { state: 'ready' }
  /** The folder itself is missing: moved, or on a disk that is not connected. */
  | { state: 'no-folder' }
  /** The folder holds no site. */
  | { state: 'no-site' }
  | { state: 'in-use'; owner?: LockOwner; isHere: boolean }
  | { state: 'newer' }
  | { state: 'damaged' }
  | { state: 'read-only' };

const isMissing = (thrown: unknown): boolean => {
  const { code } = thrown as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
};

/**
 * Returns the state of the site in a folder. Changes nothing there, and never throws. A folder on a network that does not answer keeps
 * it waiting as long as the system does.
 */
export async function siteStateOf(dir: string): Promise<SiteState> {
  try {
    if (!(await stat(dir)).isDirectory()) return { state: 'no-site' };
  } catch (thrown) {
    return { state: isMissing(thrown) ? 'no-folder' : 'read-only' };
  }
  try {
    await readSiteFile(dir);
  } catch (thrown) {
    const { code } = toOutpostError(thrown);
    if (code === 'SITE_MISSING') return { state: 'no-site' };
    return { state: code === 'SITE_NEWER' ? 'newer' : 'damaged' };
  }
  try {
    await access(dir, constants.W_OK);
  } catch {
    return { state: 'read-only' };
  }
  const heldBy = lookAtFileLock(join(dir, LOCK_FILE));
  if (heldBy === null) return { state: 'ready' };
  return { state: 'in-use', ...(heldBy && { owner: heldBy }), isHere: heldBy?.host === hostname() };
}
