/** Finds the WFDB record that files belong to. Its data files say nothing about themselves: the header beside them does. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { unsupported } from '../refusals.ts';
import { readHead } from '../source-bytes.ts';

export type WfdbKind = 'WFDB HEADER' | 'UNKNOWN';

const wfdb = () => import('./wfdb-source.ts');

/** Extensions that indicate WFDB even if the header is missing. */
const WFDB_EXTENSIONS = ['.dat', '.atr', '.mat'];
/** In a folder with more headers than this, headers are searched by name alone. */
const MAX_HEADERS_BESIDE = 200;
const HEAD_BYTES = 4096;

const isHeaderName = (name: string): boolean => extname(name).toLowerCase() === '.hea';

/**
 * `WFDB HEADER` for a header, `UNKNOWN` for a data file that a header among the given files names; undefined for a file whose own
 * bytes must tell.
 */
export async function wfdbKindOf(file: string, files: readonly string[]): Promise<WfdbKind | undefined> {
  const name = basename(file);
  const headers = files.filter(isHeaderName);
  const namedBy = await firstOf(headers, async (header) => (await wfdb()).namesDataFile(header, name));
  if (namedBy !== null) return 'UNKNOWN';
  if (!isHeaderName(file) || !(await stat(file).catch(() => null))?.isFile()) return undefined;
  return (await wfdb()).isWfdbHeader(await readHead(file, HEAD_BYTES)) ? 'WFDB HEADER' : undefined;
}

/** The header of a folder that holds one record, alone or with its segments, and nothing else that is known. */
export async function onlyRecordIn(folder: string, names: readonly string[]): Promise<string | null> {
  const headers = names.filter((name) => isHeaderName(name) && !name.includes('/')).map((name) => join(folder, name));
  if (headers.length < 2) return headers[0] ?? null;
  const { isMultiSegment, segmentsOf } = await wfdb();
  const master = await firstOf(headers, isMultiSegment);
  if (master === null) return null;
  const own = new Set(await segmentsOf(master));
  return headers.every((header) => header === master || own.has(basename(header, extname(header)))) ? master : null;
}

/**
 * The header of the WFDB record to which the files belong; null when they are something else. A given header takes precedence;
 * without one, it is searched for next to files of unknown format: by file name, then by the data files that it names.
 */
export async function recordOf(files: string[], kinds: readonly (WfdbKind | object)[]): Promise<string | null> {
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

async function firstOf(paths: readonly string[], test: (path: string) => Promise<boolean>): Promise<string | null> {
  for (const path of paths) if (await test(path)) return path;
  return null;
}

/** The header beside a data file or annotation: of its name, or one that names it. */
export async function headerOf(file: string): Promise<string | null> {
  const folder = dirname(file);
  const own = join(folder, `${basename(file, extname(file))}.hea`);
  if ((await stat(own).catch(() => null))?.isFile()) return own;
  const headers = (await readdir(folder)).filter(isHeaderName);
  if (headers.length > MAX_HEADERS_BESIDE) return null;
  return firstOf(
    headers.sort().map((name) => join(folder, name)),
    async (header) => (await wfdb()).namesDataFile(header, basename(file)),
  );
}
