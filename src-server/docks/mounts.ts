/** Where the file systems of this computer are mounted, asked without any native code. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

export interface Mount {
  /** Root folder of the drive. */
  path: string;
  /** As far as the path tells it. */
  label?: string;
}

export type ListMounts = () => Promise<Mount[]>;

/** Recorders are FAT; the rest is what drivers of other systems call it. A network drive that hangs must not be looked at. */
const FILE_SYSTEMS: ReadonlySet<string> = new Set([
  'vfat',
  'msdos',
  'exfat',
  'fuseblk',
  'ext2',
  'ext4',
  'fuse.fusefat',
]);

/** Spaces and tabs are written in octal. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** @param table content of `/proc/self/mounts` */
export function parseMounts(table: string): Mount[] {
  const mounts = new Map<string, Mount>();
  for (const line of table.split('\n')) {
    const [device = '', path = '', type = ''] = line.split(' ');
    if (!FILE_SYSTEMS.has(type) || !device.startsWith('/dev/') || path === '/') continue;
    const place = unescaped(path);
    mounts.set(place, { path: place, label: basename(place) });
  }
  return [...mounts.values()];
}

async function mountsOfMac(): Promise<Mount[]> {
  return (await readdir('/Volumes')).map((name) => ({ path: join('/Volumes', name), label: name }));
}

/** A and B were floppy drives, and some systems wait for one. C is the system. */
function driveLetters(): Mount[] {
  return [...'DEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => ({ path: `${letter}:\\` }));
}

/** Every place where a recorder may be. None where the system does not tell. */
export const listMounts: ListMounts = async () => {
  try {
    if (process.platform === 'win32') return driveLetters();
    if (process.platform === 'darwin') return await mountsOfMac();
    return parseMounts(await readFile('/proc/self/mounts', 'utf8'));
  } catch {
    return [];
  }
};
