import type { Session } from '../../session.ts';
import { absent } from '../shared.ts';

export interface MailRecord {
  id: string;
  accountId: string;
  recipient: string;
  subject: string;
  body: string;
  state: 'waiting' | 'sent' | 'failed';
  attempts: number;
  lastError?: string;
  createdTs: number;
  sentTs?: number;
}

/** E-mails of the site: kept here always, sent when a mail server is set, so nothing depends on the internet. */
export class Outbox {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async add(mail: { accountId: string; recipient: string; subject: string; body: string }): Promise<string> {
    const id = this.#session.newId();
    await this.#session.db
      .insertInto('outbox')
      .values({ id, ...mail, state: 'waiting', lastError: null, createdTs: this.#session.clock(), sentTs: null })
      .execute();
    return id;
  }

  /** Newest first. */
  async list(accountId: string, limit = 200): Promise<MailRecord[]> {
    const rows = await this.#session.db
      .selectFrom('outbox')
      .selectAll()
      .where('accountId', '=', accountId)
      .orderBy('createdTs', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toMail);
  }

  /** Oldest first. */
  async waiting(limit = 20): Promise<MailRecord[]> {
    const rows = await this.#session.db
      .selectFrom('outbox')
      .selectAll()
      .where('state', '=', 'waiting')
      .orderBy('createdTs')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(toMail);
  }

  async markSent(id: string): Promise<void> {
    await this.#session.db
      .updateTable('outbox')
      .set((eb) => ({
        state: 'sent',
        sentTs: this.#session.clock(),
        attempts: eb('attempts', '+', 1),
        lastError: null,
      }))
      .where('id', '=', id)
      .execute();
  }

  /** `final`: it will not be tried again. */
  async markFailed(id: string, lastError: string, final: boolean): Promise<void> {
    await this.#session.db
      .updateTable('outbox')
      .set((eb) => ({ state: final ? 'failed' : 'waiting', attempts: eb('attempts', '+', 1), lastError }))
      .where('id', '=', id)
      .execute();
  }
}

function toMail(row: {
  id: string;
  accountId: string;
  recipient: string;
  subject: string;
  body: string;
  state: string;
  attempts: number;
  lastError: string | null;
  createdTs: number;
  sentTs: number | null;
}): MailRecord {
  return {
    ...row,
    state: row.state as MailRecord['state'],
    lastError: absent(row.lastError),
    sentTs: absent(row.sentTs),
  };
}
