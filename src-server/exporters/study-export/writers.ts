/** The writer of each format of study exports: one entry, one streaming writer. */
import type { StoredFormatName } from '../../study/export-formats.ts';
import { writeBeatsStudy } from '../beats/study.ts';
import { writeBidsStudy } from '../bids/study.ts';
import { writeParquetStudy } from '../parquet/study.ts';
import { writeStudyArchive } from '../study-archive/archive.ts';
import { writeSubjectData } from '../subject-data/writer.ts';
import { withDataDecisions } from './data-decisions.ts';
import type { StudyExportWriter } from './types.ts';

export const STUDY_EXPORT_WRITERS: Record<StoredFormatName, StudyExportWriter> = {
  ARCHIVE: withDataDecisions(writeStudyArchive),
  BEATS: withDataDecisions(writeBeatsStudy),
  BIDS: withDataDecisions(writeBidsStudy),
  PARQUET: withDataDecisions(writeParquetStudy),
  SUBJECT: writeSubjectData,
};
