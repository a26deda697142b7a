/** The backup before an update: made by the open site where it keeps its backups, and then read again, whole. */
import { storedDirectory } from '../../src-server/integrity/backup/keep.ts';
import type { RunningSite } from '../../src-server/site/server.ts';
import type { JobRow } from '../../src-server/study/jobs.ts';

export interface CheckedBackup {
  id: string;
  directory: string;
  createdTs: number;
}

/** Why there is no checked backup. */
export class BackupProblem extends Error {
  /** What the job says; absent for a backup that lacks files of the site. */
  readonly detail: string | undefined;

  constructor(detail?: string) {
    super(detail ?? 'The backup is not complete.');
    this.name = 'BackupProblem';
    this.detail = detail;
  }
}

type OpenSite = Pick<RunningSite, 'folder' | 'engine'>;

async function resultOf(
  { engine: { jobs } }: OpenSite,
  queued: JobRow,
  onPercent: (percent: number) => void,
): Promise<Record<string, unknown>> {
  const onChange = ({ id, progress }: JobRow) => {
    if (id === queued.id && progress) onPercent(Math.floor((100 * progress.done) / Math.max(progress.total, 1)));
  };
  jobs.on('changed', onChange);
  try {
    const { state, result, error } = await jobs.whenEnded(queued.id);
    if (state === 'done' && result) return result;
    throw new BackupProblem(error?.message ?? `The job ended as ${state}.`);
  } finally {
    jobs.off('changed', onChange);
  }
}

/** @throws BackupProblem */
export async function makeCheckedBackup(
  site: OpenSite,
  nowTs: number,
  onPercent: (percent: number) => void,
): Promise<CheckedBackup> {
  const { jobs } = site.engine;
  const made = await resultOf(site, await jobs.enqueue('backup', { reason: 'manual' }), (share) =>
    onPercent(share / 2),
  );
  const [id, directory] = [String(made.id), String(made.directory)];
  if (made.outcome !== 'complete') throw new BackupProblem();
  const backup = { id, directory: storedDirectory(site.folder.backupsDir, directory) };
  const checked = await resultOf(site, await jobs.enqueue('verify', { backup }), (share) => onPercent(50 + share / 2));
  const [problem] = Array.isArray(checked.problems) ? checked.problems : [];
  if (problem !== undefined) throw new BackupProblem(String(problem));
  return { id, directory, createdTs: nowTs };
}
