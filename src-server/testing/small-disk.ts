/** A disk of 20 MB that can be filled to the last byte: a tmpfs, where this user may mount one. */
import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface SmallDisk {
  path: string;
  /** Uses up all remaining space. */
  fill(): void;
  /** Frees the space that {@link fill} used. */
  free(): void;
  remove(): Promise<void>;
}

const run = promisify(execFile);

/** Undefined, with a note on stderr, where this user cannot mount one. */
export async function smallDisk(): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'outpost-disk-'));
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', path]).then(
    () => true,
    () => false,
  );
  const ballast = join(path, 'ballast');
  const remove = async () => {
    if (isMounted) await run('umount', [path]);
    await rm(path, { recursive: true, force: true });
  };
  if (!isMounted) {
    process.stderr.write('Only root can mount a small disk: what happens when it is full is not tested.\n');
    await remove();
    return undefined;
  }
  return {
    path,
    fill: () => {
      const file = openSync(ballast, 'a');
      for (let bytes = 1 << 20; bytes > 0; ) {
        try {
          writeSync(file, Buffer.alloc(bytes));
        } catch (thrown) {
          if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
          bytes >>= 1;
        }
      }
      closeSync(file);
    },
    free: () => rmSync(ballast, { force: true }),
    remove,
  };
}
