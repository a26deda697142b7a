/**
 * Locking a study against every change, and unlocking it. `Session.audit` refuses changes of a locked study; these two steps write
 * the state that it looks at.
 */
import { type Change, JobQueries, StudyQueries, type StudyRecord, type UserRecord } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import type { JobRow } from '../study/jobs.ts';
import { Signatures } from './signatures.ts';

const MOST_JOBS = 10_000;

export class StudyLocks extends StudyQueries {
  /**
   * Locks a study in the name of a person, with their signature over the lock.
   * @throws NOT_FOUND, STUDY_STATE when it is locked already or being worked on, INVALID_INPUT without a reason
   */
  async lock(id: string, signer: UserRecord, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const locks = new StudyLocks(session);
      const study = await locks.#require(id, change);
      if (study.lockedTs !== undefined) throw new OutpostError('STUDY_STATE', 'The study is locked already.');
      await locks.#requireNoWork(id);
      await locks.#set(id, session.clock(), 'study.lock', change);
      const signatures = new Signatures(session);
      const target = { studyId: id, kind: 'study-lock', targetId: id } as const;
      const { sha256 } = await signatures.contentOf(target);
      const comment = change.reason;
      await signatures.sign({ ...target, meaning: 'LOCKED', comment, contentSha256: sha256 }, signer, change);
    });
  }

  /** @throws NOT_FOUND, STUDY_STATE when it is not locked, INVALID_INPUT without a reason */
  async unlock(id: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const locks = new StudyLocks(session);
      const study = await locks.#require(id, change);
      if (study.lockedTs === undefined) throw new OutpostError('STUDY_STATE', 'The study is not locked.');
      await locks.#set(id, null, 'study.unlock', change, study.lockedTs);
    });
  }

  async #require(id: string, change: Change): Promise<StudyRecord> {
    if (!change.reason?.trim()) {
      throw new OutpostError('INVALID_INPUT', 'Give a reason.', {
        errors: [{ path: 'reason', message: 'A reason is required.' }],
      });
    }
    return await this.require(id);
  }

  /** Work that would change the study must end first, or it would fail half-way. */
  async #requireNoWork(id: string): Promise<void> {
    const jobs = await new JobQueries(this.session).list({
      studyIds: [id],
      states: ['queued', 'running'],
      limit: MOST_JOBS,
    });
    // An analysis run changes nothing of the study's record.
    const isRun = ({ payload }: JobRow) => 'runId' in payload && payload.runId !== undefined;
    if (!jobs.some((job) => (job.kind === 'import' || job.kind === 'analyse') && !isRun(job))) return;
    throw new OutpostError(
      'STUDY_STATE',
      'Recordings of the study are being imported or analysed. Lock it when that is done.',
    );
  }

  async #set(id: string, lockedTs: number | null, action: string, change: Change, oldTs: number | null = null) {
    await this.patch(id, { lockedTs });
    await this.session.audit(change, {
      action,
      entityType: 'study',
      entityId: id,
      studyId: id,
      changes: { lockedTs: { old: oldTs, new: lockedTs } },
    });
  }
}
