/** Verifies a backup: reads all of it and compares it with its manifest. */

import { type Diagnostic, diagnostic } from '../../diagnostics.ts';
import { toOutpostError } from '../../errors.ts';
import { contentOfBytes } from '../../files/column-files.ts';
import { contentOf, stopIfCancelled } from '../../files/content-hash.ts';
import { turns } from '../turns.ts';
import type { BackupSource } from './backup-source.ts';
import { membersOf } from './manifest.ts';

export interface CheckOptions {
  signal?: AbortSignal;
  onProgress?: (doneBytes: number, totalBytes: number) => void;
  /** Only members whose content is named here, beside the database; all when absent. */
  onlyContent?: ReadonlySet<string>;
}

export interface DamagedMember extends Diagnostic {
  /** Its place in a site. */
  name: string;
  /** Its place in the backup, or among the content that backups share; absent when the backup as a whole is damaged. */
  path?: string;
  /** Expected hash. */
  sha256?: string;
}

/** Returns the members that differ from the manifest; empty when everything can be restored. @throws CANCELLED */
export async function checkBackup(source: BackupSource, options: CheckOptions = {}): Promise<DamagedMember[]> {
  const damaged: DamagedMember[] = [];
  const members = [...membersOf(source.manifest, options.onlyContent)];
  const total = members.reduce((sum, { content }) => sum + content.sizeBytes, 0);
  let done = 0;
  const turn = turns();
  for (const { name, path, content } of members) {
    const start = done;
    try {
      const small = source.readSmall?.(path);
      const found = small
        ? contentOfBytes(small)
        : await contentOf(await source.read(path), {
            signal: options.signal,
            onBytes: (bytes) => {
              done += bytes;
              options.onProgress?.(done, total);
            },
          });
      if (small) await turn();
      stopIfCancelled(options.signal);
      if (found.sizeBytes !== content.sizeBytes) {
        const sizes = { foundBytes: found.sizeBytes, expectedBytes: content.sizeBytes };
        damaged.push({
          ...diagnostic('BACKUP_FILE_SIZE', { file: name, ...sizes }),
          name,
          path,
          sha256: content.sha256,
        });
      } else if (found.sha256 !== content.sha256) {
        damaged.push({ ...diagnostic('BACKUP_FILE_CHANGED', { file: name }), name, path, sha256: content.sha256 });
      }
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.kind === 'cancelled') throw error;
      const unreadable = diagnostic('BACKUP_FILE_UNREADABLE', { file: name });
      damaged.push({
        ...unreadable,
        ...(error.code !== 'INTERNAL' && { message: error.message }),
        name,
        path,
        sha256: content.sha256,
      });
    }
    done = start + content.sizeBytes;
    options.onProgress?.(done, total);
  }
  return damaged;
}
