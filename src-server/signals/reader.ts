/** Reads signal files: header, page index, samples of a time range, and marks. It never writes, and damage costs only the damaged page. */
import { closeSync, close as closeWithCallback, fstatSync, fstat as fstatWithCallback, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { OutpostError, toOutpostError } from '../errors.ts';
import { type ClockMap, correctedSpacing, hostTimeUs } from './clock/clock-map.ts';
import { readClockMap, readClockMapSync } from './clock/sidecar.ts';
import { BLOCK_HEAD_BYTES, BLOCK_MARKS, BLOCK_PAGE, type BlockEntry } from './codec/block.ts';
import { type Contents, MAX_PROBLEMS, planContents } from './container/contents.ts';
import { checkHeader } from './container/header-schema.ts';
import { openAsync, type ReadPlan, runAsync, runSync } from './container/io.ts';
import { SIGNAL_MAGIC } from './container/magic.ts';
import { decodeMarks, decodePage, isIntactPayload, readBlockHead } from './node-codec.ts';
import { PageMemory } from './page-memory.ts';
import { type PageSlice, slicePage } from './times.ts';
import type { SignalHeader, SignalMark, SignalPage } from './types.ts';

const closeAsync = promisify(closeWithCallback);
const statAsync = promisify(fstatWithCallback);

/** Position and times of one stored page. */
export type PageEntry = BlockEntry;

/** Changes applied on read, for de-identified exports: another header, other mark reasons, all times shifted by one amount. */
export interface SignalView {
  /** Returns the header to show in place of the stored one, with the same channels and dimensions. */
  header(stored: SignalHeader): SignalHeader;
  /** Returns the reason of a mark to show in place of the stored one. */
  reason(stored: string): string;
  /** Added to every time. */
  shiftUs: number;
}

/** Upper bound of marks read from one file: a fault every 86 ms for a day. */
const MAX_MARKS = 1_000_000;

/**
 * An open signal file. A damaged page is treated as a gap and reported in `problems`; its neighbours remain readable. Only the
 * index is cached, so memory use stays small.
 */
export class SignalFile {
  readonly path: string;
  readonly header: SignalHeader;
  readonly sizeBytes: number;
  /** False when the footer is missing or damaged and the pages were found by a scan. */
  readonly complete: boolean;
  /** Stored pages per channel, in time order. */
  readonly pageIndex: readonly (readonly PageEntry[])[];
  /** Samples per channel. */
  readonly sampleCounts: readonly number[];
  /** Time of the first sample over all channels; NaN when the file has none. */
  readonly startUs: number;
  readonly stopUs: number;
  /** Damage found when opening and by reads since, one sentence each. */
  readonly problems: string[];
  /** How many of them were found when opening: the times they affect are unknown. */
  readonly problemsAtOpening: number;
  readonly #damaged = new Set<PageEntry>();
  readonly #descriptor: number;
  readonly #markBlocks: BlockEntry[];
  readonly #clock: ClockMap | null;
  readonly #view: SignalView | undefined;
  /** Entries as stored, by the entries of `pageIndex` with corrected times. */
  readonly #stored = new Map<PageEntry, BlockEntry>();
  #isOpen = true;

  /** With a clock, all returned times are host times; a view is applied on top. */
  constructor(
    path: string,
    descriptor: number,
    sizeBytes: number,
    contents: Contents,
    clock: ClockMap | null = null,
    view?: SignalView,
  ) {
    this.path = path;
    this.#descriptor = descriptor;
    this.sizeBytes = sizeBytes;
    const header = readHeader(contents, path);
    this.#view = view;
    this.header = view ? view.header(header) : header;
    this.complete = contents.indexOffset !== null;
    const arranged = arrangePages(contents, header);
    this.#clock = clock;
    this.pageIndex = arranged.pages.map((pages) => pages.map((entry) => this.#corrected(entry)));
    this.problems = arranged.problems;
    this.problemsAtOpening = arranged.problems.length;
    this.#markBlocks = contents.entries.filter((entry) => entry.kind === BLOCK_MARKS);
    this.sampleCounts = arranged.pages.map((pages) => pages.reduce((sum, page) => sum + page.count, 0));
    const ends = this.pageIndex.filter((pages) => pages.length > 0);
    this.startUs = ends.length === 0 ? Number.NaN : Math.min(...ends.map((pages) => pages[0]!.firstUs));
    this.stopUs = ends.length === 0 ? Number.NaN : Math.max(...ends.map((pages) => pages[pages.length - 1]!.lastUs));
  }

  /**
   * Returns the samples of `channel` with fromUs <= time <= toUs as pages cut to that range, in time order. Gaps lie between
   * pages, never inside one. Reads only the pages that overlap the range.
   */
  read(channel: number, fromUs: number, toUs: number): Promise<PageSlice[]> {
    return this.#async(this.#planRead(channel, fromUs, toUs));
  }

  /** Like {@link read}, with blocking reads, for worker and child processes. */
  readSync(channel: number, fromUs: number, toUs: number): PageSlice[] {
    return this.#sync(this.#planRead(channel, fromUs, toUs));
  }

  /** Yields whole pages of one channel in time order, one in memory at a time, with blocking reads. */
  *pages(channel: number): Generator<SignalPage> {
    for (const entry of this.#entriesOf(channel)) {
      const page = this.#sync(this.#planPage(entry));
      if (page) yield page;
    }
  }

  /**
   * Like {@link pages}, but reuses memory: a page is valid only until the next one is requested.
   * @param first index in `pageIndex` of the first page; @param stop the one after the last
   */
  *pagesInTurn(channel: number, first = 0, stop = Number.POSITIVE_INFINITY): Generator<SignalPage> {
    const memory = new PageMemory();
    const room = (length: number): Buffer => memory.bytes(length);
    for (const entry of this.#entriesOf(channel).slice(first, stop)) {
      this.#mustBeOpen();
      const page = runSync(this.#descriptor, this.#planPage(entry, memory), room);
      if (page) yield page;
    }
  }

  /** Yields pages of all channels in the order in which they were written, with blocking reads. */
  *pagesInFileOrder(): Generator<SignalPage> {
    for (const entry of this.#inFileOrder()) {
      const page = this.#sync(this.#planPage(entry));
      if (page) yield page;
    }
  }

  /** Like {@link pagesInFileOrder}, with asynchronous reads, so that the event loop stays free between pages. */
  async *stream(): AsyncGenerator<SignalPage> {
    for (const entry of this.#inFileOrder()) {
      const page = await this.#async(this.#planPage(entry));
      if (page) yield page;
    }
  }

  /** Like {@link stream}, but reuses memory: a page is valid only until the next one is requested. */
  async *streamInTurn(): AsyncGenerator<SignalPage> {
    const memory = new PageMemory();
    const room = (length: number): Buffer => memory.bytes(length);
    for (const run of runsOf(this.#inFileOrder())) {
      this.#mustBeOpen();
      const bytes = await runAsync(this.#descriptor, planBytes(run.position, run.length), room);
      for (const entry of run.entries) {
        const from = entry.offset - run.position;
        const page = this.#decode(entry, bytes.subarray(from, from + blockBytes(entry)), memory);
        if (page) yield page;
      }
    }
  }

  /** Returns the pages of a channel within [fromUs, toUs] that reads so far have found damaged, in time order. */
  damagedPages(channel: number, fromUs: number, toUs: number): PageEntry[] {
    if (this.#damaged.size === 0) return [];
    return this.#entriesOf(channel).filter(
      (entry) => entry.lastUs >= fromUs && entry.firstUs <= toUs && this.#damaged.has(entry),
    );
  }

  /** Returns all marks in time order. */
  marks(): Promise<SignalMark[]> {
    return this.#async(this.#planMarks());
  }

  /** Like {@link marks}, with blocking reads. */
  marksSync(): SignalMark[] {
    return this.#sync(this.#planMarks());
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await closeAsync(this.#descriptor);
  }

  closeSync(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#descriptor);
  }

  #sync<T>(plan: ReadPlan<T>): T {
    this.#mustBeOpen();
    return runSync(this.#descriptor, plan);
  }

  async #async<T>(plan: ReadPlan<T>): Promise<T> {
    this.#mustBeOpen();
    return await runAsync(this.#descriptor, plan);
  }

  #mustBeOpen(): void {
    if (!this.#isOpen) throw new OutpostError('CONFLICT', `${this.path} is closed.`);
  }

  #inFileOrder(): PageEntry[] {
    return this.pageIndex.flat().sort((a, b) => a.offset - b.offset);
  }

  #entriesOf(channel: number): readonly PageEntry[] {
    const entries = this.pageIndex[channel];
    if (entries === undefined) throw new OutpostError('NOT_FOUND', `The recording has no channel ${channel}.`);
    return entries;
  }

  *#planRead(channel: number, fromUs: number, toUs: number): ReadPlan<PageSlice[]> {
    const entries = this.#entriesOf(channel);
    const slices: PageSlice[] = [];
    for (let i = firstEndingAtOrAfter(entries, fromUs); i < entries.length && entries[i]!.firstUs <= toUs; i++) {
      const page = yield* this.#planPage(entries[i]!);
      const slice = page && slicePage(page, fromUs, toUs);
      if (slice) slices.push(slice);
    }
    return slices;
  }

  #corrected(entry: BlockEntry): PageEntry {
    const onClock = this.#clock === null ? entry : this.#onClock(this.#clock, entry);
    const shiftUs = this.#view?.shiftUs ?? 0;
    if (shiftUs === 0 && onClock === entry) return entry;
    const { startUs, firstUs, lastUs } = onClock;
    const corrected = {
      ...onClock,
      startUs: startUs + shiftUs,
      firstUs: firstUs + shiftUs,
      lastUs: lastUs + shiftUs,
    };
    this.#stored.set(corrected, entry);
    return corrected;
  }

  #onClock(clock: ClockMap, entry: BlockEntry): BlockEntry {
    const spacing = correctedSpacing(clock, entry);
    const lastOf = ({ startUs, periodUs }: { startUs: number; periodUs: number }) =>
      Math.round(startUs + (entry.count - 1) * periodUs);
    return {
      ...entry,
      ...spacing,
      // The residuals of the page, its deviation from even spacing, stay as they are.
      firstUs: Math.round(spacing.startUs) + entry.firstUs - Math.round(entry.startUs),
      lastUs: lastOf(spacing) + entry.lastUs - lastOf(entry),
    };
  }

  *#planPage(indexed: PageEntry, memory?: PageMemory): ReadPlan<SignalPage | null> {
    const { offset } = this.#storedEntry(indexed);
    return this.#decode(indexed, yield { position: offset, length: blockBytes(indexed) }, memory);
  }

  #storedEntry(entry: PageEntry): BlockEntry {
    return this.#stored.get(entry) ?? entry;
  }

  #decode(indexed: PageEntry, block: Buffer, memory?: PageMemory): SignalPage | null {
    const entry = this.#storedEntry(indexed);
    const channel = this.header.channels[entry.channel]!;
    const page = isBlockOf(entry, block)
      ? decodePage(entry, block.subarray(BLOCK_HEAD_BYTES), channel.dimensions.length, channel.sampleBits, memory)
      : null;
    if (page === null) {
      this.#damaged.add(entry);
      const problem = `The page at byte ${entry.offset} of channel ${entry.channel} is damaged: ${entry.count} samples are lost.`;
      if (!this.problems.includes(problem)) this.problems.push(problem);
    }
    return page && { ...page, startUs: indexed.startUs, periodUs: indexed.periodUs };
  }

  #correctedMark(mark: SignalMark): SignalMark {
    const onClock = this.#clock === null ? mark : { ...mark, timeUs: Math.round(hostTimeUs(this.#clock, mark.timeUs)) };
    if (!this.#view) return onClock;
    return { ...onClock, timeUs: onClock.timeUs + this.#view.shiftUs, reason: this.#view.reason(mark.reason) };
  }

  *#planMarks(): ReadPlan<SignalMark[]> {
    const marks: SignalMark[] = [];
    for (const entry of this.#markBlocks) {
      const block = yield { position: entry.offset, length: BLOCK_HEAD_BYTES + entry.payloadLength };
      const decoded = isBlockOf(entry, block) ? decodeMarks(entry, block.subarray(BLOCK_HEAD_BYTES)) : null;
      if (decoded === null || marks.length + decoded.length > MAX_MARKS) {
        this.problems.push(`The marks at byte ${entry.offset} cannot be read.`);
      } else {
        for (const mark of decoded)
          if (mark.channel < this.header.channels.length) marks.push(this.#correctedMark(mark));
      }
    }
    return marks.sort((a, b) => a.timeUs - b.timeUs);
  }
}

/**
 * Opens a signal file with asynchronous reads.
 *
 * @throws NOT_FOUND, SIGNAL_FILE_DAMAGED when the header is unusable, UNSUPPORTED_FORMAT
 */
export async function openSignalFile(path: string, view?: SignalView): Promise<SignalFile> {
  const descriptor = await openAsync(path, 'r').catch((error: unknown) => {
    throw openError(path, error);
  });
  try {
    const { size } = await statAsync(descriptor);
    const contents = await runAsync(descriptor, planSignalContents(path, size));
    return new SignalFile(path, descriptor, size, contents, await readClockMap(path), view);
  } catch (error) {
    await closeAsync(descriptor);
    throw toOutpostError(error);
  }
}

/** Opens a signal file with blocking reads, for worker and child processes. @throws as {@link openSignalFile} */
export function openSignalFileSync(path: string): SignalFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    throw openError(path, error);
  }
  try {
    const { size } = fstatSync(descriptor);
    const contents = runSync(descriptor, planSignalContents(path, size));
    return new SignalFile(path, descriptor, size, contents, readClockMapSync(path));
  } catch (error) {
    closeSync(descriptor);
    throw toOutpostError(error);
  }
}

export function planSignalContents(path: string, fileSize: number): ReadPlan<Contents> {
  return planContents(SIGNAL_MAGIC, path, fileSize, (header) => countChannels(header));
}

function countChannels(header: unknown): number {
  const channels = (header as { channels?: unknown } | null)?.channels;
  return Array.isArray(channels) ? channels.length : 0;
}

export function readHeader(contents: Contents, path: string): SignalHeader {
  try {
    return checkHeader(contents.header);
  } catch (cause) {
    throw new OutpostError('SIGNAL_FILE_DAMAGED', `The header of ${path} breaks the format's rules.`, { cause });
  }
}

/** Returns the usable pages per channel in time order, and one sentence for each page that is skipped. */
export function arrangePages(contents: Contents, header: SignalHeader): { pages: PageEntry[][]; problems: string[] } {
  const problems = [...contents.problems];
  const report = (problem: string): void => {
    if (problems.length < 2 * MAX_PROBLEMS) problems.push(problem);
  };
  const pages: PageEntry[][] = header.channels.map(() => []);
  for (const entry of contents.entries) {
    if (entry.kind === BLOCK_MARKS) continue;
    if (entry.kind !== BLOCK_PAGE || entry.channel >= pages.length) {
      report(`The block at byte ${entry.offset} does not belong in this file.`);
      continue;
    }
    const before = pages[entry.channel]!.at(-1);
    if (before && entry.firstUs <= before.lastUs) {
      report(`The page at byte ${entry.offset} overlaps the page before it and is skipped.`);
    } else pages[entry.channel]!.push(entry);
  }
  return { pages, problems };
}

/** Bytes of a block, head and payload. */
const blockBytes = (entry: PageEntry): number => BLOCK_HEAD_BYTES + entry.payloadLength;

/** Pages read by one request: one per page costs more than decoding it. */
const RUN_BYTES = 1 << 20;

interface Run {
  position: number;
  length: number;
  entries: PageEntry[];
}

/** Groups pages in file order so that each group is one read; a page that lies apart begins a group. */
function* runsOf(entries: readonly PageEntry[]): Generator<Run> {
  let run: Run | undefined;
  for (const entry of entries) {
    const end = entry.offset + blockBytes(entry);
    if (run && entry.offset === run.position + run.length && end - run.position <= RUN_BYTES) {
      run.entries.push(entry);
      run.length = end - run.position;
      continue;
    }
    if (run) yield run;
    run = { position: entry.offset, length: blockBytes(entry), entries: [entry] };
  }
  if (run) yield run;
}

function* planBytes(position: number, length: number): ReadPlan<Buffer> {
  return yield { position, length };
}

/** True when head and payload of `block` match the index entry. */
function isBlockOf(entry: BlockEntry, block: Buffer): boolean {
  const head = readBlockHead(block, 0);
  return (
    head !== null &&
    head.sequence === entry.sequence &&
    head.payloadCrc === entry.payloadCrc &&
    head.payloadLength === entry.payloadLength &&
    head.startUs === entry.startUs &&
    head.periodUs === entry.periodUs &&
    isIntactPayload(head, block.subarray(BLOCK_HEAD_BYTES))
  );
}

function firstEndingAtOrAfter(entries: readonly PageEntry[], timeUs: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.lastUs < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function openError(path: string, error: unknown): OutpostError {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
    return new OutpostError('NOT_FOUND', `There is no signal file ${path}.`, { cause: error });
  }
  return toOutpostError(error);
}
