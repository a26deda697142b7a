import { type Selectable, sql } from 'kysely';
import type { DisclosedWords, ExportFormatName } from '../../../study/export-formats.ts';
import type { JobPayloads, JobRow } from '../../../study/jobs.ts';
import type { Tables } from '../../schema.ts';
import { type Change, changesFromNothing } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, flag, notFound, parseOptionalJson } from '../shared.ts';
import { Studies } from '../study/studies.ts';
import { Jobs } from './jobs.ts';

/** Why the file of an export is there no more. A deleted export is not shown either. */
export type RemovalReason = 'DELETED' | 'SUPERSEDED' | 'EXPIRED' | 'SPACE';

export interface NewStudyExport {
  studyId: string;
  format: ExportFormatName;
  isDeidentified: boolean;
  /** What a de-identified export holds beyond the rule. Absent in those of before there was one. */
  words?: DisclosedWords;
  /** Default: every subject but test subjects. */
  subjectIds?: readonly string[];
  /** Only what changed since this instant, epoch ms. */
  sinceTs?: number;
  /** Only what changed since this export of the same study. */
  sinceExportId?: string;
  /** Epoch ms; what comes later is not in it. */
  requestedTs: number;
}

export interface StudyExportRecord extends NewStudyExport {
  /** Also the id of the job that makes it. */
  id: string;
  /** The file, once it is whole. */
  file?: { name: string; sizeBytes: number; sha256?: string };
  /** Number of the newest audit row that the export has seen. */
  auditSequence?: number;
  finishedTs?: number;
  removed?: { ts: number; because: RemovalReason };
}

function toRecord(row: Selectable<Tables['studyExport']>): StudyExportRecord {
  return {
    id: row.id,
    studyId: row.studyId,
    format: row.format as ExportFormatName,
    isDeidentified: row.isDeidentified === 1,
    words: parseOptionalJson<DisclosedWords>(row.disclosedWords),
    subjectIds: parseOptionalJson<string[]>(row.subjectIds),
    sinceTs: absent(row.sinceTs),
    sinceExportId: absent(row.sinceExportId),
    requestedTs: row.requestedTs,
    ...(row.fileName !== null && {
      file: { name: row.fileName, sizeBytes: row.sizeBytes ?? 0, sha256: absent(row.sha256) },
    }),
    auditSequence: absent(row.auditSequence),
    finishedTs: absent(row.finishedTs),
    ...(row.removedTs !== null && {
      removed: { ts: row.removedTs, because: row.removedBecause as RemovalReason },
    }),
  };
}

/** Exports of studies: the request, the file, and how the file went. */
export class StudyExports extends Queries {
  /** Stores the request and the job that makes it, both or neither. */
  async request(input: NewStudyExport, change: Change): Promise<{ record: StudyExportRecord; job: JobRow }> {
    return await this.session.write(async (session) => {
      const id = session.newId();
      const { studyId, requestedTs } = input;
      const payload: JobPayloads['archive'] = { studyId, requestedTs, requestedBy: change.actor };
      const job = await new Jobs(session).add({ id, kind: 'archive', payload }, change);
      await session.db
        .insertInto('studyExport')
        .values({
          id,
          studyId,
          format: input.format,
          isDeidentified: flag(input.isDeidentified),
          disclosedWords: input.words ? JSON.stringify(input.words) : null,
          subjectIds: input.subjectIds ? JSON.stringify(input.subjectIds) : null,
          sinceTs: input.sinceTs ?? null,
          sinceExportId: input.sinceExportId ?? null,
          requestedTs,
          fileName: null,
          sizeBytes: null,
          sha256: null,
          auditSequence: null,
          finishedTs: null,
          removedTs: null,
          removedBecause: null,
        })
        .execute();
      const changes = changesFromNothing({ ...input });
      await session.audit(change, { action: 'export.request', entityType: 'export', entityId: id, studyId, changes });
      return { record: await new StudyExports(session).require(id), job };
    });
  }

  async get(id: string): Promise<StudyExportRecord | undefined> {
    const row = await this.session.db.selectFrom('studyExport').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the export is of another study than the one given */
  async require(id: string, studyId?: string): Promise<StudyExportRecord> {
    const record = await this.get(id);
    if (!record || (studyId !== undefined && record.studyId !== studyId)) throw notFound('export');
    return record;
  }

  /** Newest first, without those that were deleted. */
  async list(studyId: string, limit: number): Promise<StudyExportRecord[]> {
    const rows = await this.session.db
      .selectFrom('studyExport')
      .selectAll()
      .where('studyId', '=', studyId)
      .where((eb) => eb.or([eb('removedBecause', 'is', null), eb('removedBecause', '!=', 'DELETED')]))
      .orderBy('requestedTs', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toRecord);
  }

  /** Exports of every study, or of one, whose file is kept, in the order of their requests, whatever the clock said. */
  async kept(studyId?: string): Promise<StudyExportRecord[]> {
    let query = this.session.db
      .selectFrom('studyExport')
      .selectAll()
      .where('finishedTs', 'is not', null)
      .where('removedTs', 'is', null);
    if (studyId !== undefined) query = query.where('studyId', '=', studyId);
    const rows = await query.orderBy(sql`rowid`).execute();
    return rows.map(toRecord);
  }

  /** Notes the finished file. @throws NOT_FOUND */
  async finish(
    id: string,
    file: { name: string; sizeBytes: number; sha256: string; auditSequence: number },
    change: Change,
  ): Promise<StudyExportRecord> {
    return await this.session.write(async (session) => {
      const exports = new StudyExports(session);
      const { studyId } = await exports.require(id);
      const { name: fileName, ...facts } = file;
      const columns = { fileName, ...facts, finishedTs: session.clock() };
      await session.db.updateTable('studyExport').set(columns).where('id', '=', id).execute();
      const changes = changesFromNothing({ sizeBytes: file.sizeBytes, sha256: file.sha256 });
      await session.audit(change, { action: 'export.finish', entityType: 'export', entityId: id, studyId, changes });
      return await exports.require(id);
    });
  }

  /**
   * Notes that the file goes; a study that shows it as its archive does so no more. The row stays: later exports may
   * build on this one. @throws NOT_FOUND
   */
  async remove(id: string, because: RemovalReason, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const { studyId, file, removed } = await new StudyExports(session).require(id);
      if (removed?.because === because) return;
      const columns = { removedTs: session.clock(), removedBecause: because };
      await session.db.updateTable('studyExport').set(columns).where('id', '=', id).execute();
      const changes = changesFromNothing({ removedBecause: because });
      await session.audit(change, { action: 'export.remove', entityType: 'export', entityId: id, studyId, changes });
      const studies = new Studies(session);
      const shown = (await studies.require(studyId)).export?.file;
      if (file && shown === file.name) await studies.setExport(studyId, null, change);
    });
  }
}
