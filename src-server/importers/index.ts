/**
 * Importers: read foreign files as recordings, labels and marks.
 *
 * Owns format detection (by content), the rejection of broken files, and the conversion of samples to pages: MC10 (ZIP, CSV),
 * EDF/EDF+/BDF, WFDB and Outpost's own signal files. Sources are streamed; errors are one sentence each, thrown before
 * anything is stored where possible.
 */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { OutpostError } from '../errors.ts';
import { SIGNAL_MAGIC } from '../signals/container/magic.ts';
import { isBdf, isEdf } from './edf/edf-header.ts';
import { withPlausibilityNotes } from './plausibility.ts';
import { empty, unsupported } from './refusals.ts';
import { fileSize, readHead } from './source-bytes.ts';
import type { ImportOptions, ImportSource } from './types.ts';

// Each format loads when a file asks for it: an EDF needs no ZIP reader, CSV parser or writer of signal files.
const csv = () => import('./csv/mc10-source.ts');
const edf = () => import('./edf/edf-source.ts');
const wfdb = () => import('./wfdb/wfdb-source.ts');
const signalFile = () => import('./signal-file-source.ts');

const HEAD_BYTES = 4096;
const KNOWN = 'Supported are MC10 ZIP and CSV, EDF, EDF+, BDF, WFDB and Outpost signal files.';

type Kind = 'ZIP' | 'CSV' | 'EDF' | 'WFDB HEADER' | 'SIGNAL FILE' | 'UNKNOWN';

/** Extensions that indicate WFDB even if the header is missing. */
const WFDB_EXTENSIONS = ['.dat', '.atr', '.mat'];
/** In a folder with more headers than this, headers are searched by name alone. */
const MAX_HEADERS_BESIDE = 200;

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
  return { ...source, recordings: source.recordings.map(withPlausibilityNotes) };
}

async function openSource(paths: string[], options: ImportOptions): Promise<ImportSource> {
  if (paths.length === 0) throw new OutpostError('INVALID_INPUT', 'Name at least one file to import.');
  if (paths.length === 1 && (await isFolder(paths[0]!))) return openFolder(paths[0]!, options);
  const files = [...new Set(paths)];
  const kinds = await kindsOf(files);
  const record = await recordOf(files, kinds);
  if (record) return (await wfdb()).openWfdb(record, files, options);
  const unknown = kinds.indexOf('UNKNOWN');
  if (unknown >= 0) throw unsupported(files[unknown]!, `its format is not known. ${KNOWN}`);
  if (kinds.every((kind) => kind === 'CSV')) return (await csv()).openMc10Folder(files, options);
  if (files.length > 1) {
    throw new OutpostError(
      'UNSUPPORTED_FORMAT',
      'These files do not belong to one recording. Import them one at a time.',
    );
  }
  switch (kinds[0]) {
    case 'ZIP':
      return (await csv()).openMc10Zip(files[0]!, options);
    case 'EDF':
      return (await edf()).openEdf(files[0]!, options);
    default:
      return (await signalFile()).openOwnSignalFile(files[0]!, options);
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}

async function openFolder(path: string, options: ImportOptions): Promise<ImportSource> {
  const { csvFilesBelow, openMc10Folder } = await csv();
  if ((await csvFilesBelow(path)).length > 0) return openMc10Folder([], options, path);
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  const headers = names.filter((name) => extname(name).toLowerCase() === '.hea');
  if (headers.length === 1) return (await wfdb()).openWfdb(join(path, headers[0]!), [], options);
  if (names.length === 0) throw empty(path, 'the folder is empty.');
  if (names.length === 1 && !(await isFolder(join(path, names[0]!))))
    return openSource([join(path, names[0]!)], options);
  throw unsupported(path, 'the folder holds no MC10 CSV files and no single record. Name one file in it.');
}

/** Kinds by content, except for files that a given header names: those are its data files, regardless of their bytes. */
async function kindsOf(files: string[]): Promise<Kind[]> {
  const headers = files.filter((file) => extname(file).toLowerCase() === '.hea');
  return Promise.all(
    files.map(async (file) => {
      const name = basename(file);
      const isNamed = await firstOf(headers, async (header) => (await wfdb()).namesDataFile(header, name));
      return isNamed === null ? kindOfFile(file) : 'UNKNOWN';
    }),
  );
}

/** The kind of a file by its first bytes. */
async function kindOfFile(path: string): Promise<Kind> {
  if (await isFolder(path)) throw unsupported(path, 'it is a folder; name a folder alone, or only files.');
  const extension = extname(path).toLowerCase();
  if ((await fileSize(path)) === 0) throw empty(path);
  const head = await readHead(path, HEAD_BYTES);
  if (head.length >= 4 && head.readUInt32LE(0) === 0x04034b50) return 'ZIP';
  if (head.length >= 4 && head.readUInt32LE(0) === 0x06054b50) throw empty(path, 'the ZIP is empty.');
  if (isEdf(head) || isBdf(head)) return 'EDF';
  if (head.subarray(0, SIGNAL_MAGIC.length).equals(SIGNAL_MAGIC)) return 'SIGNAL FILE';
  const text = head[0] === 0x1f && head[1] === 0x8b ? unzippedHead(head) : head;
  if (/^(\ufeff)?"?timestamp \(/i.test(text.toString('utf8', 0, 64))) return 'CSV';
  if (extension === '.hea' && (await wfdb()).isWfdbHeader(head)) return 'WFDB HEADER';
  return 'UNKNOWN';
}

/**
 * The header of the WFDB record to which the files belong; null when they are something else. A given header takes precedence;
 * without one, it is searched for next to files of unknown format: by file name, then by the data files that it names.
 */
async function recordOf(files: string[], kinds: Kind[]): Promise<string | null> {
  if (kinds.some((kind) => kind !== 'WFDB HEADER' && kind !== 'UNKNOWN')) return null;
  const given = files.filter((_, i) => kinds[i] === 'WFDB HEADER');
  const found = given.length > 0 ? given : await Promise.all(files.map(headerOf));
  const headers = [...new Set(found.filter((header) => header !== null))];
  if (headers.length === 0) {
    const orphan = files.find((file) => WFDB_EXTENSIONS.includes(extname(file).toLowerCase()));
    if (orphan) throw unsupported(orphan, `its header ${basename(orphan, extname(orphan))}.hea is not beside it.`);
    return null;
  }
  const master = await firstOf(headers, (await wfdb()).isMultiSegment);
  if (headers.length > 1 && master === null) {
    throw new OutpostError(
      'UNSUPPORTED_FORMAT',
      'These files belong to several WFDB records. Import one record at a time.',
    );
  }
  return master ?? headers[0]!;
}

async function firstOf(paths: string[], test: (path: string) => Promise<boolean>): Promise<string | null> {
  for (const path of paths) if (await test(path)) return path;
  return null;
}

async function headerOf(file: string): Promise<string | null> {
  const folder = dirname(file);
  const own = join(folder, `${basename(file, extname(file))}.hea`);
  if ((await stat(own).catch(() => null))?.isFile()) return own;
  const headers = (await readdir(folder)).filter((name) => extname(name).toLowerCase() === '.hea');
  if (headers.length > MAX_HEADERS_BESIDE) return null;
  return firstOf(
    headers.sort().map((name) => join(folder, name)),
    async (header) => (await wfdb()).namesDataFile(header, basename(file)),
  );
}

/** The decompressed head of a gzip file; empty when it is damaged. */
function unzippedHead(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 8 << 20 });
  } catch {
    return Buffer.alloc(0);
  }
}
