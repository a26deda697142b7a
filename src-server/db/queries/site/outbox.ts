/** Statements on e-mails of the site. They are always stored, and sent when a mail server is set, so nothing depends on the internet. */

import type { ExpressionBuilder, Selectable } from 'kysely';
import { latestEnd } from '../../../clock-rules.ts';
import { type Diagnostic, diagnostic } from '../../../diagnostics.ts';
import { TABLES, type Tables } from '../../schema.ts';
import type { Session } from '../../session.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { diagnosticColumns, flag, storedDiagnostic } from '../shared.ts';

export interface MailRecord {
  id: string;
  accountId: string;
  recipient: string;
  subject: string;
  /** Empty once a mail with a secret has been sent or abandoned. */
  body: string;
  state: 'waiting' | 'sent' | 'failed';
  attempts: number;
  /** Why the newest attempt failed. */
  diagnostic?: Diagnostic;
  /** When it was queued, or queued again for a retry. */
  queuedTs: number;
  nextAttemptTs: number;
  /** From this time on it is useless to its recipient. */
  expirationTs?: number;
  /** The body holds a one-time code: never shown, only sent over an encrypted connection. */
  holdsSecret: boolean;
  createdTs: number;
  sentTs?: number;
  isRead: boolean;
}

export interface NewMail {
  accountId: string;
  recipient: string;
  subject: string;
  body: string;
  holdsSecret?: boolean;
  expirationTs?: number;
}

function toMail({ readTs, lastError, diagnostic: rest, ...row }: Selectable<Tables['outbox']>): MailRecord {
  return {
    ...TABLES.outbox.toRecord(row),
    diagnostic: storedDiagnostic(lastError, rest),
    isRead: readTs !== null,
  };
}

export class Outbox extends Queries {
  /** `isHeld`: the caller sends it; the queue ignores it. */
  async add({ holdsSecret, expirationTs, ...mail }: NewMail, options: { isHeld?: boolean } = {}): Promise<string> {
    return await this.session.write(async (session) => {
      const id = session.newId();
      const now = session.clock();
      await session.db
        .insertInto('outbox')
        .values({
          id,
          ...mail,
          state: options.isHeld ? 'failed' : 'waiting',
          ...failure(options.isHeld ? diagnostic('MAIL_UNSENT') : undefined),
          createdTs: now,
          sentTs: null,
          queuedTs: now,
          nextAttemptTs: now,
          expirationTs: expirationTs ?? null,
          holdsSecret: flag(holdsSecret ?? false),
          readTs: null,
        })
        .execute();
      if (!options.isHeld) tell(session, 'mail.queue', id);
      return id;
    });
  }

  async get(id: string): Promise<MailRecord | undefined> {
    const row = await this.session.db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toMail(row);
  }

  /** Newest first; without `keyset` or `limit` at most 200. */
  async list(
    accountId: string,
    filter: {
      recipient?: string;
      isRead?: boolean;
      fromTs?: number;
      limit?: number;
      keyset?: Keyset | undefined;
    } = {},
  ): Promise<MailRecord[]> {
    let query = this.session.db.selectFrom('outbox').selectAll().where('accountId', '=', accountId);
    if (filter.recipient !== undefined) query = query.where('recipient', '=', filter.recipient);
    if (filter.isRead !== undefined) query = query.where('readTs', filter.isRead ? 'is not' : 'is', null);
    if (filter.fromTs !== undefined) query = query.where('createdTs', '>=', filter.fromTs);
    const keyset = filter.keyset ?? { limit: filter.limit ?? 200 };
    const rows = await inPages(query, ['createdTs', 'id'], { keyset, isDescending: true }).execute();
    return rows.map(toMail);
  }

  /** Waiting mails that are due, oldest first. @param longestWaitMs the longest back-off of a mail */
  async due(longestWaitMs: number, limit = 20): Promise<MailRecord[]> {
    const nowTs = this.session.clock();
    const rows = await this.session.db
      .selectFrom('outbox')
      .selectAll()
      .where('state', '=', 'waiting')
      .where((eb) =>
        eb.or([eb('nextAttemptTs', '<=', nowTs), eb('nextAttemptTs', '>', latestEnd(longestWaitMs, nowTs))]),
      )
      .orderBy('createdTs')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(toMail);
  }

  /** When the next waiting mail is due or expires. */
  async nextDueTs(): Promise<number | undefined> {
    const row = await this.session.db
      .selectFrom('outbox')
      .select('nextAttemptTs')
      .where('state', '=', 'waiting')
      .orderBy('nextAttemptTs')
      .limit(1)
      .executeTakeFirst();
    return row?.nextAttemptTs;
  }

  async markSent(id: string): Promise<void> {
    await this.session.write(async (session) => {
      await session.db
        .updateTable('outbox')
        .set((eb) => ({
          state: 'sent',
          sentTs: session.clock(),
          attempts: eb('attempts', '+', 1),
          ...failure(undefined),
          body: withoutSecret(eb),
        }))
        .where('id', '=', id)
        .execute();
      tell(session, 'mail.sent', id);
    });
  }

  /** Stores a failed attempt; without `nextAttemptTs` there is no further one. */
  async markFailed(id: string, why: Diagnostic, nextAttemptTs?: number): Promise<void> {
    await this.session.write(async (session) => {
      await session.db
        .updateTable('outbox')
        .set((eb) => ({
          attempts: eb('attempts', '+', 1),
          ...failure(why),
          ...(nextAttemptTs === undefined ? { state: 'failed', body: withoutSecret(eb) } : { nextAttemptTs }),
        }))
        .where('id', '=', id)
        .execute();
      tell(session, 'mail.failed', id);
    });
  }

  /** Fails waiting mails that have expired, without an attempt. */
  async endExpired(why: Diagnostic): Promise<void> {
    await this.session.write(async (session) => {
      const rows = await session.db
        .updateTable('outbox')
        .set((eb) => ({ state: 'failed', ...failure(why), body: withoutSecret(eb) }))
        .where('state', '=', 'waiting')
        .where('expirationTs', '<=', session.clock())
        .returning('id')
        .execute();
      for (const { id } of rows) tell(session, 'mail.failed', id);
    });
  }

  /** Makes every waiting mail due now, because the mail server has changed. */
  async hasten(): Promise<void> {
    await this.session.db
      .updateTable('outbox')
      .set({ nextAttemptTs: this.session.clock() })
      .where('state', '=', 'waiting')
      .execute();
  }

  /** Queues a failed mail again. False when it has not failed or its text was erased. */
  async retry(id: string): Promise<boolean> {
    return await this.session.write(async (session) => {
      const row = await session.db
        .updateTable('outbox')
        .set({ state: 'waiting', nextAttemptTs: session.clock(), queuedTs: session.clock(), attempts: 0 })
        .where('id', '=', id)
        .where('state', '=', 'failed')
        .where('holdsSecret', '=', 0)
        .returning('id')
        .executeTakeFirst();
      if (row) tell(session, 'mail.queue', id);
      return row !== undefined;
    });
  }

  async setRead(id: string, isRead: boolean): Promise<void> {
    await this.session.write(async (session) => {
      await session.db
        .updateTable('outbox')
        .set({ readTs: isRead ? session.clock() : null })
        .where('id', '=', id)
        .execute();
      tell(session, 'mail.read', id);
    });
  }
}

function failure(why: Diagnostic | undefined) {
  const { sentence, rest } = diagnosticColumns(why);
  return { lastError: sentence, diagnostic: rest };
}

/** The body after the mail was sent or abandoned: a one-time code is erased. */
function withoutSecret(eb: ExpressionBuilder<Tables, 'outbox'>) {
  return eb.case().when('holdsSecret', '=', 1).then('').else(eb.ref('body')).end();
}

function tell(session: Session, action: string, id: string): void {
  session.announce({ action, entityType: 'mail', entityId: id });
}
