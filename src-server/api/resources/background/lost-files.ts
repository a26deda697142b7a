/** Lost and damaged files of the site, and putting them back from backups. */
import type { FileCopy, LackingFile } from '../../../integrity/backup/file-copies.ts';
import type { LostFile } from '../../contract/index.ts';
import type { backupRoutes } from '../../contract/resources/backups.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';
import { withThrottle } from './passphrase-throttle.ts';

export function lostFileHandlers(
  deps: ApiDeps,
): Pick<Handlers<typeof backupRoutes>, 'listLostFiles' | 'returnLostFiles'> {
  return {
    listLostFiles: async () => {
      const items: LostFile[] = [];
      for (const { copies, ...file } of await deps.backupFolders.findCopies()) {
        items.push(await toLostFile(deps, file, copies));
      }
      items.sort((a, b) => (a.file < b.file ? -1 : 1));
      return { items, size: items.length };
    },
    returnLostFiles: async ({ body: { passphrase }, caller, request }) => {
      const putBack = () => deps.backupFolders.returnFiles(passphrase, changeBy(caller));
      const { returned, failed, locked } = await (passphrase === undefined
        ? putBack()
        : withThrottle(deps, request, 'lost files', putBack));
      return { returned: returned.length, failed, locked };
    },
  };
}

async function toLostFile(
  { store }: ApiDeps,
  { file, state, sizeBytes, recordingId }: LackingFile,
  copies: readonly FileCopy[],
): Promise<LostFile> {
  const recording = recordingId === undefined ? undefined : await store.recordings.get(recordingId);
  const subject = recording && (await store.subjects.get(recording.subjectId));
  const [copy] = copies;
  const { path: _path, ...shown } = copy ?? { path: '' };
  return {
    file,
    state,
    sizeBytes,
    ...(recording && {
      recordingId: recording.id,
      studyId: recording.studyId,
      subjectId: recording.subjectId,
      startTs: Math.floor(recording.startUs / 1000),
    }),
    ...(subject && { subjectName: subject.displayName }),
    ...('directory' in shown && { copy: shown }),
  };
}
