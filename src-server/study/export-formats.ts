/** The forms in which a study can be exported, as data: the interface names them, a writer of the exporters makes each. */

interface ExportFormat {
  /** Of the file, without a dot. */
  extension: string;
  mediaType: string;
  /** True when it can hold only what changed since an earlier export. */
  isIncremental: boolean;
}

export const EXPORT_FORMATS = {
  ARCHIVE: { extension: 'zip', mediaType: 'application/zip', isIncremental: true },
  BIDS: { extension: 'zip', mediaType: 'application/zip', isIncremental: false },
  PARQUET: { extension: 'zip', mediaType: 'application/zip', isIncremental: false },
} as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof EXPORT_FORMATS;

/** What a de-identified export holds beyond the rule, because somebody asked for it. */
export interface DisclosedWords {
  /** Names of the study's own fields of subjects. */
  fields: readonly string[];
  /** Names of tasks, texts of questions and their choices. */
  definition: boolean;
}

export const NO_WORDS: DisclosedWords = { fields: [], definition: false };

/** Why the file of an export was removed. A deleted export is not shown either. */
export type RemovalReason = 'DELETED' | 'SUPERSEDED' | 'EXPIRED' | 'SPACE';
