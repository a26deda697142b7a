/** Which files in a watched folder are those that a row names. Pure. */
import { safeName } from './found.ts';
import type { SetMember } from './found-folder.ts';
import { END_BYTES } from './recognise.ts';

/** A file as the row of its recording names it. */
export interface NamedFile {
  id: string;
  name: string;
  sizeBytes: number;
}

/**
 * The member that each file is now; undefined where none is certain. Ids cover the size and both ends of a content, which two files of a
 * session can share: the name tells them apart. The id alone finds a file only after it was renamed.
 */
export function membersOf(files: readonly NamedFile[], members: readonly SetMember[]): (SetMember | undefined)[] {
  const byFile = new Map(members.map((member) => [keyOf(member.id, safeName(member.name)), member]));
  const namesHere = new Set(members.map(({ name }) => safeName(name)));
  const own = new Set(files.map(({ name }) => name));
  const renamed = Map.groupBy(
    members.filter(({ name }) => !own.has(safeName(name))),
    ({ id }) => id,
  );
  return files.map(({ id, name, sizeBytes }) => {
    const same = byFile.get(keyOf(id, name));
    if (same || namesHere.has(name)) return same;
    const alike = renamed.get(id) ?? [];
    // Of a small file, the id covers all of the content.
    return alike.length === 1 || sizeBytes <= 2 * END_BYTES ? alike.shift() : undefined;
  });
}

const keyOf = (id: string, name: string): string => `${id} ${name}`;
