/** Copies the files of a set one after the other, each as a file alone is copied and compared. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../files/content-hash.ts';
import { type Copied, type CopyOptions, copyRecording, SourceChanged } from './copy-recording.ts';
import type { NamedFile } from './set-members.ts';

export interface CopySetOptions extends Pick<CopyOptions, 'durableBytes' | 'signal' | 'onBytes' | 'onFlushed'> {
  /** In the order in which they were copied before. Without a path, a file is not there. */
  files: readonly (NamedFile & { sourcePath: string | undefined })[];
  /** A folder of the copies. */
  partsPath: string;
}

/** @throws as `copyRecording` */
export async function copySet(options: CopySetOptions): Promise<Copied> {
  const { files, partsPath, durableBytes, signal, onBytes, onFlushed } = options;
  await mkdir(partsPath, { recursive: true });
  const hashes: { name: string; sha256: string }[] = [];
  let doneBytes = 0;
  for (const { id, name, sizeBytes, sourcePath } of files) {
    if (sourcePath === undefined) throw new SourceChanged(`${name} is not there any more.`);
    const beforeBytes = doneBytes;
    const { sha256 } = await copyRecording({
      ...{ id, sourcePath, partPath: join(partsPath, name), sizeBytes, isCwa: false, signal },
      durableBytes: Math.min(sizeBytes, Math.max(0, durableBytes - beforeBytes)),
      onBytes: (bytes) => onBytes(beforeBytes + bytes),
      // Files that were flushed before are verified again and stay flushed; one that is thrown away takes those behind it along.
      onFlushed: (bytes) =>
        onFlushed(bytes === sizeBytes ? Math.max(durableBytes, beforeBytes + bytes) : beforeBytes + bytes),
    });
    hashes.push({ name, sha256 });
    doneBytes += sizeBytes;
  }
  return { sha256: hashOfSet(hashes) };
}

/** As importers name the content of several files: the hash of their list. */
export function hashOfSet(files: readonly { name: string; sha256: string }[]): string {
  if (files.length === 1) return files[0]!.sha256;
  return sha256Hex(
    files
      .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
      .sort()
      .join(''),
  );
}
