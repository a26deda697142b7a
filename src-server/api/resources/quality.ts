/** Data quality, faults and board of a study: read from stored days, one page of subjects at a time. */
import type { FaultRecord } from '../../db/index.ts';
import { DAY_MS } from '../../durations.ts';
import { QualityReport } from '../../stored-analytics/quality-report.ts';
import { addDays, localDateIn } from '../../study/day-windows.ts';
import { lastUsableDate } from '../../study/participation.ts';
import type { DateSpan } from '../../study/program.ts';
import { DEFAULT_BOARD, MOST_BOARD_METRICS } from '../../vocabulary/board.ts';
import type { SubjectValues } from '../contract/index.ts';
import type { qualityRoutes } from '../contract/resources/quality.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import { dateSpanOf } from '../framework/date-window.ts';
import { invalidField } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';
import { toFault } from './equipment.ts';
import { SUBJECT_PAGES } from './subjects.ts';

const faultPages = (isNewest: boolean | undefined): PagedList<FaultRecord> => ({
  name: isNewest ? 'faults-newest' : 'faults',
  key: ['number', 'string'],
  keyOf: ({ faultTs, id }) => [faultTs, id],
});

/** The longest window of one answer: all days of a long study are read in several. */
const MOST_DAYS = 366;

/** @throws INVALID_INPUT when a date does not exist, or the window is reversed or too long */
function windowOf(query: DateSpan, nowTs: number): DateSpan {
  const { fromDate, toDate } = dateSpanOf(query);
  // A day later, for subjects in zones ahead.
  const earliest = addDays(toDate ?? localDateIn(nowTs + DAY_MS, 'UTC'), 1 - MOST_DAYS);
  if (fromDate !== undefined && fromDate < earliest)
    throw invalidField('fromDate', `must be at most ${MOST_DAYS} days before the end of the window`);
  return { fromDate: fromDate ?? earliest, toDate };
}

/** Subjects whose days are read at once, so that no statement is long. */
const SUBJECTS_AT_ONCE = 40;

export function qualityHandlers(deps: ApiDeps): Handlers<typeof qualityRoutes> {
  const { analytics, boards, equipment, faults, participation, subjects, users } = deps.store;
  return {
    listQuality: async ({ params: { studyId }, query, request, scope }) => {
      const span = windowOf(query, deps.clock());
      const { rows, links } = await readListPage(request, SUBJECT_PAGES, query, (keyset) =>
        subjects.list(studyId, keyset),
      );
      const report = new QualityReport(deps.store, scope.study, deps.clock());
      const found = await report.of(
        rows.filter(({ isTest }) => !isTest),
        span,
      );
      const items = found.map(({ subject: { id: subjectId, displayName, isHidden }, isFollowed, quality }) => ({
        subjectId,
        displayName,
        isHidden,
        isFollowed,
        ...(quality && { quality }),
      }));
      return { items, size: items.length, ...links };
    },
    listFaults: async ({ params: { studyId }, query, request, scope }) => {
      const { subjectId, newest } = query;
      if (subjectId !== undefined) await subjects.require(subjectId, studyId);
      const { rows, links } = await readListPage(request, faultPages(newest), query, (keyset) =>
        faults.page({ studyId, subjectId }, keyset, newest),
      );
      const people = await subjects.namesOf([...new Set(rows.map((row) => row.subjectId))]);
      const things = await equipment.namesOf(scope.study.accountId, [
        ...new Set(rows.flatMap((row) => row.equipmentId ?? [])),
      ]);
      const items = rows.map((row) => ({
        ...toFault(row),
        id: row.id,
        subjectId: row.subjectId,
        subjectName: people.get(row.subjectId) ?? '',
        ...(row.equipmentId !== undefined && {
          equipmentId: row.equipmentId,
          equipmentName: things.get(row.equipmentId) ?? row.equipmentId,
        }),
        ...(row.faultClass !== undefined && { faultClass: row.faultClass }),
      }));
      return { items, size: items.length, ...links };
    },
    listDailyValues: async ({ params: { studyId }, query, request }) => {
      const metrics = query.name ?? (await boards.get(studyId))?.content.metrics ?? DEFAULT_BOARD.metrics;
      if (metrics.length > MOST_BOARD_METRICS)
        throw invalidField('name', `must be given at most ${MOST_BOARD_METRICS} times`);
      const span = windowOf(query, deps.clock());
      const { rows, links } = await readListPage(request, SUBJECT_PAGES, query, (keyset) =>
        subjects.list(studyId, keyset),
      );
      const items: SubjectValues[] = [];
      for (let at = 0; at < rows.length; at += SUBJECTS_AT_ONCE) {
        const ids = rows.slice(at, at + SUBJECTS_AT_ONCE).map(({ id }) => id);
        const days = Map.groupBy(await analytics.valuesOf(ids, { metrics }, span), ({ subjectId }) => subjectId);
        const standings = await participation.standings(ids);
        const lastDates = new Map(standings.map((one) => [one.subjectId, lastUsableDate(one)]));
        for (const subjectId of ids) {
          const lastDate = lastDates.get(subjectId);
          const used = (days.get(subjectId) ?? []).filter(
            ({ date }) => lastDate === undefined || (lastDate !== null && date <= lastDate),
          );
          items.push({
            subjectId,
            days: used.map(({ date, wearSeconds, metrics: values }) => ({
              date,
              ...(wearSeconds !== null && { wearSeconds }),
              values,
            })),
          });
        }
      }
      return { items, size: items.length, ...links };
    },
    getBoard: async ({ params: { studyId } }) => {
      const saved = await boards.get(studyId);
      if (!saved) return DEFAULT_BOARD;
      const { content, savedBy, savedTs } = saved;
      const names = await users.namesOf([savedBy]);
      return { ...content, savedTs, savedBy: { id: savedBy, displayName: names.get(savedBy) ?? '' } };
    },
    putBoard: async ({ params: { studyId }, body, caller }) => {
      await boards.save(studyId, body, changeBy(caller));
    },
  };
}
