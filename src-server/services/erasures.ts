/**
 * Erasing a person: the order, which outlives a power cut, and the transaction that removes every row and leaves a tombstone in the
 * audit trail. What follows outside the database is in `integrity/erasure/`. Decision 0032.
 */
import {
  type Change,
  ErasureQueries,
  type ErasureRecord,
  type ErasureTraces,
  StudyQueries,
  SubjectQueries,
  SYSTEM,
  subjectHash,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { studyLocked } from '../study/lock-rules.ts';
import { foldText } from '../study/text.ts';
import { StudyExports } from './study-exports.ts';

/** An erasure as a list outside of the database knows it. */
export interface ListedErasure extends ErasureTraces {
  id: string;
  subjectSha256: string;
  requestedTs: number;
  reason: string;
}

/** What lists show of a person. */
const TOPICS = ['recording', 'annotation', 'message', 'analytics', 'equipment', 'job', 'export', 'upload'] as const;

function refusedField(path: string, message: string): OutpostError {
  return new OutpostError('INVALID_INPUT', message, { errors: [{ path, message }] });
}

export class Erasures extends ErasureQueries {
  /**
   * Stores the order to erase a person. From here on nothing can undo it: the next start completes what a power cut interrupts.
   * @param order `confirmation` is the name of the person as the administrator typed it
   * @throws NOT_FOUND, STUDY_LOCKED, INVALID_INPUT
   */
  async order(
    { studyId, subjectId, confirmation }: { studyId: string; subjectId: string; confirmation: string },
    change: Change,
  ): Promise<ErasureRecord> {
    return await this.session.write(async (session) => {
      const erasures = new Erasures(session);
      const subject = await new SubjectQueries(session).require(subjectId, studyId);
      const { lockedTs } = await new StudyQueries(session).require(studyId);
      if (lockedTs !== undefined) throw studyLocked();
      const before = await erasures.ofSubject(subjectId);
      if (before) return before;
      if (confirmation.trim() !== subject.displayName)
        throw refusedField('confirmation', 'Type the name of the subject exactly as it is shown.');
      const reason = change.reason?.trim() ?? '';
      if (reason === '') throw refusedField('reason', 'A reason is required.');
      if (foldText(reason).includes(foldText(subject.displayName)))
        throw refusedField('reason', 'The reason outlives the erasure, so it must not name the person.');
      const id = session.newId();
      await erasures.insert({
        id,
        subjectSha256: subjectHash(subjectId),
        studyId,
        subjectId,
        userId: change.actor.id,
        reason,
        requestedTs: session.clock(),
      });
      return (await erasures.get(id))!;
    });
  }

  /**
   * Takes an erasure over that a list names and the database does not: the database is of an earlier time. A person whom the database
   * does not know needs no erasure, but is still recognised.
   */
  async take({ id, subjectSha256, requestedTs, reason, ...traces }: ListedErasure): Promise<void> {
    await this.session.write(async (session) => {
      const erasures = new Erasures(session);
      const known = (await erasures.list()).find((one) => one.id === id || one.subjectSha256 === subjectSha256);
      if (!known) {
        const subject = await erasures.subjectWithHash(subjectSha256);
        const now = session.clock();
        await erasures.insert({
          id,
          subjectSha256,
          requestedTs,
          reason,
          ...(subject ? { subjectId: subject.id, studyId: subject.studyId } : { erasedTs: now, finishedTs: now }),
        });
      }
      await erasures.addTraces(known?.id ?? id, traces);
    });
  }

  /**
   * Removes every row of the person and the content of every entry of the trail about them, and writes the tombstone: one
   * transaction. Does nothing when it is done already.
   */
  async eraseRows(id: string): Promise<void> {
    const { subjectId } = await this.#require(id);
    if (subjectId === undefined) return;
    const { words, sequences, upTo } = await this.auditOf(subjectId);
    await this.session.write(async (session) => {
      const erasures = new Erasures(session);
      const order = await erasures.#require(id);
      if (order.subjectId === undefined) return;
      const rows = await erasures.rowsOf(subjectId);
      const { studyId } = rows;
      const counts = { uploads: rows.uploads.length, ...(await erasures.counts(rows)) };
      const exports = new StudyExports(session);
      for (const found of rows.exports) {
        if (found.isFinished && !found.isRemoved) await exports.remove(found.id, 'DELETED', SYSTEM);
      }
      const about = [...sequences, ...(await erasures.laterAudit(words, rows, upTo))];
      const { bare, ...digest } = await erasures.digest(about);
      await erasures.addTraces(id, await erasures.presentTraces(subjectId));
      await erasures.deleteMentions(words);
      await erasures.forgetInExports(rows);
      const files = await erasures.deletePerson(rows);
      const change = order.userId === undefined ? SYSTEM : { actor: { type: 'USER' as const, id: order.userId } };
      const { subjectSha256, reason } = order;
      const sequence = await session.audit(
        { ...change, reason },
        {
          action: 'subject.erase',
          entityType: 'subject',
          entityId: id,
          studyId,
          changes: Object.fromEntries(
            Object.entries({ subjectSha256, ...digest, ...counts }).map(([name, value]) => [name, { new: value }]),
          ),
        },
      );
      await erasures.emptyAudit(bare, sequence);
      for (const entityType of TOPICS) session.announce({ action: 'subject.erase', entityType, entityId: id, studyId });
      await erasures.patch(id, { subjectId: null, erasedTs: session.clock(), auditSequence: sequence, files });
    });
  }

  /** The files are gone; what is left in free pages of the database goes next. */
  async filesRemoved(id: string): Promise<void> {
    await this.session.write(async (session) => await new Erasures(session).patch(id, { files: null }));
  }

  async finish(id: string): Promise<void> {
    await this.session.write(async (session) => {
      await new Erasures(session).patch(id, { finishedTs: session.clock() });
    });
  }

  /** Every erasure with what it is recognised by. */
  async listed(): Promise<ListedErasure[]> {
    const all: ListedErasure[] = [];
    for (const { id, subjectSha256, subjectId, requestedTs, reason } of await this.list()) {
      const stored = await this.traces(id);
      const present = subjectId === undefined ? { marks: [], wears: [] } : await this.presentTraces(subjectId);
      all.push({
        id,
        subjectSha256,
        requestedTs,
        reason,
        marks: [...new Set([...stored.marks, ...present.marks])].sort(),
        wears: [...stored.wears, ...present.wears],
      });
    }
    return all;
  }

  async #require(id: string): Promise<ErasureRecord> {
    const erasure = await this.get(id);
    if (!erasure) throw new OutpostError('NOT_FOUND', 'There is no such erasure.');
    return erasure;
  }
}
