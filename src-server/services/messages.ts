/** Messages between subjects and the staff of their study. */
import {
  authorOf,
  type Change,
  MessageQueries,
  type MessageRecord,
  type ReportedProblem,
  StudyQueries,
  SubjectQueries,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesFromNothing } from '../study/changes.ts';
import { requireEdit } from '../study/lifecycle.ts';
import type { PhoneClock } from '../study/phone-clock.ts';

export interface NewMessage {
  id?: string;
  studyId: string;
  subjectId: string;
  body: string;
  image?: { file: string; mimeType: string; sizeBytes: number; sha256?: string };
  /** When the subject wrote it, in the site's time, and how that was corrected. */
  writtenTs?: number;
  phoneClock?: PhoneClock;
  problem?: ReportedProblem;
  /** Of a message that the program sends for a person; default: who acts. */
  author?: { type: 'USER'; id: string };
  /** The messages to many subjects that it is one of. */
  batchId?: string;
}

export class Messages extends MessageQueries {
  /**
   * Stores a message by the acting user or subject and writes MESSAGE_POSTED. A repeated id returns what is stored.
   * @throws NOT_FOUND, STUDY_STATE, CONFLICT (the id of another subject's message), INVALID_INPUT
   */
  async post(input: NewMessage, change: Change): Promise<MessageRecord> {
    return await this.session.write(async (session) => {
      const messages = new Messages(session);
      const author = input.author ?? authorOf(change);
      if (!author) throw new OutpostError('INVALID_INPUT', 'A message needs a user or a subject as its author.');
      if (!input.body.trim() && !input.image && !input.problem)
        throw new OutpostError('INVALID_INPUT', 'The message is empty.');
      const known = input.id === undefined ? undefined : await messages.get(input.id);
      if (known) {
        if (known.subjectId === input.subjectId) return known;
        throw new OutpostError('CONFLICT', 'Another message has this id.');
      }
      await new SubjectQueries(session).require(input.subjectId, input.studyId);
      requireEdit((await new StudyQueries(session).require(input.studyId)).lifecycleState, 'add-data');
      const id = input.id ?? session.newId();
      const place = { studyId: input.studyId, subjectId: input.subjectId };
      await messages.insert({
        id,
        ...place,
        authorType: author.type,
        authorId: author.id,
        body: input.body,
        imageFile: input.image?.file,
        imageMimeType: input.image?.mimeType,
        imageSizeBytes: input.image?.sizeBytes,
        imageSha256: input.image?.sha256,
        createdTs: session.clock(),
        writtenTs: input.writtenTs,
        phoneClock: input.phoneClock,
        problemKind: input.problem?.kind,
        problemSensorId: input.problem?.sensorSerial,
        batchId: input.batchId,
      });
      await session.audit(change, {
        action: 'message.post',
        entityType: 'message',
        entityId: id,
        ...place,
        changes: {
          body: { new: input.body },
          ...(input.image && { image: { new: imageFacts(input.image) } }),
          ...changesFromNothing({ writtenTs: input.writtenTs, phoneClock: input.phoneClock, problem: input.problem }),
        },
      });
      await session.event({ action: 'MESSAGE_POSTED', ...place, referenceId: id, author });
      return await messages.require(id);
    });
  }

  /** Notes the hash of a picture that was stored without one; a fact about it, no change of the message. */
  async noteImageSha256(file: string, sha256: string): Promise<void> {
    await this.session.write(async (session) => {
      await new Messages(session).putImageSha256(file, sha256);
    });
  }

  /** Marks as read; doing it again changes nothing. @throws NOT_FOUND */
  async markRead(id: string, change: Change): Promise<MessageRecord> {
    return await this.session.write(async (session) => {
      const messages = new Messages(session);
      const message = await messages.require(id);
      if (message.isRead) return message;
      await messages.setRead(id, session.clock());
      const { studyId, subjectId } = message;
      await session.audit(change, {
        action: 'message.read',
        entityType: 'message',
        entityId: id,
        studyId,
        subjectId,
        changes: { isRead: { old: false, new: true } },
      });
      return await messages.require(id);
    });
  }
}

const imageFacts = ({ file, mimeType, sizeBytes }: NonNullable<NewMessage['image']>) => ({ file, mimeType, sizeBytes });
