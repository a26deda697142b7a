/** Which files and folders are fsynced, in order. Linux only: it asks the kernel for the paths. */
import fs, { readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** The order of what `work` does; `note` adds a line of its own. */
export async function syncedPaths(work: (note: (line: string) => void) => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  const seen = (descriptor: number) => lines.push(readlinkSync(`/proc/self/fd/${descriptor}`));
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  const { fsyncSync } = fs;
  prototype.sync = async function (this: FileHandle) {
    await sync.call(this);
    seen(this.fd);
  };
  fs.fsyncSync = (descriptor) => {
    fsyncSync(descriptor);
    seen(descriptor);
  };
  syncBuiltinESMExports();
  try {
    await work((line) => lines.push(line));
  } finally {
    prototype.sync = sync;
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  }
  return lines;
}
