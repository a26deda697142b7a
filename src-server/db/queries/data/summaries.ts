/**
 * All summaries of a subject beside the rows that they summarise: recordings (`subjectSummary`, `recordingDay`), tasks (`taskMonth`)
 * and messages (`conversation`). For `verify`, and to make them again after damage.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import type { Tables } from '../../schema.ts';
import type { Session } from '../../session.ts';
import { Queries } from '../queries.ts';
import { rebuildTaskDays, taskMonthsOf } from '../study/task-days.ts';
import { RecordingSummaries, rebuildSummary } from './recording-summaries.ts';

/** Tables of summaries, in the order in which they are reported. */
export type SummaryTable = 'subjectSummary' | 'recordingDay' | 'taskMonth' | 'conversation';

type Conversation = Selectable<Tables['conversation']>;

export class SummaryQueries extends Queries {
  /** Ids of subjects in order, a slice at a time. */
  async subjectsAfter(id: string, limit: number): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('subject')
      .select('id')
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map((row) => row.id);
  }

  /** The summaries of a subject that differ from what follows from the rows that they summarise. */
  async wrongOf(subjectId: string): Promise<SummaryTable[]> {
    const recordings = new RecordingSummaries(this.session);
    const stored = await recordings.stored(subjectId);
    const computed = await recordings.computed(subjectId);
    const { taskMonths, conversation } = await this.#stored(subjectId);
    const same: Record<SummaryTable, boolean> = {
      subjectSummary: isDeepStrictEqual(stored.summary, computed.summary),
      recordingDay: isDeepStrictEqual(stored.days, computed.days),
      taskMonth: isDeepStrictEqual(taskMonths, await taskMonthsOf(this.session, subjectId)),
      conversation: isDeepStrictEqual(conversation, await conversationOf(this.session, subjectId)),
    };
    return (Object.keys(same) as SummaryTable[]).filter((table) => !same[table]);
  }

  async #stored(subjectId: string) {
    const { db } = this.session;
    const taskMonths = await db
      .selectFrom('taskMonth')
      .selectAll()
      .where('subjectId', '=', subjectId)
      .orderBy('month')
      .orderBy('taskId')
      .execute();
    const conversation = await db
      .selectFrom('conversation')
      .selectAll()
      .where('subjectId', '=', subjectId)
      .executeTakeFirst();
    return { taskMonths, conversation };
  }

  protected async rebuildAll(subjectId: string): Promise<void> {
    const { db } = this.session;
    await rebuildSummary(this.session, subjectId);
    await rebuildTaskDays(this.session, subjectId);
    await db.deleteFrom('conversation').where('subjectId', '=', subjectId).execute();
    const conversation = await conversationOf(this.session, subjectId);
    if (conversation) await db.insertInto('conversation').values(conversation).execute();
  }
}

async function conversationOf({ db }: Session, subjectId: string): Promise<Conversation | undefined> {
  const messages = await db
    .selectFrom('message')
    .select(['id', 'studyId', 'authorType', 'createdTs', 'readTs'])
    .where('subjectId', '=', subjectId)
    .orderBy('createdTs')
    .orderBy('id')
    .execute();
  const last = messages.at(-1);
  if (!last) return undefined;
  return {
    subjectId,
    studyId: last.studyId,
    messageCount: messages.length,
    unreadCount: messages.filter(({ readTs, authorType }) => readTs === null && authorType === 'SUBJECT').length,
    lastTs: last.createdTs,
    lastId: last.id,
  };
}
