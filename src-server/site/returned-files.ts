/** What the database says of files that came back from a backup. A crash before leaves the files in place, which the next start finds. */
import type { Change } from '../db/index.ts';
import type { ReturnedFile } from '../integrity/backup/return-files.ts';
import type { Store } from '../services/index.ts';
import type { AnalysePayload } from '../study/jobs.ts';

/** Marks the recordings, says in their history where the file came from, and has their days computed again. */
export async function noteReturned(
  store: Store,
  returned: readonly ReturnedFile[],
  change: Change,
  enqueue: (kind: 'analyse', payload: AnalysePayload) => Promise<unknown>,
): Promise<void> {
  for (const { recordingId, sha256, from, file } of returned) {
    const row = recordingId === undefined ? undefined : await store.recordings.get(recordingId);
    // A file that was imported again meanwhile has a hash of its own.
    if (row && row.sha256 !== sha256) continue;
    const place = row && { studyId: row.studyId, subjectId: row.subjectId };
    await store.transaction(async ({ recordings, audit }) => {
      if (row) await recordings.setFileState(row.id, 'PRESENT', change);
      if (!from) return;
      await audit.note(change, {
        action: 'backup.return-file',
        entityType: row ? 'recording' : 'site',
        entityId: row?.id ?? file,
        ...place,
        changes: { file: { new: file }, sha256: { new: sha256 }, backup: { new: from.backupId ?? from.directory } },
      });
    });
    if (row && place && row.fileState !== 'PRESENT') {
      await enqueue('analyse', {
        ...place,
        fromMs: Math.floor(row.startUs / 1000),
        toMs: Math.floor(row.stopUs / 1000) + 1,
        recordingIds: [row.id],
      });
    }
  }
}
