import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Selectable, sql } from 'kysely';
import { HOUR_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import { requireEdit, requireLabelEdit } from '../../../study/lifecycle.ts';
import type { Tables } from '../../schema.ts';
import { type Change, changesBetween, changesFromNothing } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, notFound } from '../shared.ts';
import { Studies } from './studies.ts';
import { Subjects } from './subjects.ts';

export type AnnotationType = 'activity' | 'diary' | 'question' | 'recording' | 'subject';

export interface AnnotationRecord {
  id: string;
  studyId: string;
  subjectId: string;
  type: AnnotationType;
  displayName: string;
  authorType?: 'USER' | 'SUBJECT';
  authorId?: string;
  startTs: number;
  stopTs: number;
  value?: string;
  event?: { id: string; displayName: string; type: 'activity' | 'diary' | 'question'; relationshipId?: string };
  /** Answers: the type of their question and the annotation of their task. */
  questionType?: string;
  parentId?: string;
  /** Labels: the recording they were read on. */
  recordingId?: string;
  intendedTs?: number;
  openedTs?: number;
  completedTs?: number;
  reportedTs: number;
  createdTs: number;
  modifiedTs: number;
}

/** A completed activity or diary with its answers. Ids made by the client make a repeated report harmless. */
export interface TaskReport {
  id?: string;
  studyId: string;
  subjectId: string;
  taskId: string;
  startTs: number;
  stopTs: number;
  intendedTs?: number;
  openedTs?: number;
  completedTs?: number;
  /** In the order of the questions; several answers to one question are several entries. */
  answers: { id?: string; questionId: string; value: string }[];
}

/** A point or span that a person (type `recording`) or the system (type `subject`) marks. */
export interface NewLabel {
  id?: string;
  studyId: string;
  subjectId: string;
  type: 'recording' | 'subject';
  displayName: string;
  startTs: number;
  stopTs: number;
  value?: string;
  recordingId?: string;
}

export interface AnnotationFilter {
  /** Inclusive, by start. */
  fromTs?: number;
  toTs?: number;
  types?: readonly AnnotationType[];
  recordingId?: string;
}

type Row = Selectable<Tables['annotation']>;

function toRecord(row: Row): AnnotationRecord {
  const { position: _position, eventId, eventDisplayName, relationshipId, ...rest } = row;
  return {
    ...rest,
    type: row.type as AnnotationType,
    authorType: absent(row.authorType) as AnnotationRecord['authorType'],
    authorId: absent(row.authorId),
    value: absent(row.value),
    questionType: absent(row.questionType),
    parentId: absent(row.parentId),
    recordingId: absent(row.recordingId),
    intendedTs: absent(row.intendedTs),
    openedTs: absent(row.openedTs),
    completedTs: absent(row.completedTs),
    ...(eventId !== null && {
      event: {
        id: eventId,
        displayName: eventDisplayName ?? '',
        type: row.type as 'activity' | 'diary' | 'question',
        relationshipId: absent(relationshipId),
      },
    }),
  };
}

const EMPTY = {
  authorType: null,
  authorId: null,
  value: null,
  eventId: null,
  eventDisplayName: null,
  relationshipId: null,
  questionType: null,
  parentId: null,
  recordingId: null,
  intendedTs: null,
  openedTs: null,
  completedTs: null,
};

/** 20 columns each, far below SQLite's 32,766 parameters of a statement. */
const ROWS_PER_INSERT = 250;
/** A slice is read in a few milliseconds. */
const ROWS_PER_SLICE = 1000;

export class Annotations extends Queries {
  /**
   * Stores a completed task: its annotation, one per answer, and ACTIVITY_COMPLETED or DIARY_COMPLETED. The same id again
   * answers what is stored.
   * @throws NOT_FOUND (study, subject, task), STUDY_STATE, INVALID_INPUT (a question that the task does not have)
   */
  async reportTask(report: TaskReport, change: Change): Promise<AnnotationRecord> {
    return await this.session.write(async (session) => {
      const annotations = new Annotations(session);
      const known = report.id === undefined ? undefined : await annotations.get(report.id);
      if (known) {
        if (known.subjectId === report.subjectId) return known;
        throw new OutpostError('CONFLICT', 'Another annotation has this id.');
      }
      requireSpan(report);
      await new Subjects(session).require(report.subjectId, report.studyId);
      const study = await new Studies(session).getDetail(report.studyId);
      if (!study) throw notFound('study');
      requireEdit(study.lifecycleState, 'add-data');
      const task = [...study.activities, ...study.diaries].find((candidate) => candidate.id === report.taskId);
      if (!task) throw notFound('activity or diary');
      const now = session.clock();
      const id = report.id ?? session.newId();
      const common = {
        ...EMPTY,
        studyId: report.studyId,
        subjectId: report.subjectId,
        authorType: change.actor.type === 'USER' ? 'USER' : 'SUBJECT',
        authorId: change.actor.type === 'USER' ? change.actor.id : report.subjectId,
        startTs: report.startTs,
        stopTs: report.stopTs,
        reportedTs: now,
        createdTs: now,
        modifiedTs: now,
      };
      const row = {
        ...common,
        id,
        type: task.type,
        displayName: task.displayName,
        eventId: task.id,
        eventDisplayName: task.displayName,
        intendedTs: report.intendedTs ?? null,
        openedTs: report.openedTs ?? null,
        completedTs: report.completedTs ?? report.stopTs,
      };
      await session.db.insertInto('annotation').values(row).execute();
      for (const [position, answer] of report.answers.entries()) {
        const question = task.questions.find((candidate) => candidate.id === answer.questionId);
        if (!question) {
          throw new OutpostError('INVALID_INPUT', `${task.displayName} has no such question.`, {
            errors: [{ path: `answers.${position}.questionId`, message: 'The task has no question with this id.' }],
          });
        }
        await session.db
          .insertInto('annotation')
          .values({
            ...common,
            id: answer.id ?? session.newId(),
            type: 'question',
            displayName: question.text,
            value: answer.value,
            eventId: question.id,
            eventDisplayName: question.text,
            relationshipId: task.id,
            questionType: question.type,
            parentId: id,
            position,
          })
          .execute();
      }
      const place = { studyId: report.studyId, subjectId: report.subjectId };
      await session.audit(change, {
        action: 'annotation.report',
        entityType: 'annotation',
        entityId: id,
        ...place,
        changes: changesFromNothing({ ...row, answers: report.answers }),
      });
      await session.event({
        action: task.type === 'activity' ? 'ACTIVITY_COMPLETED' : 'DIARY_COMPLETED',
        ...place,
        referenceId: id,
        actualTs: row.completedTs,
        author: { type: 'SUBJECT', id: report.subjectId },
      });
      return await annotations.require(id);
    });
  }

  /**
   * Stores labels in one transaction; those whose id is stored already stay as they are. Answers the new ones.
   * @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT
   */
  async addLabels(labels: readonly NewLabel[], change: Change): Promise<AnnotationRecord[]> {
    if (labels.length === 0) return [];
    return await this.session.write(async (session) => {
      const isPerson = change.actor.type === 'USER' || change.actor.type === 'SUBJECT';
      const now = session.clock();
      const checked = new Set<string>();
      const rows: Row[] = [];
      for (const label of labels) {
        requireSpan(label);
        if (label.type === 'recording' && !isPerson) {
          throw new OutpostError('INVALID_INPUT', 'A label on a recording needs the user who made it.');
        }
        const place = `${label.studyId} ${label.subjectId}`;
        if (!checked.has(place)) {
          await new Subjects(session).require(label.subjectId, label.studyId);
          requireLabelEdit((await new Studies(session).require(label.studyId)).lifecycleState, change.reason);
          checked.add(place);
        }
        rows.push({
          ...EMPTY,
          id: label.id ?? session.newId(),
          studyId: label.studyId,
          subjectId: label.subjectId,
          type: label.type,
          displayName: label.displayName,
          authorType: isPerson ? change.actor.type : null,
          authorId: isPerson ? (change.actor.id as string) : null,
          startTs: label.startTs,
          stopTs: label.stopTs,
          value: label.value ?? null,
          recordingId: label.recordingId ?? null,
          position: 0,
          reportedTs: now,
          createdTs: now,
          modifiedTs: now,
        });
      }
      const stored: AnnotationRecord[] = [];
      for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
        const slice = rows.slice(start, start + ROWS_PER_INSERT);
        const inserted = await session.db
          .insertInto('annotation')
          .values(slice)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .returning('id')
          .execute();
        const ids = new Set(inserted.map(({ id }) => id));
        stored.push(...slice.filter(({ id }) => ids.has(id)).map(toRecord));
      }
      const first = stored[0];
      if (first) {
        // One row for a whole import: a day of beat labels would otherwise be 100,000 of them.
        await session.audit(change, {
          action: 'annotation.label',
          entityType: 'annotation',
          entityId: first.id,
          studyId: first.studyId,
          subjectId: first.subjectId,
          changes:
            stored.length === 1
              ? changesFromNothing({ ...first })
              : { labels: { new: stored.length }, firstStartTs: { new: first.startTs } },
        });
      }
      return stored;
    });
  }

  /** @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT when it is no label */
  async updateLabel(
    id: string,
    fields: { displayName?: string; startTs?: number; stopTs?: number; value?: string | null },
    change: Change,
  ): Promise<AnnotationRecord> {
    return await this.session.write(async (session) => {
      const annotations = new Annotations(session);
      const old = await annotations.#requireLabel(id, change);
      requireSpan({ startTs: fields.startTs ?? old.startTs, stopTs: fields.stopTs ?? old.stopTs });
      const changes = changesBetween({ ...old }, { ...fields });
      if (Object.keys(changes).length === 0) return old;
      await session.db
        .updateTable('annotation')
        .set({ ...fields, modifiedTs: session.clock() })
        .where('id', '=', id)
        .execute();
      const { studyId, subjectId } = old;
      await session.audit(change, {
        action: 'annotation.update',
        entityType: 'annotation',
        entityId: id,
        studyId,
        subjectId,
        changes,
      });
      return await annotations.require(id);
    });
  }

  /** Removes a label; the audit keeps what it said. @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT when it is no label */
  async deleteLabel(id: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const old = await new Annotations(session).#requireLabel(id, change);
      await session.db.deleteFrom('annotation').where('id', '=', id).execute();
      const { studyId, subjectId } = old;
      const changes = Object.fromEntries(
        Object.entries({ ...old })
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => [name, { old: value }]),
      );
      await session.audit(change, {
        action: 'annotation.delete',
        entityType: 'annotation',
        entityId: id,
        studyId,
        subjectId,
        changes,
      });
    });
  }

  async get(id: string): Promise<AnnotationRecord | undefined> {
    const row = await this.session.db.selectFrom('annotation').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string): Promise<AnnotationRecord> {
    const annotation = await this.get(id);
    if (!annotation) throw notFound('annotation');
    return annotation;
  }

  /** By start, then a task before its answers in their order, then id. `from` and `to` are inclusive and go by start. */
  async list(subjectId: string, filter: AnnotationFilter = {}): Promise<AnnotationRecord[]> {
    return (await this.#inOrder(subjectId, filter).execute()).map(toRecord);
  }

  /**
   * What `list` answers, in slices with other work let through in between: an imported day of beat labels is 100,000 rows.
   * Not within a transaction.
   */
  async *slices(subjectId: string, filter: AnnotationFilter = {}): AsyncGenerator<AnnotationRecord[]> {
    let after: Row | undefined;
    for (;;) {
      let query = this.#inOrder(subjectId, filter).limit(ROWS_PER_SLICE);
      if (after) {
        const { startTs, parentId, position, id } = after;
        const isAnswer = parentId === null ? 0 : 1;
        query = query
          .where('startTs', '>=', startTs)
          .where(
            sql<boolean>`(startTs, coalesce(parentId, id), parentId IS NOT NULL, position, id) > (${startTs}, ${parentId ?? id}, ${isAnswer}, ${position}, ${id})`,
          );
      }
      const rows = await query.execute();
      if (rows.length > 0) yield rows.map(toRecord);
      if (rows.length < ROWS_PER_SLICE) return;
      after = rows.at(-1);
      await nextTurn();
    }
  }

  /**
   * A text that differs once annotations that began in the span were added, changed or removed. Read hour by hour with
   * other work let through in between. Not within a transaction.
   */
  async stateBetween(subjectId: string, fromTs: number, toTs: number): Promise<string> {
    let count = 0;
    let stamps = 0n;
    for (let hourTs = fromTs; hourTs <= toTs; hourTs += HOUR_MS) {
      const row = await this.session.db
        .selectFrom('annotation')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | null>('modifiedTs').as('stamps')])
        .where('subjectId', '=', subjectId)
        .where('startTs', '>=', hourTs)
        .where('startTs', '<', Math.min(hourTs + HOUR_MS, toTs + 1))
        .executeTakeFirstOrThrow();
      count += row.count;
      stamps += BigInt(row.stamps ?? 0);
      await nextTurn();
    }
    return `${count} ${stamps}`;
  }

  #inOrder(subjectId: string, filter: AnnotationFilter) {
    let query = this.session.db.selectFrom('annotation').selectAll().where('subjectId', '=', subjectId);
    if (filter.fromTs !== undefined) query = query.where('startTs', '>=', filter.fromTs);
    if (filter.toTs !== undefined) query = query.where('startTs', '<=', filter.toTs);
    if (filter.types) query = query.where('type', 'in', [...filter.types]);
    if (filter.recordingId !== undefined) query = query.where('recordingId', '=', filter.recordingId);
    return query
      .orderBy('startTs')
      .orderBy((eb) => eb.fn.coalesce('parentId', 'id'))
      .orderBy((eb) => eb('parentId', 'is not', null))
      .orderBy('position')
      .orderBy('id');
  }

  /** How many tasks the subject reported since an instant, epoch ms. */
  async countFromSubject(subjectId: string, sinceTs: number): Promise<number> {
    const { count } = await this.session.db
      .selectFrom('annotation')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('subjectId', '=', subjectId)
      .where('type', 'in', ['activity', 'diary'])
      .where('authorType', '=', 'SUBJECT')
      .where('reportedTs', '>=', sinceTs)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Answers of a completed task, in order. */
  async answers(parentId: string): Promise<AnnotationRecord[]> {
    const rows = await this.session.db
      .selectFrom('annotation')
      .selectAll()
      .where('parentId', '=', parentId)
      .orderBy('position')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** Tasks performed in a study, or by one subject of it, for adherence: which task, by whom, when it was begun. */
  async completions(
    studyId: string,
    subjectId?: string,
  ): Promise<{ subjectId: string; taskId: string; startTs: number }[]> {
    let query = this.session.db
      .selectFrom('annotation')
      .innerJoin('task', 'task.id', 'annotation.eventId')
      .select(['annotation.subjectId', 'task.id as taskId', 'annotation.startTs'])
      .where('task.studyId', '=', studyId)
      .where('annotation.type', 'in', ['activity', 'diary']);
    if (subjectId !== undefined) query = query.where('annotation.subjectId', '=', subjectId);
    return await query.execute();
  }

  async #requireLabel(id: string, change: Change): Promise<AnnotationRecord> {
    const annotation = await this.require(id);
    if (annotation.type !== 'recording' && annotation.type !== 'subject') {
      throw new OutpostError('INVALID_INPUT', 'What a subject reported is not changed. Add a label beside it instead.');
    }
    requireLabelEdit((await new Studies(this.session).require(annotation.studyId)).lifecycleState, change.reason);
    return annotation;
  }
}

function requireSpan(span: { startTs: number; stopTs: number }): void {
  if (span.stopTs >= span.startTs) return;
  throw new OutpostError('INVALID_INPUT', 'The stop must not be before the start.', {
    errors: [{ path: 'stopTs', message: 'The stop must not be before the start.' }],
  });
}
