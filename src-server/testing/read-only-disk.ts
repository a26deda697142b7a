/** A disk that fails and becomes read-only while files on it are open, as ext4 does after an error, where this user may mount one. */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

export interface ReadOnlyDisk {
  /** Where it is mounted. */
  path: string;
  /** Has the kernel report an error of the file system, which makes it read-only, also for files that are open for writing. */
  fail(): Promise<void>;
  /** Checks the disk and mounts it at the same place again. */
  repair(): Promise<void>;
  remove(): Promise<void>;
}

const run = promisify(execFile);

/** Undefined, with a note on stderr, where this user cannot mount one. */
export async function readOnlyDisk(): Promise<ReadOnlyDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-read-only-'));
  const image = join(folder, 'image');
  const path = join(folder, 'disk');
  await mkdir(path);
  let device = '';
  const attach = async () => {
    device = (await run('losetup', ['--find', '--show', image])).stdout.trim();
    await run('mount', ['-o', 'errors=remount-ro', device, path]);
    // It is freed with its last mount.
    await run('losetup', ['--detach', device]);
  };
  const trigger = () => join('/sys/fs/ext4', basename(device), 'trigger_fs_error');
  const remove = async () => {
    await run('umount', ['--lazy', path]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await run('truncate', ['--size', '96M', image]);
    await run('mkfs.ext4', ['-q', '-F', image]);
    await attach();
    await access(trigger());
  } catch {
    process.stderr.write('Only root on Linux can mount a disk that fails: what happens then is not tested.\n');
    await remove();
    return undefined;
  }
  return {
    path,
    fail: () => writeFile(trigger(), '1'),
    repair: async () => {
      await run('umount', ['--lazy', path]);
      // Its journal is replayed, and the error that it remembers is cleared.
      await run('fsck.ext4', ['-p', image]).catch(() => undefined);
      await attach();
    },
    remove,
  };
}
