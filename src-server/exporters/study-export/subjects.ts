/** Selects and orders the subjects of an export. */
import type { SubjectRecord } from '../../db/index.ts';
import { type ExportedParticipation, participationOfStudy } from './participation.ts';
import type { StudyExportContext, StudyExportOptions } from './types.ts';

export interface ExportedSubject extends SubjectRecord {
  participation?: ExportedParticipation | undefined;
}

/**
 * Returns the requested subjects that existed at the time of the request, without test subjects. Hidden subjects are included:
 * hiding affects only the desk, and their data is part of the study. Ordered by creation; in a de-identified export by code,
 * since the order of enrolment could identify subjects.
 */
export async function exportedSubjects(
  { store }: Pick<StudyExportContext, 'store'>,
  { studyId, subjectIds, asOfTs, deidentify }: StudyExportOptions,
): Promise<ExportedSubject[]> {
  const asked = subjectIds && new Set(subjectIds);
  const participations = await participationOfStudy(store, studyId);
  const subjects = (await store.subjects.list(studyId))
    .filter(({ id, isTest, createdTs }) => !isTest && createdTs <= asOfTs && (asked?.has(id) ?? true))
    .map((subject) => ({ ...subject, participation: participations.get(subject.id) }));
  if (!deidentify) return subjects;
  const codes = new Map(subjects.map(({ id }) => [id, deidentify.code('subject', id)]));
  return subjects.sort((a, b) => ((codes.get(a.id) as string) < (codes.get(b.id) as string) ? -1 : 1));
}
