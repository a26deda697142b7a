/** Exports of studies: the request with its job, the finished file, and its removal. */
import { type Change, type NewStudyExport, StudyExportQueries, type StudyExportRecord } from '../db/index.ts';
import { changesFromNothing } from '../study/changes.ts';
import type { RemovalReason } from '../study/export-formats.ts';
import type { JobPayloads, JobRow } from '../study/jobs.ts';
import { Jobs } from './jobs.ts';
import { Studies } from './studies.ts';

export class StudyExports extends StudyExportQueries {
  /** Stores the request and the job that makes the file, both or neither. */
  async request(input: NewStudyExport, change: Change): Promise<{ record: StudyExportRecord; job: JobRow }> {
    return await this.session.write(async (session) => {
      const exports = new StudyExports(session);
      const id = session.newId();
      const { studyId, requestedTs } = input;
      const payload: JobPayloads['archive'] = { studyId, requestedTs, requestedBy: change.actor };
      const job = await new Jobs(session).add({ id, kind: 'archive', payload }, change);
      const { format, isDeidentified, words, subjectIds, sinceTs, sinceExportId } = input;
      await exports.insert({
        id,
        studyId,
        format,
        isDeidentified,
        disclosedWords: words,
        subjectIds,
        sinceTs,
        sinceExportId,
        requestedTs,
      });
      const changes = changesFromNothing({ ...input });
      await session.audit(change, {
        action: 'export.request',
        entityType: 'export',
        entityId: id,
        studyId,
        // In the history of the subject, too.
        ...(format === 'SUBJECT' && { subjectId: subjectIds?.[0] }),
        changes,
      });
      return { record: await exports.require(id), job };
    });
  }

  /** Stores the finished file. @throws NOT_FOUND */
  async finish(
    id: string,
    file: { name: string; sizeBytes: number; sha256: string; auditSequence: number },
    change: Change,
  ): Promise<StudyExportRecord> {
    return await this.session.write(async (session) => {
      const exports = new StudyExports(session);
      const { studyId } = await exports.require(id);
      const { name: fileName, ...facts } = file;
      await exports.patch(id, { fileName, ...facts, finishedTs: session.clock() });
      const changes = changesFromNothing({ sizeBytes: file.sizeBytes, sha256: file.sha256 });
      await session.audit(change, { action: 'export.finish', entityType: 'export', entityId: id, studyId, changes });
      return await exports.require(id);
    });
  }

  /**
   * Stores that the file is removed; a study that shows it as its archive stops showing it. The row stays, because later
   * exports may build on this one. @throws NOT_FOUND
   */
  async remove(id: string, because: RemovalReason, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const exports = new StudyExports(session);
      const { studyId, file, removed } = await exports.require(id);
      if (removed?.because === because) return;
      await exports.patch(id, { removedTs: session.clock(), removedBecause: because });
      const changes = changesFromNothing({ removedBecause: because });
      await session.audit(change, { action: 'export.remove', entityType: 'export', entityId: id, studyId, changes });
      const studies = new Studies(session);
      const shown = (await studies.require(studyId)).export?.file;
      if (file && shown === file.name) await studies.setExport(studyId, null, change);
    });
  }
}
