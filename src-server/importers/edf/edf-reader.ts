/** Reads the data records of an EDF file: pages of its channels, and labels of its annotations. */
import type { FileHandle } from 'node:fs/promises';
import { endianness } from 'node:os';
import type { SampleArray, SignalMark, SignalPage } from '../../signals/types.ts';
import { damaged, throwIfAborted, unsupported } from '../refusals.ts';
import { readFully } from '../source-bytes.ts';
import { TimedPageBuilder } from '../timed-pages.ts';
import type { ImportedLabel } from '../types.ts';
import { parseAnnotations, type RecordAnnotations } from './edf-annotations.ts';
import { type Group, OWN_EQUIPMENT } from './edf-channels.ts';
import type { EdfHeader, EdfSignalHeader } from './edf-header.ts';
import { FarosEvents, type FarosSignals } from './faros.ts';
import { agreedStart, RecordOrder } from './record-order.ts';

const PAGE_US = 60_000_000;
const MAX_PAGE_BYTES = 32 << 20;
/** A minute is some ten kilobytes, for which a read of its own would take longer than its samples. */
const READ_BYTES = 1 << 20;
const MAX_LABELS = 1_000_000;
/** Samples of two bytes are then copied whole records at a time, as they are stored. */
const IS_LITTLE_ENDIAN = endianness() === 'LE';
/** Marks padded samples of a uniform grid. */
const OWN_GAP = /^Gap: (\S+)$/;

interface EdfReaderParts {
  file: FileHandle;
  path: string;
  header: EdfHeader;
  groups: Group[];
  startUs: number;
  notes: string[];
  faros: FarosSignals;
  signal: AbortSignal | undefined;
}

export class EdfReader {
  readonly #parts: EdfReaderParts;
  readonly #annotationSignals: EdfSignalHeader[];
  readonly labels: ImportedLabel[] = [];
  readonly marks: SignalMark[] = [];
  /** Holds the records read last: a new buffer for every read of a long file would be garbage by the hundred megabytes. */
  #memory: Buffer = Buffer.alloc(0);
  #doneRecords = 0;
  #brokenLists = 0;
  #misplacedRecords = 0;
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

  /** Checks, before anything is written, that an EDF+D file has times of its records. */
  async checkFirstRecord(): Promise<void> {
    const { header, path, notes } = this.#parts;
    if (!header.isPlus) return;
    if (!header.isDiscontinuous) {
      const count = Math.min(3, header.recordCount);
      const records = await this.#records(0, count);
      const onsets = Array.from({ length: count }, (_, r) => this.#annotationsOf(records, r).recordOnsetUs);
      const { startUs, isOutvoted } = agreedStart(onsets, header.recordDurationUs);
      if (isOutvoted) notes.push('The first data record states another time than those after it, which was taken.');
      this.#firstOnsetUs = startUs;
      this.#brokenLists = 0;
      return;
    }
    let isTimed = false;
    for await (const { records, count } of this.#batches()) {
      for (let r = 0; r < count && !isTimed; r++) isTimed = this.#annotationsOf(records, r).recordOnsetUs !== null;
      if (isTimed) break;
    }
    this.#brokenLists = 0;
    this.#doneRecords = 0;
    if (!isTimed) throw damaged(path, 'it says that it has breaks, but its data records have no start time.');
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
    yield* timed ? this.#timedPages() : this.#evenPages();
    this.#noteBroken();
  }

  #noteBroken(): void {
    const { notes } = this.#parts;
    if (this.#brokenLists > 0) notes.push(`${this.#brokenLists} broken annotation lists were left out.`);
    if (this.#misplacedRecords > 0 && this.#parts.header.recordDurationUs > 0) {
      notes.push(
        `${this.#misplacedRecords} data records state another time than their place in the file, which was taken.`,
      );
    }
  }

  /** Continuous records: the time follows from the start and the sample's position. */
  async *#evenPages(): AsyncGenerator<SignalPage> {
    const { header, groups, startUs } = this.#parts;
    const events = this.#farosEvents();
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
      const onsets = Float64Array.from({ length: count }, (_, r) => pageStartUs + r * header.recordDurationUs);
      yield* this.#eventPages(events, records, onsets);
    }
    yield* this.#lastEvents(events);
  }

  #farosEvents(): FarosEvents | null {
    const { groups, faros } = this.#parts;
    return faros.marker || faros.beats ? new FarosEvents(faros, groups.length, this.labels) : null;
  }

  #eventPages(events: FarosEvents | null, records: Buffer, onsets: Float64Array): Iterable<SignalPage> {
    const count = onsets.length;
    if (!events || count === 0) return [];
    return events.push((signal) => ({
      counts: this.#wideSamples(records, count, signal),
      timesUs: this.#recordTimes(count, signal.samplesPerRecord, onsets).times,
      periodUs: this.#parts.header.recordDurationUs / signal.samplesPerRecord,
    }));
  }

  *#lastEvents(events: FarosEvents | null): Generator<SignalPage> {
    if (!events) return;
    yield* events.end();
    const { implausible } = events;
    if (implausible > 0) {
      const what = implausible === 1 ? '1 interval' : `${implausible} intervals`;
      this.#parts.notes.push(`${what} between beats outside 0.2 to 3 s left out, as damage leaves them.`);
    }
  }

  /** Records with individual times; a contiguous run of records is spread evenly over its true duration. */
  async *#timedPages(): AsyncGenerator<SignalPage> {
    const { header, groups, startUs, notes } = this.#parts;
    const builders = groups.map(
      ({ channel, members, samplesPerRecord }, index) =>
        new TimedPageBuilder(index, members.length, channel.sampleBits, header.recordDurationUs / samplesPerRecord),
    );
    const order = new RecordOrder(header.recordDurationUs);
    const events = this.#farosEvents();
    for await (const batch of this.#batches()) {
      const stated = new Float64Array(batch.count);
      for (let r = 0; r < batch.count; r++) {
        const list = this.#annotationsOf(batch.records, r);
        this.#takeLabels(list, batch.first + r);
        stated[r] = startUs + (list.recordOnsetUs ?? Number.NaN);
      }
      const { onsets, breaksAfterUs } = order.take(stated, batch.records, header.recordBytes);
      for (const endUs of breaksAfterUs) this.#markBreak(endUs);
      const { records } = batch;
      const count = onsets.length;
      for (const [index, group] of groups.entries()) {
        const columns = group.members.map(({ signal }) => this.#wideSamples(records, count, signal));
        const timed = group.clock
          ? this.#clockedTimes(records, count, group.clock, onsets, columns)
          : this.#dropFillers(group, this.#recordTimes(count, group.samplesPerRecord, onsets), columns);
        yield* builders[index]!.push(timed.times, columns, timed.count);
      }
      yield* this.#eventPages(events, records, onsets);
    }
    for (const builder of builders) yield* builder.flush();
    yield* this.#lastEvents(events);
    if (order.leftOut > 0) {
      notes.push(`${order.leftOut} data records without a plausible start time were left out.`);
    }
  }

  /** Samples of damaged records are missing after a time. */
  #markBreak(endUs: number): void {
    const { groups, header } = this.#parts;
    groups.forEach(({ samplesPerRecord }, channel) => {
      const timeUs = Math.round(endUs - header.recordDurationUs / samplesPerRecord);
      this.marks.push({ channel, timeUs, reason: 'BAD_CHECKSUM' });
    });
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
    // Records of a file with breaks are judged by their order instead.
    if (list.recordOnsetUs !== null && !header.isDiscontinuous) {
      const placeUs = this.#firstOnsetUs + record * header.recordDurationUs;
      if (Math.abs(list.recordOnsetUs - placeUs) > header.recordDurationUs / 2) this.#misplacedRecords++;
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
