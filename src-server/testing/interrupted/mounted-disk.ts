/**
 * Mounts a file system on a {@link RecordedDisk}: nbdfuse (Debian: libnbd-bin) shows the disk as a file, and a loop device makes a block
 * device of it that passes on every write and flush of the file system at once. Root on Linux only.
 *
 * This process serves the disk: a blocking call of its own in the mounted folder would wait forever.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serveDisk } from './nbd-server.ts';
import { BLOCK_BYTES, RecordedDisk } from './recorded-disk.ts';

export const FILE_SYSTEMS = ['ext4', 'xfs', 'btrfs'] as const;
export type FileSystem = (typeof FILE_SYSTEMS)[number];

/** The smallest that all three can be made on. */
const DISK_BYTES = 320 << 20;
/** Complete when they end: nothing is written later, and no blocks are discarded. */
const MAKE: Record<FileSystem, string[]> = {
  ext4: ['mkfs.ext4', '-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0,nodiscard'],
  xfs: ['mkfs.xfs', '-q', '-f', '-K'],
  btrfs: ['mkfs.btrfs', '-q', '-f', '-K'],
};
const APPEARS_MS = 10_000;
const BUSY_MS = 10_000;

const execute = promisify(execFile);
const run = async (name: string, ...words: string[]): Promise<string> => (await execute(name, words)).stdout.trim();

export interface MountedDisk {
  disk: RecordedDisk;
  /** Makes all that was written so far durable. */
  flush(): Promise<void>;
  unmount(): Promise<void>;
}

/** Whether this computer can do it; otherwise why not. */
export async function missingFor(fileSystem: FileSystem): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can mount disks';
  for (const tool of ['nbdfuse', 'losetup', MAKE[fileSystem][0]!]) {
    const isThere = await run('which', tool).catch(() => '');
    if (isThere === '') return `${tool} is not installed (Debian: apt-get install libnbd-bin xfsprogs btrfs-progs)`;
  }
  return undefined;
}

async function attach(file: string, path: string): Promise<string> {
  const device = await run('losetup', '--find', '--show', '--direct-io=on', file);
  try {
    await run('mount', device, path);
  } catch (thrown) {
    await run('losetup', '--detach', device);
    throw thrown;
  }
  return device;
}

/** A process that has just ended may hold it for a moment. A disk that was pulled has to go all the same. */
async function unmountWhenFree(path: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < BUSY_MS; waitedMs += 100) {
    const isFree = await run('umount', path).then(
      () => true,
      () => false,
    );
    if (isFree) return;
    await sleep(100);
  }
  await run('umount', '--lazy', path);
}

async function detach(device: string, path: string): Promise<void> {
  await unmountWhenFree(path);
  await run('losetup', '--detach', device);
}

/** Mounts a saved disk as any computer would after the cut. @returns what unmounts it */
export async function mountSaved(image: string, path: string): Promise<() => Promise<void>> {
  const device = await attach(image, path);
  return () => detach(device, path);
}

/** @param folder for its own files; removed with {@link MountedDisk.unmount} */
export async function mountRecorded(fileSystem: FileSystem, folder: string, path: string): Promise<MountedDisk> {
  await mkdir(folder, { recursive: true });
  const disk = new RecordedDisk(DISK_BYTES);
  const image = join(folder, 'empty');
  const [maker, ...words] = MAKE[fileSystem];
  await run('truncate', '--size', String(DISK_BYTES), image);
  await run(maker!, ...words, image);
  load(disk, image);
  await rm(image);
  const socket = join(folder, 'socket');
  const server = await serveDisk(disk, socket);
  const shown = join(folder, 'shown');
  await mkdir(shown);
  const file = join(shown, 'disk');
  // It names every request that fails, which those of a pulled disk do.
  const fuse = spawn('nbdfuse', [file, `nbd+unix:///?socket=${socket}`], { stdio: 'ignore' });
  const ended = once(fuse, 'exit');
  const end = async () => {
    await run('umount', '--lazy', shown).catch(() => undefined);
    await Promise.race([ended, sleep(APPEARS_MS).then(() => fuse.kill('SIGKILL'))]);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await appears(file);
    const device = await attach(file, path);
    return {
      disk,
      flush: async () => void (await run('sync', '--file-system', path)),
      unmount: async () => {
        await detach(device, path).finally(end);
      },
    };
  } catch (thrown) {
    await end();
    throw thrown;
  }
}

async function appears(file: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < APPEARS_MS; waitedMs += 20) {
    if (await stat(file).catch(() => undefined)) return;
    await sleep(20);
  }
  throw new Error(`nbdfuse does not show ${file}.`);
}

/** Puts what a file holds on the disk. */
function load(disk: RecordedDisk, path: string): void {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(1 << 20);
  const zeros = Buffer.alloc(BLOCK_BYTES);
  try {
    for (let offset = 0; offset < disk.sizeBytes; offset += chunk.length) {
      readSync(file, chunk, 0, chunk.length, offset);
      for (let at = 0; at < chunk.length; at += BLOCK_BYTES) {
        const block = chunk.subarray(at, at + BLOCK_BYTES);
        if (!block.equals(zeros)) disk.write(offset + at, Buffer.from(block));
      }
    }
  } finally {
    closeSync(file);
  }
}
