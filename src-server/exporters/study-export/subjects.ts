/** Which subjects an export holds, and in which order. */
import type { SubjectRecord } from '../../db/index.ts';
import type { StudyExportContext, StudyExportOptions } from './types.ts';

/**
 * The subjects asked for that were there at the time of the request; test subjects never. Hidden subjects are in it: they
 * are out of sight at the desk, their data is part of the study. By creation; a de-identified export goes by code, as the
 * order of enrolment would tell who is who.
 */
export async function exportedSubjects(
  { store }: Pick<StudyExportContext, 'store'>,
  { studyId, subjectIds, asOfTs, deidentify }: StudyExportOptions,
): Promise<SubjectRecord[]> {
  const asked = subjectIds && new Set(subjectIds);
  const subjects = (await store.subjects.list(studyId)).filter(
    ({ id, isTest, createdTs }) => !isTest && createdTs <= asOfTs && (asked?.has(id) ?? true),
  );
  if (!deidentify) return subjects;
  const codes = new Map(subjects.map(({ id }) => [id, deidentify.code('subject', id)]));
  return subjects.sort((a, b) => ((codes.get(a.id) as string) < (codes.get(b.id) as string) ? -1 : 1));
}
