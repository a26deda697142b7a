/**
 * Polar Sensor Logger: one text per stream. The streams of one session become one recording of signals, and one of each kind of beat
 * intervals, all on the phone's clock, which is local time without a zone.
 */
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SignalPage } from '../../signals/types.ts';
import { filesBelow, headOf } from '../file-heads.ts';
import { startOfWallClock, wallClockOf } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { empty, throwIfAborted } from '../refusals.ts';
import { sourceHash } from '../source-bytes.ts';
import { decimalOf } from '../text/text-decimal.ts';
import { openTextFile, type TextFile } from '../text/text-file.ts';
import { textLines } from '../text/text-lines.ts';
import { type ScannedTable, scanTable, type TableSource, tablePages } from '../text/timed-table.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource, SourceClock } from '../types.ts';
import { polarChannels } from './polar-channels.ts';
import { PhoneClock, PolarClock } from './polar-clock.ts';
import { isPolarFile, type PolarColumns, polarColumns } from './polar-columns.ts';
import { openIntervals, type PolarIntervals } from './polar-intervals.ts';
import { readMarkers } from './polar-markers.ts';
import { deviceOf, sessionsOf } from './polar-sessions.ts';

const FORMAT = 'Polar Sensor Logger';
const COMMA = 44;
const POINT = 46;
const LOOKED_AT_ROWS = 20;
/** The app computes the phone's column from the sensor's with an offset per stream; they differ by seconds. */
const SAME_CLOCK_US = 60e6;
/** A sensor that was without power and phone begins here, as microseconds since 2000. */
const UNSET_CLOCK_US = (Date.UTC(2019, 0, 1) - Date.UTC(2000, 0, 1)) * 1000;
const UNSET_SPAN_US = 30 * 86_400e6;

interface PolarFile {
  file: TextFile;
  columns: PolarColumns;
}

interface SignalStream {
  scanned: ScannedTable;
  /** Phone's clock less the sensor's at the first sample; null without a sensor's clock. */
  offsetUs: number | null;
  isUnset: boolean;
}

/** Opens files given together, or one folder with them. */
export async function openPolarSensorLogger(paths: string[], options: ImportOptions): Promise<ImportSource> {
  const { files, others } = await polarFiles(paths);
  const sha256 = options.withoutHash
    ? ''
    : await sourceHash(
        files.map(({ file }) => file.path),
        options.signal,
      );
  const notes = others.length === 0 ? [] : [`Not files of Polar Sensor Logger, and left out: ${others.join(', ')}.`];
  const recordings: ImportedRecording[] = [];
  const labels: ImportedLabel[] = [];
  let clock: SourceClock | undefined;
  for (const session of polarSessions(files)) {
    const opened = await openSession(session, paths, sha256, options);
    recordings.push(...opened.recordings);
    labels.push(...opened.labels);
    clock ??= opened.clock;
    notes.push(...opened.notes);
  }
  if (recordings.length === 0 && labels.length === 0) throw empty(paths[0]!, 'no row below its header can be read.');
  if (recordings.length > 0) recordings[0]!.notes.push(...notes);
  return { format: FORMAT, ...(clock ? { clock } : {}), recordings, labels, notes, close: async () => undefined };
}

async function polarFiles(paths: string[]): Promise<{ files: PolarFile[]; others: string[] }> {
  const isFolder = paths.length === 1 && (await stat(paths[0]!)).isDirectory();
  const all = isFolder ? (await filesBelow(paths[0]!)).map((name) => join(paths[0]!, name)) : [...paths].sort();
  const files: PolarFile[] = [];
  const others: string[] = [];
  for (const path of all) {
    const head = await headOf(path).catch(() => null);
    const isOurs = head !== null && 'text' in head && isPolarFile(head);
    const file = isOurs ? await openTextFile(path, 1) : null;
    const columns = file && polarColumns(file.lines[0] ?? '');
    if (columns) files.push({ file: file!, columns });
    else others.push(basename(path));
  }
  if (files.length === 0) throw empty(paths[0]!, 'it has no stream of Polar Sensor Logger.');
  return { files, others };
}

/** A marker file names no device: it belongs to the streams beside it. */
function polarSessions(files: readonly PolarFile[]): PolarFile[][] {
  const { sessions, markers } = sessionsOf(files, ({ file }) => file.name);
  if (sessions.length === 0) return [markers];
  sessions[0]!.push(...markers);
  return sessions;
}

async function openSession(
  session: readonly PolarFile[],
  paths: readonly string[],
  sha256: string,
  options: ImportOptions,
): Promise<{ recordings: ImportedRecording[]; labels: ImportedLabel[]; clock?: SourceClock; notes: string[] }> {
  const notes: string[] = [];
  const signals: SignalStream[] = [];
  const intervals: PolarIntervals[] = [];
  const markers: ImportedLabel[] = [];
  for (const { file, columns } of session) {
    throwIfAborted(options.signal);
    if (columns.isMarker) markers.push(...(await readMarkers(file, columns.separator, options.signal)));
    else {
      const beats = columns.interval ? await openIntervals(file, columns) : null;
      if (beats) intervals.push(beats);
      // Later builds write the rate and the interval in one file; in files of pulse intervals the rate repeats them.
      const isRateBesideIntervals =
        columns.interval?.type === 'RR' && columns.values.some(({ name }) => /^hr$/i.test(name));
      const stream = columns.interval && !isRateBesideIntervals ? null : await scanStream(file, columns, options);
      if (stream) signals.push(stream);
      if (!beats && !stream) notes.push(`${file.name} holds no readable row.`);
    }
  }
  const offsets = signals.flatMap(({ offsetUs }) => (offsetUs === null ? [] : [offsetUs]));
  const commonUs = Math.min(...offsets);
  /** From the stream's own times to the phone's clock, with one offset for all streams of the sensor. */
  const joinUs = ({ offsetUs }: SignalStream): number =>
    offsetUs !== null && offsetUs - commonUs < SAME_CLOCK_US ? commonUs - offsetUs : 0;
  const startsUs = [
    ...signals.map((stream) => stream.scanned.startUs + joinUs(stream)),
    ...intervals.map(({ startLocalUs }) => startLocalUs),
  ];
  if (startsUs.length === 0) startsUs.push(...markers.slice(0, 1).map(({ startUs }) => startUs));
  if (startsUs.length === 0) return { recordings: [], labels: [], notes };
  const localUs = Math.min(...startsUs);
  const { startUs, clock } = startOfWallClock(wallClockOf(localUs), options, notes);
  const shiftUs = startUs - localUs;
  const labels = markers.map((label) => ({
    ...label,
    startUs: label.startUs + shiftUs,
    stopUs: label.stopUs + shiftUs,
  }));
  const facts = {
    source: {
      format: FORMAT,
      fileName: basename(paths.length === 1 ? paths[0]! : session[0]!.file.path),
      sha256,
    },
    device: deviceOf(session.find(({ columns }) => !columns.isMarker)?.file.name ?? '').device,
  };
  const recordings: ImportedRecording[] = [];
  if (signals.length > 0) recordings.push(signalRecording(signals, joinUs, shiftUs, facts, options));
  for (const stream of intervals) recordings.push(intervalRecording(stream, shiftUs, facts, options));
  for (const recording of recordings) recording.notes.push(...notes);
  recordings[0]?.labels.push(...labels);
  return recordings.length > 0 ? { recordings, labels: [], clock, notes: [] } : { recordings, labels, clock, notes };
}

/**
 * Whether a program that takes nanoseconds for numbers saved the table again: `7.04202E+17` is the same for minutes.
 */
async function hasRoundedSensor(file: TextFile, { sensor, separator }: PolarColumns): Promise<boolean> {
  if (sensor === null) return false;
  let rows = 0;
  for await (const line of textLines(file.rows())) {
    const cell = line.split(String.fromCharCode(separator))[sensor] ?? '';
    if (/^\s*"?\d[.,]?\d*e[+]?\d+"?\s*$/i.test(cell)) return true;
    if (++rows >= LOOKED_AT_ROWS) break;
  }
  return false;
}

async function scanStream(file: TextFile, named: PolarColumns, options: ImportOptions): Promise<SignalStream | null> {
  const isRounded = await hasRoundedSensor(file, named);
  const columns = isRounded ? { ...named, sensor: null } : named;
  const { channels, numbers } = polarChannels(columns, file.name);
  const decimal = columns.separator === COMMA ? POINT : await decimalOf(file);
  let first: PolarClock | null = null;
  const source: TableSource = {
    name: file.name,
    sizeBytes: file.sizeBytes,
    shape: {
      separator: columns.separator,
      decimal,
      width: columns.width,
      // Rows of heart rates leave out what is not there.
      leastWidth: named.sensor === null ? 2 : named.width,
      numbers,
      clock: 0,
    },
    openRows: (onBytes) => file.rows(onBytes),
    clock: () => {
      if (columns.sensor === null) return new PhoneClock();
      const clock = new PolarClock();
      first ??= clock;
      return clock;
    },
    channels,
  };
  const scanned = await scanTable(source, options.signal);
  if (!scanned) return null;
  if (isRounded) {
    scanned.notes.push(
      `${file.name}: another program rounded the sensor's nanoseconds, so the times are those of the phone.`,
    );
  }
  const known = (first as PolarClock | null)?.first ?? null;
  const isUnset =
    known !== null &&
    known.sensorUs > UNSET_CLOCK_US - UNSET_SPAN_US &&
    known.sensorUs < UNSET_CLOCK_US + UNSET_SPAN_US;
  return { scanned, offsetUs: known?.offsetUs ?? null, isUnset };
}

type RecordingFacts = Pick<Parameters<typeof makeHeader>[0], 'source' | 'device'>;

function signalRecording(
  streams: readonly SignalStream[],
  joinUs: (stream: SignalStream) => number,
  shiftUs: number,
  facts: RecordingFacts,
  options: ImportOptions,
): ImportedRecording {
  const notes = streams.flatMap(({ scanned }) => scanned.notes);
  if (streams.some(({ isUnset }) => isUnset)) {
    notes.push("The sensor's clock was not set. The recording starts when the phone says.");
  }
  const marks: ImportedRecording['marks'] = [];
  const totalBytes = streams.reduce((sum, { scanned }) => sum + scanned.source.sizeBytes, 0);
  let doneBytes = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    let channel = 0;
    for (const stream of streams) {
      const count = (bytes: number): void => {
        doneBytes += bytes;
      };
      yield* tablePages(stream.scanned, channel, joinUs(stream) + shiftUs, marks, options.signal, count);
      channel += stream.scanned.channels.length;
    }
  }
  const channels = numbered(streams.flatMap(({ scanned }) => scanned.channels));
  return {
    header: makeHeader({ ...facts, channels }, options),
    pages,
    labels: [],
    marks,
    notes,
    progress: () => ({ doneBytes, totalBytes }),
  };
}

/** A second channel of a type has a number behind it. */
function numbered<T extends { type: string }>(channels: readonly T[]): T[] {
  const seen = new Map<string, number>();
  return channels.map((channel) => {
    const turn = (seen.get(channel.type) ?? 0) + 1;
    seen.set(channel.type, turn);
    return turn === 1 ? channel : { ...channel, type: `${channel.type}_${turn}` };
  });
}

function intervalRecording(
  stream: PolarIntervals,
  shiftUs: number,
  facts: RecordingFacts,
  options: ImportOptions,
): ImportedRecording {
  const marks: ImportedRecording['marks'] = [];
  const notes: string[] = [];
  let doneBytes = 0;
  const pages = (): AsyncGenerator<SignalPage> =>
    stream.pages(marks, notes, shiftUs, options.signal, (bytes) => {
      doneBytes += bytes;
    });
  return {
    header: makeHeader({ ...facts, channels: [stream.channel] }, options),
    pages,
    labels: [],
    marks,
    notes,
    progress: () => ({ doneBytes, totalBytes: stream.file.sizeBytes }),
  };
}
