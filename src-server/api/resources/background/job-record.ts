/** Converts jobs to the contract, without the paths in their payloads and errors. */
import { basename, dirname } from 'node:path';
import { DIAGNOSTICS, withPresentNames } from '../../../diagnostics.ts';
import { inboxPlace } from '../../../files/inbox.ts';
import { isCancellable, isRepeatable } from '../../../study/job-actions.ts';
import type { JobRow } from '../../../study/jobs.ts';
import type { Job } from '../../contract/index.ts';
import { addFormerNames } from '../../framework/former-names.ts';

/** An absolute path in running text, on any system: everything up to its last separator. */
const FOLDERS = /(?<![\w.:/\\])(?:[A-Za-z]:[\\/]|[\\/])(?:[^\s'"`\\/]+[\\/])+(?=[^\s\\/])/g;

/** Returns a pattern of everything from the root of a path to the end of this inbox folder. */
function aboveInbox(folder: string): RegExp {
  const name = folder.replaceAll(/[^\w-]/g, '\\$&');
  return new RegExp(`(?<![\\w.:/\\\\])(?:[A-Za-z]:[\\\\/]|[\\\\/])[^'"\`\\n]*?inbox[\\\\/]${name}[\\\\/]`, 'g');
}

/** Returns an error message with file names only: paths on this computer must not be disclosed. */
export function withoutFolders(message: string, { payload }: Pick<JobRow, 'payload'>): string {
  const paths = 'paths' in payload ? payload.paths : [];
  let text = message;
  // Folders with spaces are recognized only through the paths of the job, and folders above the inbox through its subfolder.
  for (const path of paths) {
    const folder = inboxPlace(path)?.folder;
    if (folder !== undefined && path.startsWith('inbox/')) text = text.replaceAll(aboveInbox(folder), '');
  }
  for (const path of paths) text = text.replaceAll(path, basename(path)).replaceAll(dirname(path), 'the folder');
  return text.replaceAll(FOLDERS, '');
}

/** The facts of an error's diagnostic, without folders. */
function diagnosticFacts(details: Record<string, unknown>, row: JobRow): Record<string, string | number> {
  const facts = Object.entries(details).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return Object.fromEntries(
    facts.map(([name, value]) => [name, typeof value === 'string' ? withoutFolders(value, row) : Number(value)]),
  );
}

/** Converts a job row without its payload, which holds paths of this computer. */
export function toJob(row: JobRow): Job {
  // The subject of a device upload is known only after the job has run.
  const place: { studyId?: string; subjectId?: string; recordingId?: string } =
    (row.kind === 'receive' ? row.result : row.payload) ?? {};
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    ...(place.studyId ? { studyId: place.studyId } : {}),
    ...(place.subjectId ? { subjectId: place.subjectId } : {}),
    ...(place.recordingId ? { recordingId: place.recordingId } : {}),
    createdTs: row.createdTs,
    ...(row.startedTs === undefined ? {} : { startedTs: row.startedTs }),
    ...(row.finishedTs === undefined ? {} : { finishedTs: row.finishedTs }),
    ...(row.progress ? { progress: row.progress } : {}),
    // The contract leaves a result open, so no schema says that it holds renamed members.
    ...(row.result ? { result: addFormerNames(withPresentNames(row.result)) as Record<string, unknown> } : {}),
    ...(row.error
      ? {
          error: {
            code: row.error.code,
            message: withoutFolders(row.error.message, row),
            ...(row.error.errors ? { errors: row.error.errors } : {}),
            ...(row.error.code in DIAGNOSTICS && row.error.details
              ? { facts: diagnosticFacts(row.error.details, row) }
              : {}),
          },
        }
      : {}),
    actions: [...(isCancellable(row) ? ['cancel' as const] : []), ...(isRepeatable(row) ? ['retry' as const] : [])],
  };
}
