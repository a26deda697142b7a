/** The parts of a WFDB record: one, or the segments that its header names, each with its own header and data files. */
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { damaged, unsupported } from '../refusals.ts';
import { fileSize, readHead, readSmallFile } from '../source-bytes.ts';
import type { DataFile } from './data-readers.ts';
import { type FlacStream, flacStreamOf } from './flac-frame.ts';
import { parseWfdbHeader, type WfdbHeader, type WfdbSignal } from './wfdb-header.ts';
import { bytesOfSamples } from './wfdb-samples.ts';

const MAX_HEADER_BYTES = 1 << 20;
/** The first frame of a FLAC stream begins behind its tables and pictures. */
const FLAC_HEAD_BYTES = 1 << 20;
/** Name of a data file that is not there: the layout of a record, or a signal that a segment does not have. */
const NO_FILE = '~';

export interface OpenSegment {
  firstFrame: number;
  frameCount: number;
  /** None in a stretch in which nothing was recorded. */
  files: DataFile[];
}

export interface OpenRecord {
  header: WfdbHeader;
  segments: OpenSegment[];
  frameCount: number;
  /** Headers of the segments and all data files. */
  partPaths: string[];
}

export async function readHeader(path: string): Promise<WfdbHeader> {
  return parseWfdbHeader((await readSmallFile(path, MAX_HEADER_BYTES, 'header')).toString('utf8'), path);
}

/** @throws NOT_FOUND when a part is missing, FILE_DAMAGED when a part contradicts its header, FILE_EMPTY */
export async function openSegments(headerPath: string): Promise<OpenRecord> {
  const header = await readHeader(headerPath);
  if (header.segments) return openSeveral(header, header.segments, headerPath);
  if (header.signals.length === 0) throw unsupported(headerPath, 'it describes no signals.');
  const files = await dataFiles(header, headerPath, header.frameCount);
  const frameCount = header.frameCount ?? Math.min(...files.map(framesBehindSkew));
  if (frameCount === 0) {
    throw new OutpostError('FILE_EMPTY', `${basename(headerPath)} has no samples. Nothing was imported.`);
  }
  const partPaths = files.map(({ path }) => path);
  return { header, segments: [{ firstFrame: 0, frameCount, files }], frameCount, partPaths };
}

async function openSeveral(
  header: WfdbHeader,
  named: NonNullable<WfdbHeader['segments']>,
  headerPath: string,
): Promise<OpenRecord> {
  const segments: OpenSegment[] = [];
  const partPaths: string[] = [];
  let firstFrame = 0;
  let start = header.start;
  for (const [index, { name, frameCount }] of named.entries()) {
    const path = name === null ? null : join(dirname(headerPath), `${name}.hea`);
    // A first segment without samples is the layout: it lists the signals that others may have.
    if (path === null || frameCount === 0) {
      if (path !== null && index > 0) throw damaged(headerPath, `segment ${index + 1} has no samples.`);
      if (path !== null && (await stat(path).catch(() => null))?.isFile()) partPaths.push(path);
      if (frameCount > 0) segments.push({ firstFrame, frameCount, files: [] });
      firstFrame += frameCount;
      continue;
    }
    await requireFile(path, headerPath);
    const segment = await readHeader(path);
    if (segment.segments) throw unsupported(headerPath, `its segment ${name} is made of segments itself.`);
    if (Math.abs(segment.frameRateHz / header.frameRateHz - 1) > 1e-9) {
      throw damaged(
        headerPath,
        `its segment ${name} has ${segment.frameRateHz} samples a second instead of ${header.frameRateHz}.`,
      );
    }
    if (segment.frameCount !== null && segment.frameCount !== frameCount) {
      throw damaged(
        headerPath,
        `it gives ${name} ${frameCount} samples, and the header of ${name} ${segment.frameCount}.`,
      );
    }
    if (firstFrame === 0) start ??= segment.start;
    const files = await dataFiles(segment, path, frameCount);
    segments.push({ firstFrame, frameCount, files });
    partPaths.push(path, ...files.map((file) => file.path));
    firstFrame += frameCount;
  }
  if (segments.every(({ files }) => files.length === 0)) {
    throw new OutpostError('FILE_EMPTY', `${basename(headerPath)} has no samples. Nothing was imported.`);
  }
  return { header: { ...header, start }, segments, frameCount: firstFrame, partPaths };
}

async function requireFile(path: string, headerPath: string): Promise<void> {
  if ((await stat(path).catch(() => null))?.isFile()) return;
  throw new OutpostError('NOT_FOUND', `${basename(headerPath)} needs ${basename(path)}, which is not beside it.`);
}

async function dataFiles(header: WfdbHeader, headerPath: string, promised: number | null): Promise<DataFile[]> {
  const bySignal = new Map<string, WfdbSignal[]>();
  for (const signal of header.signals) {
    if (signal.fileName === NO_FILE) continue;
    const path = join(dirname(headerPath), signal.fileName);
    const signals = bySignal.get(path) ?? [];
    if (signals.some(({ format }) => format !== signal.format)) {
      throw damaged(headerPath, `${signal.fileName} is described in two formats.`);
    }
    bySignal.set(path, [...signals, signal]);
  }
  const files: DataFile[] = [];
  for (const [path, signals] of bySignal) {
    await requireFile(path, headerPath);
    const samplesPerFrame = signals.reduce((sum, signal) => sum + signal.samplesPerFrame, 0);
    const file = { path, signals, samplesPerFrame, byteOffset: signals[0]!.byteOffset };
    files.push(await counted(file, promised));
  }
  return files;
}

/** Checks the length of a data file against the frames that the header promises. */
async function counted(file: Omit<DataFile, 'frames'>, promised: number | null): Promise<DataFile> {
  const { path, signals, samplesPerFrame, byteOffset } = file;
  const { format } = signals[0]!;
  if (format.flacBits !== undefined) {
    const flac = await flacStream(file, format.flacBits);
    const frames = flac.samples === 0 ? promised : Math.floor(flac.samples / signals[0]!.samplesPerFrame);
    if (frames === null) throw damaged(path, 'neither it nor its header says how many samples it has.');
    if (promised !== null && frames < promised) throw cutOff(path, promised, frames);
    return { ...file, frames, flac };
  }
  const bytes = Math.max(0, (await fileSize(path)) - byteOffset);
  const frames = Math.floor(((bytes / format.chunkBytes) * format.chunkSamples) / samplesPerFrame);
  // The last group of a packed format may be shorter than the others.
  const needed = promised === null ? 0 : bytesOfSamples(format, promised * samplesPerFrame);
  if (promised !== null && needed > bytes) throw cutOff(path, promised, frames);
  return { ...file, frames: Math.max(frames, promised ?? 0) };
}

const cutOff = (path: string, promised: number, frames: number): OutpostError =>
  damaged(path, `it was cut off: the header promises ${promised} samples per signal, it has ${frames}.`);

async function flacStream(
  { path, signals, byteOffset }: Omit<DataFile, 'frames'>,
  flacBits: number,
): Promise<FlacStream> {
  const stream = flacStreamOf(await readHead(path, FLAC_HEAD_BYTES));
  if (!stream) throw damaged(path, 'it is no FLAC stream.');
  if (stream.channels !== signals.length || stream.bitsPerSample !== flacBits || byteOffset !== 0) {
    throw damaged(
      path,
      `it holds ${stream.channels} channels of ${stream.bitsPerSample} bits, and the header describes ${signals.length} of ${flacBits}.`,
    );
  }
  if (signals.some(({ samplesPerFrame }) => samplesPerFrame !== signals[0]!.samplesPerFrame)) {
    throw damaged(path, 'its signals differ in their samples per frame, which FLAC cannot hold.');
  }
  return stream;
}

/** Without a stated length, a signal that lies behind the others ends before them. */
function framesBehindSkew({ frames, signals }: DataFile): number {
  return Math.max(0, frames - Math.max(...signals.map(({ skewFrames }) => skewFrames)));
}
