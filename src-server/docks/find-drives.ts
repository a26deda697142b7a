/** Finds plugged-in recorders among the mounted drives, by the file in their root. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DriveState } from '../vocabulary/docks.ts';
import type { Mount } from './mounts.ts';
import { type Recognised, recognise } from './recognise.ts';

const DATA_FILE = 'CWA-DATA.CWA';

export interface FoundDrive {
  mountPath: string;
  label?: string;
  state: DriveState;
  /** Of its data file. */
  path: string;
  sizeBytes: number;
  modifiedMs: number;
  found?: Recognised;
}

/**
 * Looks at every drive once. A file counts only when it has the size of the look before: the drive vanishes and comes back while the
 * recorder restarts. `before` are the drives of that look, by their root.
 */
export async function findDrives(
  mounts: readonly Mount[],
  before: ReadonlyMap<string, FoundDrive>,
): Promise<Map<string, FoundDrive>> {
  const drives = await Promise.all(mounts.map((mount) => lookAt(mount, before.get(mount.path)).catch(() => undefined)));
  return new Map(drives.flatMap((drive) => (drive ? [[drive.mountPath, drive] as const] : [])));
}

async function lookAt(
  { path: mountPath, label }: Mount,
  before: FoundDrive | undefined,
): Promise<FoundDrive | undefined> {
  const path = join(mountPath, DATA_FILE);
  const file = await stat(path).catch(() => undefined);
  if (!file?.isFile()) return undefined;
  const drive = {
    mountPath,
    ...(label !== undefined && { label }),
    path,
    sizeBytes: file.size,
    modifiedMs: file.mtimeMs,
  };
  const isSettled = before?.sizeBytes === file.size && before.modifiedMs === file.mtimeMs;
  if (!isSettled) return { ...drive, state: 'SETTLING' };
  // Nothing is read again as long as nothing changed.
  if (before.state !== 'SETTLING' && before.state !== 'UNREADABLE') return before;
  try {
    const found = await recognise(path);
    if (!found) return { ...drive, state: 'UNREADABLE' };
    return { ...drive, state: found.isEmpty ? 'EMPTY' : 'RECORDING', found };
  } catch {
    return { ...drive, state: 'UNREADABLE' };
  }
}
