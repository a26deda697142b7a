/** WFDB records: header, one or more signal files, and the reference annotations beside them. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { ExactValueRule, SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, throwIfAborted, unsupported } from '../refusals.ts';
import { groupSignals, type NamedSignal, nameSignal } from '../signal-names.ts';
import { fileSize, readFully, readSmallFile, sourceHash } from '../source-bytes.ts';
import { evenPage } from '../timed-pages.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { isBeat, parseWfdbAnnotations } from './wfdb-annotations.ts';
import { parseWfdbHeader, type WfdbHeader, type WfdbSignal } from './wfdb-header.ts';
import { bytesOfSamples, SAMPLE_FORMATS } from './wfdb-samples.ts';

export { isWfdbHeader } from './wfdb-header.ts';

const MAX_HEADER_BYTES = 1 << 20;
const MAX_ANNOTATION_BYTES = 64 << 20;
const MAX_BATCH_SAMPLES = 4 << 20;
const PAGE_SECONDS = 60;

interface Member {
  signal: WfdbSignal;
  named: NamedSignal;
  rateKey: string;
  file: SignalFilePart;
  /** Place of its first sample inside a frame of its file. */
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

export async function openWfdb(headerPath: string, options: ImportOptions): Promise<ImportSource> {
  const text = (await readSmallFile(headerPath, MAX_HEADER_BYTES, 'header')).toString('utf8');
  const header = parseWfdbHeader(text, headerPath);
  const folder = dirname(headerPath);
  const files = await signalFiles(header, folder, headerPath);
  const frameCount = await countFrames(header, files, headerPath);
  const notes: string[] = [];
  const groups = groupChannels(header, headerPath, files, notes);
  const startUs = startOf(header, headerPath, options);
  const stem = basename(headerPath, '.hea');
  const annotationPath = join(folder, `${stem}.atr`);
  const hasAnnotations = (await stat(annotationPath).catch(() => null))?.isFile() ?? false;
  const labels = hasAnnotations ? await readLabels(annotationPath, header, startUs) : [];
  const parts = [headerPath, ...files.map(({ path }) => path), ...(hasAnnotations ? [annotationPath] : [])];
  const sha256 = await sourceHash(parts, options.signal);
  const source = { format: 'WFDB', fileName: basename(headerPath), sha256 };
  const marks: SignalMark[] = [];
  const reader = new WfdbReader({
    header,
    headerPath,
    files,
    groups,
    frameCount,
    startUs,
    notes,
    marks,
    signal: options.signal,
  });
  await reader.checkInitialValues();
  const recording: ImportedRecording = {
    header: makeHeader({ channels: groups.map(({ channel }) => channel), source }, options),
    pages: () => reader.pages(),
    labels,
    marks,
    notes,
    progress: () => reader.progress(),
  };
  return { format: 'WFDB', recordings: [recording], labels: [], close: () => Promise.resolve() };
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
    const format = SAMPLE_FORMATS[signals[0].format];
    const bytes = Math.max(0, (await fileSize(path)) - byteOffset);
    const frames = Math.floor(((bytes / format.pieceBytes) * format.pieceSamples) / samplesPerFrame);
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

function startOf(header: WfdbHeader, path: string, options: ImportOptions): number {
  if (header.start) {
    const zoned = header.start.toZonedDateTime(options.timeZone ?? 'UTC', { disambiguation: 'compatible' });
    return Number(zoned.epochNanoseconds / 1000n);
  }
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

function groupChannels(header: WfdbHeader, path: string, files: SignalFilePart[], notes: string[]): Group[] {
  const offsets = new Map<SignalFilePart, number>();
  const members = header.signals.map((signal): Member => {
    const file = files.find(({ signals }) => signals.includes(signal)) as SignalFilePart;
    const frameOffset = offsets.get(file) ?? 0;
    offsets.set(file, frameOffset + signal.samplesPerFrame);
    const named = nameSignal(signal.description, signal.unit, true, path);
    if (named.note) notes.push(named.note);
    return { signal, named, rateKey: `${signal.samplesPerFrame}`, file, frameOffset };
  });
  return groupSignals(members).map(({ type, unit, dimensions, members: grouped }) => {
    const rules = grouped.map(({ signal, named }) => ruleOf(signal, named));
    const plain = rules.map(scaleAndOffset);
    const { samplesPerFrame } = grouped[0].signal;
    const channel: SignalChannel = {
      type,
      dimensions,
      unit,
      nominalRateHz: header.frameRateHz * samplesPerFrame,
      scale: plain.map(({ scale }) => scale),
      offset: plain.map(({ offset }) => offset),
      sampleBits: grouped.some(({ signal }) => SAMPLE_FORMATS[signal.format].sampleBits === 32) ? 32 : 16,
      exact: rules,
    };
    return { channel, members: grouped, samplesPerFrame };
  });
}

async function readLabels(path: string, header: WfdbHeader, startUs: number): Promise<ImportedLabel[]> {
  const bytes = await readSmallFile(path, MAX_ANNOTATION_BYTES, 'list of annotations');
  let ticksPerSecond = header.frameRateHz;
  const labels: ImportedLabel[] = [];
  for (const annotation of parseWfdbAnnotations(bytes, path)) {
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

interface WfdbReaderParts {
  header: WfdbHeader;
  headerPath: string;
  files: SignalFilePart[];
  groups: Group[];
  frameCount: number;
  startUs: number;
  notes: string[];
  marks: SignalMark[];
  signal: AbortSignal | undefined;
}

class WfdbReader {
  readonly #parts: WfdbReaderParts;
  #doneFrames = 0;

  constructor(parts: WfdbReaderParts) {
    this.#parts = parts;
  }

  progress(): { doneBytes: number; totalBytes: number } {
    const frameBytes = this.#parts.files.reduce((sum, { signals, samplesPerFrame }) => {
      const { pieceBytes, pieceSamples } = SAMPLE_FORMATS[signals[0].format];
      return sum + (samplesPerFrame * pieceBytes) / pieceSamples;
    }, 0);
    return {
      doneBytes: Math.round(this.#doneFrames * frameBytes),
      totalBytes: Math.round(this.#parts.frameCount * frameBytes),
    };
  }

  /** The first value of every signal against the header, before anything is written. */
  async checkInitialValues(): Promise<void> {
    for (const file of this.#parts.files) {
      const handle = await open(file.path, 'r');
      try {
        const first = await this.#frames(handle, file, 0, 1);
        let at = 0;
        for (const { initialValue, description, samplesPerFrame } of file.signals) {
          if (
            initialValue !== null &&
            Number.isFinite(initialValue) &&
            samplesPerFrame === 1 &&
            first[at] !== initialValue
          ) {
            throw damaged(file.path, `${description} begins with ${first[at]} where the header says ${initialValue}.`);
          }
          at += samplesPerFrame;
        }
      } finally {
        await handle.close();
      }
    }
  }

  async *pages(): AsyncGenerator<SignalPage> {
    const { files, groups, frameCount, header, signal } = this.#parts;
    const handles = await Promise.all(files.map(({ path }) => open(path, 'r')));
    const sums = new Map<WfdbSignal, number>();
    const invalid = new Map<string, number>();
    try {
      const widest = Math.max(...files.map(({ samplesPerFrame }) => samplesPerFrame));
      const perPage = Math.max(
        2,
        Math.min(Math.floor(PAGE_SECONDS * header.frameRateHz), Math.floor(MAX_BATCH_SAMPLES / widest)),
      );
      // An even number of frames keeps every batch on a whole piece of the packed formats.
      const batch = perPage - (perPage % 2);
      for (let first = 0; first < frameCount; first += batch) {
        throwIfAborted(signal);
        const count = Math.min(batch, frameCount - first);
        const frames = await Promise.all(files.map((file, i) => this.#frames(handles[i], file, first, count)));
        for (const [index, group] of groups.entries()) {
          const columns = group.members.map((member) => takeColumn(member, frames[files.indexOf(member.file)], count));
          group.members.forEach((member, d) => {
            let sum = sums.get(member.signal) ?? 0;
            for (const sample of columns[d]) sum = (sum + sample) & 0xffff;
            sums.set(member.signal, sum);
          });
          yield* this.#validPages(index, group, columns, first, invalid);
        }
        this.#doneFrames = first + count;
      }
    } finally {
      await Promise.all(handles.map((handle) => handle.close()));
    }
    this.#checkSums(sums);
    for (const [name, count] of invalid) {
      this.#parts.notes.push(`${name}: ${count} samples are marked as missing; where all leads miss, there is a gap.`);
    }
  }

  /** Stretches between samples that every lead marks as missing. */
  *#validPages(
    index: number,
    group: Group,
    columns: Int32Array[],
    firstFrame: number,
    invalid: Map<string, number>,
  ): Generator<SignalPage> {
    const { header, startUs } = this.#parts;
    const periodUs = 1e6 / (header.frameRateHz * group.samplesPerFrame);
    const missing = group.members.map(({ signal }) => SAMPLE_FORMATS[signal.format].invalid);
    const length = columns[0].length;
    let start = 0;
    for (let i = 0; i <= length; i++) {
      let missingLeads = i === length ? columns.length : 0;
      if (i < length) {
        for (let d = 0; d < columns.length; d++) if (columns[d][i] === missing[d]) missingLeads++;
        if (missingLeads > 0) invalid.set(group.channel.type, (invalid.get(group.channel.type) ?? 0) + missingLeads);
      }
      if (missingLeads < columns.length) continue;
      if (i > start) {
        const pageStartUs = Math.round(startUs + (firstFrame * group.samplesPerFrame + start) * periodUs);
        const cut = columns.map((column) => column.subarray(start, i));
        yield evenPage(index, pageStartUs, periodUs, cut, group.channel.sampleBits);
      }
      start = i + 1;
    }
  }

  #checkSums(sums: Map<WfdbSignal, number>): void {
    for (const { signals, path } of this.#parts.files) {
      for (const signal of signals) {
        if (signal.checksum === null || !Number.isFinite(signal.checksum)) continue;
        if (((sums.get(signal) ?? 0) - signal.checksum) % 0x10000 !== 0) {
          throw damaged(path, `the samples of ${signal.description} do not match the checksum in the header.`);
        }
      }
    }
  }

  async #frames(handle: FileHandle, file: SignalFilePart, first: number, count: number): Promise<Int32Array> {
    const format = SAMPLE_FORMATS[file.signals[0].format];
    const position = file.byteOffset + bytesOfSamples(format, first * file.samplesPerFrame);
    const samples = new Int32Array(count * file.samplesPerFrame);
    const bytes = Buffer.alloc(bytesOfSamples(format, samples.length));
    if ((await readFully(handle, bytes, position)) < bytes.length)
      throw damaged(file.path, 'it is shorter than its header says.');
    format.decode(bytes, samples);
    return samples;
  }
}

function takeColumn(member: Member, frames: Int32Array, count: number): Int32Array {
  const { samplesPerFrame } = member.signal;
  const column = new Int32Array(count * samplesPerFrame);
  for (let frame = 0; frame < count; frame++) {
    const from = frame * member.file.samplesPerFrame + member.frameOffset;
    for (let i = 0; i < samplesPerFrame; i++) column[frame * samplesPerFrame + i] = frames[from + i];
  }
  return column;
}
