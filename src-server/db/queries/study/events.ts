/** Statements on the event log. Services write its rows, see {@link Session.event}. */

import type { AuthorRecord, EventAction } from '../../../study/events.ts';
import { inPages, type Key, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { absent } from '../shared.ts';
import { authorsOf } from './authors.ts';

export interface EventRecord {
  /** Rises with each event of the site. */
  sequence: number;
  accountId: string;
  studyId: string;
  subjectId?: string;
  action: EventAction;
  actualTs: number;
  reportedTs: number;
  referenceId: string;
  author?: AuthorRecord;
}

export class Events extends Queries {
  /** The key of one event in the order of `list`; undefined if the study has none of that number. */
  async keyOf(studyId: string, sequence: number): Promise<Key | undefined> {
    const row = await this.session.db
      .selectFrom('event')
      .select('reportedTs')
      .where('sequence', '=', sequence)
      .where('studyId', '=', studyId)
      .executeTakeFirst();
    return row && [row.reportedTs, sequence];
  }

  /** Events reported in [fromTs, toTs], in the order reported. */
  async list(
    studyId: string,
    fromTs: number,
    toTs: number,
    page: { keyset?: Keyset | undefined; isDescending?: boolean | undefined } = {},
  ): Promise<EventRecord[]> {
    const query = this.session.db
      .selectFrom('event')
      .selectAll()
      .where('studyId', '=', studyId)
      .where('reportedTs', '>=', fromTs)
      .where('reportedTs', '<=', toTs);
    return await this.#shape(await inPages(query, ['reportedTs', 'sequence'], page).execute());
  }

  /** Events of an account after a sequence number, oldest first; for webhooks. */
  async after(accountId: string, sequence: number, limit = 100): Promise<EventRecord[]> {
    const rows = await this.session.db
      .selectFrom('event')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('sequence', '>', sequence)
      .orderBy('sequence')
      .limit(limit)
      .execute();
    return await this.#shape(rows);
  }

  /** Sequence of the newest event; 0 before the first. */
  async lastSequence(): Promise<number> {
    const row = await this.session.db
      .selectFrom('event')
      .select('sequence')
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.sequence ?? 0;
  }

  async #shape(
    rows: {
      sequence: number;
      accountId: string;
      studyId: string;
      subjectId: string | null;
      action: EventAction;
      actualTs: number;
      reportedTs: number;
      referenceId: string;
      authorType: string | null;
      authorId: string | null;
    }[],
  ): Promise<EventRecord[]> {
    const authors = await authorsOf(this.session, rows);
    return rows.map(({ authorType: _type, authorId, ...row }) => ({
      ...row,
      subjectId: absent(row.subjectId),
      action: row.action,
      ...(authorId !== null && { author: authors.get(authorId) }),
    }));
  }
}
