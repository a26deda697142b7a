/**
 * Importers: read foreign files as recordings, labels and marks.
 *
 * Owns format detection (by content), the rejection of broken files, and the conversion of samples to pages. The formats are in
 * `formats.ts`; WFDB alone is found by the header beside a file (`wfdb/find-record.ts`). Sources are streamed; errors are one
 * sentence each, thrown before anything is stored where possible.
 */
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { OutpostError } from '../errors.ts';
import type { CsvTemplate } from '../vocabulary/csv-mapping.ts';
import { withDeviceNotes } from './clock-notes.ts';
import { filesBelow } from './file-heads.ts';
import { type FileKind, kindOfFile } from './file-sets.ts';
import type { ForeignFormat } from './foreign-format.ts';
import { FORMATS } from './formats.ts';
import { withPlausibilityNotes } from './plausibility.ts';
import { empty, unsupported } from './refusals.ts';
import { readHead } from './source-bytes.ts';
import type { ImportOptions, ImportSource } from './types.ts';
import { onlyRecordIn, recordOf, wfdbKindOf } from './wfdb/find-record.ts';

/** Header lines are within this of a text. */
const TEXT_HEAD_BYTES = 64 * 1024;
/** In a folder with more files than this, only some of each extension are looked into. */
const MAX_LOOKED_INTO = 500;
/** Of an extension in such a folder. Ten days of an EmbracePlus have 500 files, a year 17,000; a share may take 10 ms for each. */
const LOOKED_INTO_PER_EXTENSION = 50;
const MAX_EXTENSIONS = 10;

/**
 * Opens files, or one folder, as a source of recordings. Several paths must belong together: the CSV files of one recording, or
 * the files of one WFDB record (missing ones are searched for next to the others).
 *
 * The pages of a recording can still throw FILE_DAMAGED where only the end shows it (a checksum).
 *
 * @throws NOT_FOUND, FILE_EMPTY, FILE_DAMAGED, UNSUPPORTED_FORMAT, ZIP_UNSAFE, UNIT_UNKNOWN, TIME_IMPLAUSIBLE, CANCELLED, or
 * INVALID_INPUT when a start time is needed
 */
export async function openImport(paths: string[], options: ImportOptions = {}): Promise<ImportSource> {
  const source = await openSource(paths, options);
  return {
    ...source,
    recordings: source.recordings.map((recording) =>
      withDeviceNotes(withPlausibilityNotes(recording), source.clock, options.timeZone),
    ),
  };
}

async function openSource(paths: string[], options: ImportOptions): Promise<ImportSource> {
  if (paths.length === 0) throw new OutpostError('INVALID_INPUT', 'Name at least one file to import.');
  if (paths.length === 1 && (await isFolder(paths[0]!))) return openFolder(paths[0]!, options);
  const files = [...new Set(paths)];
  if (options.csvMapping && files.length === 1)
    return (await genericCsv()).openGenericCsv(files[0]!, options.csvMapping, options);
  const set = files.length > 1 ? FORMATS.find(({ isSet }) => isSet?.(files.map(baseName), 'FILES')) : undefined;
  if (set) return set.open(files, options);
  const kinds = await kindsOf(files);
  const record = await recordOf(files, kinds);
  if (record) return (await wfdb()).openWfdb(record, files, options);
  const unknown = kinds.indexOf('UNKNOWN');
  const isOpen = unknown >= 0 || isGuessed(kinds[0]!);
  const template = isOpen && files.length === 1 ? await templateOf(files[0]!, options) : undefined;
  if (template) return (await genericCsv()).openGenericCsv(files[0]!, template.mapping, options);
  if (unknown >= 0) throw unsupported(files[unknown]!, `its format is not known. ${known()}`);
  const format = kinds[0] as ForeignFormat;
  if (files.length > 1 && !(format.joinsFiles && kinds.every((kind) => kind === format))) {
    throw new OutpostError(
      'UNSUPPORTED_FORMAT',
      'These files do not belong to one recording. Import them one at a time.',
    );
  }
  return format.open(files, options);
}

const isGuessed = (kind: FileKind): boolean => typeof kind !== 'string' && kind.isGuess === true;

const genericCsv = () => import('./generic-csv/generic-csv-source.ts');

/** The template of the study whose header line a text has. */
async function templateOf(path: string, { csvTemplates = [] }: ImportOptions): Promise<CsvTemplate | undefined> {
  if (csvTemplates.length === 0) return undefined;
  const { templateOfText } = await import('./generic-csv/recognise-text.ts');
  return templateOfText(await readHead(path, TEXT_HEAD_BYTES), csvTemplates);
}

const wfdb = () => import('./wfdb/wfdb-source.ts');

const baseName = (path: string): string => basename(path);

const known = (): string =>
  `Supported are ${FORMATS.filter(({ isRefused }) => !isRefused)
    .map(({ name }) => name)
    .join(', ')} and WFDB.`;

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}

async function openFolder(path: string, options: ImportOptions): Promise<ImportSource> {
  const names = await filesBelow(path);
  if (names.length === 0) throw empty(path, 'the folder is empty.');
  const files = names.map((name) => join(path, name));
  const set = FORMATS.find(({ isSet }) => isSet?.(names, 'FOLDER'));
  if (set && !set.isLastResort) return set.open([path], options);
  const record = await onlyRecordIn(path, names);
  if (record && !set) return (await wfdb()).openWfdb(record, [], options);
  const common = await formatIn(files);
  if (common && (common.format.joinsFiles || files.length === 1)) {
    return withOthersNoted(await common.format.open(common.files, options), files.length - common.files.length);
  }
  if (set) return set.open([path], options);
  if (files.length === 1) return openSource(files, options);
  throw unsupported(path, 'the folder holds no recording as one of the known formats has it. Name one file in it.');
}

/** What a format finds in a folder, when it is the only one whose files are there. Other programs leave tables and texts beside them. */
async function formatIn(files: string[]): Promise<{ format: ForeignFormat; files: string[] } | undefined> {
  const byExtension = Map.groupBy(files, (file) => extname(file).toLowerCase());
  const looksIntoAll = files.length <= MAX_LOOKED_INTO;
  if (!looksIntoAll && byExtension.size > MAX_EXTENSIONS) return undefined;
  let format: ForeignFormat | undefined;
  const found: string[] = [];
  for (const [, alike] of byExtension) {
    const every = looksIntoAll ? 1 : Math.ceil(alike.length / LOOKED_INTO_PER_EXTENSION);
    let known = 0;
    let looked = 0;
    for (let i = 0; i < alike.length; i += every, looked++) {
      const kind = await kindOfFile(alike[i]!).catch(() => 'UNKNOWN' as const);
      if (kind === 'UNKNOWN') continue;
      if (typeof kind === 'string' || (format && kind !== format) || kind.isLastResort) return undefined;
      format = kind;
      known++;
      if (looksIntoAll) found.push(alike[i]!);
    }
    // A file that is none of the format all the same is named by its reader.
    if (!looksIntoAll && known * 2 > looked) found.push(...alike);
    else if (!looksIntoAll && known > 0) return undefined;
  }
  return format && found.length > 0 ? { format, files: found.sort() } : undefined;
}

function withOthersNoted(source: ImportSource, others: number): ImportSource {
  const note = `${others === 1 ? '1 other file' : `${others} other files`} in the folder ${others === 1 ? 'was' : 'were'} not read.`;
  if (others > 0) for (const { notes } of source.recordings) notes.push(note);
  return source;
}

/** Kinds by content, except for files that a given WFDB header names: those are its data files, regardless of their bytes. */
async function kindsOf(files: string[]): Promise<FileKind[]> {
  return Promise.all(files.map(async (file) => (await wfdbKindOf(file, files)) ?? kindOfFile(file)));
}

/** The name of the format of a single file; undefined for none. @throws as `headOf` */
export async function formatNameOf(path: string): Promise<{ name: string; isGuess: boolean } | undefined> {
  const kind = await kindOfFile(path);
  return typeof kind === 'string' ? undefined : { name: kind.name, isGuess: kind.isGuess === true };
}
