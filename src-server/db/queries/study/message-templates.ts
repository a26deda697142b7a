/** Statements on templates of messages, and on messages that were sent to many subjects at once. */
import type { InsertOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';

const { messageTemplate: TEMPLATE, messageBatch: BATCH } = TABLES;

export type MessageTemplateRecord = RecordOf<typeof TEMPLATE>;
export type MessageBatchRecord = RecordOf<typeof BATCH>;

export class MessageTemplateQueries extends Queries {
  /** By name, then id. */
  async list(studyId: string): Promise<MessageTemplateRecord[]> {
    const rows = await this.session.db
      .selectFrom('messageTemplate')
      .selectAll()
      .where('studyId', '=', studyId)
      .orderBy('displayName')
      .orderBy('id')
      .execute();
    return rows.map(TEMPLATE.toRecord);
  }

  async get(id: string): Promise<MessageTemplateRecord | undefined> {
    const row = await this.session.db.selectFrom('messageTemplate').selectAll().where('id', '=', id).executeTakeFirst();
    return row && TEMPLATE.toRecord(row);
  }

  async batch(id: string): Promise<MessageBatchRecord | undefined> {
    const row = await this.session.db.selectFrom('messageBatch').selectAll().where('id', '=', id).executeTakeFirst();
    return row && BATCH.toRecord(row);
  }

  /** The messages of a batch by subject. */
  async messagesOf(batchId: string): Promise<Map<string, { id: string; body: string }>> {
    const rows = await this.session.db
      .selectFrom('message')
      .select(['subjectId', 'id', 'body'])
      .where('batchId', '=', batchId)
      .execute();
    return new Map(rows.map(({ subjectId, ...message }) => [subjectId, message]));
  }

  protected async insertTemplate(template: InsertOf<typeof TEMPLATE>): Promise<void> {
    await this.session.db.insertInto('messageTemplate').values(TEMPLATE.toRow(template)).execute();
  }

  protected async patchTemplate(
    id: string,
    { displayName, texts, modifiedTs }: Pick<MessageTemplateRecord, 'displayName' | 'texts' | 'modifiedTs'>,
  ): Promise<void> {
    await this.session.db
      .updateTable('messageTemplate')
      .set(TEMPLATE.toRow({ displayName, texts, modifiedTs }))
      .where('id', '=', id)
      .execute();
  }

  protected async deleteTemplate(id: string): Promise<void> {
    await this.session.db.deleteFrom('messageTemplate').where('id', '=', id).execute();
  }

  protected async insertBatch(batch: InsertOf<typeof BATCH>): Promise<void> {
    await this.session.db.insertInto('messageBatch').values(BATCH.toRow(batch)).execute();
  }
}
