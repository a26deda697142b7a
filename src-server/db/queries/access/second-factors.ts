/** Statements on second factors of users and their recovery codes. Secrets are sealed, recovery codes hashed. */
import type { RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';

const { secondFactor: FACTOR } = TABLES;
type FactorRecord = RecordOf<typeof FACTOR>;

export interface SecondFactorState {
  userId: string;
  isOn: boolean;
  isRequired: boolean;
  confirmedTs?: number;
  recoveryCodesLeft: number;
}

export class SecondFactorQueries extends Queries {
  /** Also one that is set up and not confirmed. */
  async find(userId: string): Promise<FactorRecord | undefined> {
    const row = await this.session.db
      .selectFrom('secondFactor')
      .selectAll()
      .where('userId', '=', userId)
      .executeTakeFirst();
    return row && FACTOR.toRecord(row);
  }

  /** The states of the users of an account, or of one of them, by creation, then id. */
  async states(accountId: string, userId?: string): Promise<SecondFactorState[]> {
    let query = this.session.db
      .selectFrom('user')
      .leftJoin('secondFactor', 'secondFactor.userId', 'user.id')
      .select((eb) => [
        'user.id as userId',
        'user.needsSecondFactor',
        'secondFactor.confirmedTs',
        eb
          .selectFrom('recoveryCode')
          .select((inner) => inner.fn.countAll<number>().as('left'))
          .whereRef('recoveryCode.userId', '=', 'user.id')
          .where('recoveryCode.usedTs', 'is', null)
          .$asScalar()
          .$notNull()
          .as('recoveryCodesLeft'),
      ])
      .where('user.accountId', '=', accountId);
    if (userId !== undefined) query = query.where('user.id', '=', userId);
    const rows = await query.orderBy('user.createdTs').orderBy('user.id').execute();
    return rows.map(({ needsSecondFactor, confirmedTs, recoveryCodesLeft, ...row }) => ({
      ...row,
      isOn: confirmedTs !== null,
      isRequired: needsSecondFactor === 1,
      ...(confirmedTs !== null && { confirmedTs }),
      recoveryCodesLeft: confirmedTs === null ? 0 : recoveryCodesLeft,
    }));
  }

  protected async insertPending(userId: string, secret: string): Promise<void> {
    const columns = { secret, createdTs: this.session.clock(), confirmedTs: null, usedSteps: '[]' };
    await this.session.db
      .insertInto('secondFactor')
      .values({ userId, ...columns })
      .onConflict((conflict) => conflict.column('userId').doUpdateSet(columns))
      .execute();
  }

  protected async setConfirmed(userId: string): Promise<void> {
    const confirmedTs = this.session.clock();
    await this.session.db.updateTable('secondFactor').set({ confirmedTs }).where('userId', '=', userId).execute();
  }

  protected async setUsedSteps(userId: string, steps: readonly number[]): Promise<void> {
    await this.session.db
      .updateTable('secondFactor')
      .set({ usedSteps: JSON.stringify(steps) })
      .where('userId', '=', userId)
      .execute();
  }

  protected async deleteFactor(userId: string): Promise<void> {
    await this.session.db.deleteFrom('secondFactor').where('userId', '=', userId).execute();
    await this.session.db.deleteFrom('recoveryCode').where('userId', '=', userId).execute();
  }

  protected async replaceCodes(userId: string, codeHashes: readonly string[]): Promise<void> {
    const { db, clock, newId } = this.session;
    await db.deleteFrom('recoveryCode').where('userId', '=', userId).execute();
    const rows = codeHashes.map((codeHash) => ({ id: newId(), userId, codeHash, createdTs: clock() }));
    await db.insertInto('recoveryCode').values(rows).execute();
  }

  /** False when the user has no such unused code. */
  protected async redeemCode(userId: string, codeHash: string): Promise<boolean> {
    const used = await this.session.db
      .updateTable('recoveryCode')
      .set({ usedTs: this.session.clock() })
      .where('userId', '=', userId)
      .where('codeHash', '=', codeHash)
      .where('usedTs', 'is', null)
      .executeTakeFirst();
    return used.numUpdatedRows > 0n;
  }

  protected async setRequirement(userId: string, isRequired: boolean): Promise<void> {
    await this.session.db
      .updateTable('user')
      .set({ needsSecondFactor: isRequired ? 1 : 0, modifiedTs: this.session.clock() })
      .where('id', '=', userId)
      .execute();
  }
}
