/** Statements on webhook deliveries and their attempts. */

import type { Selectable } from 'kysely';
import type { Diagnostic } from '../../../diagnostics.ts';
import { TABLES, type Tables } from '../../schema.ts';
import type { Session } from '../../session.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, diagnosticColumns, storedDiagnostic } from '../shared.ts';
import { WebhookQueries } from './webhooks.ts';

type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** One event on its way to one webhook. */
export interface DeliveryRecord {
  /** Also the header `webhook-id`, the same at every attempt. */
  id: string;
  webhookId: string;
  /** Absent for a test. */
  eventSequence?: number;
  /** The JSON that is sent, byte for byte the same at every attempt. */
  body: string;
  state: DeliveryState;
  attempts: number;
  nextAttemptTs?: number;
  /** The first failed attempt from this time on is the last one. */
  giveUpTs: number;
  createdTs: number;
  endedTs?: number;
}

export interface AttemptRecord {
  startedTs: number;
  durationMs: number;
  /** Absent when there was no response. */
  status?: number;
  /** What went wrong; absent after a success. */
  diagnostic?: Diagnostic;
  /** Beginning of the response body. */
  answer?: string;
}

/** State of a delivery after an attempt. */
export type AfterAttempt = { state: 'delivered' } | { state: 'failed' } | { state: 'waiting'; nextAttemptTs: number };

function toRecord(row: Selectable<Tables['webhookDelivery']>): DeliveryRecord {
  return TABLES.webhookDelivery.toRecord(row);
}

export class WebhookDeliveries extends Queries {
  /** Due at once. Without `eventSequence` it is a test. */
  async add(input: { webhookId: string; eventSequence?: number; body: string; giveUpTs: number }): Promise<string> {
    return await this.session.write(async (session) => {
      const id = session.newId();
      const now = session.clock();
      await session.db
        .insertInto('webhookDelivery')
        .values({
          ...input,
          id,
          eventSequence: input.eventSequence ?? null,
          state: 'waiting',
          nextAttemptTs: now,
          createdTs: now,
          endedTs: null,
        })
        .execute();
      this.#tell(session, 'webhook.queue', input.webhookId);
      return id;
    });
  }

  async get(id: string): Promise<DeliveryRecord | undefined> {
    const row = await this.session.db.selectFrom('webhookDelivery').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** Newest first. */
  async list(
    webhookId: string,
    filter: { states?: readonly DeliveryState[]; keyset: Keyset },
  ): Promise<DeliveryRecord[]> {
    let query = this.session.db.selectFrom('webhookDelivery').selectAll().where('webhookId', '=', webhookId);
    if (filter.states) query = query.where('state', 'in', [...filter.states]);
    const { keyset } = filter;
    return (await inPages(query, ['createdTs', 'id'], { keyset, isDescending: true }).execute()).map(toRecord);
  }

  /** Waiting deliveries in the order of their events, without tests, which are sent by hand. */
  async waiting(webhookId: string, limit: number): Promise<Omit<DeliveryRecord, 'body'>[]> {
    const rows = await this.session.db
      .selectFrom('webhookDelivery')
      .select(['id', 'webhookId', 'eventSequence', 'state', 'attempts', 'nextAttemptTs'])
      .select(['giveUpTs', 'createdTs', 'endedTs'])
      .where('webhookId', '=', webhookId)
      .where('state', '=', 'waiting')
      .where('eventSequence', 'is not', null)
      .orderBy('eventSequence')
      .limit(limit)
      .execute();
    return rows.map((row) => toRecord({ ...row, body: '' }));
  }

  /** Attempts of deliveries, oldest first, by delivery. */
  async attemptsOf(deliveryIds: readonly string[]): Promise<Map<string, AttemptRecord[]>> {
    const found = new Map<string, AttemptRecord[]>(deliveryIds.map((id) => [id, []]));
    if (deliveryIds.length === 0) return found;
    const rows = await this.session.db
      .selectFrom('webhookAttempt')
      .selectAll()
      .where('deliveryId', 'in', anyOf(deliveryIds))
      .orderBy('sequence')
      .execute();
    for (const { deliveryId, startedTs, durationMs, status, error, diagnostic, answer } of rows) {
      const outcome = {
        status: absent(status),
        diagnostic: storedDiagnostic(error, diagnostic),
        answer: absent(answer),
      };
      const attempt = { startedTs, durationMs, ...outcome };
      found.get(deliveryId)?.push(attempt);
    }
    return found;
  }

  /**
   * Stores an attempt and its consequence. After the first success since a failure, every waiting delivery of the webhook becomes due at
   * once, because its receiver is back. False when the delivery was removed.
   */
  async recordAttempt(id: string, attempt: AttemptRecord, after: AfterAttempt): Promise<boolean> {
    return await this.session.write(async (session) => {
      const delivery = await new WebhookDeliveries(session).get(id);
      if (!delivery) return false;
      const now = session.clock();
      const { status, diagnostic, answer, ...times } = attempt;
      const { sentence: error, rest } = diagnosticColumns(diagnostic);
      await session.db
        .insertInto('webhookAttempt')
        .values({ deliveryId: id, ...times, status: status ?? null, error, diagnostic: rest, answer: answer ?? null })
        .execute();
      await session.db
        .updateTable('webhookDelivery')
        .set((eb) => ({
          attempts: eb('attempts', '+', 1),
          state: after.state,
          nextAttemptTs: after.state === 'waiting' ? after.nextAttemptTs : null,
          endedTs: after.state === 'waiting' ? null : now,
        }))
        .where('id', '=', id)
        .execute();
      const wasFailing = await new WebhookQueries(session).setFailing(delivery.webhookId, after.state !== 'delivered');
      if (wasFailing && after.state === 'delivered') {
        await session.db
          .updateTable('webhookDelivery')
          .set({ nextAttemptTs: now })
          .where('webhookId', '=', delivery.webhookId)
          .where('state', '=', 'waiting')
          .execute();
      }
      this.#tell(session, 'webhook.attempt', delivery.webhookId);
      return true;
    });
  }

  /** Queues an ended delivery again under the same id. False when it is waiting or was removed. */
  async redeliver(id: string, giveUpTs: number): Promise<boolean> {
    return await this.session.write(async (session) => {
      const row = await session.db
        .updateTable('webhookDelivery')
        .set({ state: 'waiting', nextAttemptTs: session.clock(), giveUpTs, endedTs: null })
        .where('id', '=', id)
        .where('state', '!=', 'waiting')
        .where('eventSequence', 'is not', null)
        .returning('webhookId')
        .executeTakeFirst();
      if (row) this.#tell(session, 'webhook.queue', row.webhookId);
      return row !== undefined;
    });
  }

  /** Fails tests that were pending when the site ended. */
  async endUnfinishedTests(): Promise<void> {
    const now = this.session.clock();
    await this.session.db
      .updateTable('webhookDelivery')
      .set({ state: 'failed', nextAttemptTs: null, endedTs: now })
      .where('state', '=', 'waiting')
      .where('eventSequence', 'is', null)
      .execute();
  }

  /** Deletes deliveries that ended before a time; returns how many. */
  async removeEndedBefore(ts: number): Promise<number> {
    const { numDeletedRows } = await this.session.db
      .deleteFrom('webhookDelivery')
      .where('endedTs', '<', ts)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  #tell(session: Session, action: string, webhookId: string): void {
    session.announce({ action, entityType: 'webhook', entityId: webhookId });
  }
}
