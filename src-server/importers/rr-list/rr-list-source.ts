/**
 * Lists of RR intervals, as Kubios and other programs exchange them: one interval per line, or with a time. A list without times has no
 * gaps: each beat follows the one before by its interval. With times, beats are missing where an interval does not reach back to the beat before.
 */
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import type { SignalMark, SignalPage } from '../../signals/types.ts';
import { type Beat, beatPage, FOLLOWS_US, MAX_PAGE_BEATS, rrIntervalChannel } from '../intervals.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty, throwIfAborted } from '../refusals.ts';
import { sourceHash } from '../source-bytes.ts';
import { openTextFile, type TextFile } from '../text/text-file.ts';
import { textLines } from '../text/text-lines.ts';
import type { ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { isBeyondClocks } from '../units.ts';
import { isComment, isUsualInterval, type RrListShape, rrCells, rrListShape, rrNumber } from './rr-list-head.ts';

const FORMAT = 'RR intervals (text)';
const HEAD_BYTES = 1 << 16;
const EARLIEST_SECONDS = Date.UTC(1980, 0, 1) / 1000;
/** The recording format counts whole microseconds in 32 bits; no interval is longer. */
const MOST_INTERVAL_US = 2_000_000_000;

/** @throws INVALID_INPUT when the list does not say when it was recorded and no start is given */
export async function openRrList(path: string, options: ImportOptions): Promise<ImportSource> {
  const file = await openTextFile(path, 0);
  const head = await headText(file);
  const shape = rrListShape(head.text, head.isWhole);
  if (!shape) throw damaged(path, 'its numbers are not RR intervals.');
  const first = await firstRow(file, shape);
  if (!first) throw empty(path, 'it has no interval.');
  // A time of today is Unix time; any other counts from a start.
  const isUnix = first.timeUs !== null && first.timeUs >= EARLIEST_SECONDS * 1e6 && !isBeyondClocks(first.timeUs);
  if (!isUnix && options.defaultStartUs === undefined) {
    throw new OutpostError(
      'INVALID_INPUT',
      `${file.name} is a list of RR intervals and does not say when it was recorded. Give its start time, then import it again.`,
    );
  }
  const notes = [
    `The numbers of ${file.name} were taken as RR intervals in ${shape.intervalUnit === 'ms' ? 'milliseconds' : 'seconds'}, because of their size.`,
  ];
  const marks: SignalMark[] = [];
  let doneBytes = 0;
  const startUs = isUnix ? 0 : options.defaultStartUs!;
  const pages = (): AsyncGenerator<SignalPage> =>
    listPages(file, shape, { startUs, marks, notes, signal: options.signal }, (bytes) => {
      doneBytes += bytes;
    });
  const recording: ImportedRecording = {
    header: makeHeader(
      {
        channels: [rrIntervalChannel()],
        source: {
          format: FORMAT,
          fileName: basename(path),
          sha256: options.withoutHash ? '' : await sourceHash([path], options.signal),
        },
      },
      options,
    ),
    pages,
    labels: [],
    marks,
    notes,
    progress: () => ({ doneBytes, totalBytes: file.sizeBytes }),
  };
  return {
    format: FORMAT,
    ...(isUnix && { clock: { kind: 'UTC' as const } }),
    recordings: [recording],
    labels: [],
    close: async () => undefined,
  };
}

async function headText(file: TextFile): Promise<{ text: string; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of file.rows()) {
    parts.push(chunk.subarray(0, HEAD_BYTES - bytes));
    bytes += chunk.byteLength;
    if (bytes >= HEAD_BYTES) break;
  }
  return { text: Buffer.concat(parts).toString('utf8'), isWhole: bytes < HEAD_BYTES };
}

interface Row {
  intervalUs: number;
  /** By the file's own clock; null without a column of times. */
  timeUs: number | null;
}

interface RowState {
  broken: number;
  isCut: boolean;
}

/** The rows of numbers, and null for a row that cannot be read; what is above the first row are comments and names. */
async function* rowsOf(
  file: TextFile,
  shape: RrListShape,
  state: RowState,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Row | null> {
  let hasBegun = false;
  let held: string | null = null;
  const take = (line: string): Row | null => {
    const row = rowOf(line, shape);
    if (row) hasBegun = true;
    else if (hasBegun) state.broken++;
    return row;
  };
  for await (const line of textLines(file.rows(onBytes), state)) {
    if (isComment(line)) continue;
    if (held !== null) {
      const row = take(held);
      if (row || hasBegun) yield row;
    }
    held = line;
  }
  if (held === null) return;
  // Many lists have no end of their last line; a number that was cut there is hardly an interval any more.
  const row = take(held);
  if (row && state.isCut && !isUsualInterval(row.intervalUs)) state.broken++;
  else if (row) yield row;
}

function rowOf(line: string, shape: RrListShape): Row | null {
  const cells = rrCells(line.replace(/^\ufeff/, ''), shape.separator);
  if (cells.length !== shape.width) return null;
  const interval = rrNumber(cells[shape.interval]!, shape.decimal);
  if (Number.isNaN(interval)) return null;
  const intervalUs = Math.round(interval * (shape.intervalUnit === 'ms' ? 1e3 : 1e6));
  if (shape.time === undefined) return { intervalUs, timeUs: null };
  const time = rrNumber(cells[shape.time]!, shape.decimal);
  if (Number.isNaN(time)) return null;
  const stampUs = Math.round(time * (shape.timeUnit === 'ms' ? 1e3 : 1e6));
  return { intervalUs, timeUs: shape.stampOf === 'END' ? stampUs : stampUs + intervalUs };
}

async function firstRow(file: TextFile, shape: RrListShape): Promise<Row | null> {
  for await (const row of rowsOf(file, shape, { broken: 0, isCut: false })) if (row) return row;
  return null;
}

interface PlacedList {
  startUs: number;
  marks: SignalMark[];
  notes: string[];
  signal: AbortSignal | undefined;
}

async function* listPages(
  file: TextFile,
  shape: RrListShape,
  { startUs, marks, notes, signal }: PlacedList,
  onBytes: (bytes: number) => void,
): AsyncGenerator<SignalPage> {
  const state: RowState = { broken: 0, isCut: false };
  let chain: Beat[] = [];
  let lastUs: number | null = null;
  let invalid = 0;
  let late = 0;
  /** Behind an interval that cannot be true or be read, nothing tells how long the break was. */
  let isBroken = false;
  const flush = function* (): Generator<SignalPage> {
    if (chain.length > 0) yield beatPage(0, chain);
    chain = [];
  };
  for await (const row of rowsOf(file, shape, state, onBytes)) {
    throwIfAborted(signal);
    if (!row) {
      isBroken = true;
      continue;
    }
    const { intervalUs, timeUs } = row;
    if (!(intervalUs >= 1 && intervalUs <= MOST_INTERVAL_US)) {
      invalid++;
      isBroken = true;
      continue;
    }
    const beatUs: number = timeUs === null ? (lastUs ?? startUs) + intervalUs : startUs + timeUs;
    if (lastUs !== null && beatUs <= lastUs) {
      late++;
      continue;
    }
    const isFollowing: boolean = lastUs !== null && !isBroken && Math.abs(beatUs - intervalUs - lastUs) <= FOLLOWS_US;
    if (lastUs !== null && !isFollowing) {
      yield* flush();
      marks.push({ channel: 0, timeUs: lastUs, reason: isBroken ? 'NO_CONTACT' : 'LOST_BLOCK' });
    }
    // Without times a break has no length: a quarter of a second marks it.
    const isUntimedBreak: boolean = lastUs !== null && isBroken && timeUs === null;
    const placedUs: number = isUntimedBreak ? beatUs + LEAST_BREAK_US : beatUs;
    chain.push({ timeUs: placedUs, intervalUs });
    lastUs = placedUs;
    isBroken = false;
    if (chain.length === MAX_PAGE_BEATS) yield* flush();
  }
  yield* flush();
  if (invalid > 0) notes.push(`${invalid} intervals cannot be true and were left out.`);
  if (late > 0) notes.push(`${late} rows are not later than the row before and were left out.`);
  if (state.broken > 0) {
    notes.push(
      `${state.broken} ${state.broken === 1 ? 'line is no interval' : 'lines are no intervals'} and left out.`,
    );
  }
}

const LEAST_BREAK_US = 250_000;
