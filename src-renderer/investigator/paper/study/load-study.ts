/** What the reports of a study show: its totals, its subjects, and their tasks and wear by day. */
import type { QueryClient } from '@tanstack/react-query';
import { subjectSummariesQuery } from '../../../shared/api/list-queries.ts';
import { studyQuery } from '../../../shared/api/queries.ts';
import {
  adherenceBetweenQuery,
  dailyRecordingsQuery,
  faultStatsQuery,
  programStatsQuery,
} from '../../../shared/api/study-queries.ts';
import { localDate } from '../../../shared/time/local-day.ts';
import { datesUpTo } from '../../adherence/day-state.ts';
import { signaturesOfRecord } from '../signatures/load-signatures.ts';

export async function loadStudy(queries: QueryClient, studyId: string) {
  const [study, subjects, stats, faults, daily, ...signatures] = await Promise.all([
    queries.fetchQuery(studyQuery(studyId)),
    // The first page: a study with more subjects is cut, and says so.
    queries.fetchQuery(subjectSummariesQuery(studyId, false)),
    queries.fetchQuery(programStatsQuery(studyId)),
    queries.fetchQuery(faultStatsQuery(studyId)),
    queries.fetchQuery(dailyRecordingsQuery(studyId)),
    ...(['study-definition', 'study-lock'] as const).map((kind) =>
      signaturesOfRecord(queries, studyId, { kind, targetId: studyId }),
    ),
  ]);
  return {
    study,
    subjects,
    stats: stats.items,
    faults: faults.items,
    daily: daily.items,
    signatures: signatures.flat().sort((a, b) => b.signedTs - a.signedTs),
  };
}
export type StudyReport = Awaited<ReturnType<typeof loadStudy>>;

/** Three weeks, as on the screen. */
const ADHERENCE_DAYS = 21;

/** @param to the last date; today, or the last day with data of a study that is over, where undefined */
export async function loadAdherence(queries: QueryClient, studyId: string, to?: string) {
  const [study, daily] = await Promise.all([
    queries.fetchQuery(studyQuery(studyId)),
    queries.fetchQuery(dailyRecordingsQuery(studyId)),
  ]);
  const nowMs = Date.now();
  const today =
    study.subjects
      .map(({ timezone }) => localDate(nowMs, timezone))
      .sort()
      .at(-1) ?? localDate(nowMs, 'UTC');
  const lastData = daily.items
    .map(({ date }) => date)
    .sort()
    .at(-1);
  const last = to ?? (study.lifecycleState === 'IN_PROGRESS' ? today : (lastData ?? today));
  const dates = datesUpTo(last, ADHERENCE_DAYS);
  const { items } = await queries.fetchQuery(adherenceBetweenQuery(studyId, dates[0]!, last));
  return { study, dates, items, nowMs };
}
export type AdherenceReport = Awaited<ReturnType<typeof loadAdherence>>;
