/** What is said of a file from its first bytes, and what is needed to say it. */
import type { CsvMapping, CsvTemplate } from '../vocabulary/csv-mapping.ts';

export interface FileParts {
  fileName: string;
  sizeBytes: number;
  head: Uint8Array;
  /** The last bytes, where a ZIP lists its members. */
  tail?: Uint8Array;
}

export interface RecognitionTask extends FileParts {
  /** A folder of its own, made and removed. */
  directory: string;
  /** Further files of the same set. */
  beside?: FileParts[];
  timeZone?: string;
  /** To preview, instead of the proposed one or a template's. */
  mapping?: CsvMapping;
  templates: CsvTemplate[];
}

/** `TIME`: not a time; `ORDER`: before the row above; `NUMBER`: not a number; `COLUMNS`: fewer cells than the mapping names. */
export type RowFaultKind = 'TIME' | 'ORDER' | 'NUMBER' | 'COLUMNS';

export interface RowFault {
  /** 1-based line of the file. */
  line: number;
  kind: RowFaultKind;
  /** 0-based column of the cell; absent for the whole row. */
  column?: number;
  text: string;
}

/** Rows of the head of a text as a mapping reads them. */
export interface CsvPreview {
  rows: { line: number; time: string; values: string[] }[];
  /** Rows and cells of the head alone. */
  counts: { rows: number; unreadable: number; missing: number };
  faults: RowFault[];
  clock: 'UTC' | 'OFFSET_IN_FILE' | 'WALL_CLOCK' | 'FROM_START';
  /** Of the first row, by the file's clock; absent where times count from a start. */
  start?: string;
}

/** A delimited text that no reader knows. */
export interface RecognisedText {
  /** First lines as they are. */
  lines: string[];
  /** Cells of the header line by the mapping, or empty names; as many as that line has. */
  columns: string[];
  mapping: CsvMapping;
  /** Whose mapping it is: of the template with the same header line, proposed, or as given. */
  origin: 'TEMPLATE' | 'PROPOSED' | 'GIVEN';
  templateId?: string;
  /** Null for a mapping that cannot be used. */
  preview: CsvPreview | null;
}

export interface Recognition {
  /** Absent for an unknown format. */
  format?: string;
  clock?: { kind: 'UTC' | 'OFFSET_IN_FILE' | 'WALL_CLOCK'; wallStart?: string; utcOffsetMinutes?: number };
  /** Epoch milliseconds; of a wall clock in the zone given. */
  startMs?: number;
  device?: {
    maker?: string;
    model?: string;
    serial?: string;
    firmware?: string;
    session?: number;
    subjectCode?: string;
  };
  channels: { type: string; dimensions: string[]; unit: string; nominalRateHz: number }[];
  /** How many recordings the file holds, as far as read. */
  recordings: number;
  text?: RecognisedText;
  /** Why the import would refuse the file. */
  problem?: { code: string; message: string };
}
