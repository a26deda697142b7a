/**
 * Paths in the inbox of a site, which holds files until they become recordings. Rows name these files relative to the site,
 * because its folder may be moved, renamed or mounted elsewhere.
 */
import nodePath, { join } from 'node:path';
import { OutpostError } from '../errors.ts';

/** Folder of uploads in progress, below the inbox. */
export const UPLOADS = 'uploads';
/** Folder of received files that wait for a decision, below the inbox. */
export const QUARANTINE = 'quarantine';

/** Folder of recordings that are being copied from docks and watched folders, below the inbox. */
export const DOCKS = 'docks';

export interface UploadPaths {
  /** The bytes received so far; those beyond the acknowledged offset may be torn. */
  data: string;
  /** Records which bytes are durable. */
  journal: string;
}

export function uploadPaths(inboxDir: string, uploadId: string): UploadPaths {
  const base = join(inboxDir, UPLOADS, uploadId);
  return { data: `${base}.part`, journal: `${base}.journal` };
}

export function quarantinePath(inboxDir: string, uploadId: string): string {
  return join(inboxDir, QUARANTINE, `${uploadId}.sig`);
}

/** Suffix of a folder whose files are still being received and have not been acknowledged. */
export const RECEIVING = '.partial';
/** Folder of the inbox for files that no row refers to. */
export const ORPHANED = 'orphaned';

/** Returns the name of an inbox file as stored in a row: relative to the site, the same on every system. */
export function storedInboxPath(folder: string, name: string): string {
  return `inbox/${folder}/${name}`;
}

const RESERVED: ReadonlySet<string> = new Set(['', '.', '..', UPLOADS, QUARANTINE, DOCKS, ORPHANED]);

/**
 * Parses a stored name into folder and file name. Rows of earlier versions hold an absolute path, in the form of any system,
 * to where the site was then; only its last two parts are still valid.
 */
export function inboxPlace(stored: string): { folder: string; name: string } | undefined {
  const [folder = '', name = ''] = stored.split(/[\\/]/).slice(-2);
  return RESERVED.has(folder) || name === '' || name === '.' || name === '..' ? undefined : { folder, name };
}

/** Returns the current path of a file that a row names. @param path the path rules of this system @throws NOT_FOUND */
export function inboxFile(inboxDir: string, stored: string, path: Pick<typeof nodePath, 'join'> = nodePath): string {
  const place = inboxPlace(stored);
  if (!place) throw new OutpostError('NOT_FOUND', `${stored} is not a file in a folder of the inbox. Import it again.`);
  return path.join(inboxDir, place.folder, place.name);
}
