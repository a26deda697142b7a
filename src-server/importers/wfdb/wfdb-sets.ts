/** Which files of a folder are one WFDB record: its header, what the header names, and the annotations with its name. */
import { basename, dirname, extname, join } from 'node:path';
import type { FileBeside, FoundSet } from '../foreign-format.ts';
import { readHeader } from './open-segments.ts';
import { isAnnotationName } from './record-labels.ts';
import { isMultiSegment } from './wfdb-source.ts';

/** Files that programs leave beside a record under its name, and that are no annotations. */
const NOT_ANNOTATIONS = /\.(?:txt|csv|md|pdf|json|xml|html?|log|docx?|xlsx?|hea|zip|gz|edf|bdf|sig)$/i;

export async function wfdbSets(headers: readonly FileBeside[], all: readonly FileBeside[]): Promise<FoundSet[]> {
  const there = new Set(all.map(({ name }) => name));
  const isClaimed = new Set<string>();
  const isMaster = await Promise.all(headers.map(({ path }) => isMultiSegment(path).catch(() => false)));
  // A record of several claims the headers of its segments.
  const inOrder = [...headers.filter((_, i) => isMaster[i]), ...headers.filter((_, i) => !isMaster[i])];
  const sets: FoundSet[] = [];
  for (const { name, path } of inOrder) {
    if (isClaimed.has(name)) continue;
    const named = [...new Set(await namedBy(path))].filter((one) => one !== name);
    const stem = name.slice(0, -extname(name).length);
    const beside = [...there].filter(
      (one) => isAnnotationName(one, stem) && !NOT_ANNOTATIONS.test(one) && !named.includes(one),
    );
    const files = [name, ...named.filter((one) => there.has(one)), ...beside.sort()];
    for (const file of files) isClaimed.add(file);
    sets.push({ name, files, missing: named.filter((one) => !there.has(one)), isWhole: true });
  }
  return sets;
}

/** Base names of data files and segments. None of a header that cannot be read, which its import will say. */
async function namedBy(headerPath: string): Promise<string[]> {
  const header = await readHeader(headerPath).catch(() => null);
  if (!header) return [];
  if (!header.segments) return header.signals.map(({ fileName }) => basename(fileName));
  const names: string[] = [];
  for (const { name } of header.segments) {
    if (name === null) continue;
    const segment = join(dirname(headerPath), `${basename(name)}.hea`);
    names.push(basename(segment), ...(await namedBy(segment)));
  }
  return names;
}
