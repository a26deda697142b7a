/**
 * Puts a repaired file in the place of a damaged one. At every moment the place holds the damaged file or the whole new one, never
 * nothing; the damaged one is kept aside until the new one was read back from its place.
 */
import { copyFile, link, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OutpostError } from '../errors.ts';
import { type Content, hashFile } from '../files/content-hash.ts';
import { syncDirectory } from '../files/durable-files.ts';

/**
 * @param scratch the new file, complete and fsynced, on the same disk
 * @param aside for the damaged file meanwhile; a start of the site, or the next backup, clears the name away after a crash
 * @throws FILE_DAMAGED when the new file reads differently in its place, which then holds the old one again
 */
export async function replaceFile(
  path: string,
  { scratch, aside }: { scratch: string; aside: string },
  { sizeBytes, sha256 }: Content,
): Promise<void> {
  await rm(aside, { force: true });
  const isKept = await keepAside(path, aside);
  await rename(scratch, path);
  await syncDirectory(dirname(path));
  const found = await hashFile(path);
  if (found.sizeBytes === sizeBytes && found.sha256 === sha256) {
    await rm(aside, { force: true });
    return;
  }
  if (isKept) await rename(aside, path);
  else await rm(path, { force: true });
  await syncDirectory(dirname(path));
  throw new OutpostError('FILE_DAMAGED', `${path} could not be read back after its repair. Check its disk.`);
}

/** A second name for the damaged file or, where the disk has no links, a copy of it. False when there is none. */
async function keepAside(path: string, aside: string): Promise<boolean> {
  try {
    await link(path, aside);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
  }
  // What cannot be read at all cannot be kept.
  return await copyFile(path, aside).then(
    () => true,
    () => false,
  );
}
