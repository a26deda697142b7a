/**
 * Texts of the Movesense phone app: the ECG with a UTC stamp per sample, beat intervals without any time, and annotations. Files of one
 * session explain one another: annotations name the pauses, and the stamps of the ECG give the zone of the title's wall clock.
 */
import { basename, dirname } from 'node:path';
import type { SignalMark, SignalPage } from '../../signals/types.ts';
import { BeatPages, isStorable, rrChannel } from '../beats/beat-pages.ts';
import { startOfWallClock, wallClockOf } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty, throwIfAborted } from '../refusals.ts';
import { ColumnClock } from '../text/column-clock.ts';
import { openTextFile, type TextFile } from '../text/text-file.ts';
import { textLines } from '../text/text-lines.ts';
import { type RowClock, type ScannedTable, scanTable, tablePages } from '../text/timed-table.ts';
import { TimedPageBuilder } from '../timed-pages.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, SourceClock } from '../types.ts';
import { requirePlausibleTime } from '../units.ts';
import { movesenseAnnotations, type Pause } from './movesense-annotations.ts';
import { serialIn } from './movesense-device.ts';
import { type MovesenseText, type MovesenseTitle, movesenseText, movesenseTitle } from './movesense-head.ts';

const FORMAT = 'Movesense CSV';
const COMMA = 44;
const POINT = 46;
const SECONDS = { kind: 'number', power: 6 } as const;
/** Of one count, in millivolts, from the maker's notes on the interface; the file names no unit. */
const MILLIVOLTS_PER_COUNT = 0.000381469726563;
const RATES = [125, 128, 200, 250, 256, 500, 512];
/** Zones differ from UTC by whole quarters of an hour. */
const QUARTER_US = 900e6;
/** The sensor sends its first samples within this of the start. */
const MOST_DELAY_US = 300e6;
const SAME_START_US = 3e6;
const RR_STEP_SECONDS = 0.001;
const MAX_NUMBER_LINES = 200;

interface MovesenseFile {
  file: TextFile;
  kind: MovesenseText;
  /** Null for annotations. */
  title: MovesenseTitle | null;
}

export interface OpenedTexts {
  recordings: ImportedRecording[];
  labels: ImportedLabel[];
  notes: string[];
  clock?: SourceClock;
}

export async function openMovesenseTexts(
  paths: readonly string[],
  sha256: string,
  options: ImportOptions,
): Promise<OpenedTexts> {
  const files = await Promise.all(paths.map(fileOf));
  const labels: ImportedLabel[] = [];
  const notes: string[] = [];
  const pauses: Pause[] = [];
  const starts: number[] = [];
  for (const { file } of files.filter(({ kind }) => kind === 'ANNOTATIONS')) {
    const found = await movesenseAnnotations(file, notes, options.signal);
    labels.push(...found.labels);
    pauses.push(...found.pauses);
    starts.push(...found.startsUs);
  }
  const source = { format: FORMAT, fileName: basename(paths[0]!), sha256 };
  const recordings: ImportedRecording[] = [];
  let clock: SourceClock | undefined;
  const zones = new Map<string, number>();
  for (const entry of files.filter(({ kind }) => kind === 'ECG')) {
    const opened = await openEcg(entry, pauses, source, options);
    recordings.push(opened.recording);
    clock ??= { kind: 'UTC' };
    const offsetUs = offsetOf(entry.title!, opened.startUs, MOST_DELAY_US);
    if (offsetUs !== null) zones.set(sessionOf(entry), offsetUs);
  }
  for (const entry of files.filter(({ kind }) => kind === 'HEART_RATE')) {
    const opened = await openBeats(entry, { starts, pauses, offsetUs: zones.get(sessionOf(entry)) }, source, options);
    if (!opened) {
      notes.push(`${entry.file.name} holds no readable interval.`);
      continue;
    }
    recordings.push(opened.recording);
    clock ??= opened.clock;
  }
  if (recordings.length === 0 && labels.length === 0) throw empty(paths[0]!, notes.join(' ') || 'it has no rows.');
  recordings[0]?.labels.push(...labels);
  recordings[0]?.notes.push(...notes);
  return { recordings, labels: recordings.length > 0 ? [] : labels, notes, ...(clock ? { clock } : {}) };
}

async function fileOf(path: string): Promise<MovesenseFile> {
  const probe = await openTextFile(path, 2);
  const [first = '', second = ''] = probe.lines;
  const kind = movesenseText(first, second);
  if (kind === null) throw damaged(path, 'its first lines are none that the app writes.');
  const isTitled = kind !== 'ANNOTATIONS';
  return {
    kind,
    file: isTitled ? probe : await openTextFile(path, 1),
    title: isTitled ? movesenseTitle(first) : null,
  };
}

/** Files of one sensor's session lie beside each other and were begun at one time. */
const sessionOf = ({ file, title }: MovesenseFile): string => `${dirname(file.path)} ${title?.wallUs}`;

/** The title's clock less UTC, where an instant shortly after its start is known. */
function offsetOf({ wallUs }: MovesenseTitle, instantUs: number, mostDelayUs: number): number | null {
  const offsetUs = Math.round((wallUs - instantUs) / QUARTER_US) * QUARTER_US;
  const delayUs = instantUs - (wallUs - offsetUs);
  return delayUs > -SAME_START_US && delayUs <= mostDelayUs && Math.abs(offsetUs) <= 14 * 3600e6 ? offsetUs : null;
}

/** Names a gap by the pause that lies in it. */
class PausingClock extends ColumnClock implements RowClock {
  readonly #pauses: readonly Pause[];

  constructor(pauses: readonly Pause[]) {
    super(0, SECONDS.power);
    this.#pauses = pauses;
  }

  /** Stopped on purpose: nothing is in the file then. */
  reasonAt(timeUs: number): 'SENSOR_RESTART' | undefined {
    const isPause = this.#pauses.some(({ fromUs, toUs }) => timeUs >= fromUs - PAUSE_SLACK_US && timeUs < toUs);
    return isPause ? 'SENSOR_RESTART' : undefined;
  }
}
/** Samples arrive after they were taken, so the last of them may lie on either side of the mark. */
const PAUSE_SLACK_US = 5e6;

async function openEcg(
  { file, title }: MovesenseFile,
  pauses: readonly Pause[],
  source: { format: string; fileName: string; sha256: string },
  options: ImportOptions,
): Promise<{ recording: ImportedRecording; startUs: number }> {
  const isDecimal = await holdsDecimals(file);
  const rates = title?.rateHz === null || title?.rateHz === undefined ? RATES : [title.rateHz];
  const scanned: ScannedTable | null = await scanTable(
    {
      name: file.name,
      sizeBytes: file.sizeBytes,
      shape: { separator: COMMA, decimal: POINT, width: 2, leastWidth: 2, numbers: [0, 1], clock: null },
      openRows: (onBytes) => file.rows(onBytes),
      clock: () => new PausingClock(pauses),
      channels: [
        {
          type: 'ECG',
          dimensions: ['v'],
          unit: 'V',
          columns: [1],
          factors: [isDecimal ? 1e-3 : MILLIVOLTS_PER_COUNT * 1e-3],
          rates,
          gapReason: 'LINK_LOST',
          splitsAtNewStep: true,
        },
      ],
    },
    options.signal,
  );
  if (!scanned) throw empty(file.path, 'no row below its header can be read.');
  requirePlausibleTime(file.path, scanned.startUs, SECONDS);
  const notes = [
    ...scanned.notes,
    isDecimal
      ? 'ECG: the file names no unit. Its values have decimals, so they were taken as mV.'
      : `ECG: the file names no unit. Its whole numbers were taken as counts of ${MILLIVOLTS_PER_COUNT} mV, as the maker states for this sensor.`,
  ];
  const known = pauses.filter(({ fromUs, toUs }) => fromUs < scanned.stopUs && toUs > scanned.startUs);
  for (const pause of known) notes.push(pauseNote(pause));
  const marks: SignalMark[] = [];
  let doneBytes = 0;
  const pages = (): AsyncGenerator<SignalPage> =>
    tablePages(scanned, 0, 0, marks, options.signal, (bytes) => {
      doneBytes += bytes;
    });
  const recording: ImportedRecording = {
    header: makeHeader({ channels: scanned.channels, source, device: deviceOf(file.path) }, options),
    pages,
    labels: [],
    marks,
    notes,
    progress: () => ({ doneBytes, totalBytes: file.sizeBytes }),
  };
  return { recording, startUs: scanned.startUs };
}

const pauseNote = ({ fromUs, toUs }: Pause): string =>
  `The recording was paused in the app for ${((toUs - fromUs) / 1e6).toFixed(1)} s from ${new Date(fromUs / 1000).toISOString()}.`;

const deviceOf = (path: string): { maker: 'Movesense'; serial?: string } => {
  const serial = serialIn(path);
  return { maker: 'Movesense', ...(serial === undefined ? {} : { serial }) };
};

/** Counts are whole numbers; a value with decimals is none. */
async function holdsDecimals(file: TextFile): Promise<boolean> {
  let lines = 0;
  for await (const line of textLines(file.rows())) {
    if (/,\s*-?\d*\.\d*[1-9]/.test(line)) return true;
    if (++lines >= MAX_NUMBER_LINES) break;
  }
  return false;
}

interface KnownTimes {
  /** When recordings were begun, by annotations. */
  starts: readonly number[];
  pauses: readonly Pause[];
  /** The title's clock less UTC, by the ECG of the session. */
  offsetUs: number | undefined;
}

/** Beats have an order and no time: a running sum of their intervals places them, from the start of the recording. */
async function openBeats(
  { file, title }: MovesenseFile,
  known: KnownTimes,
  source: { format: string; fileName: string; sha256: string },
  options: ImportOptions,
): Promise<{ recording: ImportedRecording; clock: SourceClock } | null> {
  const first = await firstBeat(file);
  if (!first) return null;
  const notes: string[] = [];
  const { startUs, clock } = startOf(title!, known, options, notes);
  notes.push(
    'The file holds no times: beats were placed by the sum of their intervals from the start of the recording, and lie too early by any that were lost.',
  );
  const pauses = known.pauses.filter(({ fromUs }) => fromUs > startUs).sort((a, b) => a.fromUs - b.fromUs);
  const marks: SignalMark[] = [];
  let doneBytes = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    const beats = new BeatPages(0, RR_STEP_SECONDS, marks);
    const rates = new RatePages(1);
    const paused = [...pauses];
    let invalid = 0;
    let broken = 0;
    let nextUs = startUs;
    const lines = beatLines(file, (bytes) => {
      doneBytes += bytes;
    });
    for await (const line of lines) {
      throwIfAborted(options.signal);
      if (line === null) {
        broken++;
        continue;
      }
      for (const ms of line.intervalsMs) {
        if (!isStorable(ms)) {
          invalid++;
          yield* beats.breakRun('NO_CONTACT');
          continue;
        }
        while (paused.length > 0 && nextUs + ms * 1000 > paused[0]!.fromUs) {
          const { toUs } = paused.shift()!;
          yield* beats.breakRun('SENSOR_RESTART');
          nextUs = Math.max(nextUs, toUs);
        }
        if (beats.beginUs === null) beats.anchor(nextUs);
        yield* beats.add([ms]);
        nextUs = beats.beginUs!;
      }
      if (line.average > 0) yield* rates.add(nextUs, line.average);
    }
    yield* beats.flush();
    yield* rates.flush();
    if (invalid > 0) notes.push(`${invalid} intervals cannot be true and were left out.`);
    if (broken > 0)
      notes.push(`${file.name}: ${broken} ${broken === 1 ? 'line is' : 'lines are'} damaged and left out.`);
    if (paused.length < pauses.length) {
      notes.push('Beats after a pause in the app were placed from the time it was resumed.');
    }
  }
  const channels = [rrChannel(RR_STEP_SECONDS), RatePages.channel];
  const recording: ImportedRecording = {
    header: makeHeader({ channels, source: { ...source, fileName: file.name }, device: deviceOf(file.path) }, options),
    pages,
    labels: [],
    marks,
    notes,
    progress: () => ({ doneBytes, totalBytes: file.sizeBytes }),
  };
  return { recording, clock };
}

function startOf(
  title: MovesenseTitle,
  { starts, offsetUs }: KnownTimes,
  options: ImportOptions,
  notes: string[],
): { startUs: number; clock: SourceClock } {
  const marked = starts.find((instantUs) => offsetOf(title, instantUs, SAME_START_US) !== null);
  if (marked !== undefined) return { startUs: marked, clock: { kind: 'UTC' } };
  if (offsetUs !== undefined) return { startUs: title.wallUs - offsetUs, clock: { kind: 'UTC' } };
  return startOfWallClock(wallClockOf(title.wallUs), options, notes);
}

interface BeatLine {
  average: number;
  intervalsMs: number[];
}

/** Rows in order; null for one that cannot be read. A last row without an end is left out: its number may have been cut. */
async function* beatLines(file: TextFile, onBytes?: (bytes: number) => void): AsyncGenerator<BeatLine | null> {
  const state = { isCut: false };
  let last: string | null = null;
  for await (const line of textLines(file.rows(onBytes), state)) {
    if (last !== null && last.trim() !== '') yield beatLine(last);
    last = line;
  }
  if (last === null || last.trim() === '') return;
  yield state.isCut ? null : beatLine(last);
}

function beatLine(line: string): BeatLine | null {
  const [average = '', ...rest] = line.split(',');
  const intervals = rest
    .join(' ')
    .split(/[\s;]+/)
    .filter((cell) => cell !== '');
  const intervalsMs = intervals.map((cell) => (/^\d+(?:\.\d+)?$/.test(cell) ? Math.round(Number(cell)) : Number.NaN));
  if (!/^\s*\d+(?:\.\d+)?\s*$/.test(average) || intervalsMs.some(Number.isNaN)) return null;
  return { average: Number(average), intervalsMs };
}

async function firstBeat(file: TextFile): Promise<BeatLine | null> {
  for await (const line of beatLines(file)) if (line?.intervalsMs.some(isStorable)) return line;
  return null;
}

/** The smoothed rate that the sensor sends with each beat. */
class RatePages {
  static readonly channel = {
    type: 'HR',
    dimensions: ['v'],
    unit: '/min',
    nominalRateHz: 1,
    scale: [1e-5],
    offset: [0],
    sampleBits: 32 as const,
    exact: [{ origin: 0, divisor: 1e5, span: 1, low: 0 }],
  };

  readonly #builder: TimedPageBuilder;
  #lastUs = Number.NEGATIVE_INFINITY;
  readonly #time = new Float64Array(1);
  readonly #count = new Int32Array(1);

  constructor(channel: number) {
    this.#builder = new TimedPageBuilder(channel, 1, 32, 1e6);
  }

  *add(timeUs: number, rate: number): Generator<SignalPage> {
    if (timeUs <= this.#lastUs || rate > 1000) return;
    this.#lastUs = timeUs;
    this.#time[0] = Math.round(timeUs);
    this.#count[0] = Math.round(rate * 1e5);
    yield* this.#builder.push(this.#time, [this.#count], 1);
  }

  flush(): Generator<SignalPage> {
    return this.#builder.flush();
  }
}
