/** Which ISHNE files of a folder belong together: a recording and the annotations with its name. */
import { extname } from 'node:path';
import type { FileBeside, FoundSet } from '../foreign-format.ts';
import { readHead } from '../source-bytes.ts';
import { isIshne } from './ishne-head.ts';

const MAGIC_BYTES = 8;

export async function ishneSets(own: readonly FileBeside[]): Promise<FoundSet[]> {
  const entries = await Promise.all(
    own.map(async (file) => ({ ...file, isRecording: isIshne(await readHead(file.path, MAGIC_BYTES)) })),
  );
  const stemOf = (name: string): string => name.slice(0, name.length - extname(name).length).toLowerCase();
  const sets: FoundSet[] = [];
  const isTaken = new Set<string>();
  for (const { name } of entries.filter(({ isRecording }) => isRecording)) {
    const annotations = entries.filter((one) => !one.isRecording && stemOf(one.name) === stemOf(name));
    for (const one of annotations) isTaken.add(one.name);
    // Later builds of a recorder may write both kinds of annotations; one file is what the reader takes.
    sets.push({ name, files: [name, ...annotations.slice(0, 1).map((one) => one.name)], missing: [], isWhole: true });
  }
  for (const { name, isRecording } of entries) {
    if (isRecording || isTaken.has(name)) continue;
    sets.push({ name: `${stemOf(name)}.ecg`, files: [name], missing: [`${stemOf(name)}.ecg`], isWhole: true });
  }
  return sets;
}
