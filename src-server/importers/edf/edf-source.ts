/** EDF, EDF+C, EDF+D, BDF and BDF+ as recordings: signals grouped into channels, annotations as labels. */
import { type FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import type { ExactValueRule, SampleArray, SignalChannel, SignalPage } from '../../signals/types.ts';
import { instantOfLocalTime } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, throwIfAborted, unsupported } from '../refusals.ts';
import { groupSignals, type NamedSignal, nameSignal } from '../signal-names.ts';
import { fileSize, readFully, readHead, sourceHash } from '../source-bytes.ts';
import { TimedPageBuilder } from '../timed-pages.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { parseAnnotations, type RecordAnnotations } from './edf-annotations.ts';
import { type EdfHeader, type EdfSignalHeader, edfHeaderBytes, parseEdfHeader } from './edf-header.ts';

const PAGE_US = 60_000_000;
const MAX_PAGE_BYTES = 32 << 20;
/** A minute is some ten kilobytes, for which a read of its own would take longer than its samples. */
const READ_BYTES = 1 << 20;
const MAX_LABELS = 1_000_000;
/** Samples of two bytes are then copied whole records at a time, as they are stored. */
const IS_LITTLE_ENDIAN = endianness() === 'LE';
/** Transducer text of files written by Outpost: exact scale, offset and rate. */
const OWN_RULE = /^Outpost (\S+) (\S+) (\S+) (\S+) (\S+)$/;
const OWN_EQUIPMENT = /\bOutpost\b(?: TZ=([+-]\d\d:\d\d))?(?: (\S+) (LEFT|RIGHT|ANY|NONE|DOMINANT) (\S+))?/;
/** Marks padded samples of a uniform grid. */
const OWN_GAP = /^Gap: (\S+)$/;

interface Member {
  signal: EdfSignalHeader;
  named: NamedSignal;
  rateKey: string;
  clock: EdfSignalHeader | null;
}

interface Group {
  channel: SignalChannel;
  members: Member[];
  samplesPerRecord: number;
  clock: EdfSignalHeader | null;
}

export async function openEdf(path: string, options: ImportOptions): Promise<ImportSource> {
  const fileBytes = await fileSize(path);
  const headerBytes = edfHeaderBytes(await readHead(path, 256), path);
  if (headerBytes > fileBytes) throw damaged(path, 'it ends inside its header.');
  const header = parseEdfHeader(await readHead(path, headerBytes), fileBytes, path);
  const notes: string[] = [];
  const excess = fileBytes - headerBytes - header.recordCount * header.recordBytes;
  if (excess > 0) notes.push(`${excess} bytes after the last data record were left out.`);
  const groups = groupChannels(header, path, notes);
  const startUs = startOf(header, path, options, notes);
  const sha256 = options.withoutHash ? '' : await sourceHash([path], options.signal);
  const file = await open(path, 'r');
  try {
    const reader = new EdfReader({ file, path, header, groups, startUs, notes, signal: options.signal });
    if (groups.length === 0) {
      const labels = await reader.labelsOnly();
      if (labels.length === 0) throw unsupported(path, 'it has neither signals nor annotations.');
      return { format: header.format, recordings: [], labels, notes, close: () => file.close() };
    }
    await reader.checkFirstRecord();
    const place = OWN_EQUIPMENT.exec(header.recording);
    const recording: ImportedRecording = {
      header: makeHeader(
        {
          channels: groups.map(({ channel }) => channel),
          source: { format: header.format, fileName: basename(path), sha256 },
          location: place?.[2],
          side: place?.[3],
          udid: place?.[4],
        },
        options,
      ),
      pages: () => reader.pages(),
      labels: reader.labels,
      marks: [],
      notes,
      progress: () => reader.progress(),
    };
    return { format: header.format, recordings: [recording], labels: [], close: () => file.close() };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

function startOf(header: EdfHeader, path: string, options: ImportOptions, notes: string[]): number {
  if (header.start) {
    // Files written by Outpost state their offset from UTC; without one their clock is UTC.
    const own = OWN_EQUIPMENT.exec(header.recording);
    const timeZone = own ? (own[1] ?? 'UTC') : (options.timeZone ?? 'UTC');
    return instantOfLocalTime(header.start, timeZone, options.defaultStartUs, notes);
  }
  if (options.defaultStartUs !== undefined) {
    notes.push('The header has no possible start date; the start that was given was used.');
    return options.defaultStartUs;
  }
  throw new OutpostError(
    'INVALID_INPUT',
    `${basename(path)} does not say when it was recorded. Give its start time, then import it again.`,
  );
}

/** Scale, offset and rule of one signal, from Outpost's exact transducer text or from the header's ranges. */
function scalingOf(
  signal: EdfSignalHeader,
  named: NamedSignal,
): { scale: number; offset: number; rule?: ExactValueRule; rateHz?: number } {
  const digitalRange = signal.digitalMaximum - signal.digitalMinimum;
  const perCount = (signal.physicalMaximum - signal.physicalMinimum) / digitalRange;
  const scale = perCount * named.factor;
  const offset = (signal.physicalMinimum - signal.digitalMinimum * perCount) * named.factor;
  const own = OWN_RULE.exec(signal.transducer)?.slice(1).map(Number);
  if (!own?.every(Number.isFinite)) return { scale, offset };
  const [first, second, span, low, rateHz] = own as [number, number, number, number, number];
  // Another program may have changed the ranges but not the text: then the ranges take precedence.
  const ownScale = second === 0 ? span : span / second;
  if (Math.abs(ownScale / scale - 1) > 1e-3) return { scale, offset };
  if (second === 0) return { scale: span, offset: low, rateHz };
  const rule: ExactValueRule = { origin: first, divisor: second, span, low };
  return { scale: ownScale, offset: low - first * ownScale, rule, rateHz };
}

function groupChannels(header: EdfHeader, path: string, notes: string[]): Group[] {
  const members: Member[] = [];
  let sinceClock = 0;
  for (const signal of header.signals) {
    if (signal.isAnnotations) continue;
    if (/^Clock \S/.test(signal.label) && signal.unit === 'us' && OWN_EQUIPMENT.test(header.recording)) {
      for (const member of members.slice(sinceClock)) {
        member.clock = signal;
        member.rateKey += ` ${signal.label}`;
      }
      sinceClock = members.length;
      continue;
    }
    const isFlat = signal.physicalMinimum === signal.physicalMaximum || signal.digitalMinimum >= signal.digitalMaximum;
    if (isFlat || signal.samplesPerRecord === 0) {
      notes.push(`Signal ${signal.label} has ${isFlat ? 'no range' : 'no samples'} and was left out.`);
      continue;
    }
    const named = nameSignal(signal.label, signal.unit, false, path);
    if (named.note) notes.push(named.note);
    members.push({ signal, named, rateKey: `${signal.samplesPerRecord}`, clock: null });
  }
  if (members.length === 0 && !header.signals.some(({ isAnnotations }) => isAnnotations)) {
    throw unsupported(path, 'none of its signals can be used.');
  }
  return groupSignals(members).map(({ type, unit, dimensions, members: grouped }) => {
    const scalings = grouped.map(({ signal, named }) => scalingOf(signal, named));
    const rules = scalings.map(({ rule }) => rule).filter((rule) => rule !== undefined);
    const { samplesPerRecord } = grouped[0]!.signal;
    const rate = samplesPerRecord / (header.recordDurationUs / 1e6);
    const channel: SignalChannel = {
      type,
      dimensions,
      unit,
      nominalRateHz: scalings[0]!.rateHz ?? Number(rate.toPrecision(6)),
      scale: scalings.map(({ scale }) => scale),
      offset: scalings.map(({ offset }) => offset),
      sampleBits: header.bytesPerSample === 3 ? 32 : 16,
      ...(rules.length === scalings.length ? { exact: rules } : {}),
    };
    return { channel, members: grouped, samplesPerRecord, clock: grouped[0]!.clock };
  });
}

interface EdfReaderParts {
  file: FileHandle;
  path: string;
  header: EdfHeader;
  groups: Group[];
  startUs: number;
  notes: string[];
  signal: AbortSignal | undefined;
}

class EdfReader {
  readonly #parts: EdfReaderParts;
  readonly #annotationSignals: EdfSignalHeader[];
  readonly labels: ImportedLabel[] = [];
  /** Holds the records read last: a new buffer for every read of a long file would be garbage by the hundred megabytes. */
  #memory: Buffer = Buffer.alloc(0);
  #doneRecords = 0;
  #lastOnsetUs = Number.NEGATIVE_INFINITY;
  #brokenLists = 0;
  #endUs = Number.POSITIVE_INFINITY;
  #firstOnsetUs = 0;
  /** By type of channel, in order of time. */
  readonly #gaps = new Map<string, { fromUs: number; toUs: number }[]>();

  constructor(parts: EdfReaderParts) {
    this.#parts = parts;
    this.#annotationSignals = parts.header.signals.filter(({ isAnnotations }) => isAnnotations);
  }

  progress(): { doneBytes: number; totalBytes: number } {
    const { headerBytes, recordBytes, recordCount } = this.#parts.header;
    return {
      doneBytes: headerBytes + this.#doneRecords * recordBytes,
      totalBytes: headerBytes + recordCount * recordBytes,
    };
  }

  /** Checks, before anything is written, that an EDF+D file has the times of its records. */
  async checkFirstRecord(): Promise<void> {
    const { header, path } = this.#parts;
    if (!header.isPlus) return;
    const record = await this.#records(0, 1);
    const { recordOnsetUs } = this.#annotationsOf(record, 0);
    if (recordOnsetUs === null && header.isDiscontinuous) {
      throw damaged(path, 'it says that it has breaks, but its first data record has no start time.');
    }
    this.#firstOnsetUs = recordOnsetUs ?? 0;
  }

  async labelsOnly(): Promise<ImportedLabel[]> {
    for await (const { records, first, count } of this.#batches()) {
      for (let r = 0; r < count; r++) this.#takeLabels(this.#annotationsOf(records, r), first + r);
    }
    this.#noteBroken();
    return this.labels;
  }

  async *pages(): AsyncGenerator<SignalPage> {
    const { header, groups } = this.#parts;
    const timed = header.isDiscontinuous || groups.some(({ clock }) => clock !== null);
    if (OWN_EQUIPMENT.test(header.recording) && header.isPlus) await this.#findGaps();
    this.#lastOnsetUs = Number.NEGATIVE_INFINITY;
    yield* timed ? this.#timedPages() : this.#evenPages();
    this.#noteBroken();
  }

  #noteBroken(): void {
    if (this.#brokenLists > 0) this.#parts.notes.push(`${this.#brokenLists} broken annotation lists were left out.`);
  }

  /** Continuous records: the time follows from the start and the sample's position. */
  async *#evenPages(): AsyncGenerator<SignalPage> {
    const { header, groups, startUs } = this.#parts;
    for await (const { records, first, count } of this.#batches()) {
      for (let r = 0; r < count; r++) this.#takeLabels(this.#annotationsOf(records, r), first + r);
      const pageStartUs = startUs + this.#firstOnsetUs + first * header.recordDurationUs;
      for (const [index, group] of groups.entries()) {
        const periodUs = header.recordDurationUs / group.samplesPerRecord;
        const { type, sampleBits } = group.channel;
        const perPage = count * group.samplesPerRecord;
        // Of the width that the page will have, so that whole pages need no second copy.
        const columns = group.members.map(({ signal }) =>
          this.#samples(records, count, signal, sampleBits === 16 ? new Int16Array(perPage) : new Int32Array(perPage)),
        );
        const kept = Math.min(columns[0]!.length, Math.max(0, Math.round((this.#endUs - pageStartUs) / periodUs)));
        for (const { from, to } of this.#withoutGaps(type, pageStartUs, periodUs, kept)) {
          const isWhole = from === 0 && to === perPage;
          const cut = isWhole ? columns : columns.map((column) => column.slice(from, to));
          yield {
            channel: index,
            startUs: Math.round(pageStartUs + from * periodUs),
            periodUs,
            count: to - from,
            columns: cut,
          };
        }
      }
    }
  }

  /** Records with individual times; a contiguous run of records is spread evenly over its true duration. */
  async *#timedPages(): AsyncGenerator<SignalPage> {
    const { header, groups, startUs } = this.#parts;
    const builders = groups.map(
      ({ channel, members, samplesPerRecord }, index) =>
        new TimedPageBuilder(index, members.length, channel.sampleBits, header.recordDurationUs / samplesPerRecord),
    );
    for await (const { records, first, count } of this.#batches()) {
      const onsets = new Float64Array(count);
      for (let r = 0; r < count; r++) {
        const list = this.#annotationsOf(records, r);
        this.#takeLabels(list, first + r);
        onsets[r] = startUs + (list.recordOnsetUs ?? this.#missingOnset(first + r));
      }
      for (const [index, group] of groups.entries()) {
        const columns = group.members.map(({ signal }) => this.#wideSamples(records, count, signal));
        const timed = group.clock
          ? this.#clockedTimes(records, count, group.clock, onsets, columns)
          : this.#dropFillers(group, this.#recordTimes(count, group.samplesPerRecord, onsets), columns);
        yield* builders[index]!.push(timed.times, columns, timed.count);
      }
    }
    for (const builder of builders) yield* builder.flush();
  }

  /** Reads the gap annotations of a file written by Outpost; they may be in any record. */
  async #findGaps(): Promise<void> {
    const { startUs, path } = this.#parts;
    for await (const { records, count } of this.#batches()) {
      for (let r = 0; r < count; r++) {
        for (const { onsetUs, durationUs, text } of this.#annotationsOf(records, r).annotations) {
          const type = OWN_GAP.exec(text)?.[1];
          if (type === undefined) continue;
          const gaps = this.#gaps.get(type) ?? [];
          if (gaps.length >= MAX_LABELS) throw unsupported(path, `it has more than ${MAX_LABELS} gaps.`);
          gaps.push({ fromUs: startUs + onsetUs, toUs: startUs + onsetUs + durationUs });
          this.#gaps.set(type, gaps);
        }
      }
    }
    for (const gaps of this.#gaps.values()) gaps.sort((a, b) => a.fromUs - b.fromUs);
    this.#brokenLists = 0;
    this.#doneRecords = 0;
  }

  /** Removes samples inside a gap from times and columns. */
  #dropFillers({ channel }: Group, { times, count }: { times: Float64Array; count: number }, columns: Int32Array[]) {
    const gaps = this.#gaps.get(channel.type) ?? [];
    let gap = 0;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      while (gap < gaps.length && times[i]! >= gaps[gap]!.toUs - 1) gap++;
      if (gap < gaps.length && times[i]! >= gaps[gap]!.fromUs - 1) continue;
      times[kept] = times[i]!;
      for (const column of columns) column[kept] = column[i]!;
      kept++;
    }
    return { times, count: kept };
  }

  /** Segments of a page, in samples, outside all gaps. */
  *#withoutGaps(type: string, pageStartUs: number, periodUs: number, count: number) {
    let from = 0;
    for (const { fromUs, toUs } of this.#gaps.get(type) ?? []) {
      const first = Math.round((fromUs - pageStartUs) / periodUs);
      if (first >= count) break;
      if (first > from) yield { from, to: first };
      from = Math.max(from, Math.round((toUs - pageStartUs) / periodUs));
    }
    if (from < count) yield { from, to: count };
  }

  #missingOnset(record: number): never {
    throw damaged(this.#parts.path, `data record ${record + 1} has no start time.`);
  }

  #recordTimes(count: number, samplesPerRecord: number, onsets: Float64Array): { times: Float64Array; count: number } {
    const durationUs = this.#parts.header.recordDurationUs;
    const times = new Float64Array(count * samplesPerRecord);
    for (let r = 0; r < count; r++) {
      const spacing = r + 1 < count ? onsets[r + 1]! - onsets[r]! : durationUs;
      const isJoined = Math.abs(spacing - durationUs) < durationUs / samplesPerRecord / 2;
      const periodUs = (isJoined ? spacing : durationUs) / samplesPerRecord;
      for (let i = 0; i < samplesPerRecord; i++) {
        times[r * samplesPerRecord + i] = Math.round(onsets[r]! + i * periodUs);
      }
    }
    return { times, count: times.length };
  }

  /** Times from a clock signal; padded samples are removed from the columns. */
  #clockedTimes(
    records: Buffer,
    count: number,
    clock: EdfSignalHeader,
    onsets: Float64Array,
    columns: Int32Array[],
  ): { times: Float64Array; count: number } {
    const ticks = this.#wideSamples(records, count, clock);
    const tickUs = clock.physicalMaximum / clock.digitalMaximum;
    const times = new Float64Array(ticks.length);
    let kept = 0;
    for (let i = 0; i < ticks.length; i++) {
      // The lowest digital value marks padding.
      if (ticks[i] === clock.digitalMinimum) continue;
      times[kept] = Math.round(onsets[Math.floor(i / clock.samplesPerRecord)]! + ticks[i]! * tickUs);
      for (const column of columns) column[kept] = column[i]!;
      kept++;
    }
    return { times, count: kept };
  }

  /** Records in batches of at most a minute and a bounded number of bytes. */
  async *#batches(): AsyncGenerator<{ records: Buffer; first: number; count: number }> {
    const { header, signal } = this.#parts;
    const perMinute = header.recordDurationUs > 0 ? Math.floor(PAGE_US / header.recordDurationUs) : 1024;
    const batch = Math.max(1, Math.min(perMinute, Math.floor(MAX_PAGE_BYTES / header.recordBytes)));
    const perRead = batch * Math.max(1, Math.floor(READ_BYTES / (batch * header.recordBytes)));
    for (let begin = 0; begin < header.recordCount; begin += perRead) {
      const stop = Math.min(begin + perRead, header.recordCount);
      throwIfAborted(signal);
      const read = await this.#records(begin, stop - begin);
      for (let first = begin; first < stop; first += batch) {
        throwIfAborted(signal);
        const count = Math.min(batch, stop - first);
        const from = (first - begin) * header.recordBytes;
        yield { records: read.subarray(from, from + count * header.recordBytes), first, count };
        this.#doneRecords = first + count;
      }
    }
  }

  /** The records are valid until the next call. */
  async #records(first: number, count: number): Promise<Buffer> {
    const { file, header, path } = this.#parts;
    const sizeBytes = count * header.recordBytes;
    if (this.#memory.length < sizeBytes) this.#memory = Buffer.allocUnsafeSlow(sizeBytes);
    const records = this.#memory.subarray(0, sizeBytes);
    const got = await readFully(file, records, header.headerBytes + first * header.recordBytes);
    if (got < records.length) throw damaged(path, 'it became shorter while it was read.');
    return records;
  }

  #wideSamples(records: Buffer, count: number, signal: EdfSignalHeader): Int32Array {
    return this.#samples(records, count, signal, new Int32Array(count * signal.samplesPerRecord));
  }

  /** Fills `samples`, which must be wide enough for the samples of the file. */
  #samples<T extends SampleArray>(records: Buffer, count: number, signal: EdfSignalHeader, samples: T): T {
    const { recordBytes, bytesPerSample } = this.#parts.header;
    const perRecord = signal.samplesPerRecord;
    for (let r = 0; r < count; r++) {
      let at = r * recordBytes + signal.recordOffset;
      const stop = (r + 1) * perRecord;
      const start = records.byteOffset + at;
      if (bytesPerSample === 2 && start % 2 === 0 && IS_LITTLE_ENDIAN) {
        samples.set(new Int16Array(records.buffer, start, perRecord), r * perRecord);
      } else if (bytesPerSample === 2) {
        for (let i = r * perRecord; i < stop; i++, at += 2)
          samples[i] = ((records[at]! | (records[at + 1]! << 8)) << 16) >> 16;
      } else {
        for (let i = r * perRecord; i < stop; i++, at += 3) {
          samples[i] = ((records[at]! | (records[at + 1]! << 8) | (records[at + 2]! << 16)) << 8) >> 8;
        }
      }
    }
    return samples;
  }

  #annotationsOf(records: Buffer, record: number): RecordAnnotations {
    const { recordBytes, bytesPerSample } = this.#parts.header;
    const parts = this.#annotationSignals.map((signal) => {
      const start = record * recordBytes + signal.recordOffset;
      return records.subarray(start, start + signal.samplesPerRecord * bytesPerSample);
    });
    const parsed = parseAnnotations(parts);
    this.#brokenLists += parsed.broken;
    return parsed;
  }

  #takeLabels(list: RecordAnnotations, record: number): void {
    const { header, startUs, path } = this.#parts;
    if (list.recordOnsetUs !== null) {
      if (list.recordOnsetUs < this.#lastOnsetUs)
        throw damaged(path, `data record ${record + 1} starts before the one ahead of it.`);
      this.#lastOnsetUs = list.recordOnsetUs;
    }
    for (const { onsetUs, durationUs, text } of list.annotations) {
      const labelStartUs = Math.round(startUs + onsetUs);
      if (OWN_GAP.test(text) && OWN_EQUIPMENT.test(header.recording)) continue;
      const isOwnEnd =
        text === 'Recording ends' && record === header.recordCount - 1 && OWN_EQUIPMENT.test(header.recording);
      if (isOwnEnd) {
        this.#endUs = labelStartUs;
        continue;
      }
      if (this.labels.length >= MAX_LABELS) throw unsupported(path, `it has more than ${MAX_LABELS} annotations.`);
      this.labels.push({ startUs: labelStartUs, stopUs: Math.round(labelStartUs + durationUs), displayName: text });
    }
  }
}
