/** Finds the study and the subject that a command names, by id or by name. */
import type { StudyRecord, SubjectRecord } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import type { SiteFolder } from '../site/folder.ts';

/** @throws NOT_FOUND */
export async function findStudy(folder: SiteFolder, wanted: string): Promise<StudyRecord> {
  const accounts = await folder.store.accounts.list();
  const studies = (await Promise.all(accounts.map((account) => folder.store.studies.list(account.id)))).flat();
  const study = studies.find(({ id, displayName }) => id === wanted || displayName === wanted);
  if (study) return study;
  const names = studies.map(({ displayName }) => displayName).join(', ') || 'none';
  throw new OutpostError('NOT_FOUND', `No study ${wanted} in this site. Studies: ${names}.`);
}

/** @throws NOT_FOUND */
export async function findSubject(folder: SiteFolder, study: StudyRecord, wanted: string): Promise<SubjectRecord> {
  const subjects = await folder.store.subjects.list(study.id);
  const subject = subjects.find(({ id, displayName }) => id === wanted || displayName === wanted);
  if (subject) return subject;
  throw new OutpostError('NOT_FOUND', `No subject ${wanted} in the study ${study.displayName}.`);
}
