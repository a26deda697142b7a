/** Annotations: reported tasks and labels, with the lifecycle rules, audit and events of each. */
import {
  AnnotationQueries,
  type AnnotationRecord,
  authorOf,
  type Change,
  type NewAnnotation,
  notFound,
  RecordingQueries,
  StudyQueries,
  SubjectQueries,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { requireLabel, requireSpan } from '../study/annotations.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import { requireEdit, requireLabelEdit } from '../study/lifecycle.ts';
import type { PhoneClock } from '../study/phone-clock.ts';
import { calibrationPosture } from '../study/posture-calibration.ts';
import { answerType, type ReportedAnswer } from '../study/task-reports.ts';
import { Jobs } from './jobs.ts';

/** A completed activity or diary with its answers. Ids made by the client are idempotency keys. */
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
  /** How these times were corrected. */
  phoneClock?: PhoneClock;
  /** In the order of the questions; several answers to one question are several entries. */
  answers: readonly ReportedAnswer[];
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

export class Annotations extends AnnotationQueries {
  /**
   * Stores a completed task: its annotation, one per answer, and ACTIVITY_COMPLETED or DIARY_COMPLETED. A repeated id returns
   * what is stored.
   * @throws NOT_FOUND (study, subject, task), STUDY_STATE, CONFLICT (the id of another subject's annotation), INVALID_INPUT (a
   * question that the task does not have)
   */
  async reportTask(report: TaskReport, change: Change): Promise<AnnotationRecord> {
    return await this.session.write(async (session) => {
      const annotations = new Annotations(session);
      const stored = report.id === undefined ? undefined : await annotations.get(report.id);
      if (stored) {
        if (stored.subjectId === report.subjectId) return stored;
        throw new OutpostError('CONFLICT', 'Another annotation has this id.');
      }
      requireSpan(report);
      await new SubjectQueries(session).require(report.subjectId, report.studyId);
      const study = await new StudyQueries(session).requireDetail(report.studyId);
      requireEdit(study.lifecycleState, 'add-data');
      const task = [...study.activities, ...study.diaries].find((candidate) => candidate.id === report.taskId);
      if (!task) throw notFound('activity or diary');
      const now = session.clock();
      const id = report.id ?? session.newId();
      const place = { studyId: report.studyId, subjectId: report.subjectId };
      const isUser = change.actor.type === 'USER';
      const common = {
        ...place,
        authorType: isUser ? 'USER' : 'SUBJECT',
        authorId: isUser ? change.actor.id : report.subjectId,
        startTs: report.startTs,
        stopTs: report.stopTs,
        reportedTs: now,
        createdTs: now,
        modifiedTs: now,
      } as const;
      const completedTs = report.completedTs ?? report.stopTs;
      const annotation: NewAnnotation = {
        ...common,
        id,
        type: task.type,
        displayName: task.displayName,
        eventId: task.id,
        eventDisplayName: task.displayName,
        intendedTs: report.intendedTs,
        openedTs: report.openedTs,
        completedTs,
        phoneClock: report.phoneClock,
      };
      const questionOf = (position: number) => {
        const question = task.questions.find(({ id }) => id === report.answers[position]?.questionId);
        if (question) return question;
        throw new OutpostError('INVALID_INPUT', `${task.displayName} has no such question.`, {
          errors: [{ path: `answers.${position}.questionId`, message: 'The task has no question with this id.' }],
        });
      };
      const skipped = report.answers.flatMap((answer, position) =>
        'skipped' in answer ? [{ questionId: answer.questionId, text: questionOf(position).text }] : [],
      );
      if (skipped.length > 0) annotation.skipped = skipped;
      await annotations.insert(annotation);
      for (const [position, answer] of report.answers.entries()) {
        if ('skipped' in answer) continue;
        const question = questionOf(position);
        await annotations.insert({
          ...common,
          id: session.newId(),
          type: 'question',
          displayName: question.text,
          value: answer.value,
          eventId: question.id,
          eventDisplayName: question.text,
          relationshipId: task.id,
          questionType: answerType(question, answer.value),
          unit: question.unit,
          parentId: id,
          position,
        });
      }
      await session.audit(change, {
        action: 'annotation.report',
        entityType: 'annotation',
        entityId: id,
        ...place,
        changes: changesFromNothing({ ...annotation, answers: report.answers }),
      });
      await session.event({
        action: task.type === 'activity' ? 'ACTIVITY_COMPLETED' : 'DIARY_COMPLETED',
        ...place,
        referenceId: id,
        actualTs: completedTs,
        author: { type: 'SUBJECT', id: report.subjectId },
      });
      return await annotations.require(id);
    });
  }

  /**
   * Stores labels in one transaction and returns those that are new; one whose id is stored already stays as it is.
   * @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT
   */
  async addLabels(labels: readonly NewLabel[], change: Change): Promise<AnnotationRecord[]> {
    if (labels.length === 0) return [];
    return await this.session.write(async (session) => {
      const annotations = new Annotations(session);
      const author = authorOf(change);
      const now = session.clock();
      const checked = new Set<string>();
      const rows: NewAnnotation[] = [];
      for (const label of labels) {
        requireSpan(label);
        if (label.type === 'recording' && !author) {
          throw new OutpostError('INVALID_INPUT', 'A label on a recording needs the user who made it.');
        }
        const place = `${label.studyId} ${label.subjectId}`;
        if (!checked.has(place)) {
          await new SubjectQueries(session).require(label.subjectId, label.studyId);
          requireLabelEdit((await new StudyQueries(session).require(label.studyId)).lifecycleState, change.reason);
          checked.add(place);
        }
        rows.push({
          id: label.id ?? session.newId(),
          studyId: label.studyId,
          subjectId: label.subjectId,
          type: label.type,
          displayName: label.displayName,
          authorType: author?.type,
          authorId: author?.id,
          startTs: label.startTs,
          stopTs: label.stopTs,
          value: label.value,
          recordingId: label.recordingId,
          reportedTs: now,
          createdTs: now,
          modifiedTs: now,
        });
      }
      const newIds = await annotations.insertNew(rows);
      const stored = rows.filter(({ id }) => newIds.has(id)) as AnnotationRecord[];
      const [first] = stored;
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
      for (const { studyId, subjectId } of new Map(stored.map((label) => [label.subjectId, label])).values()) {
        const own = stored.filter((label) => label.subjectId === subjectId);
        await annotations.#analyseCalibrated({ studyId, subjectId }, own, change);
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
      const old = await annotations.#requireEditableLabel(id, change);
      requireSpan({ startTs: fields.startTs ?? old.startTs, stopTs: fields.stopTs ?? old.stopTs });
      const changes = changesBetween({ ...old }, { ...fields });
      if (Object.keys(changes).length === 0) return old;
      await annotations.patch(id, { ...fields, modifiedTs: session.clock() });
      const { studyId, subjectId } = old;
      await session.audit(change, {
        action: 'annotation.update',
        entityType: 'annotation',
        entityId: id,
        studyId,
        subjectId,
        changes,
      });
      const label = await annotations.require(id);
      await annotations.#analyseCalibrated({ studyId, subjectId }, [old, label], change);
      return label;
    });
  }

  /** Removes a label; the audit keeps its values. @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT when it is no label */
  async deleteLabel(id: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const annotations = new Annotations(session);
      const old = await annotations.#requireEditableLabel(id, change);
      await annotations.delete(id);
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
      await annotations.#analyseCalibrated({ studyId, subjectId }, [old], change);
    });
  }

  /**
   * Queues the analysis of the recordings that a new, changed or removed posture calibration orients: a phone may report it days
   * after the recording was analysed. A calibration orients the whole of each recording in which it lies.
   */
  async #analyseCalibrated(
    place: { studyId: string; subjectId: string },
    labels: readonly AnnotationRecord[],
    change: Change,
  ): Promise<void> {
    const spans = labels.filter((label) => calibrationPosture(label) !== undefined);
    if (spans.length === 0) return;
    const filter = {
      fromUs: Math.min(...spans.map(({ startTs }) => startTs)) * 1000,
      toUs: Math.max(...spans.map(({ stopTs }) => stopTs)) * 1000,
    };
    const oriented = (await new RecordingQueries(this.session).listForSubject(place.subjectId, filter)).filter(
      ({ status, studyId, startUs, stopUs }) =>
        status === 'COMPLETE' &&
        studyId === place.studyId &&
        spans.some((span) => startUs < span.stopTs * 1000 && stopUs > span.startTs * 1000),
    );
    if (oriented.length === 0) return;
    const fromMs = Math.min(...oriented.map(({ startUs }) => Math.floor(startUs / 1000)));
    const toMs = Math.max(...oriented.map(({ stopUs }) => Math.floor(stopUs / 1000) + 1));
    const recordingIds = oriented.map(({ id }) => id);
    await new Jobs(this.session).queue('analyse', { ...place, fromMs, toMs, recordingIds }, change);
  }

  async #requireEditableLabel(id: string, change: Change): Promise<AnnotationRecord> {
    const annotation = await this.require(id);
    requireLabel(annotation);
    requireLabelEdit((await new StudyQueries(this.session).require(annotation.studyId)).lifecycleState, change.reason);
    return annotation;
  }
}
