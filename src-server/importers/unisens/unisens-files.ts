/** The files of a Unisens data set that lies in a folder: its header, and the data files beside it that the header names. */
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileBeside, FoundSet } from '../foreign-format.ts';
import { openMemberSet } from '../set-members.ts';
import { isHeaderPath } from './unisens-head.ts';
import { readUnisensHeader } from './unisens-header.ts';

/** Base names of the data files that a header names; null when there is no header at this path. @throws FILE_DAMAGED */
async function namedBy(headerPath: string): Promise<string[] | null> {
  const alone = await openMemberSet([dirname(headerPath)], { withoutHash: true }).catch(() => null);
  alone?.close();
  const own = alone?.members.find(({ name }) => !name.includes('/') && isHeaderPath(name));
  if (!own) return null;
  const { entries } = await readUnisensHeader(own);
  return entries.filter(({ id }) => !id.includes('/')).map(({ id }) => id);
}

/** A header that was given without its folder has its data files beside it. */
export async function withFilesBeside(paths: string[]): Promise<string[]> {
  const header = paths.find((path) => isHeaderPath(basename(path)));
  const named = header === undefined ? null : await namedBy(header);
  if (header === undefined || named === null) return paths;
  const beside = named.map((name) => join(dirname(header), name));
  const found = await Promise.all(beside.map(async (path) => (await stat(path).catch(() => null))?.isFile()));
  return [...new Set([...paths, ...beside.filter((_, i) => found[i])])];
}

export async function unisensSets(own: readonly FileBeside[], all: readonly FileBeside[]): Promise<FoundSet[]> {
  const header = own.find(({ name }) => isHeaderPath(name));
  if (!header) return [];
  // What a damaged header names is not known; its import says what is wrong with it.
  const named = (await namedBy(header.path).catch(() => null)) ?? [];
  const there = new Set(all.map(({ name }) => name));
  return [
    {
      name: header.name,
      files: [header.name, ...named.filter((name) => there.has(name))],
      missing: named.filter((name) => !there.has(name)),
      isWhole: true,
    },
  ];
}
