/** Puts bytes on the disk so that they outlive a power cut, before anything is acknowledged. */
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Writes a new file, whole or not at all. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const partial = `${path}.partial`;
  try {
    const handle = await open(partial, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
