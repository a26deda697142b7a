/** Writes files so that they survive a power cut, before anything is acknowledged or a row refers to them. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Syncs the entries of a directory. Windows neither supports nor needs this. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

/** The same for callers that cannot wait. */
export function syncDirectoryNow(directory: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(directory, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes a folder with those above it, so that none of them is gone after a power cut. `mode` applies to new ones. */
export async function makeDirectoryDurably(directory: string, mode?: number): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let folder = resolve(directory); folder !== above; ) {
    folder = dirname(folder);
    await syncDirectory(folder);
  }
}

/** Writes a file atomically. `mode` applies to a new file; default: that of the system. */
export async function writeDurably(path: string, content: Uint8Array | string, mode?: number): Promise<void> {
  const partial = `${path}.partial`;
  try {
    const handle = await open(partial, 'w', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, path);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
  await syncDirectory(dirname(path));
}
