/** Reads one page of raw data: selects its recordings, opens their files, finds its end and reads its samples. */
import { join } from 'node:path';
import { OutpostError } from '../../../errors.ts';
import { type PageSlice, type SignalFile, sampleTimesUs, valueOfCount } from '../../../signals/index.ts';
import type { SampleArray, SignalChannel } from '../../../signals/types.ts';
import type { RawDataWarning, Recording } from '../../contract/index.ts';
import { signalFileFailure } from '../../framework/errors.ts';
import type { OpenSignalFiles } from './open-files.ts';
import { type ChannelSpans, lastMsOfPage } from './plan.ts';

/** Upper bound of times: far beyond any recording, and exact in microseconds. */
const LAST_MS = 9e12;

interface RawDataWindow {
  fromMs: number;
  toMs: number;
}

/** A recording in the window, and the path of its file. */
export interface RawDataSource {
  /** Identifies the file's bytes and their state. */
  content: string;
  recording: Recording;
  path: string;
}

/** The samples of one channel of one recording on a page. */
export interface ChannelSlice {
  channel: SignalChannel;
  /** Epoch microseconds, whole. */
  timesUs: Float64Array;
  /** Counts per dimension. */
  columns: readonly SampleArray[];
  recording: Recording;
}

export interface PageContent {
  slices: ChannelSlice[];
  /** What could not be read of this page. */
  warnings: RawDataWarning[];
  /** The page holds the samples up to this millisecond. */
  lastMs: number;
}

export function signalPath(signalsDir: string, recordingId: string): string {
  return join(signalsDir, `${recordingId}.sig`);
}

/** Clips a window to valid times. */
export function boundedWindow(fromMs: number, toMs: number): RawDataWindow {
  return { fromMs: Math.max(fromMs, -LAST_MS), toMs: Math.min(toMs, LAST_MS) };
}

function spansOf(file: SignalFile): ChannelSpans[] {
  return file.header.channels.map((channel, c) => ({
    spans: file.pageIndex[c] ?? [],
    cellsPerRow: 1 + channel.dimensions.length,
  }));
}

interface OpenedFile {
  source: RawDataSource;
  file: SignalFile;
  release: () => void;
}

interface OpenPage {
  files: OpenedFile[];
  unread: { source: RawDataSource; error: OutpostError }[];
  lastMs: number;
}

/**
 * Opens the files of a page and finds its last millisecond. `sources` ascend by start; those that start after the page's
 * end are never opened, so an endless window over hundreds of recordings costs what the page costs.
 */
async function openPage(
  openFiles: OpenSignalFiles,
  sources: readonly RawDataSource[],
  window: RawDataWindow,
): Promise<OpenPage> {
  const files: OpenPage['files'] = [];
  const unread: OpenPage['unread'] = [];
  try {
    const channels: ChannelSpans[] = [];
    for (const [i, source] of sources.entries()) {
      try {
        const opened = await openFiles.acquire(source.path);
        files.push({ source, ...opened });
        channels.push(...spansOf(opened.file));
      } catch (thrown) {
        const error = signalFileFailure(thrown, source.recording.id);
        if (!(error instanceof OutpostError) || error.code !== 'SIGNAL_FILE_DAMAGED') throw error;
        unread.push({ source, error });
      }
      const next = sources[i + 1];
      if (!next) break;
      // All samples before the next recording's start are in the files opened so far.
      const before = Math.min(window.toMs, next.recording.recordingStartTs - 1);
      if (before < window.fromMs) continue;
      const lastMs = lastMsOfPage(channels, window.fromMs, before);
      if (lastMs < before) return { files, unread, lastMs };
    }
    return { files, unread, lastMs: lastMsOfPage(channels, window.fromMs, window.toMs) };
  } catch (error) {
    for (const { release } of files) release();
    throw error;
  }
}

/** Joins the slices of one channel into one array per dimension. */
function joinSlices(
  slices: readonly PageSlice[],
  dimensions: number,
): { timesUs: Float64Array; columns: SampleArray[] } {
  const only = slices[0]!;
  if (slices.length === 1) return { timesUs: sampleTimesUs(only), columns: only.columns };
  const length = slices.reduce((sum, slice) => sum + slice.count, 0);
  const timesUs = new Float64Array(length);
  const wide = slices.some((slice) => slice.columns.some((column) => column instanceof Int32Array));
  const columns = Array.from({ length: dimensions }, () => (wide ? new Int32Array(length) : new Int16Array(length)));
  let at = 0;
  for (const slice of slices) {
    timesUs.set(sampleTimesUs(slice), at);
    for (const [d, column] of columns.entries()) column.set(slice.columns[d]!, at);
    at += slice.count;
  }
  return { timesUs, columns };
}

/** Returns a function from counts to physical values. Exact rules are slow and counts repeat, so results are cached. */
export function physicalOf(channel: SignalChannel, dimension: number): (count: number) => number {
  const exact = valueOfCount(channel, dimension);
  if (!channel.exact?.[dimension]) return exact;
  const known = new Map<number, number>();
  return (count) => {
    let value = known.get(count);
    if (value === undefined) {
      value = exact(count);
      known.set(count, value);
    }
    return value;
  };
}

/** Reads one channel of one file; undefined when it has no samples in the range. */
async function readSlice(
  { source, file }: OpenedFile,
  c: number,
  fromUs: number,
  toUs: number,
): Promise<ChannelSlice | undefined> {
  const channel = file.header.channels[c]!;
  const slices = await file.read(c, fromUs, toUs);
  if (slices.length === 0) return undefined;
  return { channel, ...joinSlices(slices, channel.dimensions.length), recording: source.recording };
}

/** Returns the losses of a file within the range that reading it revealed. */
function lossesOf({ source, file }: OpenedFile, fromUs: number, toUs: number): RawDataWarning[] {
  const recordingId = source.recording.id;
  const lost = file.header.channels.flatMap(({ type }, c) =>
    file.damagedPages(c, fromUs, toUs).map(({ firstUs, lastUs, count }): RawDataWarning => {
      const fromTs = Math.floor(firstUs / 1000);
      const toTs = Math.floor(lastUs / 1000);
      const span = `from ${new Date(fromTs).toISOString()} to ${new Date(toTs).toISOString()}`;
      return {
        code: 'SIGNAL_FILE_DAMAGED',
        message: `${count} samples of ${type} of recording ${recordingId} ${span} are damaged and missing here. Restore the file from a backup, or import the recording again.`,
        recordingId,
        type,
        fromTs,
        toTs,
      };
    }),
  );
  if (file.problemsAtOpening === 0) return lost;
  return [
    {
      code: 'SIGNAL_FILE_DAMAGED',
      message: `The stored file of recording ${recordingId} is damaged or incomplete, so samples may be missing here. Restore it from a backup, or import the recording again.`,
      recordingId,
    },
    ...lost,
  ];
}

/**
 * Reads a complete page, so that all losses are known before the first byte is sent. `warnings` lists recordings that cannot be
 * read and damaged segments.
 * @throws SIGNAL_FILE_DAMAGED when no recording of the window can be read at all
 */
export async function readPage(
  openFiles: OpenSignalFiles,
  sources: readonly RawDataSource[],
  window: RawDataWindow,
): Promise<PageContent> {
  const { files, unread, lastMs } = await openPage(openFiles, sources, window);
  try {
    if (files.length === 0 && unread.length > 0) throw unread[0]!.error;
    const fromUs = window.fromMs * 1000;
    const toUs = lastMs * 1000 + 999;
    const slices: ChannelSlice[] = [];
    const warnings = unread.map(({ source, error }): RawDataWarning => {
      return { code: 'SIGNAL_FILE_DAMAGED', message: error.message, recordingId: source.recording.id };
    });
    for (const opened of files) {
      const read = await Promise.all(opened.file.header.channels.map((_, c) => readSlice(opened, c, fromUs, toUs)));
      slices.push(...read.filter((slice) => slice !== undefined));
      warnings.push(...lossesOf(opened, fromUs, toUs));
    }
    return { slices, warnings, lastMs };
  } finally {
    for (const { release } of files) release();
  }
}
