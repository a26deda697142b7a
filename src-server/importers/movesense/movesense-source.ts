/** Movesense: texts of the phone app, and logs of the sensor as JSON. */
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { filesBelow, headOf } from '../file-heads.ts';
import { throwIfAborted } from '../refusals.ts';
import { sourceHash } from '../source-bytes.ts';
import type { ImportOptions, ImportSource } from '../types.ts';
import { openMovesenseTexts } from './movesense-csv.ts';
import { isMovesenseLog } from './movesense-head.ts';
import { openMovesenseLog } from './movesense-log.ts';

/** Opens files given together, or one folder with them. */
export async function openMovesense(paths: string[], options: ImportOptions): Promise<ImportSource> {
  const isFolder = paths.length === 1 && (await stat(paths[0]!)).isDirectory();
  const files = isFolder ? (await filesBelow(paths[0]!)).map((name) => join(paths[0]!, name)) : paths;
  const logs: string[] = [];
  const texts: string[] = [];
  for (const path of files) {
    throwIfAborted(options.signal);
    const head = await headOf(path);
    (!('zipMembers' in head) && isMovesenseLog(head) ? logs : texts).push(path);
  }
  const hashOf = async (of: string[]): Promise<string> =>
    options.withoutHash ? '' : sourceHash([...of].sort(byName), options.signal);
  const sources: ImportSource[] = [];
  for (const path of logs) sources.push(await openMovesenseLog(path, await hashOf([path]), options));
  if (texts.length > 0) {
    const opened = await openMovesenseTexts(texts, await hashOf(texts), options);
    sources.unshift({ format: 'Movesense CSV', ...opened, close: async () => undefined });
  }
  const [first] = sources as [ImportSource];
  return {
    ...first,
    recordings: sources.flatMap(({ recordings }) => recordings),
    labels: sources.flatMap(({ labels }) => labels),
  };
}

const byName = (a: string, b: string): number => (basename(a) < basename(b) ? -1 : 1);
