import { rm } from 'node:fs/promises';

/**
 * Removes a folder of a test with everything in it. A browser that was just ended may still be writing its profile for
 * a moment: rmdir then finds a file that appeared after the folder was emptied (ENOTEMPTY), and is tried again.
 */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
