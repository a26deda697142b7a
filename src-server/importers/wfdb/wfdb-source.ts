/** Reads WFDB records: header, one or more signal files, and annotation files. */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { ExactValueRule, SignalChannel, SignalPage } from '../../signals/types.ts';
import { instantOfLocalTime } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty, throwIfAborted, unsupported } from '../refusals.ts';
import { groupSignals, type NamedSignal, nameSignal } from '../signal-names.ts';
import { fileSize, readFully, readHead, readSmallFile, sourceHash } from '../source-bytes.ts';
import { evenPage } from '../timed-pages.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { isBeat, parseWfdbAnnotations, recogniseWfdbAnnotations, type WfdbAnnotation } from './wfdb-annotations.ts';
import { firstLine, parseWfdbHeader, type WfdbHeader, type WfdbSignal } from './wfdb-header.ts';
import { bytesOfSamples } from './wfdb-samples.ts';

export { isWfdbHeader } from './wfdb-header.ts';

const MAX_HEADER_BYTES = 1 << 20;
const MAX_ANNOTATION_BYTES = 64 << 20;
const MAX_BATCH_SAMPLES = 4 << 20;
const PAGE_SECONDS = 60;
/** Common multiple of the samples per group of the packed formats, 2 and 3. */
const GROUP_MULTIPLE = 6;
/** Enough for the line of every signal that a header may have. */
const MAX_NAMING_BYTES = 64 << 10;

interface Member {
  signal: WfdbSignal;
  named: NamedSignal;
  file: SignalFilePart;
  /** Index of its first sample in a frame of its file. */
  frameOffset: number;
}

interface SignalFilePart {
  path: string;
  signals: WfdbSignal[];
  samplesPerFrame: number;
  byteOffset: number;
}

interface Group {
  channel: SignalChannel;
  members: Member[];
  samplesPerFrame: number;
}

/**
 * Opens the record of a header. The header names the data files; annotations are found next to it by the record's name.
 *
 * @param given further files of the import; one that does not belong to the record is skipped with a note
 */
export async function openWfdb(headerPath: string, given: string[], options: ImportOptions): Promise<ImportSource> {
  const text = (await readSmallFile(headerPath, MAX_HEADER_BYTES, 'header')).toString('utf8');
  const header = parseWfdbHeader(text, headerPath);
  const folder = dirname(headerPath);
  const files = await signalFiles(header, folder, headerPath);
  const frameCount = await countFrames(header, files, headerPath);
  const notes: string[] = [];
  const members = membersOf(header, headerPath, files, notes);
  const startUs = startOf(header, headerPath, options, notes);
  const others = await filesBeside(headerPath, files, given);
  const { labels, parts } = await readAllLabels(others, { header, startUs, notes });
  const sha256 = await sourceHash([headerPath, ...files.map(({ path }) => path), ...parts], options.signal);
  const source = { format: 'WFDB', fileName: basename(headerPath), sha256 };
  const record = { header, files, frameCount, signal: options.signal };
  const scan = await scanRecord(record, members);
  const groups = groupChannels(header, members, scan, frameCount, notes);
  if (groups.length === 0) throw empty(headerPath, 'all of them are marked as missing.');
  let doneFrames = 0;
  const frameBytes = files.reduce((sum, { signals, samplesPerFrame }) => {
    const { chunkBytes, chunkSamples } = signals[0]!.format;
    return sum + (samplesPerFrame * chunkBytes) / chunkSamples;
  }, 0);
  async function* pages(): AsyncGenerator<SignalPage> {
    for await (const { first, count, framesOf } of batchesOf(record)) {
      for (const [index, group] of groups.entries()) {
        const columns = group.members.map((member) => takeColumn(member, framesOf(member.file), count));
        yield* presentPages(index, group, columns, startUs, first, header.frameRateHz);
      }
      doneFrames = first + count;
    }
  }
  const recording: ImportedRecording = {
    header: makeHeader({ channels: groups.map(({ channel }) => channel), source }, options),
    pages,
    labels,
    marks: [],
    notes,
    progress: () => ({
      doneBytes: Math.round(doneFrames * frameBytes),
      totalBytes: Math.round(frameCount * frameBytes),
    }),
  };
  return { format: 'WFDB', recordings: [recording], labels: [], close: () => Promise.resolve() };
}

/** True for the header of a multi-segment record. */
export async function isMultiSegment(headerPath: string): Promise<boolean> {
  const head = await readHead(headerPath, MAX_NAMING_BYTES);
  const line = firstLine(head);
  return line !== undefined && /^[^\s/]+\/\d+\s/.test(line);
}

/** True when the header at `headerPath` names `fileName` as a data file; false also where it cannot be read. */
export async function namesDataFile(headerPath: string, fileName: string): Promise<boolean> {
  const head = await readHead(headerPath, MAX_NAMING_BYTES).catch(() => Buffer.alloc(0));
  const lines = head.toString('utf8').split(/\r?\n/);
  return lines.some((line) => !line.startsWith('#') && line.trim().split(/\s+/)[0] === fileName);
}

interface OtherFile {
  path: string;
  /** Extension without the dot: `atr`, `qrs`. */
  annotator: string;
  isGiven: boolean;
}

/** Files that may hold annotations of the record: those with its name, and all that were given. */
async function filesBeside(headerPath: string, files: SignalFilePart[], given: string[]): Promise<OtherFile[]> {
  const folder = resolve(dirname(headerPath));
  const stem = basename(headerPath, extname(headerPath));
  const beside = (await readdir(folder))
    .filter((name) => name.startsWith(`${stem}.`) && /^[A-Za-z]\w*$/.test(name.slice(stem.length + 1)))
    .sort()
    .map((name) => join(folder, name));
  const named = new Set(given.map((path) => resolve(path)));
  const parts = new Set([headerPath, ...files.map(({ path }) => path)].map((path) => resolve(path)));
  return [...new Set([...beside, ...named])]
    .filter((path) => !parts.has(path))
    .map((path) => ({ path, annotator: extname(path).slice(1), isGiven: named.has(path) }));
}

/** Annotator names of the WFDB software and PhysioNet; a file with such an extension must be a valid annotation file. */
const ANNOTATORS = new Set('atr ari ecg qrs pu man cor wqrs gqrs sqrs wabp ann'.split(' '));

/**
 * Reads the labels of all annotators. `parts` are the annotation files in the record's content hash: the reference annotations
 * only, so that running a detector over a record does not change its identity.
 */
async function readAllLabels(
  others: OtherFile[],
  { header, startUs, notes }: { header: WfdbHeader; startUs: number; notes: string[] },
): Promise<{ labels: ImportedLabel[]; parts: string[] }> {
  const labels: ImportedLabel[] = [];
  const parts: string[] = [];
  for (const { path, annotator, isGiven } of others) {
    if (!(await stat(path).catch(() => null))?.isFile()) continue;
    const isReference = annotator.toLowerCase() === 'atr';
    const mustBe = ANNOTATORS.has(annotator.toLowerCase());
    const isLarge = !mustBe && (await fileSize(path)) > MAX_ANNOTATION_BYTES;
    const bytes = isLarge ? null : await readSmallFile(path, MAX_ANNOTATION_BYTES, 'list of annotations');
    const found = bytes && (mustBe ? parseWfdbAnnotations(bytes, path) : recogniseWfdbAnnotations(bytes, path));
    if (!found) {
      if (isGiven)
        notes.push(`${basename(path)} was left out: the header does not name it, and it holds no annotations.`);
      continue;
    }
    if (isReference) parts.push(path);
    for (const label of labelsOf(found, header, startUs)) {
      labels.push(isReference ? label : { ...label, displayName: `${label.displayName} (${annotator})` });
    }
  }
  return { labels, parts };
}

async function signalFiles(header: WfdbHeader, folder: string, headerPath: string): Promise<SignalFilePart[]> {
  if (header.signals.length === 0) throw unsupported(headerPath, 'it describes no signals.');
  const files = new Map<string, SignalFilePart>();
  for (const signal of header.signals) {
    const path = join(folder, signal.fileName);
    const part = files.get(path) ?? { path, signals: [], samplesPerFrame: 0, byteOffset: signal.byteOffset };
    if (part.signals.some(({ format }) => format !== signal.format)) {
      throw damaged(headerPath, `${signal.fileName} is described in two formats.`);
    }
    part.signals.push(signal);
    part.samplesPerFrame += signal.samplesPerFrame;
    files.set(path, part);
  }
  for (const { path } of files.values()) {
    if (!(await stat(path).catch(() => null))) {
      throw new OutpostError('NOT_FOUND', `${basename(headerPath)} needs ${basename(path)}, which is not beside it.`);
    }
  }
  return [...files.values()];
}

/** Frames that the header promises, checked against the files; or those that the files hold. */
async function countFrames(header: WfdbHeader, files: SignalFilePart[], headerPath: string): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (const { path, signals, samplesPerFrame, byteOffset } of files) {
    const format = signals[0]!.format;
    const bytes = Math.max(0, (await fileSize(path)) - byteOffset);
    const frames = Math.floor(((bytes / format.chunkBytes) * format.chunkSamples) / samplesPerFrame);
    const needed = header.frameCount === null ? 0 : bytesOfSamples(format, header.frameCount * samplesPerFrame);
    if (needed > bytes) {
      throw damaged(
        path,
        `it was cut off: the header promises ${header.frameCount} samples per signal, it has ${frames}.`,
      );
    }
    fewest = Math.min(fewest, frames);
  }
  const count = header.frameCount ?? fewest;
  if (count === 0)
    throw new OutpostError('FILE_EMPTY', `${basename(headerPath)} has no samples. Nothing was imported.`);
  return count;
}

function startOf(header: WfdbHeader, path: string, options: ImportOptions, notes: string[]): number {
  if (header.start) return instantOfLocalTime(header.start, options.timeZone ?? 'UTC', options.defaultStartUs, notes);
  if (options.defaultStartUs !== undefined) return options.defaultStartUs;
  throw new OutpostError(
    'INVALID_INPUT',
    `${basename(path)} does not say when it was recorded. Give its start time, then import it again.`,
  );
}

/** value = (count - baseline) / (gain / factor): one exact division, so that decimal gains print as decimals. */
function ruleOf(signal: WfdbSignal, named: NamedSignal): ExactValueRule {
  const perUnit = signal.gain / named.factor;
  const rounded = Math.round(perUnit);
  const divisor = Math.abs(perUnit / rounded - 1) < 1e-12 ? rounded : perUnit;
  return { origin: signal.baseline, divisor, span: 1, low: 0 };
}

function membersOf(header: WfdbHeader, path: string, files: SignalFilePart[], notes: string[]): Member[] {
  const offsets = new Map<SignalFilePart, number>();
  return header.signals.map((signal): Member => {
    const file = files.find(({ signals }) => signals.includes(signal)) as SignalFilePart;
    const frameOffset = offsets.get(file) ?? 0;
    offsets.set(file, frameOffset + signal.samplesPerFrame);
    const named = nameSignal(signal.description, signal.unit, true, path);
    if (named.note) notes.push(named.note);
    if (!signal.isCalibrated) {
      notes.push(
        `${signal.description} is not calibrated; the format's ${signal.gain} counts per ${signal.unit} were used.`,
      );
    }
    return { signal, named, file, frameOffset };
  });
}

const ELECTRODES = new Set(['ECG', 'EMG']);

/**
 * Leads that miss the same samples share a channel; others get separate channels, because a page holds all leads of its channel,
 * so a gap of one would be a gap of all. Axes stay together: two of three do not determine the third.
 */
function groupChannels(
  header: WfdbHeader,
  members: Member[],
  scan: Map<WfdbSignal, MissingSamples>,
  frameCount: number,
  notes: string[],
): Group[] {
  const missingOf = ({ signal }: Member): MissingSamples => scan.get(signal) as MissingSamples;
  const present = members.filter((member) => {
    const isPresent = missingOf(member).count < frameCount * member.signal.samplesPerFrame;
    if (!isPresent) notes.push(`${member.signal.description} was left out: all its samples are marked as missing.`);
    return isPresent;
  });
  const keyed = present.map((member) => {
    const pattern = ELECTRODES.has(member.named.type) ? missingOf(member).pattern : '';
    return { ...member, rateKey: `${member.signal.samplesPerFrame} ${pattern}` };
  });
  return groupSignals(keyed).map(({ type, unit, dimensions, members: grouped }) => {
    for (const member of grouped) {
      const { count } = missingOf(member);
      if (count > 0) {
        notes.push(`${member.signal.description}: ${count} samples are marked as missing and are gaps of ${type}.`);
      }
    }
    const rules = grouped.map(({ signal, named }) => ruleOf(signal, named));
    const plain = rules.map(scaleAndOffset);
    const { samplesPerFrame } = grouped[0]!.signal;
    const channel: SignalChannel = {
      type,
      dimensions,
      unit,
      nominalRateHz: header.frameRateHz * samplesPerFrame,
      scale: plain.map(({ scale }) => scale),
      offset: plain.map(({ offset }) => offset),
      sampleBits: grouped.some(({ signal }) => signal.format.sampleBits === 32) ? 32 : 16,
      exact: rules,
    };
    return { channel, members: grouped, samplesPerFrame };
  });
}

function labelsOf(annotations: WfdbAnnotation[], header: WfdbHeader, startUs: number): ImportedLabel[] {
  let ticksPerSecond = header.frameRateHz;
  const labels: ImportedLabel[] = [];
  for (const annotation of annotations) {
    const resolution = /^## time resolution: ([\d.]+)/.exec(annotation.auxiliary);
    if (resolution && annotation.sample === 0) {
      ticksPerSecond = Number(resolution[1]) || ticksPerSecond;
      continue;
    }
    const timeUs = Math.round(startUs + (annotation.sample / ticksPerSecond) * 1e6);
    const value = isBeat(annotation) ? annotation.symbol : annotation.auxiliary || annotation.symbol;
    labels.push({ startUs: timeUs, stopUs: timeUs, displayName: annotation.description, value });
  }
  return labels;
}

interface OpenRecord {
  header: WfdbHeader;
  files: SignalFilePart[];
  frameCount: number;
  signal: AbortSignal | undefined;
}

interface FrameBatch {
  first: number;
  count: number;
  framesOf(file: SignalFilePart): Int32Array;
}

/** All frames of a record in batches of about a minute. */
async function* batchesOf({ header, files, frameCount, signal }: OpenRecord): AsyncGenerator<FrameBatch> {
  const handles = await Promise.all(files.map(({ path }) => open(path, 'r')));
  try {
    const widest = Math.max(...files.map(({ samplesPerFrame }) => samplesPerFrame));
    const perPage = Math.min(Math.floor(PAGE_SECONDS * header.frameRateHz), Math.floor(MAX_BATCH_SAMPLES / widest));
    // A multiple of two and three keeps every batch on whole groups of the packed formats.
    const batch = Math.max(GROUP_MULTIPLE, perPage - (perPage % GROUP_MULTIPLE));
    for (let first = 0; first < frameCount; first += batch) {
      throwIfAborted(signal);
      const count = Math.min(batch, frameCount - first);
      const frames = await Promise.all(files.map((file, i) => readFrames(handles[i]!, file, first, count)));
      yield { first, count, framesOf: (file) => frames[files.indexOf(file)]! };
    }
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

async function readFrames(handle: FileHandle, file: SignalFilePart, first: number, count: number): Promise<Int32Array> {
  const format = file.signals[0]!.format;
  const position = file.byteOffset + bytesOfSamples(format, first * file.samplesPerFrame);
  const samples = new Int32Array(count * file.samplesPerFrame);
  const bytes = Buffer.alloc(bytesOfSamples(format, samples.length));
  if ((await readFully(handle, bytes, position)) < bytes.length) {
    throw damaged(file.path, 'it is shorter than its header says.');
  }
  format.decode(bytes, samples);
  return samples;
}

/** Samples of a signal that hold its format's value for "no sample". */
interface MissingSamples {
  count: number;
  /** Fingerprint, equal for signals that miss the same samples. */
  pattern: string;
}

/**
 * First pass, before anything is written: checks all samples against the initial values and checksums of the header, and finds
 * missing samples, which decide the channels.
 */
async function scanRecord(record: OpenRecord, members: Member[]): Promise<Map<WfdbSignal, MissingSamples>> {
  const tallies = members.map(() => ({ sum: 0, count: 0, low: 0, high: 0 }));
  for await (const { first, count, framesOf } of batchesOf(record)) {
    for (const [m, member] of members.entries()) {
      const column = takeColumn(member, framesOf(member.file), count);
      if (first === 0) checkInitialValue(member, column[0]!);
      const tally = tallies[m]!;
      const { invalid } = member.signal.format;
      const firstSample = first * member.signal.samplesPerFrame;
      let { sum } = tally;
      for (let i = 0; i < column.length; i++) {
        const sample = column[i]!;
        sum = (sum + sample) & 0xffff;
        if (sample !== invalid) continue;
        const place = firstSample + i;
        tally.count++;
        tally.low = (Math.imul(tally.low, 31) + place) | 0;
        tally.high = Math.imul(tally.high ^ place, 0x01000193);
      }
      tally.sum = sum;
    }
  }
  members.forEach(({ signal, file }, m) => {
    if (signal.checksum === null || !Number.isFinite(signal.checksum)) return;
    if ((tallies[m]!.sum - signal.checksum) % 0x10000 === 0) return;
    throw damaged(file.path, `the samples of ${signal.description} do not match the checksum in the header.`);
  });
  return new Map(
    members.map(({ signal }, m) => {
      const { count, low, high } = tallies[m]!;
      return [signal, { count, pattern: `${count} ${low} ${high}` }];
    }),
  );
}

function checkInitialValue({ signal, file }: Member, first: number): void {
  const { initialValue, description, samplesPerFrame } = signal;
  if (initialValue === null || !Number.isFinite(initialValue) || samplesPerFrame !== 1) return;
  if (first === initialValue) return;
  throw damaged(file.path, `${description} begins with ${first} where the header says ${initialValue}.`);
}

/** Pages of the segments in which no member of the group misses a sample. */
function* presentPages(
  index: number,
  group: Group,
  columns: Int32Array[],
  startUs: number,
  firstFrame: number,
  frameRateHz: number,
): Generator<SignalPage> {
  const periodUs = 1e6 / (frameRateHz * group.samplesPerFrame);
  const invalid = group.members.map(({ signal }) => signal.format.invalid);
  const { length } = columns[0]!;
  let start = 0;
  for (let i = 0; i <= length; i++) {
    if (i < length && !columns.some((column, d) => column[i] === invalid[d])) continue;
    if (i > start) {
      const pageStartUs = Math.round(startUs + (firstFrame * group.samplesPerFrame + start) * periodUs);
      const cut = columns.map((column) => column.subarray(start, i));
      yield evenPage(index, pageStartUs, periodUs, cut, group.channel.sampleBits);
    }
    start = i + 1;
  }
}

function takeColumn(member: Member, frames: Int32Array, count: number): Int32Array {
  const { samplesPerFrame } = member.signal;
  const column = new Int32Array(count * samplesPerFrame);
  for (let frame = 0; frame < count; frame++) {
    const from = frame * member.file.samplesPerFrame + member.frameOffset;
    for (let i = 0; i < samplesPerFrame; i++) column[frame * samplesPerFrame + i] = frames[from + i]!;
  }
  return column;
}
