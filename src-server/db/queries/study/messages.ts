/** Statements on messages between subjects and the staff of their study. */
import { type Selectable, sql } from 'kysely';
import type { AuthorRecord } from '../../../study/events.ts';
import type { PhoneClock } from '../../../study/phone-clock.ts';
import type { ProblemKind } from '../../../vocabulary/problems.ts';
import type { InsertOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf, notFound } from '../shared.ts';
import { authorsOf } from './authors.ts';

const { message: MESSAGE } = TABLES;

type Row = Selectable<Tables['message']>;

export interface MessageRecord {
  id: string;
  studyId: string;
  subjectId: string;
  author: AuthorRecord;
  body: string;
  createdTs: number;
  isRead: boolean;
  readTs?: number;
  image?: { file: string; mimeType: string; sizeBytes: number };
  /** When the subject wrote it, in the site's time; `phoneClock` says how the phone's time was corrected. */
  writtenTs?: number;
  phoneClock?: PhoneClock;
  problem?: ReportedProblem;
}

/** A problem that a subject reports with a message. */
export interface ReportedProblem {
  kind: ProblemKind;
  /** Serial number as reported. */
  sensorSerial?: string;
}

/** The messages to and from one subject in summary. */
export interface ConversationRecord {
  studyId: string;
  subjectId: string;
  messageCount: number;
  /** Written by the subject and not read by the staff. */
  unreadCount: number;
  last: MessageRecord;
}

export class MessageQueries extends Queries {
  /** How many messages the subject wrote since an instant, epoch ms. */
  async countFromSubject(subjectId: string, sinceTs: number): Promise<number> {
    const { count } = await this.session.db
      .selectFrom('message')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('subjectId', '=', subjectId)
      .where('authorType', '=', 'SUBJECT')
      .where('createdTs', '>=', sinceTs)
      .executeTakeFirstOrThrow();
    return count;
  }

  async get(id: string): Promise<MessageRecord | undefined> {
    const [message] = await this.#load(this.session.db.selectFrom('message').selectAll().where('id', '=', id));
    return message;
  }

  /** @throws NOT_FOUND */
  async require(id: string): Promise<MessageRecord> {
    const message = await this.get(id);
    if (!message) throw notFound('message');
    return message;
  }

  /** Conversation of a subject, by time, then id. */
  async list(
    subjectId: string,
    page: { keyset?: Keyset | undefined; isDescending?: boolean | undefined } = {},
  ): Promise<MessageRecord[]> {
    const query = this.session.db.selectFrom('message').selectAll().where('subjectId', '=', subjectId);
    return await this.#load(inPages(query, ['createdTs', 'id'], page));
  }

  /** Unread messages written by subjects of these studies, by time, then id. */
  async unread(studyIds: readonly string[]): Promise<MessageRecord[]> {
    if (studyIds.length === 0) return [];
    return await this.#load(
      this.session.db
        .selectFrom('message')
        .selectAll()
        .where('studyId', 'in', anyOf(studyIds))
        .where('readTs', 'is', null)
        .where('authorType', '=', 'SUBJECT')
        .orderBy('createdTs')
        .orderBy('id'),
    );
  }

  /** Messages from subjects of these studies that the staff have not read. */
  async countUnread(studyIds: readonly string[]): Promise<number> {
    if (studyIds.length === 0) return 0;
    const { unread } = await this.session.db
      .selectFrom('conversation')
      .select(({ fn }) => fn.sum<number | null>('unreadCount').as('unread'))
      .where('studyId', 'in', anyOf(studyIds))
      .executeTakeFirstOrThrow();
    return unread ?? 0;
  }

  /** One entry per subject of these studies who wrote or was written to; the newest message first, then by subject. */
  async conversations(studyIds: readonly string[], keyset?: Keyset): Promise<ConversationRecord[]> {
    if (studyIds.length === 0) return [];
    const rows: Selectable<Tables['conversation']>[] = [];
    // One read per study, each from an index in this order, so a page reads at most its length of each.
    for (const studyId of studyIds) {
      let query = this.session.db
        .selectFrom('conversation')
        .selectAll()
        .where('studyId', '=', studyId)
        .orderBy('lastTs', 'desc')
        .orderBy('subjectId');
      if (keyset?.after) {
        const [lastTs, subjectId] = keyset.after as [number, string];
        // The first condition is contained in the second, but lets the index begin there.
        query = query
          .where('lastTs', '<=', lastTs)
          .where((eb) => eb.or([eb('lastTs', '<', lastTs), eb('subjectId', '>', subjectId)]));
      }
      rows.push(...(await (keyset ? query.limit(keyset.limit) : query).execute()));
    }
    const shown = rows
      .sort((a, b) => b.lastTs - a.lastTs || (a.subjectId < b.subjectId ? -1 : 1))
      .slice(0, keyset?.limit);
    const lastIds = shown.map(({ lastId }) => lastId);
    const newest = await this.#load(
      this.session.db.selectFrom('message').selectAll().where('id', 'in', anyOf(lastIds)),
    );
    const byId = new Map(newest.map((message) => [message.id, message]));
    return shown.map(({ lastTs: _, lastId, ...row }) => ({ ...row, last: byId.get(lastId) as MessageRecord }));
  }

  /** Names of all files that rows name in the folder of images: pictures of messages, and documents of consents. */
  async imageFiles(): Promise<Set<string>> {
    const rows = await this.session.db
      .selectFrom('message')
      .select('imageFile as file')
      .where('imageFile', 'is not', null)
      .union(
        this.session.db
          .selectFrom('participationStep')
          .select('documentFile as file')
          .where('documentFile', 'is not', null),
      )
      .$narrowType<{ file: string }>()
      .execute();
    return new Set(rows.map(({ file }) => file));
  }

  /** Files of {@link imageFiles} in the order of their names, with what is known of their content. */
  async imageContents(): Promise<{ file: string; sizeBytes: number; sha256?: string }[]> {
    const rows = await this.session.db
      .selectFrom('message')
      .select(['imageFile as file', 'imageSizeBytes as sizeBytes', 'imageSha256 as sha256'])
      .where('imageFile', 'is not', null)
      .union(
        this.session.db
          .selectFrom('participationStep')
          .select(['documentFile as file', 'documentSizeBytes as sizeBytes', 'documentSha256 as sha256'])
          .where('documentFile', 'is not', null),
      )
      .orderBy('file')
      .$narrowType<{ file: string; sizeBytes: number }>()
      .execute();
    return rows.map(({ file, sizeBytes, sha256 }) => ({ file, sizeBytes, ...(sha256 !== null && { sha256 }) }));
  }

  protected async putImageSha256(file: string, sha256: string): Promise<void> {
    await this.session.db
      .updateTable('message')
      .set({ imageSha256: sha256 })
      .where('imageFile', '=', file)
      .where('imageSha256', 'is', null)
      .execute();
  }

  protected async insert(message: InsertOf<typeof MESSAGE>): Promise<void> {
    const { db } = this.session;
    await db.insertInto('message').values(MESSAGE.toRow(message)).execute();
    const { subjectId, studyId, createdTs, id } = message;
    const unreadCount = message.authorType === 'SUBJECT' && (message.readTs ?? null) === null ? 1 : 0;
    await db
      .insertInto('conversation')
      .values({ subjectId, studyId, messageCount: 1, unreadCount, lastTs: createdTs, lastId: id })
      .onConflict((conflict) =>
        conflict.column('subjectId').doUpdateSet((eb) => ({
          messageCount: eb('conversation.messageCount', '+', 1),
          unreadCount: eb('conversation.unreadCount', '+', unreadCount),
        })),
      )
      .execute();
    // A clock that was set back gives a new message an earlier time; the last one is the last by time, then id.
    await db
      .updateTable('conversation')
      .set({ lastTs: createdTs, lastId: id })
      .where('subjectId', '=', subjectId)
      .where(sql<boolean>`(lastTs, lastId) < (${createdTs}, ${id})`)
      .execute();
  }

  protected async setRead(id: string, readTs: number): Promise<void> {
    const { db } = this.session;
    const read = await db
      .updateTable('message')
      .set({ readTs })
      .where('id', '=', id)
      .where('readTs', 'is', null)
      .returning(['subjectId', 'authorType'])
      .executeTakeFirst();
    if (read?.authorType !== 'SUBJECT') return;
    await db
      .updateTable('conversation')
      .set((eb) => ({ unreadCount: eb('unreadCount', '-', 1) }))
      .where('subjectId', '=', read.subjectId)
      .execute();
  }

  async #load(query: { execute(): Promise<Row[]> }): Promise<MessageRecord[]> {
    const rows = await query.execute();
    const authors = await authorsOf(this.session, rows);
    return rows.map((row) => {
      const {
        authorType: _,
        authorId,
        imageFile,
        imageMimeType = '',
        imageSizeBytes = 0,
        imageSha256: _imageSha256,
        readTs,
        problemKind,
        problemSensorId,
        ...message
      } = MESSAGE.toRecord(row);
      return {
        ...message,
        author: authors.get(authorId) as AuthorRecord,
        isRead: readTs !== undefined,
        ...(readTs !== undefined && { readTs }),
        ...(problemKind !== undefined && {
          problem: {
            kind: problemKind,
            ...(problemSensorId !== undefined && { sensorSerial: problemSensorId }),
          },
        }),
        ...(imageFile !== undefined && {
          image: { file: imageFile, mimeType: imageMimeType, sizeBytes: imageSizeBytes },
        }),
      };
    });
  }
}
