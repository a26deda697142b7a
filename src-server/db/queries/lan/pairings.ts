/** Statements on pairings under way or ended. Keys and tokens are stored as the caller gives them (sealed). */
import type { Selectable } from 'kysely';
import { latestEnd } from '../../../clock-rules.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { notFound } from '../shared.ts';

const { pairing: PAIRING } = TABLES;

export interface PairingRecord extends Omit<RecordOf<typeof PAIRING>, 'studyId' | 'subjectId'> {
  /** Who gets the device once it is paired. */
  subject?: { studyId: string; subjectId: string };
}

function toRecord({ studyId, subjectId, ...row }: Selectable<Tables['pairing']>): PairingRecord {
  return {
    ...PAIRING.toRecord(row),
    ...(studyId !== null && subjectId !== null && { subject: { studyId, subjectId } }),
  };
}

export class PairingQueries extends Queries {
  async get(id: string): Promise<PairingRecord | undefined> {
    const row = await this.session.db.selectFrom('pairing').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the pairing is of another account than the one given */
  async require(id: string, accountId?: string): Promise<PairingRecord> {
    const pairing = await this.get(id);
    if (!pairing || (accountId !== undefined && pairing.accountId !== accountId)) throw notFound('pairing');
    return pairing;
  }

  /** Pairings of one account, or of all, that started at or after an instant, newest first. */
  async listSince(sinceTs: number, accountId?: string): Promise<PairingRecord[]> {
    const rows = await this.session.db
      .selectFrom('pairing')
      .selectAll()
      .where('createdTs', '>=', sinceTs)
      .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId as string))
      .orderBy('createdTs', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(toRecord);
  }

  /** Pairings that have expired but not ended. @param lifetimeMs the longest lifetime of a pairing */
  async listOverdue(lifetimeMs: number): Promise<PairingRecord[]> {
    const nowTs = this.session.clock();
    const rows = await this.session.db
      .selectFrom('pairing')
      .selectAll()
      .where('endedTs', 'is', null)
      .where((eb) => eb.or([eb('expirationTs', '<=', nowTs), eb('expirationTs', '>', latestEnd(lifetimeMs, nowTs))]))
      .execute();
    return rows.map(toRecord);
  }

  protected async insert(pairing: InsertOf<typeof PAIRING>): Promise<void> {
    await this.session.db.insertInto('pairing').values(PAIRING.toRow(pairing)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof PAIRING>): Promise<void> {
    await this.session.db.updateTable('pairing').set(PAIRING.toRow(fields)).where('id', '=', id).execute();
  }

  /** Drops the pending token of the confirmed pairing of a credential and returns its id; undefined when there is none. */
  protected async clearPendingToken(credentialId: string): Promise<string | undefined> {
    const row = await this.session.db
      .updateTable('pairing')
      .set({ pendingToken: null })
      .where('credentialId', '=', credentialId)
      .where('state', '=', 'CONFIRMED')
      .returning('id')
      .executeTakeFirst();
    return row?.id;
  }

  /** Adds a wrong try to every pairing that waits for a call, and returns their counts. */
  protected async addWrongTry(): Promise<{ id: string; wrongTries: number }[]> {
    return await this.session.db
      .updateTable('pairing')
      .set((eb) => ({ wrongTries: eb('wrongTries', '+', 1) }))
      .where('state', '=', 'OFFERED')
      .returning(['id', 'wrongTries'])
      .execute();
  }

  /** Removes the keys of pairings that ended before an instant, and tokens of all that ended. */
  async forgetSecrets(endedBeforeTs: number): Promise<void> {
    const ended = this.session.db.updateTable('pairing').where('endedTs', 'is not', null);
    await ended.set({ pendingToken: null }).where('pendingToken', 'is not', null).execute();
    await ended
      .set({ secretKey: null, codeKey: null })
      .where('endedTs', '<', endedBeforeTs)
      .where('secretKey', 'is not', null)
      .execute();
  }
}
