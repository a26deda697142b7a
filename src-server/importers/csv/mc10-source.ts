/**
 * MC10 exports: the ZIP of one recording, the same files in a folder (also gzip'd), and the portal's bulk download
 * `<subject>/<location>_<side>/<serial>/<start>/accel.csv`. Every folder with data files is one recording.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { OutpostError, toOutpostError } from '../../errors.ts';
import type { SignalMark, SignalPage } from '../../signals/types.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, throwIfAborted, unsupported } from '../refusals.ts';
import { fileSize, sourceHash } from '../source-bytes.ts';
import { asUtf8 } from '../text/utf16.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { type CsvMember, csvPages, memberStem, type ScannedCsv, scanCsv } from './csv-signal.ts';
import { readAnnotationLabels, readErrorMarks } from './side-files.ts';
import { openZipMembers, salvagedMembers } from './zip-members.ts';

const CSV_NAME = /\.csv(\.gz)?$/i;
const MAX_FOLDER_DEPTH = 6;
const MAX_FOLDER_FILES = 10_000;
/** Limit of recordings per source: years of one subject in one download stay below it. */
const MAX_RECORDINGS = 1000;
const MAX_LABELS = 1_000_000;
const STREAM_CHUNK_BYTES = 1 << 20;
/** gzip compresses sensor text 3 to 10 : 1; see the ZIP reader for the limit. */
const MAX_GZIP_RATIO = 200;
const RATIO_FREE_BYTES = 16 << 20;

/** Muscles, hands and feet: an electrode there records EMG unless the import options say otherwise. */
const EMG_LOCATIONS =
  /BICEP|SHANK|DORSAL|DIGITORUM|GASTROCNEMIUS|FOREARM|RECTUS_FEMORIS|TIBIALIS|ANTERIOR_THIGH|TRICEP/;

export async function openMc10Zip(path: string, options: ImportOptions): Promise<ImportSource> {
  const zip = await openZipMembers(path).catch(async (thrown: unknown) => {
    if (!(thrown instanceof OutpostError) || thrown.code !== 'FILE_DAMAGED') throw thrown;
    const members = await salvagedMembers(path).catch(() => []);
    if (members.length === 0) throw thrown;
    return { members, isCut: true, close: () => undefined };
  });
  try {
    const sha256 = await sourceHash([path], options.signal);
    const source = await openMembers('MC10 ZIP', path, zip.members, sha256, options, async () => zip.close());
    if ('isCut' in zip) {
      const note = 'The ZIP was cut off: what is whole was read, and files or rows after that are missing.';
      for (const { notes } of source.recordings) notes.push(note);
      if (source.recordings.length === 0) return { ...source, notes: [note] };
    }
    return source;
  } catch (thrown) {
    zip.close();
    const isUnsupported = thrown instanceof OutpostError && thrown.code === 'UNSUPPORTED_FORMAT';
    if (isUnsupported && !zip.members.some(({ name }) => isOwnName(name))) throw holdsOthers(path, zip.members);
    throw thrown;
  }
}

/** Files that exports of MC10 have; names of sensors stand before or behind them. */
const isOwnName = (name: string): boolean =>
  /accel|gyro|elec|emg|annotations|errors/.test(memberStem(name)) && CSV_NAME.test(name);

const NAMED_MEMBERS = 3;

/** People send recordings packed: what is in the ZIP may well be readable, and the words of another maker's export would mislead. */
function holdsOthers(path: string, members: readonly { name: string }[]): OutpostError {
  const names = members
    .map(({ name }) => (name.split('/').at(-1) ?? '').replace(/\p{C}/gu, '').slice(0, 80))
    .filter((name) => name !== '' && !name.startsWith('.'));
  const more = names.length - NAMED_MEMBERS;
  const listed = [...names.slice(0, NAMED_MEMBERS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const content = names.length > 0 ? `it holds ${listed}` : 'it holds no files';
  return unsupported(
    path,
    `${content}, which is no export that is read packed. Unpack it, and import the files in it.`,
  );
}

/** A folder, or the CSV files given one by one. */
export async function openMc10Csv(paths: string[], options: ImportOptions): Promise<ImportSource> {
  const root = paths.length === 1 && (await stat(paths[0]!)).isDirectory() ? paths[0] : undefined;
  const files = root === undefined ? paths : await csvFilesBelow(root);
  const members = await Promise.all(files.map((file) => fileMember(file, root)));
  const sha256 = await sourceHash(files, options.signal);
  return openMembers('MC10 CSV', root ?? paths[0]!, members, sha256, options, async () => undefined);
}

/** Paths of all CSV files in a folder and below, in order of name. */
async function csvFilesBelow(root: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && depth < MAX_FOLDER_DEPTH) await visit(join(folder, entry.name), depth + 1);
      else if (entry.isFile() && CSV_NAME.test(entry.name)) found.push(join(folder, entry.name));
      if (found.length > MAX_FOLDER_FILES) throw unsupported(root, `it has more than ${MAX_FOLDER_FILES} CSV files.`);
    }
  };
  await visit(root, 0);
  return found.sort();
}

async function fileMember(path: string, root: string | undefined): Promise<CsvMember> {
  const name = root === undefined ? basename(path) : path.slice(root.length).replaceAll('\\', '/').replace(/^\/+/, '');
  return { name, sizeBytes: await fileSize(path), open: (onBytes) => fileChunks(path, onBytes) };
}

/** The bytes of a text: unpacked, and as UTF-8. `onBytes` is called with bytes of the file. */
export const fileChunks = (path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Uint8Array> =>
  asUtf8(plainChunks(path, onBytes));

async function* plainChunks(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let taken = 0;
  const raw = createReadStream(path, { highWaterMark: STREAM_CHUNK_BYTES });
  raw.on('data', (chunk) => {
    taken += chunk.length;
    onBytes?.(chunk.length);
  });
  if (!/\.gz$/i.test(path)) {
    yield* raw;
    return;
  }
  const unzipped = createGunzip({ chunkSize: STREAM_CHUNK_BYTES });
  raw.once('error', (cause) => unzipped.destroy(cause));
  let given = 0;
  try {
    for await (const chunk of raw.pipe(unzipped)) {
      given += (chunk as Uint8Array).byteLength;
      if (given > RATIO_FREE_BYTES && given > MAX_GZIP_RATIO * taken) {
        throw unsupported(path, 'it unpacks to far more than any recording does.');
      }
      yield chunk as Uint8Array;
    }
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    if (code.startsWith('Z_')) throw damaged(path, 'its gzip data are broken or cut off.');
    throw toOutpostError(thrown);
  } finally {
    raw.destroy();
    unzipped.destroy();
  }
}

interface PlaceFacts {
  location?: string;
  side?: string;
  udid?: string;
}

/** Parses the folder names of the bulk layout: `.../anterior_thigh_left/d5la7xna/2017-07-06T15-00-00-000Z`. */
function placeOfFolder(folder: string): PlaceFacts {
  const parts = folder.split('/');
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}/.test(parts.at(-1) ?? '') || parts.length < 3) return {};
  const place = (parts.at(-3) ?? '').toUpperCase();
  const sided = /^(.+)_(LEFT|RIGHT|ANY|DOMINANT)$/.exec(place);
  return { location: sided?.[1] ?? place, side: sided?.[2] ?? 'NONE', udid: parts.at(-2) };
}

async function openMembers(
  format: string,
  path: string,
  members: CsvMember[],
  sha256: string,
  options: ImportOptions,
  close: () => Promise<void>,
): Promise<ImportSource> {
  const csvs = members.filter((member) => CSV_NAME.test(member.name) && !member.name.startsWith('__MACOSX/'));
  const annotations = csvs.filter((member) => memberStem(member.name) === 'annotations');
  const folders = new Map<string, CsvMember[]>();
  for (const member of csvs) {
    if (annotations.includes(member)) continue;
    const folder = member.name.slice(0, Math.max(0, member.name.lastIndexOf('/')));
    folders.set(folder, [...(folders.get(folder) ?? []), member]);
  }
  if (folders.size > MAX_RECORDINGS) {
    throw unsupported(path, `it holds ${folders.size} recordings; import up to ${MAX_RECORDINGS} at a time.`);
  }
  const labels: ImportedLabel[] = [];
  for (const member of annotations) {
    for (const label of await readAnnotationLabels(member)) labels.push(label);
    if (labels.length > MAX_LABELS) throw unsupported(path, `it holds more than ${MAX_LABELS} annotations.`);
  }
  const recordings: ImportedRecording[] = [];
  for (const [folder, files] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    recordings.push(await openRecording(format, path, folder, files, sha256, options));
  }
  if (recordings.length === 0 && labels.length === 0) {
    throw unsupported(path, 'it has no accel.csv, gyro.csv, elec.csv or annotations.csv.');
  }
  return { format, clock: { kind: 'UTC' }, recordings, labels, close };
}

async function openRecording(
  format: string,
  path: string,
  folder: string,
  files: CsvMember[],
  sha256: string,
  options: ImportOptions,
): Promise<ImportedRecording> {
  const place = placeOfFolder(folder);
  const location = options.location ?? place.location ?? '';
  const isMuscle = EMG_LOCATIONS.test(location.toUpperCase().replace(/[^A-Z]+/g, '_'));
  const electrodeSignal = options.electrodeSignal ?? (isMuscle ? 'EMG' : 'ECG');
  const dataFiles = files.filter((file) => !memberStem(file.name).endsWith('-errors')).sort(byModality);
  const scanned: ScannedCsv[] = [];
  for (const file of dataFiles) {
    throwIfAborted(options.signal);
    scanned.push(await scanCsv(file, electrodeSignal, options.signal));
  }
  if (scanned.length === 0) throw unsupported(path, 'it has files of faults but none of data.');
  const marks: SignalMark[] = [];
  for (const file of files.filter((candidate) => memberStem(candidate.name).endsWith('-errors'))) {
    const stem = memberStem(file.name).replace(/-errors$/, '');
    const channel = scanned.findIndex(({ member }) => memberStem(member.name) === stem);
    if (channel < 0) throw unsupported(path, `${file.name} lists faults of a signal that is not there.`);
    marks.push(...(await readErrorMarks(file, channel)));
  }
  const notes = scanned.flatMap((csv) => csv.notes);
  const isUnnamedElectrode = scanned.some(({ member }) => ['elec', 'afe'].includes(memberStem(member.name)));
  if (isUnnamedElectrode && options.electrodeSignal === undefined && location === '') {
    notes.push(`The electrode signal was taken as ${electrodeSignal}; the file does not say whether it is ECG or EMG.`);
  }
  const header = makeHeader(
    { channels: scanned.map(({ channel }) => channel), source: { format, fileName: basename(path), sha256 }, ...place },
    options,
  );
  const totalBytes = dataFiles.reduce((sum, file) => sum + file.sizeBytes, 0);
  let doneBytes = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    for (const [index, csv] of scanned.entries()) {
      yield* csvPages(csv, index, options.signal, (bytes) => {
        doneBytes += bytes;
      });
    }
  }
  return { header, pages, labels: [], marks, notes, progress: () => ({ doneBytes, totalBytes }) };
}

const MODALITY_ORDER = ['accel', 'gyro', 'elec', 'ecg', 'emg', 'afe'];

function byModality(a: CsvMember, b: CsvMember): number {
  const rank = (member: CsvMember): number => {
    const place = MODALITY_ORDER.indexOf(memberStem(member.name));
    return place < 0 ? MODALITY_ORDER.length : place;
  };
  return rank(a) - rank(b) || (a.name < b.name ? -1 : 1);
}
