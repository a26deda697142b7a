/** Statements on recordings that were taken, or are being taken, from docks and watched folders. */
import type { StoredTransferState } from '../../../vocabulary/docks.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf, notFound } from '../shared.ts';

const { transfer: TRANSFER } = TABLES;

export type TransferRecord = RecordOf<typeof TRANSFER>;
export type TransferColumns = PatchOf<typeof TRANSFER>;

export class TransferQueries extends Queries {
  async get(id: string): Promise<TransferRecord | undefined> {
    const row = await this.session.db.selectFrom('transfer').selectAll().where('id', '=', id).executeTakeFirst();
    return row && TRANSFER.toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string): Promise<TransferRecord> {
    const found = await this.get(id);
    if (!found) throw notFound('recording on a dock or in a watched folder');
    return found;
  }

  /** Newest first. */
  async list(accountId: string, limit: number): Promise<TransferRecord[]> {
    const rows = await this.session.db
      .selectFrom('transfer')
      .selectAll()
      .where('accountId', '=', accountId)
      .orderBy('createdTs', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(TRANSFER.toRecord);
  }

  async inStates(states: readonly StoredTransferState[]): Promise<TransferRecord[]> {
    const rows = await this.session.db
      .selectFrom('transfer')
      .selectAll()
      .where('state', 'in', [...states])
      .execute();
    return rows.map(TRANSFER.toRecord);
  }

  /** Those of the ids that have a row. */
  async known(ids: readonly string[]): Promise<Map<string, StoredTransferState>> {
    const rows = await this.session.db
      .selectFrom('transfer')
      .select(['id', 'state'])
      .where('id', 'in', anyOf(ids))
      .execute();
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  /** Rows of these names, and those with one of the ids, that are being taken or were taken. */
  async takenAs(names: readonly string[], ids: readonly string[]): Promise<TransferRecord[]> {
    if (names.length === 0) return [];
    const { db } = this.session;
    const states = ['COPYING', 'IMPORTING', 'STORED', 'CONFIRMED'] as const;
    const [byName, byId] = [
      await db.selectFrom('transfer').selectAll().where('displayName', 'in', anyOf(names)).execute(),
      await db.selectFrom('transfer').selectAll().where('id', 'in', anyOf(ids)).execute(),
    ];
    const rows = new Map([...byName, ...byId].map((row) => [row.id, row]));
    return [...rows.values()].map(TRANSFER.toRecord).filter(({ state }) => states.some((one) => one === state));
  }

  /** Rows of one session of a recorder. */
  async ofSession(serial: string, sessionId: number): Promise<TransferRecord[]> {
    const rows = await this.session.db
      .selectFrom('transfer')
      .selectAll()
      .where('serial', '=', serial)
      .where('sessionId', '=', sessionId)
      .execute();
    return rows.map(TRANSFER.toRecord);
  }

  /** Stored recordings of a recorder that share time with a span. Epoch microseconds. */
  async recordingsOf(
    equipmentId: string,
    span: { fromUs: number; toUs: number },
  ): Promise<{ id: string; startUs: number; stopUs: number }[]> {
    return await this.session.db
      .selectFrom('recording')
      .select(['id', 'startUs', 'stopUs'])
      .where('equipmentId', '=', equipmentId)
      .where('startUs', '<=', span.toUs)
      .where('stopUs', '>=', span.fromUs)
      .execute();
  }

  /** Registered sensors, of every account: a recorder of another account must not be taken for an unknown one. */
  async sensors(): Promise<{ id: string; accountId: string }[]> {
    return await this.session.db
      .selectFrom('equipment')
      .select(['id', 'accountId'])
      .where('type', '=', 'SENSOR')
      .orderBy('id')
      .execute();
  }

  protected async insert(row: InsertOf<typeof TRANSFER>): Promise<void> {
    await this.session.db.insertInto('transfer').values(TRANSFER.toRow(row)).execute();
  }

  protected async patch(id: string, fields: TransferColumns): Promise<void> {
    await this.session.db.updateTable('transfer').set(TRANSFER.toRow(fields)).where('id', '=', id).execute();
  }
}
