/** Adherence of a study and of a subject. All answers derive from the same days, so they agree. */
import type { StudyRecord, SubjectRecord } from '../../db/index.ts';
import type { DayClock } from '../../study/day-windows.ts';
import { adherenceOf, type Completion, type DayAdherence } from '../../study/program.ts';
import type { SubjectAdherence } from '../contract/index.ts';
import type { adherenceRoutes } from '../contract/resources/adherence.ts';
import type { ApiDeps } from '../deps.ts';
import { isWithin } from '../framework/date-window.ts';
import type { Handlers } from '../framework/mount.ts';
import { readListPage } from '../framework/paging.ts';
import { SUBJECT_PAGES } from './subjects.ts';

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

/** Computes days of subjects with a constant number of queries. */
class Adherence {
  readonly #deps: ApiDeps;

  constructor(deps: ApiDeps) {
    this.#deps = deps;
  }

  async ofSubject(study: StudyRecord, subject: SubjectRecord): Promise<DayAdherence[]> {
    const { subjects, annotations } = this.#deps.store;
    const [days] = await this.#days(
      study,
      [subject],
      new Map([[subject.id, await subjects.zones(subject.id)]]),
      await annotations.completions(study.id, subject.id),
    );
    return days?.days ?? [];
  }

  /** Subjects with at least one day, in the order of List subjects, without test subjects. */
  async ofStudy(study: StudyRecord): Promise<SubjectDays[]> {
    return (await this.ofEveryone(study)).filter(({ subject }) => !subject.isTest);
  }

  /** Like {@link ofStudy}, including test subjects. */
  async ofEveryone(study: StudyRecord): Promise<SubjectDays[]> {
    const { subjects, annotations } = this.#deps.store;
    const counted = await subjects.list(study.id);
    const clocks = await subjects.zonesOfStudy(study.id);
    return await this.#days(study, counted, clocks, await annotations.completions(study.id));
  }

  async #days(
    study: StudyRecord,
    subjects: readonly SubjectRecord[],
    clocks: ReadonlyMap<string, DayClock>,
    completions: readonly (Completion & { subjectId: string })[],
  ): Promise<SubjectDays[]> {
    const history = await this.#deps.store.studies.programHistory(study);
    // Tasks cannot be done after a study has stopped, so later days do not count as missed.
    const lastTs = Math.min(this.#deps.clock(), study.stoppedTs ?? Number.POSITIVE_INFINITY);
    const bySubject = Map.groupBy(completions, ({ subjectId }) => subjectId);
    return subjects.flatMap((subject) => {
      const clock = clocks.get(subject.id);
      if (!clock) return [];
      const own = bySubject.get(subject.id) ?? [];
      const days = adherenceOf(history, subject.programStartTs, own, clock, lastTs);
      return days.length > 0 ? [{ subject, days }] : [];
    });
  }
}

export function adherenceHandlers(deps: ApiDeps): Handlers<typeof adherenceRoutes> {
  const adherence = new Adherence(deps);
  return {
    listProgramStats: async ({ params: { studyId }, scope }) => {
      const items = (await adherence.ofStudy(scope.study)).map(({ subject, days }) => ({
        fromDate: days[0]!.date,
        toDate: days.at(-1)!.date,
        studyId,
        subjectId: subject.id,
        ...sum(days),
      }));
      return { items, size: items.length };
    },
    listDailyProgramStats: async ({ params: { studyId }, query, scope }) => {
      const days = (await adherence.ofStudy(scope.study)).flatMap((subject) => subject.days).filter(isWithin(query));
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
      const isShown = isWithin(query);
      const { rows, links } = await readListPage(request, SUBJECT_PAGES, query, (keyset) =>
        subjects.list(studyId, keyset),
      );
      const programs = new Map(
        (await adherence.ofEveryone(scope.study)).map(({ subject, days }) => [subject.id, days]),
      );
      const wear = Map.groupBy(await analytics.wearOfStudy(studyId), ({ subjectId }) => subjectId);
      const items = rows.map(({ id: subjectId }) => {
        const days = new Map<string, SubjectAdherence['days'][number]>();
        for (const { date, tasksAssigned, tasksCompleted } of programs.get(subjectId) ?? [])
          days.set(date, { date, tasksAssigned, tasksCompleted });
        for (const { date, wearSeconds } of wear.get(subjectId) ?? [])
          days.set(date, { ...days.get(date), date, wearSeconds });
        return { subjectId, days: [...days.values()].filter(isShown).sort((a, b) => (a.date < b.date ? -1 : 1)) };
      });
      return { items, size: items.length, ...links };
    },
    listTaskReports: async ({ params }) => {
      const done = await deps.store.annotations.list(params.subjectId, { types: ['activity', 'diary'] });
      const items = done.flatMap(({ id, type, displayName, event, ...times }) => {
        if (!event || (type !== 'activity' && type !== 'diary')) return [];
        const { startTs, stopTs, intendedTs, openedTs, completedTs, reportedTs } = times;
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
          },
        ];
      });
      return { items, size: items.length };
    },
  };
}
