/** Recordings of real devices next to the repository, with what their `truth.json` says of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { realData } from './real-data.ts';

export { expectTruth, type TruthNumbers } from './truth-values.ts';

// biome-ignore lint/suspicious/noExplicitAny: each set has facts of its own
export type TruthFile = Record<string, any> & { file: string; path: string };

/** The folders of devices; none where the recordings are absent. */
export function deviceFolders(): string[] {
  const path = realData('devices');
  if (path === null) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** The recordings of one folder with their truth; null where they are absent. */
export function deviceTruth(folder: string): { files: TruthFile[] } | null {
  const path = realData(`devices/${folder}`);
  if (path === null) return null;
  const { files } = JSON.parse(readFileSync(join(path, 'truth.json'), 'utf8')) as { files: TruthFile[] };
  return { files: files.map((file) => ({ ...file, path: join(path, file.file) })) };
}
