/**
 * Where files lie in a site's inbox until they are recordings: one place for all who touch them. Rows name such files
 * relative to the site, because its folder may be moved, renamed or reached by another path.
 */
import nodePath, { join } from 'node:path';
import { OutpostError } from '../errors.ts';

/** Folder of uploads under way, below the inbox. */
export const UPLOADS = 'uploads';
/** Folder of received files that wait for a decision, below the inbox. */
export const QUARANTINE = 'quarantine';

export interface UploadPaths {
  /** The bytes received so far; what lies behind the acknowledged offset may be torn. */
  data: string;
  /** Which bytes are safe. */
  journal: string;
}

export function uploadPaths(inboxDir: string, uploadId: string): UploadPaths {
  const base = join(inboxDir, UPLOADS, uploadId);
  return { data: `${base}.part`, journal: `${base}.journal` };
}

export function quarantinePath(inboxDir: string, uploadId: string): string {
  return join(inboxDir, QUARANTINE, `${uploadId}.sig`);
}

/** Ends the name of a folder whose files are still being received: nobody was told that they are safe. */
export const RECEIVING = '.partial';
/** Folder of the inbox for what belongs to nothing, as far as the database knows. */
export const ORPHANED = 'orphaned';

/** How a row names a file in a folder of the inbox: relative to the site, the same on every system. */
export function storedInboxPath(folder: string, name: string): string {
  return `inbox/${folder}/${name}`;
}

const RESERVED: ReadonlySet<string> = new Set(['', '.', '..', UPLOADS, QUARANTINE, ORPHANED]);

/**
 * Folder of the inbox and name of a file by what its row says. Rows of earlier versions hold an absolute path of the place
 * where the site was then, in the form of any system; only its last two parts still mean something.
 */
export function inboxPlace(stored: string): { folder: string; name: string } | undefined {
  const [folder = '', name = ''] = stored.split(/[\\/]/).slice(-2);
  return RESERVED.has(folder) || name === '' || name === '.' || name === '..' ? undefined : { folder, name };
}

/** Where a file that a row names lies now. @param path the rules of this system */
export function inboxFile(inboxDir: string, stored: string, path: Pick<typeof nodePath, 'join'> = nodePath): string {
  const place = inboxPlace(stored);
  if (!place) throw new OutpostError('NOT_FOUND', `${stored} is not a file in a folder of the inbox. Import it again.`);
  return path.join(inboxDir, place.folder, place.name);
}
