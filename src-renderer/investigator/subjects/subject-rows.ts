/** The rows of a subject list: what each subject has recorded, its last days and its last contact; searched and filtered. */
import { useMemo } from 'react';
import type { ListedSubject } from '../../../src-server/api/contract/index.ts';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { type DayFacts, datesUpTo, dayFacts, subjectDays } from '../adherence/day-state.ts';
import { isShown, type SubjectFilter } from './list-filter.ts';
import { STRIP_DAYS, type SubjectList } from './use-subject-list.ts';

export interface SubjectRow {
  subject: ListedSubject;
  studyName: string;
  /** Returns the last days, ending today; undefined until they have loaded. Only rows that show ask. */
  lastDays: () => DayFacts[] | undefined;
}

/** The strip ends today, so it needs no planned days. */
const NO_PROGRAM = { days: 0, tasks: [] };

/**
 * Returns the rows that match the search text and the filter.
 * @param studyNames by study id
 * @param groupId of a group or stratum; '' for all
 */
export function useSubjectRows(
  { subjects, lastDays }: SubjectList,
  studyNames: ReadonlyMap<string, string>,
  text: string,
  filter: SubjectFilter,
  groupId: string,
): SubjectRow[] {
  return useMemo(() => {
    const wanted = fold(text.trim());
    const nowMs = Date.now();
    return subjects
      .map((subject): SubjectRow => {
        const adherenceDays = lastDays.get(subject.id);
        return {
          subject,
          studyName: studyNames.get(subject.studyId) ?? '',
          lastDays: () => {
            if (!adherenceDays) return undefined;
            const days = subjectDays(subject, adherenceDays, NO_PROGRAM, false, nowMs);
            return datesUpTo(days.today, STRIP_DAYS).map((date) => dayFacts(days, date));
          },
        };
      })
      .filter(
        (row) =>
          wanted === '' || fold(`${row.subject.displayName} ${row.studyName} ${row.subject.timezone}`).includes(wanted),
      )
      .filter(
        ({ subject: { summary } }) => groupId === '' || [summary?.group?.id, summary?.stratum?.id].includes(groupId),
      )
      .filter((row) => {
        const { summary } = row.subject;
        return isShown(filter, row.subject, summary?.lastDataTs, nowMs, summary);
      });
  }, [subjects, lastDays, studyNames, text, filter, groupId]);
}
