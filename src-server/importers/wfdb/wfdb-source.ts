/** Reads WFDB records: header, segments, signal files, and annotation files. */
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import type { SignalMark, SignalPage } from '../../signals/types.ts';
import { instantOfLocalTime, type SourceStart } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { empty } from '../refusals.ts';
import { readHead, sourceHash } from '../source-bytes.ts';
import { evenPage } from '../timed-pages.ts';
import type { ImportedRecording, ImportOptions, ImportSource, SourceClock } from '../types.ts';
import { openSegments, readHeader } from './open-segments.ts';
import { type Group, groupChannels } from './record-channels.ts';
import { batchesOf, type FrameBatch, scanRecord } from './record-frames.ts';
import { filesBeside, readAllLabels } from './record-labels.ts';
import { signalsOf } from './record-signals.ts';
import { firstLine, type WfdbHeader, type WfdbSignal } from './wfdb-header.ts';

export { isWfdbHeader } from './wfdb-header.ts';

/** Enough for the line of every signal that a header may have. */
const MAX_NAMING_BYTES = 64 << 10;

/**
 * Opens the record of a header. The header names the segments or data files; annotations are found next to it by the record's name.
 *
 * @param given further files of the import; one that does not belong to the record is skipped with a note
 */
export async function openWfdb(headerPath: string, given: string[], options: ImportOptions): Promise<ImportSource> {
  const record = await openSegments(headerPath);
  const { header, segments, frameCount, partPaths } = record;
  const notes: string[] = [];
  const signals = signalsOf(record, headerPath, notes);
  const { startUs, clock } = startOf(header, headerPath, options, notes);
  const others = await filesBeside(headerPath, partPaths, given);
  const { labels, parts } = await readAllLabels(others, { header, startUs, notes });
  const sha256 = await sourceHash([...new Set([headerPath, ...partPaths, ...parts])], options.signal);
  const source = { format: 'WFDB', fileName: basename(headerPath), sha256 };
  const batches = () => batchesOf(segments, header.frameRateHz, options.signal);
  const groups = groupChannels(record, signals, await scanRecord(batches(), signals), notes);
  if (groups.length === 0) throw empty(headerPath, 'all of them are marked as missing.');
  const nothing = segments.filter(({ files }) => files.length === 0);
  if (nothing.length > 0) {
    const seconds = nothing.reduce((sum, segment) => sum + segment.frameCount, 0) / header.frameRateHz;
    notes.push(
      `${nothing.length} segments hold no recording, ${Number(seconds.toPrecision(6))} s in all, and are gaps.`,
    );
  }
  const marks: SignalMark[] = [];
  let doneFrames = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    const lastUs: (number | undefined)[] = groups.map(() => undefined);
    let isInNothing = false;
    for await (const batch of batches()) {
      const isNothing = batch.segment.files.length === 0;
      if (isNothing && !isInNothing) {
        for (const [channel, timeUs] of lastUs.entries()) {
          if (timeUs !== undefined) marks.push({ channel, timeUs, reason: 'LOST_BLOCK' });
        }
      }
      isInNothing = isNothing;
      for (const [index, group] of groups.entries()) {
        for (const page of presentPages(index, group, batch, startUs, header.frameRateHz)) {
          yield page;
          lastUs[index] = Math.round(page.startUs + (page.count - 1) * page.periodUs);
        }
      }
      doneFrames = batch.first + batch.count;
    }
  }
  const recording: ImportedRecording = {
    header: makeHeader({ channels: groups.map(({ channel }) => channel), source }, options),
    pages,
    labels,
    marks,
    notes,
    progress: () => ({ doneBytes: doneFrames, totalBytes: frameCount }),
  };
  return { format: 'WFDB', clock, recordings: [recording], labels: [], close: () => Promise.resolve() };
}

/** True for the header of a multi-segment record. */
export async function isMultiSegment(headerPath: string): Promise<boolean> {
  const head = await readHead(headerPath, MAX_NAMING_BYTES);
  const line = firstLine(head);
  return line !== undefined && /^[^\s/]+\/\d+\s/.test(line);
}

/** Names of the segments of a record; none where its header cannot be read, which its import will say. */
export async function segmentsOf(headerPath: string): Promise<string[]> {
  const header = await readHeader(headerPath).catch(() => null);
  return (header?.segments ?? []).flatMap(({ name }) => (name === null ? [] : [name]));
}

/** True when the header at `headerPath` names `fileName` as a data file; false also where it cannot be read. */
export async function namesDataFile(headerPath: string, fileName: string): Promise<boolean> {
  const head = await readHead(headerPath, MAX_NAMING_BYTES).catch(() => Buffer.alloc(0));
  const lines = head.toString('utf8').split(/\r?\n/);
  return lines.some((line) => !line.startsWith('#') && line.trim().split(/\s+/)[0] === fileName);
}

/** The header's wall clock has no zone; a record without one starts when a person says. */
function startOf({ start }: WfdbHeader, path: string, options: ImportOptions, notes: string[]): SourceStart {
  if (start) {
    const clock: SourceClock = { kind: 'WALL_CLOCK', wallStart: start.toString({ smallestUnit: 'millisecond' }) };
    return { startUs: instantOfLocalTime(start, options.timeZone ?? 'UTC', options.defaultStartUs, notes), clock };
  }
  if (options.defaultStartUs !== undefined) return { startUs: options.defaultStartUs, clock: { kind: 'UTC' } };
  throw new OutpostError(
    'INVALID_INPUT',
    `${basename(path)} does not say when it was recorded. Give its start time, then import it again.`,
  );
}

/** Pages of the stretches in which no member of the group misses a sample. */
function* presentPages(
  index: number,
  group: Group,
  batch: FrameBatch,
  startUs: number,
  frameRateHz: number,
): Generator<SignalPage> {
  const columns = group.members.map((member) => batch.columnOf(member));
  if (!columns.every((column) => column !== null)) return;
  const invalid = group.members.map(({ parts }) => (parts.get(batch.segment) as WfdbSignal).format.invalid);
  const periodUs = 1e6 / (frameRateHz * group.samplesPerFrame);
  const { length } = columns[0]!;
  let start = 0;
  for (let i = 0; i <= length; i++) {
    if (i < length && !columns.some((column, d) => column[i] === invalid[d])) continue;
    if (i > start) {
      const pageStartUs = Math.round(startUs + (batch.first * group.samplesPerFrame + start) * periodUs);
      const cut = columns.map((column) => column.subarray(start, i));
      yield evenPage(index, pageStartUs, periodUs, cut, group.channel.sampleBits);
    }
    start = i + 1;
  }
}
