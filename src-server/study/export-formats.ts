/** The formats in which a study can be exported. The API names them; `exporters/` has a writer for each. */

interface ExportFormat {
  /** File extension without the dot. */
  extension: string;
  mediaType: string;
  /**
   * What an export of changes holds: the rows since an instant, or the files that differ from those of an earlier export, whose file
   * must still be there. Null when it is always whole.
   */
  changes: 'ROWS' | 'FILES' | null;
}

export const EXPORT_FORMATS = {
  ARCHIVE: { extension: 'zip', mediaType: 'application/zip', changes: 'ROWS' },
  BEATS: { extension: 'zip', mediaType: 'application/zip', changes: null },
  BIDS: { extension: 'zip', mediaType: 'application/zip', changes: null },
  PARQUET: { extension: 'zip', mediaType: 'application/zip', changes: 'FILES' },
} as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof EXPORT_FORMATS;

/** The formats of files that the site keeps: those of studies, and everything about one subject. */
export const STORED_FORMATS = {
  ...EXPORT_FORMATS,
  SUBJECT: { extension: 'zip', mediaType: 'application/zip', changes: null },
} as const satisfies Record<string, ExportFormat>;

export type StoredFormatName = keyof typeof STORED_FORMATS;

/** What a de-identified export discloses on request, beyond the rule. */
export interface DisclosedWords {
  /** Names of the study's own metadata fields. */
  fields: readonly string[];
  /** Names of tasks, texts of questions and their choices. */
  definition: boolean;
}

export const NO_WORDS: DisclosedWords = { fields: [], definition: false };

/** Why the file of an export was removed. A deleted export is not shown either. */
export type RemovalReason = 'DELETED' | 'SUPERSEDED' | 'EXPIRED' | 'SPACE';
