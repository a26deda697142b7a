/** Puts files on the disk so that they outlive a power cut, before anything is acknowledged or a row refers to them. */
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a directory's entries durable, where the system can do that (Windows cannot and need not). */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Writes a file whole or not at all. `mode` is that of a new file, default as the system has it. */
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
