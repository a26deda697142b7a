/** Beats of a recording as text: every beat as CSV, and RR intervals in the form that Kubios HRV and like programs open. */
import { OutpostError } from '../../errors.ts';
import { openSignalFile, type SignalFile } from '../../signals/index.ts';
import { type ExportOptions, throwIfDamaged } from '../export-options.ts';
import { methodJson } from './method.ts';
import { beatChannelOf, beatsOfFile, type ExportedBeat, type GoneBeat } from './recording-beats.ts';

const ROWS_PER_CHUNK = 4096;

/** Columns of the CSV file. Intervals are in ms, times in UTC. */
const CSV_HEADER = 'time_us,time_utc,rr_ms,is_nn,use,is_after_break';
/** Where people corrected beats: the type that they gave, what they did, and what was detected. */
const CORRECTION_HEADER = ',code,correction,original_time_us,original_use';

const utcOf = (us: number): string => new Date(Math.floor(us / 1000)).toISOString();

const csvRow = ({ timeUs, rrMs, isNN, use, isAfterBreak }: ExportedBeat): string => {
  const us = Math.round(timeUs);
  return `${us},${utcOf(us)},${rrMs === null ? '' : rrMs.toFixed(3)},${Number(isNN)},${use},${Number(isAfterBreak)}`;
};

const originalCells = ({ originalUs, originalUse }: ExportedBeat | GoneBeat): string =>
  `${originalUs === undefined ? '' : Math.round(originalUs)},${originalUse ?? ''}`;

const correctedCells = (beat: ExportedBeat): string =>
  `,${beat.code ?? ''},${beat.correction ?? ''},${originalCells(beat)}`;

const goneRow = (beat: GoneBeat): string => {
  const us = Math.round(beat.timeUs);
  return `${us},${utcOf(us)},,0,${beat.correction},0,,${beat.correction},${originalCells(beat)}\n`;
};

/** The beats of a file; reports those that people took out before the beats around them. */
type BeatsOf = (onGone?: (gone: GoneBeat[]) => void) => Iterable<ExportedBeat>;

const isGone = (beat: ExportedBeat | GoneBeat): beat is GoneBeat =>
  beat.correction === 'DELETED' || beat.correction === 'EXCLUDED';

/** Every beat, and those that a person took out, in order of time. */
function* inOrder(beatsOf: BeatsOf): Generator<ExportedBeat | GoneBeat> {
  const gone: GoneBeat[] = [];
  let next = 0;
  for (const beat of beatsOf((found) => {
    // More than a call can take as arguments: an excluded span may hold days of beats.
    for (const one of found) gone.push(one);
  })) {
    for (; next < gone.length && gone[next]!.timeUs <= beat.timeUs; next++) yield gone[next]!;
    yield beat;
  }
  for (; next < gone.length; next++) yield gone[next]!;
}

/** Every beat; with corrections also those that a person took out, whose `use` says so. */
function* csvOf(beatsOf: BeatsOf, isCorrected: boolean): Generator<string> {
  yield `${CSV_HEADER}${isCorrected ? CORRECTION_HEADER : ''}\n`;
  for (const beat of inOrder(beatsOf)) {
    yield isGone(beat) ? goneRow(beat) : `${csvRow(beat)}${isCorrected ? correctedCells(beat) : ''}\n`;
  }
}

const NOTHING = 'n/a';

/** As a table of BIDS, whose columns are the same in every file. @param zeroUs instant from which onsets count */
export function* beatsTsv(beatsOf: BeatsOf, columns: readonly string[], zeroUs: number): Generator<string> {
  const onset = (us: number | undefined): string => (us === undefined ? NOTHING : ((us - zeroUs) / 1e6).toFixed(6));
  yield `${columns.join('\t')}\n`;
  for (const beat of inOrder(beatsOf)) {
    const { timeUs, correction, originalUs, originalUse } = beat;
    const own = isGone(beat)
      ? [NOTHING, '0', beat.correction, '0', NOTHING]
      : [
          beat.rrMs === null ? NOTHING : beat.rrMs.toFixed(3),
          String(Number(beat.isNN)),
          beat.use,
          String(Number(beat.isAfterBreak)),
          beat.code ?? NOTHING,
        ];
    const cells = [onset(timeUs), ...own, correction ?? NOTHING, onset(originalUs), originalUse ?? NOTHING];
    yield `${cells.join('\t')}\n`;
  }
}

/**
 * Two columns in seconds: the time of the beat that ends the interval, from the first beat on, and the RR interval. Beats that are early
 * or odd are included, as such programs correct them in their own way; gaps show as a step of the first column.
 */
function* kubiosOf(beatsOf: BeatsOf): Generator<string> {
  let firstUs: number | undefined;
  for (const { timeUs, rrMs } of beatsOf()) {
    firstUs ??= timeUs;
    if (rrMs === null) continue;
    yield `${((timeUs - firstUs) / 1e6).toFixed(4)}\t${(rrMs / 1000).toFixed(4)}\n`;
  }
}

const TEXTS = { csv: csvOf, kubios: kubiosOf } as const;

/** The text of beats, in chunks. */
export const beatRows = (form: keyof typeof TEXTS, beatsOf: BeatsOf, isCorrected: boolean): Generator<string> =>
  inChunks(TEXTS[form](beatsOf, isCorrected));

/** Joins rows, so that a day is not written line by line. */
export function* inChunks(rows: Iterable<string>): Generator<string> {
  let chunk: string[] = [];
  for (const row of rows) {
    if (chunk.push(row) < ROWS_PER_CHUNK) continue;
    yield chunk.join('');
    chunk = [];
  }
  yield chunk.join('');
}

/** @throws FILE_EMPTY for a recording without heartbeats */
export function requireBeatChannel(file: SignalFile): NonNullable<ReturnType<typeof beatChannelOf>> {
  const channel = beatChannelOf(file);
  if (channel) return channel;
  throw new OutpostError('FILE_EMPTY', 'The recording has neither an ECG nor beat intervals, so there are no beats.');
}

/**
 * With what the beats of a signal file are found, as a file beside them.
 * @throws FILE_EMPTY, NOT_FOUND
 */
export async function* beatsMethodText(signalPath: string, { method, view }: ExportOptions): AsyncGenerator<string> {
  const file = await openSignalFile(signalPath, view);
  try {
    const { origin } = requireBeatChannel(file);
    if (method) yield methodJson(method, origin);
  } finally {
    await file.close();
  }
}

/**
 * Streams the beats of a signal file.
 * @throws FILE_EMPTY, CANCELLED, SIGNAL_FILE_DAMAGED, NOT_FOUND
 */
export async function* beatText(
  form: keyof typeof TEXTS,
  signalPath: string,
  options: ExportOptions = {},
): AsyncGenerator<string> {
  const file = await openSignalFile(signalPath, options.view);
  try {
    throwIfDamaged(signalPath, file.problems);
    const channel = requireBeatChannel(file);
    const isCorrected = (options.corrections?.length ?? 0) > 0;
    yield* beatRows(form, (onGone) => beatsOfFile(file, channel, options, onGone), isCorrected);
    throwIfDamaged(signalPath, file.problems);
  } finally {
    await file.close();
  }
}
