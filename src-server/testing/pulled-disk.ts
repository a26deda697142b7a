/** A disk that can be pulled while it is in use: an ext4 file system in a file, where this user may mount one. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface PulledDisk {
  /** Where it is mounted. */
  path: string;
  /**
   * Pulls it: from now on every access through an open file fails with EIO, nothing more reaches the disk, and the path is the empty
   * folder below the mount. A process that is writing to it is stopped meanwhile, in the middle of its work but in no call to the
   * system: ext4 lets an fsync succeed that its shutdown overtakes (its journal is aborted, and the commit that the fsync waits for
   * counts as over). A trace shows all pages of the transaction written, that fsync answered with 0, and the next write with EIO. No disk
   * does that: on one that fails every request (`npm run check:power-cuts`) nothing acknowledged is lost.
   */
  pull(writer?: number): Promise<void>;
  /** Takes the folder away, as a network drive that was disconnected or a stick that was ejected; open files still work. */
  eject(): Promise<void>;
  /** Makes its folder available again. */
  connect(): Promise<void>;
  remove(): Promise<void>;
}

const run = promisify(execFile);

/** `FS_IOC_SHUTDOWN` of ext4 without flushing its journal: what a cut cable does to the file system. */
const SHUT_DOWN = `import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))`;

/** Resolves when every thread of a process has stopped; a call to the system that has begun ends before. */
async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const threads = `/proc/${pid}/task`;
  for (;;) {
    const states = await Promise.all(
      (await readdir(threads)).map((id) => readFile(join(threads, id, 'stat'), 'utf8').catch(() => ') T')),
    );
    // The name of a thread stands in parentheses before its state, and may hold any letter.
    if (states.every((text) => text.slice(text.lastIndexOf(')') + 2).startsWith('T'))) return;
    await sleep(5);
  }
}

/** Undefined, with a note on stderr, where this user cannot mount one. */
export async function pulledDisk(): Promise<PulledDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-pulled-'));
  const image = join(folder, 'image');
  const disk = join(folder, 'disk');
  const path = join(folder, 'place');
  await mkdir(disk);
  await mkdir(path);
  const attach = async () => {
    // A device of its own each time, as for a plugged disk: one that was pulled stays dead while anything in it is open.
    const { stdout } = await run('losetup', ['--find', '--show', image]);
    const device = stdout.trim();
    await run('mount', [device, disk]);
    // It is freed with its last mount.
    await run('losetup', ['--detach', device]);
  };
  let isAttached = false;
  const connect = async () => {
    if (!isAttached) await attach();
    isAttached = true;
    await run('mount', ['--bind', disk, path]);
  };
  const eject = async () => void (await run('umount', ['--lazy', path]));
  const pull = async (writer?: number) => {
    if (writer !== undefined) await stop(writer);
    await run('python3', ['-c', SHUT_DOWN, path]);
    if (writer !== undefined) process.kill(writer, 'SIGCONT');
    await eject();
    await run('umount', ['--lazy', disk]);
    isAttached = false;
  };
  const remove = async () => {
    await eject().catch(() => undefined);
    await run('umount', ['--lazy', disk]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await run('truncate', ['--size', '96M', image]);
    await run('mkfs.ext4', ['-q', '-F', image]);
    await connect();
    // Where the file system cannot be shut down, a disk cannot be pulled.
    await pull();
    await connect();
  } catch {
    process.stderr.write('Only root on Linux can mount and pull a disk: what happens then is not tested.\n');
    await remove();
    return undefined;
  }
  return { path, pull, eject, connect, remove };
}
