/** The local dates on which subjects did tasks, from which adherence is counted. Rows change with the annotations and zones. */
import { type DayClock, localDateAt } from '../../../study/day-windows.ts';
import type { Session } from '../../session.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

export interface TaskDay {
  subjectId: string;
  taskId: string;
  date: string;
}

/** On how many dates a subject did a task, and the first and last of them. */
export interface TaskDayCount {
  subjectId: string;
  taskId: string;
  days: number;
  firstDate: string;
  lastDate: string;
}

export class TaskDays extends Queries {
  /** Dates on which subjects did tasks of the studies; dates inclusive. */
  async list(
    studyIds: readonly string[],
    window: { fromDate?: string | undefined; toDate?: string | undefined; subjectIds?: readonly string[] } = {},
  ): Promise<TaskDay[]> {
    const { fromDate, toDate, subjectIds } = window;
    let query = this.session.db.selectFrom('taskDay').selectAll();
    if (subjectIds) query = query.where('subjectId', 'in', anyOf(subjectIds));
    else {
      query = query.where('subjectId', 'in', (eb) =>
        eb.selectFrom('subject').select('subject.id').where('subject.studyId', 'in', anyOf(studyIds)),
      );
    }
    if (fromDate !== undefined) query = query.where('date', '>=', fromDate);
    if (toDate !== undefined) query = query.where('date', '<=', toDate);
    return await query.execute();
  }

  /** Counts per subject and task of a study, over all time. */
  async counts(studyId: string): Promise<TaskDayCount[]> {
    return await this.session.db
      .selectFrom('taskDay')
      .select(({ fn }) => [
        'subjectId',
        'taskId',
        fn.countAll<number>().as('days'),
        fn.min('date').as('firstDate'),
        fn.max('date').as('lastDate'),
      ])
      .where('taskId', 'in', (eb) => eb.selectFrom('task').select('task.id').where('task.studyId', '=', studyId))
      .groupBy(['taskId', 'subjectId'])
      .execute();
  }
}

/** Adds the date of a task that a subject did. */
export async function addTaskDay(
  session: Session,
  { subjectId, taskId, startTs }: { subjectId: string; taskId: string; startTs: number },
): Promise<void> {
  const date = localDateAt(startTs, await clockOf(session, subjectId));
  await session.db
    .insertInto('taskDay')
    .values({ subjectId, date, taskId })
    .onConflict((conflict) => conflict.columns(['subjectId', 'date', 'taskId']).doNothing())
    .execute();
}

/** Stores what follows from all tasks that a subject did: after a change of their zones. */
export async function rebuildTaskDays(session: Session, subjectId: string): Promise<void> {
  const { db } = session;
  const clock = await clockOf(session, subjectId);
  const done = await db
    .selectFrom('annotation')
    .select(['eventId', 'startTs'])
    .where('subjectId', '=', subjectId)
    .where('type', 'in', ['activity', 'diary'])
    .where('eventId', 'is not', null)
    .execute();
  const rows = new Map(
    done.map(({ eventId, startTs }) => {
      const row = { subjectId, date: localDateAt(startTs, clock), taskId: eventId as string };
      return [`${row.date} ${row.taskId}`, row];
    }),
  );
  await db.deleteFrom('taskDay').where('subjectId', '=', subjectId).execute();
  for (const row of rows.values()) await db.insertInto('taskDay').values(row).execute();
}

async function clockOf({ db }: Session, subjectId: string): Promise<DayClock> {
  return await db
    .selectFrom('subjectZone')
    .select(['fromTs', 'timezone'])
    .where('subjectId', '=', subjectId)
    .orderBy('fromTs')
    .execute();
}
