/**
 * Finds files of a watched folder that belong together, by the rule of the importers. A set is a recording once every file of it is whole
 * read, and nothing came, grew or went beside it for a while: half of one must not be taken for all of it.
 */
import { basename, dirname, join } from 'node:path';
import { type FileSet, fileSetsIn, isPart, isSetByName } from '../importers/file-sets.ts';
import type { FoundFolder, Listing, SeenFile, SeenSet, SetMember } from './found-folder.ts';
import { factsOf, idOfSet, type Recognised, type RecognitionByContent } from './recognise.ts';

type Entry = [name: string, file: SeenFile];

export async function findSets(
  root: string,
  result: FoundFolder,
  before: FoundFolder | undefined,
  options: { isQuiet: (directory: string) => boolean; byContent: RecognitionByContent | undefined },
): Promise<void> {
  for (const [directory, entries] of Map.groupBy(result.files, ([name]) => dirname(name))) {
    const isQuiet = options.isQuiet(directory);
    const listing = await listingOf(root, entries, before?.listings.get(directory)).catch(() => undefined);
    if (listing) result.listings.set(directory, listing);
    const byName = new Map(entries.map(([name, file]) => [basename(name), file]));
    const inSets = new Set<string>();
    const setFiles = new Set(listing?.sets.flatMap((set) => set.files));
    const givenUp = entries.flatMap(([name, { fault, kind }]) =>
      fault?.isLasting ? [{ name: basename(name), why: fault.why, kind }] : [],
    );
    for (const { name, files, missing, isWhole } of listing?.sets ?? []) {
      const displayName = directory === '.' ? name : `${directory}/${name}`;
      const members = files.flatMap((file) => memberOf(file, directory, byName.get(file)));
      for (const file of files) inSets.add(file);
      // What was never read may be a part of any set beside it.
      const unreadable = givenUp
        .filter((one) => (setFiles.has(one.name) ? files.includes(one.name) : one.kind === undefined))
        .map(({ name, why }) => ({ name, why }));
      const awaited = files.length - unreadable.filter((one) => files.includes(one.name)).length;
      const isWholly = isQuiet && members.length > 0 && members.length === awaited;
      const state = isWholly ? 'recording' : 'waiting';
      const set: SeenSet = { displayName, isWhole, missing, unreadable, members, state };
      if (isWholly) set.found = await recognisedSet(root, set, before?.sets.get(displayName), options.byContent);
      result.sets.set(displayName, set);
    }
    for (const [name, { found, kind }] of entries) {
      // A table can be a part of what its folder does not show yet.
      const mayBelong = found?.table !== undefined || (typeof kind === 'object' && kind.isGuess === true);
      if (inSets.has(basename(name)) || (mayBelong && !isQuiet)) result.heldBack.add(name);
    }
  }
}

async function listingOf(root: string, entries: readonly Entry[], before: Listing | undefined): Promise<Listing> {
  const isAny =
    entries.some(([, { kind }]) => kind !== undefined && isPart(kind)) ||
    isSetByName(entries.map(([name]) => basename(name)));
  if (!isAny) return { key: '', sets: [] };
  const key = JSON.stringify(
    entries.map(([name, { sizeBytes, modifiedMs, kind, state }]) => [
      ...[name, sizeBytes, modifiedMs, state],
      typeof kind === 'object' ? kind.name : kind,
    ]),
  );
  if (before?.key === key) return before;
  const files = entries.map(([name, { kind }]) => ({
    ...{ name: basename(name), path: join(root, name) },
    kind: kind ?? ('UNKNOWN' as const),
  }));
  const sets = await fileSetsIn(files);
  const inSets = new Set(sets.flatMap((set) => set.files));
  const alone = files
    .filter(({ name, kind }) => !inSets.has(name) && isPart(kind))
    .map(({ name }): FileSet => ({ name, format: '', files: [name], missing: [], isWhole: false }));
  return { key, sets: [...sets, ...alone] };
}

function memberOf(name: string, directory: string, file: SeenFile | undefined): SetMember[] {
  if (file?.contentId === undefined || file.state === 'growing') return [];
  const path = directory === '.' ? name : `${directory}/${name}`;
  return [{ name, path, id: file.contentId, sizeBytes: file.sizeBytes }];
}

/** Whose it is and from when, read once. */
async function recognisedSet(
  root: string,
  { members }: SeenSet,
  before: SeenSet | undefined,
  byContent: RecognitionByContent | undefined,
): Promise<Recognised> {
  const id = idOfSet(members.map((member) => member.id));
  if (before?.found?.id === id) return before.found;
  const sizeBytes = members.reduce((sum, member) => sum + member.sizeBytes, 0);
  const paths = members.map((member) => join(root, member.path));
  const facts = byContent ? await factsOf(paths, byContent).catch(() => ({})) : {};
  return { id, isCwa: false, isEmpty: false, sizeBytes, ...facts };
}
