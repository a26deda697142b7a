/** Statements on daily digests: who wants one, what came in since, and which days have had theirs. */
import type { EventAction } from '../../../study/events.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

export interface DigestChoice {
  userId: string;
  /** From which hour of the local day on, 0 to 23. */
  hour: number;
}

/** Days of digests that are remembered; a clock is not set back further. */
const REMEMBERED = 400;

export class DigestQueries extends Queries {
  /** Of users who can sign in. */
  async choices(): Promise<DigestChoice[]> {
    return await this.session.db
      .selectFrom('digestChoice')
      .innerJoin('user', 'user.id', 'digestChoice.userId')
      .where('user.disabledTs', 'is', null)
      .select(['digestChoice.userId', 'digestChoice.hour'])
      .orderBy('digestChoice.userId')
      .execute();
  }

  /** Undefined when they want none. */
  async hourOf(userId: string): Promise<number | undefined> {
    const row = await this.session.db
      .selectFrom('digestChoice')
      .select('hour')
      .where('userId', '=', userId)
      .executeTakeFirst();
    return row?.hour;
  }

  async isSent(userId: string, date: string): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('digestSent')
      .select('date')
      .where('userId', '=', userId)
      .where('date', '=', date)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Notes that a local day of a user has its digest; false when it had one. In the transaction that queues it. */
  async claim(userId: string, date: string): Promise<boolean> {
    return await this.session.write(async ({ db, clock }) => {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('digestSent')
        .values({ userId, date, sentTs: clock() })
        .onConflict((conflict) => conflict.columns(['userId', 'date']).doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) return false;
      const oldest = await db
        .selectFrom('digestSent')
        .select('date')
        .where('userId', '=', userId)
        .orderBy('date', 'desc')
        .offset(REMEMBERED)
        .limit(1)
        .executeTakeFirst();
      if (oldest) {
        await db.deleteFrom('digestSent').where('userId', '=', userId).where('date', '<=', oldest.date).execute();
      }
      return true;
    });
  }

  /** Events since a time by study and action; of messages, those from subjects. */
  async counts(
    studyIds: readonly string[],
    sinceTs: number,
  ): Promise<{ studyId: string; action: EventAction; count: number }[]> {
    return await this.session.db
      .selectFrom('event')
      .select(({ fn }) => ['studyId', 'action', fn.countAll<number>().as('count')])
      .where('studyId', 'in', anyOf(studyIds))
      .where('reportedTs', '>=', sinceTs)
      .where((eb) => eb.or([eb('action', '!=', 'MESSAGE_POSTED'), eb('authorType', '=', 'SUBJECT')]))
      .groupBy(['studyId', 'action'])
      .execute();
  }

  protected async put(userId: string, hour: number | null): Promise<void> {
    const { db, clock } = this.session;
    if (hour === null) {
      await db.deleteFrom('digestChoice').where('userId', '=', userId).execute();
      return;
    }
    await db
      .insertInto('digestChoice')
      .values({ userId, hour, chosenTs: clock() })
      .onConflict((conflict) => conflict.column('userId').doUpdateSet({ hour, chosenTs: clock() }))
      .execute();
  }
}
