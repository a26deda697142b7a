/** A small disk that can be filled to the last byte: a tmpfs or an ext4 file system in a file, where this user may mount one. */
import { execFile } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
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

export interface SmallDiskOptions {
  /** Default 20. */
  megabytes?: number;
  /** Default `tmpfs`. `ext4` has what a real disk has: a journal, and blocks that are allocated when they are written back. */
  fileSystem?: 'tmpfs' | 'ext4';
}

async function mount(path: string, { megabytes = 20, fileSystem = 'tmpfs' }: SmallDiskOptions): Promise<void> {
  if (fileSystem === 'tmpfs') {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
    return;
  }
  const image = `${path}.image`;
  await run('truncate', ['--size', `${megabytes}M`, image]);
  // Nothing is kept for root, who runs the tests: full is full.
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
  await run('mount', ['-o', 'loop', image, path]);
}

/** Undefined, with a note on stderr, where this user cannot mount one. */
export async function smallDisk(options: SmallDiskOptions = {}): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'outpost-disk-'));
  const isMounted = await mount(path, options).then(
    () => true,
    () => false,
  );
  const ballast = join(path, 'ballast');
  const remove = async () => {
    if (isMounted) await run('umount', [path]);
    await rm(path, { recursive: true, force: true });
    await rm(`${path}.image`, { force: true });
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
      fsyncSync(file);
      closeSync(file);
    },
    free: () => rmSync(ballast, { force: true }),
    remove,
  };
}
