import { sql } from 'kysely';
import { OutpostError } from '../../../errors.ts';
import type { AuthorRecord } from '../../../study/events.ts';
import { requireEdit } from '../../../study/lifecycle.ts';
import { authorOf, type Change } from '../../session.ts';
import { Queries } from '../queries.ts';
import { anyOf, notFound } from '../shared.ts';
import { authorsOf } from './authors.ts';
import { Studies } from './studies.ts';
import { Subjects } from './subjects.ts';

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
}

/** What was written to and from one subject, in short. */
export interface ConversationRecord {
  studyId: string;
  subjectId: string;
  messageCount: number;
  /** Written by the subject and not read by the staff. */
  unreadCount: number;
  last: MessageRecord;
}

export interface NewMessage {
  id?: string;
  studyId: string;
  subjectId: string;
  body: string;
  image?: { file: string; mimeType: string; sizeBytes: number };
}

export class Messages extends Queries {
  /** Stores a message of the user or subject who acts, and writes MESSAGE_POSTED. @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT */
  async post(input: NewMessage, change: Change): Promise<MessageRecord> {
    return await this.session.write(async (session) => {
      const messages = new Messages(session);
      const author = authorOf(change);
      if (!author) throw new OutpostError('INVALID_INPUT', 'A message needs a user or a subject as its author.');
      if (!input.body.trim() && !input.image) throw new OutpostError('INVALID_INPUT', 'The message is empty.');
      const known = input.id === undefined ? undefined : await messages.get(input.id);
      if (known) {
        if (known.subjectId === input.subjectId) return known;
        throw new OutpostError('CONFLICT', 'Another message has this id.');
      }
      await new Subjects(session).require(input.subjectId, input.studyId);
      requireEdit((await new Studies(session).require(input.studyId)).lifecycleState, 'add-data');
      const id = input.id ?? session.newId();
      const place = { studyId: input.studyId, subjectId: input.subjectId };
      await session.db
        .insertInto('message')
        .values({
          id,
          ...place,
          authorType: author.type,
          authorId: author.id,
          body: input.body,
          imageFile: input.image?.file ?? null,
          imageMimeType: input.image?.mimeType ?? null,
          imageSizeBytes: input.image?.sizeBytes ?? null,
          createdTs: session.clock(),
          readTs: null,
        })
        .execute();
      await session.audit(change, {
        action: 'message.post',
        entityType: 'message',
        entityId: id,
        ...place,
        changes: { body: { new: input.body }, ...(input.image && { image: { new: input.image } }) },
      });
      await session.event({ action: 'MESSAGE_POSTED', ...place, referenceId: id, author });
      return (await messages.get(id)) as MessageRecord;
    });
  }

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

  /** Conversation of a subject, by time, then id. */
  async list(subjectId: string): Promise<MessageRecord[]> {
    return await this.#load(
      this.session.db
        .selectFrom('message')
        .selectAll()
        .where('subjectId', '=', subjectId)
        .orderBy('createdTs')
        .orderBy('id'),
    );
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

  /** One entry per subject of these studies who wrote or was written to; the newest message first, then by subject. */
  async conversations(studyIds: readonly string[]): Promise<ConversationRecord[]> {
    if (studyIds.length === 0) return [];
    const rows = await this.session.db
      .selectFrom('message as one')
      .select(({ fn, selectFrom }) => [
        'one.studyId',
        'one.subjectId',
        fn.countAll<number>().as('messageCount'),
        sql<number>`sum(one.readTs IS NULL AND one.authorType = 'SUBJECT')`.as('unreadCount'),
        selectFrom('message as other')
          .select('other.id')
          .whereRef('other.subjectId', '=', 'one.subjectId')
          .orderBy('other.createdTs', 'desc')
          .orderBy('other.id', 'desc')
          .limit(1)
          .as('lastId'),
      ])
      .where('one.studyId', 'in', anyOf(studyIds))
      .groupBy(['one.studyId', 'one.subjectId'])
      .execute();
    const lastIds = rows.map(({ lastId }) => lastId as string);
    const newest = await this.#load(
      this.session.db.selectFrom('message').selectAll().where('id', 'in', anyOf(lastIds)),
    );
    const byId = new Map(newest.map((message) => [message.id, message]));
    return rows
      .map(({ lastId, ...row }) => ({ ...row, last: byId.get(lastId as string) as MessageRecord }))
      .sort((a, b) => b.last.createdTs - a.last.createdTs || (a.subjectId < b.subjectId ? -1 : 1));
  }

  /** Marks as read; doing it again changes nothing. @throws NOT_FOUND */
  async markRead(id: string, change: Change): Promise<MessageRecord> {
    return await this.session.write(async (session) => {
      const messages = new Messages(session);
      const message = await messages.get(id);
      if (!message) throw notFound('message');
      if (message.isRead) return message;
      await session.db.updateTable('message').set({ readTs: session.clock() }).where('id', '=', id).execute();
      const { studyId, subjectId } = message;
      await session.audit(change, {
        action: 'message.read',
        entityType: 'message',
        entityId: id,
        studyId,
        subjectId,
        changes: { isRead: { old: false, new: true } },
      });
      return (await messages.get(id)) as MessageRecord;
    });
  }

  /** Names of all stored pictures. */
  async imageFiles(): Promise<Set<string>> {
    const rows = await this.session.db
      .selectFrom('message')
      .select('imageFile')
      .where('imageFile', 'is not', null)
      .execute();
    return new Set(rows.map((row) => row.imageFile as string));
  }

  async #load(query: { execute(): Promise<MessageRow[]> }): Promise<MessageRecord[]> {
    const rows = await query.execute();
    const authors = await authorsOf(this.session, rows);
    return rows.map((row) => ({
      id: row.id,
      studyId: row.studyId,
      subjectId: row.subjectId,
      author: authors.get(row.authorId) as AuthorRecord,
      body: row.body,
      createdTs: row.createdTs,
      isRead: row.readTs !== null,
      ...(row.readTs !== null && { readTs: row.readTs }),
      ...(row.imageFile !== null && {
        image: { file: row.imageFile, mimeType: row.imageMimeType ?? '', sizeBytes: row.imageSizeBytes ?? 0 },
      }),
    }));
  }
}

interface MessageRow {
  id: string;
  studyId: string;
  subjectId: string;
  authorType: string;
  authorId: string;
  body: string;
  createdTs: number;
  readTs: number | null;
  imageFile: string | null;
  imageMimeType: string | null;
  imageSizeBytes: number | null;
}
