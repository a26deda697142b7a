/** Data queries: each step in one transaction with its audit entry. Steps are only added. */
import {
  AnnotationQueries,
  authorOf,
  type Change,
  type DataQueryRecord,
  DataQueries as DataQueryStatements,
  notFound,
  RecordingQueries,
  StudyQueries,
  SubjectQueries,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesFromNothing } from '../study/changes.ts';
import { isCalendarDate } from '../study/day-windows.ts';
import { stateAfter } from '../study/queries.ts';
import type { QueryStep, QueryTarget } from '../vocabulary/queries.ts';
import { requireAssignable } from './assignees.ts';
import { savedOtherwise } from './repeated-ids.ts';

export interface NewDataQuery {
  /** Made by the client: the same request repeated with it changes nothing. */
  id?: string | undefined;
  studyId: string;
  subjectId: string;
  target: QueryTarget;
  /** The recording or annotation. */
  targetId?: string | undefined;
  /** Of a day, and the metric of it that is meant. */
  date?: string | undefined;
  metric?: string | undefined;
  text: string;
  assigneeId?: string | undefined;
}

export interface NewQueryStep {
  id?: string | undefined;
  kind: Exclude<QueryStep, 'OPEN'>;
  text?: string | undefined;
  /** Of ASSIGN: absent for nobody. */
  assigneeId?: string | undefined;
}

const invalid = (path: string, message: string): OutpostError =>
  new OutpostError('INVALID_INPUT', `The query is not valid: ${path} ${message}.`, { errors: [{ path, message }] });

const userOf = (change: Change): string => {
  const author = authorOf(change);
  if (author?.type !== 'USER') throw new OutpostError('INVALID_INPUT', 'A query needs the user who writes it.');
  return author.id;
};

const LABEL_TYPES: readonly string[] = ['recording', 'subject'];

export class DataQueries extends DataQueryStatements {
  /**
   * Opens a query. A repeated request returns what is stored.
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_LOCKED, CONFLICT (the id of another query, or saved with another content)
   */
  async open(input: NewDataQuery, change: Change): Promise<DataQueryRecord> {
    const { studyId, subjectId, target, date, metric, assigneeId } = input;
    const openedBy = userOf(change);
    const text = input.text.trim();
    if (text === '') throw invalid('text', 'must not be empty');
    return await this.session.write(async (session) => {
      const queries = new DataQueries(session);
      const known = input.id === undefined ? undefined : await queries.get(input.id);
      if (known) {
        if (known.subjectId !== subjectId || known.openedBy !== openedBy || known.target !== target) {
          throw new OutpostError('CONFLICT', 'Another query has this id.');
        }
        const question = (await queries.stepsOf([known.id])).get(known.id)?.[0];
        const isSame =
          known.targetId === input.targetId &&
          known.date === date &&
          known.metric === metric &&
          // As it was opened: it may have been assigned to somebody else since.
          question?.text === text &&
          question.assigneeId === assigneeId;
        if (isSame) return known;
        throw savedOtherwise(
          'This query was already saved with another content. Comment on it or reassign it in the list of queries.',
        );
      }
      await new SubjectQueries(session).require(subjectId, studyId);
      const about = await queries.#targetOf(input);
      if (assigneeId !== undefined) await requireAssignable(new StudyQueries(session), studyId, assigneeId);
      const id = input.id ?? session.newId();
      const stepId = session.newId();
      const nowTs = session.clock();
      await queries.insert({
        ...{ id, studyId, subjectId, target, ...about, state: 'OPEN', openedBy },
        assigneeId: assigneeId ?? null,
        ...{ openedTs: nowTs, stateTs: nowTs, lastStepId: stepId },
      });
      await queries.insertStep({
        ...{ id: stepId, queryId: id, studyId, subjectId, kind: 'OPEN', state: 'OPEN', text },
        assigneeId: assigneeId ?? null,
        ...{ authorId: openedBy, createdTs: nowTs },
      });
      await session.audit(change, {
        action: 'query.open',
        entityType: 'query',
        entityId: id,
        ...{ studyId, subjectId },
        changes: changesFromNothing({ target, targetId: input.targetId, date, metric, text, assigneeId }),
      });
      return await queries.require(id, studyId);
    });
  }

  /**
   * Adds a step. A repeated request changes nothing.
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_LOCKED, CONFLICT (not in this state, the id of another step, or saved with another content)
   */
  async addStep(
    { id, studyId }: Pick<DataQueryRecord, 'id' | 'studyId'>,
    { id: givenId, kind, assigneeId, ...given }: NewQueryStep,
    change: Change,
  ): Promise<DataQueryRecord> {
    const authorId = userOf(change);
    const text = given.text?.trim() ?? '';
    return await this.session.write(async (session) => {
      const queries = new DataQueries(session);
      const query = await queries.require(id, studyId);
      const known = givenId === undefined ? undefined : await queries.step(givenId);
      if (known) {
        if (known.queryId !== id || known.kind !== kind || known.authorId !== authorId) {
          throw new OutpostError('CONFLICT', 'Another step has this id.');
        }
        const isSame = known.text === text && (kind !== 'ASSIGN' || known.assigneeId === assigneeId);
        if (isSame) return query;
        throw savedOtherwise(
          'This step was already saved with another content. Add the correction as a comment on the query.',
        );
      }
      const { subjectId } = query;
      const state = stateAfter(query.state, kind, text);
      if (kind === 'ASSIGN' && assigneeId !== undefined) {
        await requireAssignable(new StudyQueries(session), studyId, assigneeId);
      }
      const stepId = givenId ?? session.newId();
      const nowTs = session.clock();
      const assigned = kind === 'ASSIGN' ? { assigneeId: assigneeId ?? null } : {};
      await queries.insertStep({
        ...{ id: stepId, queryId: id, studyId, subjectId, kind, state, text, ...assigned },
        ...{ authorId, createdTs: nowTs },
      });
      await queries.patch(id, {
        ...{ state, lastStepId: stepId, ...assigned },
        ...(state !== query.state && { stateTs: nowTs }),
      });
      await session.audit(change, {
        action: `query.${kind.toLowerCase()}`,
        entityType: 'query',
        entityId: id,
        ...{ studyId, subjectId },
        changes: {
          ...(state !== query.state && { state: { old: query.state, new: state } }),
          ...(text !== '' && { text: { new: text } }),
          ...(kind === 'ASSIGN' && { assigneeId: { old: query.assigneeId ?? null, new: assigneeId ?? null } }),
        },
      });
      return await queries.require(id, studyId);
    });
  }

  /** The target as it is stored, with its name and time, which outlive a deleted label. */
  async #targetOf({ studyId, subjectId, target, targetId, date, metric }: NewDataQuery) {
    if (target === 'DAY') {
      if (targetId !== undefined) throw invalid('targetId', 'is not of a day');
      if (date === undefined || !isCalendarDate(date)) throw invalid('date', 'must be a date');
      return { date, metric: metric ?? null };
    }
    if (date !== undefined) throw invalid('date', 'is only of a day');
    if (metric !== undefined) throw invalid('metric', 'is only of a day');
    if (targetId === undefined) throw invalid('targetId', 'is required');
    if (target === 'RECORDING') {
      const recording = await new RecordingQueries(this.session).get(targetId);
      if (recording?.studyId !== studyId || recording.subjectId !== subjectId) throw notFound('recording');
      return { targetId, targetTs: Math.floor(recording.startUs / 1000) };
    }
    const annotation = await new AnnotationQueries(this.session).get(targetId);
    if (annotation?.subjectId !== subjectId) throw notFound('annotation');
    if (LABEL_TYPES.includes(annotation.type) !== (target === 'LABEL')) {
      throw invalid('targetId', target === 'LABEL' ? 'is not a label' : 'is not a task or an answer');
    }
    return { targetId, targetName: annotation.displayName, targetTs: annotation.startTs };
  }
}
