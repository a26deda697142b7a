/** What a format of the table in `formats.ts` is, and what its tests see. */
import type { ImportOptions, ImportSource } from './types.ts';

/** Enough for the texts that stand in front of samples in every known format. */
export const HEAD_BYTES = 4096;

/** What a test of a file sees: never more than the head. */
export interface FileHead {
  /** The first {@link HEAD_BYTES} bytes as they lie on the disk, fewer of a shorter file. */
  bytes: Buffer;
  /** The same as text, unpacked when the file is gzip and without a byte-order mark. Unpaired bytes are replaced. */
  text: string;
  sizeBytes: number;
  /** Base name in lower case, for what content cannot tell; never sufficient alone. */
  name: string;
}

/** A file beside others, as the rule of what belongs together sees it. */
export interface FileBeside {
  /** Base name. */
  name: string;
  path: string;
}

/** Files of one folder that are one source of recordings. */
export interface FoundSet {
  /** Stays the same when files of the set arrive later. */
  name: string;
  /** Base names. */
  files: string[];
  /** Files that a header of the set names and that are not there. */
  missing: string[];
  /** What its files say only together: one that arrives later cannot be read alone. */
  isWhole: boolean;
}

export interface ForeignFormat {
  /** As error messages name it. */
  name: string;
  /** Recognises a single file. */
  isFile?(head: FileHead): boolean;
  /**
   * Recognises a ZIP by its members (paths with `/`), a folder by the files below it, and files given together by their base names.
   * `open` then gets the ZIP, the folder, or the files.
   */
  isSet?(names: readonly string[], kind: 'ZIP' | 'FOLDER' | 'FILES'): boolean;
  /** Several files that `isFile` recognises can be given together; else only one at a time. */
  joinsFiles?: boolean;
  /**
   * The sets that files of one folder are, where each file is only a part: `own` are those that `isFile` recognises, `all` what lies there.
   * What is in no set is a source alone.
   */
  setsIn?(own: readonly FileBeside[], all: readonly FileBeside[]): Promise<FoundSet[]>;
  /** Known and not read: `open` says what to do instead. */
  isRefused?: boolean;
  /** Recognises numbers that could be something else: a template of the study for the text comes first. */
  isGuess?: boolean;
  /** Recognises sets only because nothing else did. */
  isLastResort?: boolean;
  open(paths: string[], options: ImportOptions): Promise<ImportSource>;
}
