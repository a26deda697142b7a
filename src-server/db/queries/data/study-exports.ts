/** Statements on exports of studies: the request, the finished file, and when the file was removed. */
import { type Selectable, sql } from 'kysely';
import type { DisclosedWords, RemovalReason, StoredFormatName } from '../../../study/export-formats.ts';
import type { InsertOf, PatchOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { notFound } from '../shared.ts';

const { studyExport: STUDY_EXPORT } = TABLES;

export interface NewStudyExport {
  studyId: string;
  format: StoredFormatName;
  isDeidentified: boolean;
  /** What a de-identified export discloses beyond the rule. Absent in exports older than the rule. */
  words?: DisclosedWords;
  /** Default: every subject but test subjects. */
  subjectIds?: readonly string[];
  /** Only what changed since this instant, epoch ms. */
  sinceTs?: number;
  /** Only what changed since this export of the same study. */
  sinceExportId?: string;
  /** Epoch ms; later changes are not in it. */
  requestedTs: number;
}

export interface StudyExportRecord extends NewStudyExport {
  /** Also the id of the job that makes it. */
  id: string;
  /** The file, once it is whole. */
  file?: { name: string; sizeBytes: number; sha256?: string };
  /** Sequence of the newest audit row that the export covers. */
  auditSequence?: number;
  finishedTs?: number;
  removed?: { ts: number; because: RemovalReason };
}

function toRecord(row: Selectable<Tables['studyExport']>): StudyExportRecord {
  const {
    fileName,
    sizeBytes = 0,
    sha256,
    disclosedWords,
    removedTs,
    removedBecause,
    ...request
  } = STUDY_EXPORT.toRecord(row);
  return {
    ...request,
    words: disclosedWords,
    ...(fileName !== undefined && { file: { name: fileName, sizeBytes, sha256 } }),
    ...(removedTs !== undefined &&
      removedBecause !== undefined && { removed: { ts: removedTs, because: removedBecause } }),
  };
}

export class StudyExportQueries extends Queries {
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

  /** Newest first, without those that were deleted. Exports of the data of one subject are in lists of their own. */
  async list(studyId: string, limit: number, subjectId?: string): Promise<StudyExportRecord[]> {
    const rows = await this.session.db
      .selectFrom('studyExport')
      .selectAll()
      .where('studyId', '=', studyId)
      .where((eb) =>
        subjectId === undefined
          ? eb('format', '!=', 'SUBJECT')
          : eb.and([eb('format', '=', 'SUBJECT'), eb(sql<string>`subjectIds ->> '$[0]'`, '=', subjectId)]),
      )
      .where((eb) => eb.or([eb('removedBecause', 'is', null), eb('removedBecause', '!=', 'DELETED')]))
      .orderBy('requestedTs', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toRecord);
  }

  /** Exports of every study, or of one, whose file still exists, in the order of insertion: clocks can be set back. */
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

  protected async insert(request: InsertOf<typeof STUDY_EXPORT>): Promise<void> {
    await this.session.db.insertInto('studyExport').values(STUDY_EXPORT.toRow(request)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof STUDY_EXPORT>): Promise<void> {
    await this.session.db.updateTable('studyExport').set(STUDY_EXPORT.toRow(fields)).where('id', '=', id).execute();
  }
}
