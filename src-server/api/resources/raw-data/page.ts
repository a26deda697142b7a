/** One page of raw data: chooses its recordings, opens their files, finds its end, and streams its channels. */
import { join } from 'node:path';
import {
  openSignalFile,
  type PageSlice,
  type SignalFile,
  sampleTimesUs,
  valueOfCount,
} from '../../../signals/index.ts';
import type { SampleArray, SignalChannel } from '../../../signals/types.ts';
import type { Recording } from '../../contract/index.ts';
import { signalFileFailure } from '../../framework/errors.ts';
import type { TextStream } from '../../framework/stream.ts';
import { type ChannelSpans, lastMsOfPage } from './plan.ts';
import { type ChannelSlice, writeChannel } from './write.ts';

/** Times beyond this are cut off; far past any recording, and exact in microseconds. */
const LAST_MS = 9e12;

export interface RawDataWindow {
  fromMs: number;
  toMs: number;
  micros: boolean;
}

/** A recording of the window: its wire form and its file. */
export interface RawDataSource {
  recording: Recording;
  path: string;
}

export function signalPath(signalsDir: string, recordingId: string): string {
  return join(signalsDir, `${recordingId}.sig`);
}

/** Cuts an endless window to what times can be. */
export function boundedWindow(fromMs: number, toMs: number): { fromMs: number; toMs: number } {
  return { fromMs: Math.max(fromMs, -LAST_MS), toMs: Math.min(toMs, LAST_MS) };
}

function spansOf(file: SignalFile): ChannelSpans[] {
  return file.header.channels.map((channel, c) => ({
    spans: file.pageIndex[c] ?? [],
    cellsPerRow: 1 + channel.dimensions.length,
  }));
}

interface OpenPage {
  files: { source: RawDataSource; file: SignalFile }[];
  lastMs: number;
}

/**
 * Opens the files of a page and finds its last millisecond. `sources` ascend by start; those that start after the page's
 * end are never opened, so an endless window over hundreds of recordings costs what the page costs.
 */
async function openPage(sources: readonly RawDataSource[], window: RawDataWindow): Promise<OpenPage> {
  const files: OpenPage['files'] = [];
  try {
    const channels: ChannelSpans[] = [];
    for (const [i, source] of sources.entries()) {
      const file = await openSignalFile(source.path).catch((thrown: unknown) => {
        throw signalFileFailure(thrown, source.recording.id);
      });
      files.push({ source, file });
      channels.push(...spansOf(file));
      const next = sources[i + 1];
      if (!next) break;
      // All samples before the next recording's start are in the files opened so far.
      const before = Math.min(window.toMs, next.recording.recordingStartTs - 1);
      if (before < window.fromMs) continue;
      const lastMs = lastMsOfPage(channels, window.fromMs, before);
      if (lastMs < before) return { files, lastMs };
    }
    return { files, lastMs: lastMsOfPage(channels, window.fromMs, window.toMs) };
  } catch (error) {
    await closeAll(files);
    throw error;
  }
}

async function closeAll(files: OpenPage['files']): Promise<void> {
  await Promise.all(files.map(({ file }) => file.close()));
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

/** The physical value of a count. Exact rules cost a microsecond, and counts repeat, so each value is worked out once. */
function physicalOf(channel: SignalChannel, dimension: number): (count: number) => number {
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

async function readSlice(
  { source, file }: OpenPage['files'][number],
  c: number,
  fromMs: number,
  lastMs: number,
): Promise<ChannelSlice | undefined> {
  const channel = file.header.channels[c]!;
  const slices = await file.read(c, fromMs * 1000, lastMs * 1000 + 999);
  if (slices.length === 0) return undefined;
  return {
    type: channel.type,
    dimensions: channel.dimensions,
    ...joinSlices(slices, channel.dimensions.length),
    toPhysical: channel.dimensions.map((_, d) => physicalOf(channel, d)),
    recording: source.recording,
  };
}

/**
 * Streams `{channels, links?}`. `begin` is called once the files are open, so that a missing file is still answered as an error;
 * `nextHref` gives the link for a page that starts at a given millisecond.
 * @throws SIGNAL_FILE_DAMAGED when a file cannot be read
 */
export async function streamPage(
  sources: readonly RawDataSource[],
  window: RawDataWindow,
  begin: () => TextStream,
  nextHref: (fromMs: number) => string,
): Promise<void> {
  const page = await openPage(sources, window);
  try {
    const stream = begin();
    stream.add('{"channels":[');
    let written = 0;
    for (const entry of page.files) {
      for (let c = 0; c < entry.file.header.channels.length; c++) {
        const slice = await readSlice(entry, c, window.fromMs, page.lastMs);
        if (!slice) continue;
        if (written > 0) stream.add(',');
        await writeChannel(stream, slice, window.micros);
        written++;
      }
    }
    const links = page.lastMs < window.toMs ? [{ href: nextHref(page.lastMs + 1), rel: 'next' }] : undefined;
    await stream.end(`]${links ? `,"links":${JSON.stringify(links)}` : ''}}`);
  } finally {
    await closeAll(page.files);
  }
}
