/** The rows of a subject list: what each subject has recorded, its last days and its last contact; searched and filtered. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Subject } from '../../../src-server/api/contract/index.ts';
import { devicesQuery } from '../../shared/api/equipment-queries.ts';
import { studyRecordingsQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { adherenceQuery } from '../../shared/api/study-queries.ts';
import { fold } from '../../shared/i18n/format.ts';
import { type DayFacts, datesUpTo, dayFacts, subjectDays } from '../adherence/day-state.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { isShown, type SubjectFilter } from './list-filter.ts';

export interface SubjectRow {
  subject: Subject;
  studyName: string;
  /** Undefined until the recordings of the study have loaded. */
  coverage: Coverage | undefined;
  /** The last days, ending today; undefined until they have loaded. */
  days: DayFacts[] | undefined;
  lastContactMs: number | undefined;
}

const STRIP_DAYS = 7;
/** The strip ends today, so it needs no planned days. */
const NO_PROGRAM = { days: 0, tasks: [] };

/**
 * Returns the rows that match the search text and the filter.
 * @param studyNames by study id; the studies whose recordings and adherence are read
 */
export function useSubjectRows(
  subjects: readonly Subject[],
  studyNames: ReadonlyMap<string, string>,
  text: string,
  filter: SubjectFilter,
): SubjectRow[] {
  const { user } = useSession();
  const studyIds = [...studyNames.keys()];
  const recordings = useQueries({
    queries: studyIds.map((studyId) => studyRecordingsQuery(studyId)),
    combine: (results) => new Map(results.map((result, index) => [studyIds[index], result.data?.items])),
  });
  const adherence = useQueries({
    queries: studyIds.map((studyId) => adherenceQuery(studyId)),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => data?.items.map((item) => [item.subjectId, item.days] as const) ?? [])),
  });
  const devices = useQuery(devicesQuery(user.accountId)).data?.items;
  return useMemo(() => {
    const wanted = fold(text.trim());
    const nowMs = Date.now();
    return subjects
      .map((subject): SubjectRow => {
        const studyRecordings = recordings.get(subject.studyId);
        const adherenceDays = adherence.get(subject.id);
        const days = adherenceDays && subjectDays(subject, adherenceDays, NO_PROGRAM, false, nowMs);
        const contacts = (devices ?? []).flatMap(({ subjectId, lastContactTs }) =>
          subjectId === subject.id && lastContactTs !== undefined ? [lastContactTs] : [],
        );
        return {
          days: days && datesUpTo(days.today, STRIP_DAYS).map((date) => dayFacts(days, date)),
          lastContactMs: contacts.length > 0 ? Math.max(...contacts) : undefined,
          subject,
          studyName: studyNames.get(subject.studyId) ?? '',
          coverage:
            studyRecordings &&
            coverageOf(
              studyRecordings.filter((recording) => recording.subjectId === subject.id),
              subject.timezone,
            ),
        };
      })
      .filter((row) => fold(`${row.subject.displayName} ${row.studyName} ${row.subject.timezone}`).includes(wanted))
      .filter((row) => isShown(filter, row.subject, row.coverage?.lastStopMs, nowMs));
  }, [subjects, recordings, adherence, devices, studyNames, text, filter]);
}
