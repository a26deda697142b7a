/** Room on the disk of the site: how much there is, and how much devices wait for. */
import { statfs } from 'node:fs/promises';
import { reserveOf } from '../../../files/disk-budget.ts';

export interface DiskRoom {
  freeBytes: number;
  totalBytes: number;
  /** Until the site takes recordings again; 0 while it does. */
  neededBytes: number;
}

/** Undefined while the disk is gone. */
export async function diskRoom(folder: string): Promise<DiskRoom | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  if (!found || found.blocks === 0) return undefined;
  const freeBytes = found.bavail * found.bsize;
  const totalBytes = found.blocks * found.bsize;
  const reserveBytes = reserveOf(totalBytes);
  return { freeBytes, totalBytes, neededBytes: freeBytes > reserveBytes ? 0 : Math.ceil(reserveBytes - freeBytes) + 1 };
}
