/** Statements on webhooks. Their secrets are stored as sealed text and read only for signing. */
import type { Selectable } from 'kysely';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { notFound } from '../shared.ts';

const { webhook: WEBHOOK } = TABLES;

/** `actions` and `studyIds` select the events it receives; empty means all, of later studies too. */
export type WebhookRecord = Omit<
  RecordOf<typeof WEBHOOK>,
  'sealedSecret' | 'previousSealedSecret' | 'previousSecretUntilTs'
>;

function toRecord(row: Selectable<Tables['webhook']>): WebhookRecord {
  const { sealedSecret: _a, previousSealedSecret: _b, previousSecretUntilTs: _c, ...webhook } = WEBHOOK.toRecord(row);
  return webhook;
}

export class WebhookQueries extends Queries {
  async get(id: string): Promise<WebhookRecord | undefined> {
    const row = await this.session.db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string): Promise<WebhookRecord> {
    const webhook = await this.get(id);
    if (!webhook) throw notFound('webhook');
    return webhook;
  }

  /** By creation, then id. */
  async list(accountId: string): Promise<WebhookRecord[]> {
    const rows = await this.session.db
      .selectFrom('webhook')
      .selectAll()
      .where('accountId', '=', accountId)
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** Enabled webhooks of every account. */
  async enabled(): Promise<WebhookRecord[]> {
    const rows = await this.session.db
      .selectFrom('webhook')
      .selectAll()
      .where('isEnabled', '=', 1)
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** The sealed secrets that sign now: the present one and, for a time after a rotation, the previous one. @throws NOT_FOUND */
  async sealedSecrets(id: string): Promise<string[]> {
    const row = await this.session.db
      .selectFrom('webhook')
      .select(['sealedSecret', 'previousSealedSecret', 'previousSecretUntilTs'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound('webhook');
    const { sealedSecret, previousSealedSecret, previousSecretUntilTs } = row;
    const isPreviousValid = previousSealedSecret !== null && (previousSecretUntilTs ?? 0) > this.session.clock();
    return isPreviousValid ? [sealedSecret, previousSealedSecret] : [sealedSecret];
  }

  /** Stores that events up to `eventSequence` have become deliveries. */
  async advance(id: string, eventSequence: number): Promise<void> {
    await this.session.db.updateTable('webhook').set({ eventSequence }).where('id', '=', id).execute();
  }

  /** Stores whether the newest attempt failed; returns whether the webhook was failing before. */
  async setFailing(id: string, isFailing: boolean): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('webhook')
      .select('failingSinceTs')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return false;
    const wasFailing = row.failingSinceTs !== null;
    if (wasFailing !== isFailing) {
      const failingSinceTs = isFailing ? this.session.clock() : null;
      await this.session.db.updateTable('webhook').set({ failingSinceTs }).where('id', '=', id).execute();
    }
    return wasFailing;
  }

  /** Sequence of the newest event; 0 before the first. */
  protected async lastEventSequence(): Promise<number> {
    const row = await this.session.db
      .selectFrom('event')
      .select('sequence')
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.sequence ?? 0;
  }

  protected async insert(webhook: InsertOf<typeof WEBHOOK>): Promise<void> {
    await this.session.db.insertInto('webhook').values(WEBHOOK.toRow(webhook)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof WEBHOOK>): Promise<void> {
    await this.session.db.updateTable('webhook').set(WEBHOOK.toRow(fields)).where('id', '=', id).execute();
  }

  /** Stores a new secret and keeps the present one as the previous one. */
  protected async replaceSecret(id: string, sealedSecret: string, previousSecretUntilTs: number): Promise<void> {
    await this.session.db
      .updateTable('webhook')
      .set((eb) => ({
        previousSealedSecret: eb.ref('sealedSecret'),
        previousSecretUntilTs,
        sealedSecret,
        modifiedTs: this.session.clock(),
      }))
      .where('id', '=', id)
      .execute();
  }

  protected async delete(id: string): Promise<void> {
    await this.session.db.deleteFrom('webhook').where('id', '=', id).execute();
  }
}
