/** Adherence of a study and of a subject. All answers derive from the same days, so they agree. */
import type { AnnotationRecord, Key, StudyRecord, SubjectRecord } from '../../db/index.ts';
import type { DayClock } from '../../study/day-windows.ts';
import {
  type AdherenceTotals,
  adherenceOf,
  adherenceTotals,
  type DateSpan,
  type DayAdherence,
  dueUntil,
  type TaskMonth,
} from '../../study/program.ts';
import { scoresOfReport } from '../../study/questionnaires/reports.ts';
import { isScorable } from '../../study/questionnaires/score.ts';
import { taskTiming } from '../../study/task-timing.ts';
import type { SubjectAdherence } from '../contract/index.ts';
import type { adherenceRoutes } from '../contract/resources/adherence.ts';
import type { ApiDeps } from '../deps.ts';
import { dateSpanOf } from '../framework/date-window.ts';
import type { Handlers } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';
import { SUBJECT_PAGES } from './subjects.ts';

const TASK_PAGES: PagedList<{ key?: Key; record: AnnotationRecord }> = {
  name: 'task-reports',
  key: ['number', 'string', 'number', 'number', 'string'],
  keyOf: ({ key = [] }) => key,
};

interface SubjectDays {
  subject: SubjectRecord;
  days: DayAdherence[];
}

type Tally = Pick<DayAdherence, 'tasksAssigned' | 'tasksCompleted'>;

function sum(days: readonly Tally[]): Tally {
  return {
    tasksAssigned: days.reduce((total, day) => total + day.tasksAssigned, 0),
    tasksCompleted: days.reduce((total, day) => total + day.tasksCompleted, 0),
  };
}

/** Computes days of subjects with a constant number of queries, from the tasks done within the dates that are asked for. */
class Adherence {
  readonly #deps: ApiDeps;

  constructor(deps: ApiDeps) {
    this.#deps = deps;
  }

  async ofSubject(study: StudyRecord, subject: SubjectRecord): Promise<DayAdherence[]> {
    const { subjects, taskDays } = this.#deps.store;
    const clocks = new Map([[subject.id, await subjects.zones(subject.id)]]);
    const done = await taskDays.months([study.id], { subjectIds: [subject.id] });
    const [days] = await this.#days(study, [subject], clocks, done);
    return days?.days ?? [];
  }

  /** Subjects with at least one day, in the order of List subjects, without test subjects. */
  async ofStudy(study: StudyRecord, span: DateSpan = {}): Promise<SubjectDays[]> {
    const counted = (await this.#deps.store.subjects.list(study.id)).filter(({ isTest }) => !isTest);
    return await this.of(study, counted, span);
  }

  /** Those of the subjects with at least one day, in their order. */
  async of(study: StudyRecord, chosen: readonly SubjectRecord[], span: DateSpan): Promise<SubjectDays[]> {
    const { subjects, taskDays } = this.#deps.store;
    const subjectIds = chosen.map(({ id }) => id);
    const clocks = await subjects.zonesOf(subjectIds);
    return await this.#days(study, chosen, clocks, await taskDays.months([study.id], { ...span, subjectIds }), span);
  }

  /** Totals of all days of each subject with days, in the order of List subjects, without test subjects. */
  async totals(study: StudyRecord): Promise<(AdherenceTotals & { subjectId: string })[]> {
    const { studies, subjects, taskDays } = this.#deps.store;
    const counted = (await subjects.list(study.id)).filter(({ isTest }) => !isTest);
    const clocks = await subjects.zonesOfStudy(study.id);
    const history = await studies.programHistory(study);
    const done = Map.groupBy(await taskDays.months([study.id]), ({ subjectId }) => subjectId);
    const totalsOf = adherenceTotals(history);
    const lastTs = this.#lastTs(study);
    return counted.flatMap((subject) => {
      const { id: subjectId, programStartTs } = subject;
      const clock = clocks.get(subjectId);
      const totals = clock && totalsOf(programStartTs, done.get(subjectId) ?? [], clock, dueUntil(subject, lastTs));
      return totals ? [{ subjectId, ...totals }] : [];
    });
  }

  /** Tasks cannot be done after a study has stopped, so later days do not count as missed. */
  #lastTs(study: StudyRecord): number {
    return Math.min(this.#deps.clock(), study.stoppedTs ?? Number.POSITIVE_INFINITY);
  }

  async #days(
    study: StudyRecord,
    subjects: readonly SubjectRecord[],
    clocks: ReadonlyMap<string, DayClock>,
    done: readonly (TaskMonth & { subjectId: string })[],
    span: DateSpan = {},
  ): Promise<SubjectDays[]> {
    const history = await this.#deps.store.studies.programHistory(study);
    const lastTs = this.#lastTs(study);
    const bySubject = Map.groupBy(done, ({ subjectId }) => subjectId);
    return subjects.flatMap((subject) => {
      const clock = clocks.get(subject.id);
      if (!clock) return [];
      const own = bySubject.get(subject.id) ?? [];
      const days = adherenceOf(history, subject.programStartTs, own, clock, dueUntil(subject, lastTs), span);
      return days.length > 0 ? [{ subject, days }] : [];
    });
  }
}

export function adherenceHandlers(deps: ApiDeps): Handlers<typeof adherenceRoutes> {
  const adherence = new Adherence(deps);
  const oneOf = async (studyId: string, subjectId: string): Promise<SubjectRecord[]> => {
    const subject = await deps.store.subjects.get(subjectId);
    return subject?.studyId === studyId ? [subject] : [];
  };
  return {
    listProgramStats: async ({ params: { studyId }, scope }) => {
      const items = (await adherence.totals(scope.study)).map((totals) => ({ studyId, ...totals }));
      return { items, size: items.length };
    },
    listDailyProgramStats: async ({ params: { studyId }, query, scope }) => {
      const span = dateSpanOf(query);
      const days = (await adherence.ofStudy(scope.study, span)).flatMap((subject) => subject.days);
      const byDate = Map.groupBy(days, ({ date }) => date);
      const items = [...byDate.keys()].sort().map((date) => ({ date, studyId, ...sum(byDate.get(date)!) }));
      return { items, size: items.length };
    },
    listSubjectProgramStats: async ({ params: { studyId, subjectId }, scope }) => {
      const days = await adherence.ofSubject(scope.study, scope.subject);
      const items = days.map(({ date, tasksAssigned, tasksCompleted }) => ({
        fromDate: date,
        toDate: date,
        studyId,
        subjectId,
        tasksAssigned,
        tasksCompleted,
      }));
      return { items, size: items.length };
    },
    listProgramAudit: async ({ scope }) => {
      const names = await deps.store.studies.taskNames(scope.study.id);
      const days = await adherence.ofSubject(scope.study, scope.subject);
      const items = days.map(({ date, tasks }) => ({
        date,
        tasks: tasks.map(({ taskId, type, completed }) => ({
          id: taskId,
          displayName: names.get(taskId) ?? '',
          type,
          completed,
        })),
      }));
      return { items, size: items.length };
    },
    listAdherence: async ({ params: { studyId }, query, request, scope }) => {
      const { subjects, analytics } = deps.store;
      const span = dateSpanOf(query);
      const { rows, links } =
        query.subjectId === undefined
          ? await readListPage(request, SUBJECT_PAGES, query, (keyset) => subjects.list(studyId, keyset))
          : { rows: await oneOf(studyId, query.subjectId), links: {} };
      const programs = new Map(
        (await adherence.of(scope.study, rows, span)).map(({ subject, days }) => [subject.id, days]),
      );
      const worn = await analytics.wearOf(
        rows.map(({ id }) => id),
        span,
      );
      const wear = Map.groupBy(worn, ({ subjectId }) => subjectId);
      const items = rows.map(({ id: subjectId }) => {
        const days = new Map<string, SubjectAdherence['days'][number]>();
        for (const { date, tasksAssigned, tasksCompleted } of programs.get(subjectId) ?? [])
          days.set(date, { date, tasksAssigned, tasksCompleted });
        for (const { date, wearSeconds } of wear.get(subjectId) ?? [])
          days.set(date, { ...days.get(date), date, wearSeconds });
        return { subjectId, days: [...days.values()].sort((a, b) => (a.date < b.date ? -1 : 1)) };
      });
      return { items, size: items.length, ...links };
    },
    listTaskReports: async ({ params: { subjectId }, query, request, scope }) => {
      const { annotations, studies, subjects } = deps.store;
      const history = await studies.programHistory(scope.study);
      const zones = await subjects.zones(subjectId);
      const filter = { types: ['activity', 'diary'] } as const;
      const { rows, links } = await readListPage(request, TASK_PAGES, query, async (keyset) =>
        keyset
          ? await annotations.page(subjectId, filter, keyset)
          : (await annotations.list(subjectId, filter)).map((record) => ({ record })),
      );
      const done = rows.map(({ record }) => record);
      const canScore = isScorable(await studies.questionTexts(scope.study.id));
      const answers = canScore ? await annotations.answersOf(done.map(({ id }) => id)) : undefined;
      const items = done.flatMap(({ id, type, displayName, event, ...times }) => {
        if (!event || (type !== 'activity' && type !== 'diary')) return [];
        const { startTs, stopTs, intendedTs, openedTs, completedTs, reportedTs, phoneClock, skipped } = times;
        const scores = answers ? scoresOfReport(answers.get(id) ?? [], skipped) : [];
        const timing = taskTiming({ taskId: event.id, startTs }, history, zones);
        return [
          {
            id,
            taskId: event.id,
            type,
            displayName,
            startTs,
            stopTs,
            ...(intendedTs === undefined ? {} : { intendedTs }),
            ...(openedTs === undefined ? {} : { openedTs }),
            ...(completedTs === undefined ? {} : { completedTs }),
            reportedTs,
            ...(timing && { timing }),
            ...(phoneClock && { phoneClock }),
            ...(skipped && { skipped }),
            ...(scores.length > 0 && { scores }),
          },
        ];
      });
      return { items, size: items.length, ...links };
    },
  };
}
