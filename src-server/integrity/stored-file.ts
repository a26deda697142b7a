/** Determines whether a stored recording's file is intact, and whether an announced file can replace it. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RecordingRecord, SYSTEM } from '../db/index.ts';
import type { Store } from '../services/index.ts';

type Facts = Pick<RecordingRecord, 'id' | 'fileState' | 'sizeBytes'>;

/** Checks existence and size on the disk, and records a missing or damaged file so that staff see it. */
export async function isFileWhole(store: Store, signalsDir: string, recording: Facts): Promise<boolean> {
  if (recording.fileState !== 'PRESENT') return false;
  const sizeBytes = await stat(join(signalsDir, `${recording.id}.sig`)).then(
    ({ size }) => size,
    (thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'ENOENT') throw thrown;
      return undefined;
    },
  );
  if (sizeBytes === recording.sizeBytes) return true;
  await store.recordings.setFileState(recording.id, sizeBytes === undefined ? 'MISSING' : 'DAMAGED', SYSTEM);
  return false;
}

/** True when the announced bytes are the stored file itself; an import stores a file that it made. */
export function isSameFile(recording: Pick<RecordingRecord, 'sha256'>, upload: { sha256: string }): boolean {
  return recording.sha256 === upload.sha256;
}
