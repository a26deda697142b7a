/**
 * The folder of an unfinished study export, with the recordings that it has encoded. It outlives an end of the site, so that the
 * export continues with them, and goes when the job ends: done, failed or cancelled. A full disk removes it as well, because
 * what it holds can be made again and the space cannot.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const PARTS_NAME = /^parts-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export const partsPath = (exportsDir: string, jobId: string): string => join(exportsDir, `parts-${jobId}`);

export const removeParts = (exportsDir: string, jobId: string): Promise<void> =>
  rm(partsPath(exportsDir, jobId), { recursive: true, force: true });

/** Removes folders of exports that no longer exist; returns the size of all others, in bytes. */
export async function removeLostParts(exportsDir: string, unfinishedJobs: ReadonlySet<string>): Promise<number> {
  let sizeBytes = 0;
  for (const entry of await readdir(exportsDir, { withFileTypes: true })) {
    const jobId = entry.isDirectory() ? PARTS_NAME.exec(entry.name)?.[1] : undefined;
    if (jobId === undefined) continue;
    if (!unfinishedJobs.has(jobId)) await removeParts(exportsDir, jobId);
    else sizeBytes += await sizeOf(join(exportsDir, entry.name));
  }
  return sizeBytes;
}

async function sizeOf(folder: string): Promise<number> {
  let sizeBytes = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    // Parts are renamed and removed meanwhile.
    sizeBytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  }
  return sizeBytes;
}
