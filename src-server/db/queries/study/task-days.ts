/** The local dates on which subjects did tasks, from which adherence is counted. Rows change with the annotations and zones. */
import { sql } from 'kysely';
import { type DayClock, localDateAt } from '../../../study/day-windows.ts';
import { monthAndBit, type TaskMonth } from '../../../study/program.ts';
import type { Session } from '../../session.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

type TaskMonthRow = TaskMonth & { subjectId: string };

export class TaskDays extends Queries {
  /** Months in which subjects did tasks of the studies, those that have a date of the window at least; dates inclusive. */
  async months(
    studyIds: readonly string[],
    window: { fromDate?: string | undefined; toDate?: string | undefined; subjectIds?: readonly string[] } = {},
  ): Promise<TaskMonthRow[]> {
    const { fromDate, toDate, subjectIds } = window;
    let query = this.session.db.selectFrom('taskMonth').selectAll();
    if (subjectIds) query = query.where('subjectId', 'in', anyOf(subjectIds));
    else {
      query = query.where('subjectId', 'in', (eb) =>
        eb.selectFrom('subject').select('subject.id').where('subject.studyId', 'in', anyOf(studyIds)),
      );
    }
    if (fromDate !== undefined) query = query.where('month', '>=', monthAndBit(fromDate).month);
    if (toDate !== undefined) query = query.where('month', '<=', monthAndBit(toDate).month);
    return await query.execute();
  }
}

/** Adds the date of a task that a subject did. */
export async function addTaskDay(
  session: Session,
  { subjectId, taskId, startTs }: { subjectId: string; taskId: string; startTs: number },
): Promise<void> {
  const { month, bit } = monthAndBit(localDateAt(startTs, await clockOf(session, subjectId)));
  await session.db
    .insertInto('taskMonth')
    .values({ subjectId, month, taskId, days: bit })
    .onConflict((conflict) =>
      conflict.columns(['subjectId', 'month', 'taskId']).doUpdateSet({ days: sql`taskMonth.days | excluded.days` }),
    )
    .execute();
}

/** Stores what follows from all tasks that a subject did: after a change of their zones. */
export async function rebuildTaskDays(session: Session, subjectId: string): Promise<void> {
  const { db } = session;
  const rows = await taskMonthsOf(session, subjectId);
  await db.deleteFrom('taskMonth').where('subjectId', '=', subjectId).execute();
  for (const row of rows) await db.insertInto('taskMonth').values(row).execute();
}

/** What should be stored of one subject, by month, then task. */
export async function taskMonthsOf(session: Session, subjectId: string): Promise<TaskMonthRow[]> {
  const { db } = session;
  const clock = await clockOf(session, subjectId);
  const done = await db
    .selectFrom('annotation')
    .select(['eventId', 'startTs'])
    .where('subjectId', '=', subjectId)
    .where('type', 'in', ['activity', 'diary'])
    .where('eventId', 'is not', null)
    .execute();
  const months = new Map<string, TaskMonthRow>();
  for (const { eventId, startTs } of done) {
    const taskId = eventId as string;
    const { month, bit } = monthAndBit(localDateAt(startTs, clock));
    const key = `${month} ${taskId}`;
    months.set(key, { subjectId, taskId, month, days: (months.get(key)?.days ?? 0) | bit });
  }
  return [...months].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

async function clockOf({ db }: Session, subjectId: string): Promise<DayClock> {
  return await db
    .selectFrom('subjectZone')
    .select(['fromTs', 'timezone'])
    .where('subjectId', '=', subjectId)
    .orderBy('fromTs')
    .execute();
}
