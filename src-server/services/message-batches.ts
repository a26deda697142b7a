/**
 * Templates of messages, and messages to many subjects. A batch is one transaction: each subject gets its message once, or the whole
 * batch is not sent. Repeating its id answers with what became of it and sends nothing again.
 */
import { createHash } from 'node:crypto';
import {
  type Change,
  MessageTemplateQueries,
  ParticipationQueries,
  StudyQueries,
  type SubjectRecord,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import { localDateIn } from '../study/day-windows.ts';
import { requireEdit } from '../study/lifecycle.ts';
import { refusalOf } from '../study/message-batches.ts';
import {
  type BatchOutcome,
  dateInWords,
  filledText,
  type MessageLanguage,
  unknownPlaceholders,
} from '../vocabulary/message-placeholders.ts';
import { Messages } from './messages.ts';
import { savedOtherwise } from './repeated-ids.ts';
import { Subjects } from './subjects.ts';

export interface MessageBatch {
  id: string;
  studyId: string;
  language: MessageLanguage;
  /** With placeholders. */
  body: string;
  subjectIds: readonly string[];
}

export interface BatchItem {
  subjectId: string;
  outcome: BatchOutcome;
  /** Of the message, once it is sent. */
  messageId?: string;
  /** The text with its placeholders filled; absent for a subject that gets none. */
  body?: string;
}

type Texts = Partial<Record<MessageLanguage, string>>;

/** @throws INVALID_INPUT naming the words in braces that are no placeholders */
function requirePlaceholders(text: string, path: string): void {
  const [unknown] = unknownPlaceholders(text);
  if (unknown === undefined) return;
  const message = `{${unknown}} is no placeholder. Use {name}, {date} or {study}.`;
  throw new OutpostError('INVALID_INPUT', message, { errors: [{ path, message }] });
}

export class MessageBatches extends MessageTemplateQueries {
  /**
   * Stores a template, or replaces the one with this id.
   * @throws NOT_FOUND, STUDY_STATE, CONFLICT (the id of a template of another study), INVALID_INPUT
   */
  async putTemplate(
    { id, studyId, displayName, texts }: { id: string; studyId: string; displayName: string; texts: Texts },
    change: Change,
  ): Promise<void> {
    for (const [language, text] of Object.entries(texts)) requirePlaceholders(text, `texts.${language}`);
    await this.session.write(async (session) => {
      const templates = new MessageBatches(session);
      requireEdit((await new StudyQueries(session).require(studyId)).lifecycleState, 'add-data');
      const old = await templates.get(id);
      if (old && old.studyId !== studyId) throw new OutpostError('CONFLICT', 'Another template has this id.');
      const fields = { displayName, texts };
      const changes = old
        ? changesBetween({ displayName: old.displayName, texts: old.texts }, fields)
        : changesFromNothing(fields);
      if (Object.keys(changes).length === 0) return;
      const now = session.clock();
      if (old) await templates.patchTemplate(id, { ...fields, modifiedTs: now });
      else await templates.insertTemplate({ id, studyId, ...fields, createdTs: now, modifiedTs: now });
      await session.audit(change, {
        action: 'message-template.put',
        entityType: 'messageTemplate',
        entityId: id,
        studyId,
        changes,
      });
    });
  }

  /** Deletes a template; doing it again changes nothing. Messages that were sent with it stay. @throws NOT_FOUND */
  async removeTemplate(id: string, studyId: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const templates = new MessageBatches(session);
      const old = await templates.get(id);
      if (!old) return;
      if (old.studyId !== studyId) throw new OutpostError('NOT_FOUND', 'There is no such template.');
      await templates.deleteTemplate(id);
      await session.audit(change, {
        action: 'message-template.delete',
        entityType: 'messageTemplate',
        entityId: id,
        studyId,
        changes: { displayName: { old: old.displayName }, texts: { old: old.texts } },
      });
    });
  }

  /** Returns what would become of a batch, and sends nothing. @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT */
  async judge(batch: Omit<MessageBatch, 'id'>): Promise<BatchItem[]> {
    await this.#requireSendable(batch);
    return [...(await this.#plan(batch)).values()];
  }

  /**
   * Sends a batch, or returns what became of it when it was sent before, also in a study that was completed since.
   * @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT; CONFLICT when the id was used with another text, language or study
   */
  async send(batch: MessageBatch, change: Change): Promise<BatchItem[]> {
    return await this.session.write(async (session) => {
      const batches = new MessageBatches(session);
      const { id, studyId, language, body } = batch;
      if (change.actor.type !== 'USER') throw new OutpostError('INVALID_INPUT', 'A message to many needs a user.');
      const contentHash = createHash('sha256')
        .update(JSON.stringify([studyId, language, body]))
        .digest('hex');
      const known = await batches.batch(id);
      if (known && known.contentHash !== contentHash)
        throw savedOtherwise('These messages were already sent with another text. Nothing was sent again.');
      if (known) {
        const sent = await batches.messagesOf(id);
        return [...(await batches.#plan(batch)).values()].map(({ body: _, ...item }): BatchItem => {
          const message = sent.get(item.subjectId);
          if (message) return { ...item, outcome: 'SENT', messageId: message.id, body: message.body };
          return item.outcome === 'SENT' ? { ...item, outcome: 'NOT_SENT' } : item;
        });
      }
      await batches.#requireSendable(batch);
      const items = [...(await batches.#plan(batch)).values()];
      if (!items.some(({ outcome }) => outcome === 'SENT')) return items;
      await batches.insertBatch({ id, studyId, authorId: change.actor.id, contentHash, createdTs: session.clock() });
      const messages = new Messages(session);
      const done: BatchItem[] = [];
      for (const item of items) {
        if (item.outcome !== 'SENT' || item.body === undefined) {
          done.push(item);
          continue;
        }
        const message = await messages.post(
          { studyId, subjectId: item.subjectId, body: item.body, batchId: id },
          change,
        );
        done.push({ ...item, messageId: message.id });
      }
      return done;
    });
  }

  /** @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT */
  async #requireSendable({ studyId, body }: Pick<MessageBatch, 'studyId' | 'body'>): Promise<void> {
    requirePlaceholders(body, 'body');
    requireEdit((await new StudyQueries(this.session).require(studyId)).lifecycleState, 'add-data');
  }

  /** What each subject gets, each once, in the order given. @throws NOT_FOUND */
  async #plan({ studyId, language, body, subjectIds }: Omit<MessageBatch, 'id'>): Promise<Map<string, BatchItem>> {
    const { session } = this;
    const study = await new StudyQueries(session).require(studyId);
    const subjects = new Subjects(session);
    const known = new Map<string, SubjectRecord>((await subjects.list(studyId)).map((one) => [one.id, one]));
    const standings = await new ParticipationQueries(session).standingsOfStudy(studyId);
    const statusOf = new Map(standings.map((one) => [one.subjectId, one.status]));
    const nowMs = session.clock();
    const plan = new Map<string, BatchItem>();
    for (const subjectId of subjectIds) {
      const subject = known.get(subjectId);
      const refusal = refusalOf(subject && { ...subject, status: statusOf.get(subjectId) });
      if (!subject || refusal) {
        plan.set(subjectId, { subjectId, outcome: refusal ?? 'NO_SUBJECT' });
        continue;
      }
      const date = localDateIn(nowMs, subject.timezone);
      const text = filledText(body, {
        name: subject.displayName,
        date: dateInWords(date, language),
        study: study.displayName,
      });
      plan.set(subjectId, { subjectId, outcome: 'SENT', body: text });
    }
    return plan;
  }
}
