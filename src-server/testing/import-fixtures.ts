/** Test imports: to a signal file, or completely into memory. */
import { join } from 'node:path';
import { openImport } from '../importers/index.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions } from '../importers/types.ts';
import { createSignalFile, sampleTimesUs, valueOfCount } from '../signals/index.ts';
import type { SignalChannel, SignalMark } from '../signals/types.ts';

interface ReadChannel {
  channel: SignalChannel;
  timesUs: number[];
  counts: number[][];
  values: number[][];
  pageCount: number;
}

export interface ReadRecording {
  format: string;
  channels: ReadChannel[];
  labels: ImportedLabel[];
  marks: SignalMark[];
  notes: string[];
  header: ImportedRecording['header'];
}

export const DEFAULT_START_US = 1_700_000_000_000_000;

/** The first recording of a source, in memory. */
export async function readImport(paths: string[], options: ImportOptions = {}): Promise<ReadRecording> {
  return (await readImports(paths, options))[0]!;
}

/** All recordings of a source, in memory. */
export async function readImports(paths: string[], options: ImportOptions = {}): Promise<ReadRecording[]> {
  const source = await openImport(paths, { defaultStartUs: DEFAULT_START_US, ...options });
  try {
    const read: ReadRecording[] = [];
    for (const recording of source.recordings) read.push(await readRecording(source.format, recording));
    return read;
  } finally {
    await source.close();
  }
}

async function readRecording(format: string, recording: ImportedRecording): Promise<ReadRecording> {
  const channels = recording.header.channels.map(
    (channel): ReadChannel => ({
      channel,
      timesUs: [],
      counts: channel.dimensions.map(() => []),
      values: channel.dimensions.map(() => []),
      pageCount: 0,
    }),
  );
  for await (const page of recording.pages()) {
    const read = channels[page.channel]!;
    read.pageCount++;
    for (const time of sampleTimesUs(page)) read.timesUs.push(time);
    page.columns.forEach((column, d) => {
      const toValue = valueOfCount(read.channel, d);
      for (const count of column) {
        read.counts[d]!.push(count);
        read.values[d]!.push(toValue(count));
      }
    });
  }
  const { labels, marks, notes, header } = recording;
  return { format, channels, labels, marks, notes, header };
}

/** Imports the first recording of a source to a signal file in `folder`; returns its path. */
export async function importToSignalFile(
  paths: string[],
  folder: string,
  options: ImportOptions = {},
): Promise<string> {
  const source = await openImport(paths, { defaultStartUs: DEFAULT_START_US, ...options });
  try {
    const recording = source.recordings[0]!;
    const path = join(folder, `${crypto.randomUUID()}.sig`);
    const writer = await createSignalFile(path, { ...recording.header, recordingId: crypto.randomUUID() });
    for await (const page of recording.pages()) await writer.append(page);
    for (const mark of recording.marks) await writer.mark(mark);
    await writer.finish();
    return path;
  } finally {
    await source.close();
  }
}
