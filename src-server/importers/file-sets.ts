/**
 * Which files belong together. A session of many recorders is several files, and only together they are a recording: this is the one rule of
 * that, for files that are named on a command line and for folders that are watched. Each format says which of its files are a set; what is
 * in no set is a source alone.
 */
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { headOf } from './file-heads.ts';
import type { FileBeside, ForeignFormat, FoundSet } from './foreign-format.ts';
import { FORMATS } from './formats.ts';
import { unsupported } from './refusals.ts';
import { headerOf, type WfdbKind, wfdbKindOf } from './wfdb/find-record.ts';

/** Extensions that never belong to a WFDB record, even next to a header of the same name. */
const OTHER_FORMATS = /\.(zip|csv|gz|edf|bdf|sig)$/i;

/** What the first bytes of a file say; a WFDB header has no magic number, and its name counts too. */
export type FileKind = ForeignFormat | WfdbKind;

export interface FileSet extends FoundSet {
  format: string;
}

/** @throws as `headOf` */
export async function kindOfFile(path: string): Promise<ForeignFormat | 'UNKNOWN'> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) throw unsupported(path, 'it is a folder; name a folder alone, or only files.');
  const head = await headOf(path);
  if ('zipMembers' in head) return FORMATS.find(({ isSet }) => isSet?.(head.zipMembers, 'ZIP')) ?? 'UNKNOWN';
  return FORMATS.find(({ isFile }) => isFile?.(head)) ?? 'UNKNOWN';
}

/** The kind of a file that is not known to belong to others. @throws as `headOf` */
export const kindAlone = async (path: string): Promise<FileKind> =>
  (await wfdbKindOf(path, [path])) ?? (await kindOfFile(path));

/** Whether files of a kind can be parts of a set, so that one must not be taken before the others are there. */
export const isPart = (kind: FileKind): boolean =>
  kind === 'WFDB HEADER' || (typeof kind !== 'string' && kind.setsIn !== undefined);

/** Whether names alone can make a set of the files of a folder. */
export const isSetByName = (names: readonly string[]): boolean =>
  FORMATS.some(({ isFile, setsIn, isSet }) => !isFile && setsIn && isSet?.(names, 'FILES'));

/** The sets that files of one folder are. A file is in one of them at most. */
export async function fileSetsIn(files: readonly (FileBeside & { kind: FileKind })[]): Promise<FileSet[]> {
  const sets: FileSet[] = [];
  let open = files;
  const claim = (format: string, found: readonly FoundSet[]): void => {
    const isTaken = new Set(found.flatMap((set) => set.files));
    open = open.filter(({ name }) => !isTaken.has(name));
    sets.push(...found.map((set) => ({ ...set, format })));
  };
  // What a header or a fixed name claims is not a file of another format, whatever its bytes look like.
  const byName = FORMATS.filter(({ isSet, setsIn }) => isSet && setsIn).sort(
    (a, b) => Number(a.isFile !== undefined) - Number(b.isFile !== undefined),
  );
  for (const format of byName) {
    const own = open.filter(({ kind }) => kind === format);
    if (own.length > 0 || !format.isFile) claim(format.name, await format.setsIn!(own, open));
  }
  const headers = open.filter(({ kind }) => kind === 'WFDB HEADER');
  if (headers.length > 0) claim('WFDB', await (await import('./wfdb/wfdb-sets.ts')).wfdbSets(headers, open));
  for (const format of FORMATS.filter(({ setsIn }) => setsIn && !byName.some((one) => one.setsIn === setsIn))) {
    const own = open.filter(({ kind }) => kind === format);
    if (own.length > 0) claim(format.name, await format.setsIn!(own, open));
  }
  return sets;
}

/** Sources of files that were named together: sets, and each other file alone, in the order of their first files. */
export async function sourcesOf(paths: readonly string[]): Promise<string[][]> {
  const order = new Map(paths.map((path, i) => [path, i]));
  const sources: string[][] = [];
  for (const [, beside] of Map.groupBy(paths, (path) => dirname(path))) {
    const files = await Promise.all(
      beside.map(async (path) => {
        const kind = await kindAlone(path).catch(() => 'UNKNOWN' as const);
        return { name: basename(path), path, kind };
      }),
    );
    const byName = new Map(files.map(({ name, path }) => [name, path]));
    const sets = await fileSetsIn(files);
    const inSets = new Set(sets.flatMap((set) => set.files));
    sources.push(...sets.map((set) => set.files.map((name) => byName.get(name)!)));
    const rest = files.filter(({ name }) => !inSets.has(name));
    // Parts of a WFDB record can be named without its header, which lies beside them.
    const keyed = await Promise.all(
      rest.map(async ({ path, kind }) => {
        const isOpen = kind === 'UNKNOWN' && !OTHER_FORMATS.test(path);
        return { path, key: (isOpen && (await headerOf(path).catch(() => null))) || path };
      }),
    );
    const alike = Map.groupBy(keyed, ({ key }) => key);
    sources.push(...[...alike.values()].map((group) => group.map(({ path }) => path)));
  }
  const placeOf = (source: string[]): number => Math.min(...source.map((path) => order.get(path)!));
  return sources.sort((a, b) => placeOf(a) - placeOf(b));
}
