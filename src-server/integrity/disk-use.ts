/** What fills the folder of a site, part by part. Reads names and sizes only. */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { RESERVE_FILE } from '../files/disk-reserve.ts';
import { SITE_PARTS, type SitePart } from '../vocabulary/disk.ts';
import { sitePaths } from './site-file.ts';
import { turns } from './turns.ts';

const PART_OF_FOLDER: Record<string, SitePart> = {
  signals: 'recordings',
  columns: 'analyses',
  backups: 'backups',
  exports: 'exports',
  images: 'images',
  inbox: 'inbox',
  [RESERVE_FILE]: 'reserve',
};

/** Bytes that the parts take on the disk, the largest first. What disappears meanwhile counts nothing. */
export async function diskUseOf(siteDir: string): Promise<{ part: SitePart; sizeBytes: number }[]> {
  const { dir } = sitePaths(siteDir);
  const sizes = new Map<SitePart, number>(SITE_PARTS.map((part) => [part, 0]));
  const turn = turns();
  const add = async (path: string, part: SitePart): Promise<void> => {
    await turn();
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile()) sizes.set(part, (sizes.get(part) ?? 0) + (found.blocks * 512 || found.size));
    if (!found?.isDirectory()) return;
    const folder = await opendir(path).catch(() => undefined);
    if (folder) for await (const { name } of folder) await add(join(path, name), part);
  };
  for await (const { name } of await opendir(dir)) {
    const part = PART_OF_FOLDER[name] ?? (name.startsWith('site.db') ? 'database' : 'other');
    await add(join(dir, name), part);
  }
  return [...sizes].map(([part, sizeBytes]) => ({ part, sizeBytes })).sort((a, b) => b.sizeBytes - a.sizeBytes);
}
