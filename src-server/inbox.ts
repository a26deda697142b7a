/** Where files from devices lie in a site's inbox until they are recordings: one place for all who touch them. */
import { join } from 'node:path';

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
