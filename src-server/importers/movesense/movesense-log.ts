/**
 * Logs of Movesense sensors as JSON. A notification carries the time of its first sample; the distance to the next one gives the period,
 * which is up to 8 % off the nominal rate. Beats have no time of their own in a log: the notifications around them place them.
 */
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import type { SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import { BeatPages, isStorable, rrChannel } from '../beats/beat-pages.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty, unsupported } from '../refusals.ts';
import { fileSize } from '../source-bytes.ts';
import { GapMarks } from '../text/gap-marks.ts';
import { medianInPlace, TimedPageBuilder } from '../timed-pages.ts';
import type { ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { ValueGrid } from '../value-grid.ts';
import { LogClock, StreamCounter } from './log-clock.ts';
import { type LogEntry, type LogSamples, type LogSignalType, type LogState, logEntries } from './log-entries.ts';
import { serialIn } from './movesense-device.ts';

const FORMAT = 'Movesense JSON';
const GAP_PERIODS = 1.5;
const MAX_PERIODS = 4096;
/** A beat that would lie further from the notifications around it follows a gap. */
const MOST_LEAD_US = 3e6;
const RR_STEP_SECONDS = 0.001;
const KELVIN = 273.15;
/** Of one ECG count; the log names no unit. */
const MILLIVOLTS_PER_COUNT = 0.000381469726563;
const STANDARD_GRAVITY = 9.80665;

const KINDS: Record<LogSignalType, { unit: string; dimensions: string[]; unitsPerValue: number; rates: number[] }> = {
  ECG: { unit: 'V', dimensions: ['v'], unitsPerValue: 1e3, rates: [125, 128, 200, 250, 256, 500, 512] },
  ACCEL: {
    unit: 'g',
    dimensions: ['x', 'y', 'z'],
    unitsPerValue: STANDARD_GRAVITY,
    rates: [13, 26, 52, 104, 208, 416, 833],
  },
  GYRO: { unit: 'dps', dimensions: ['x', 'y', 'z'], unitsPerValue: 1, rates: [13, 26, 52, 104, 208, 416, 833] },
  MAGNETOMETER: {
    unit: 'uT',
    dimensions: ['x', 'y', 'z'],
    unitsPerValue: 1,
    rates: [13, 26, 52, 104, 208, 416, 833],
  },
  TEMPERATURE: { unit: 'degC', dimensions: ['v'], unitsPerValue: 1, rates: [] },
};
const ORDER: readonly LogSignalType[] = ['ECG', 'ACCEL', 'GYRO', 'MAGNETOMETER', 'TEMPERATURE'];
const RATE_TOLERANCE = 0.09;

/** A signal of one stream, as the first pass finds it. */
interface FoundSignal {
  stream: string;
  type: LogSignalType;
  grids: ValueGrid[];
  /** Milliseconds per sample of the first notifications. */
  periodsMs: number[];
  isWhole: boolean;
  samples: number;
}

const keyOf = (stream: string, type: string): string => `${stream}/${type}`;

/** A notification with its place on the counter. */
interface Stamped {
  stream: string;
  era: number;
  ms: number;
  signals: LogSamples[];
}

/** Gives the entries of a pass their places: streams are stamped on their own, and restart together. */
class Stamps {
  readonly #counters = new Map<string, StreamCounter>();
  /** The latest stamp of any stream, in the order of the file: when an entry without a stamp was written. */
  latest: { era: number; ms: number } | null = null;
  late = 0;

  take({ stream, stampMs, signals, isGrouped }: Extract<LogEntry, { kind: 'SAMPLES' }>): Stamped | null {
    const counter = this.#counters.get(stream) ?? new StreamCounter();
    this.#counters.set(stream, counter);
    const unstampedMs = isGrouped ? undefined : this.latest?.ms;
    const known = stampMs > 0 ? stampMs : unstampedMs;
    const ms = known === undefined ? null : counter.take(known);
    if (ms === null) {
      this.late++;
      return null;
    }
    const { era } = counter;
    if (!this.latest || era > this.latest.era || (era === this.latest.era && ms > this.latest.ms)) {
      this.latest = { era, ms };
    }
    return { stream, era, ms, signals };
  }
}

interface Scan {
  signals: Map<string, FoundSignal>;
  clock: LogClock;
  hasBeats: boolean;
  firstIntervals: number;
  unknown: Set<string>;
  broken: number;
  late: number;
  isWhole: boolean;
}

async function scanLog(path: string, name: string, signal: AbortSignal | undefined): Promise<Scan> {
  const state: LogState = { broken: 0, isWhole: false };
  const stamps = new Stamps();
  const scan: Scan = {
    signals: new Map(),
    clock: new LogClock(),
    hasBeats: false,
    firstIntervals: 0,
    unknown: new Set(),
    broken: 0,
    late: 0,
    isWhole: false,
  };
  const before = new Map<string, Stamped>();
  for await (const entries of logEntries(path, name, state, signal)) {
    for (const entry of entries) {
      if (entry.kind === 'BROKEN') scan.broken++;
      else if (entry.kind === 'UTC') scan.clock.read(entry.relativeMs, entry.utcUs, entry.isGrouped);
      else if (entry.kind === 'BEATS') scan.hasBeats ||= entry.intervalsMs.some(isStorable);
      else if (entry.kind === 'UNKNOWN') {
        if (entry.stream !== '') scan.unknown.add(entry.stream);
      } else {
        const stamped = stamps.take(entry);
        if (!stamped) continue;
        scan.clock.see(stamped.era, stamped.ms);
        const last = before.get(stamped.stream);
        if (last?.era === stamped.era) notePeriods(scan, last, stamped.ms - last.ms);
        before.set(stamped.stream, stamped);
        noteValues(scan, stamped);
      }
    }
  }
  return { ...scan, broken: scan.broken + state.broken, late: stamps.late, isWhole: state.isWhole };
}

function noteValues({ signals }: Scan, { stream, signals: held }: Stamped): void {
  for (const { type, rows } of held) {
    const key = keyOf(stream, type);
    const found = signals.get(key) ?? {
      stream,
      type,
      grids: KINDS[type].dimensions.map(() => new ValueGrid()),
      periodsMs: [],
      isWhole: true,
      samples: 0,
    };
    signals.set(key, found);
    found.samples += rows.length;
    for (const row of rows) {
      for (const [d, grid] of found.grids.entries()) grid.scan(row[d]!);
      if (found.isWhole && type === 'ECG') found.isWhole = Number.isInteger(row[0]);
    }
  }
}

function notePeriods({ signals }: Scan, { stream, signals: held }: Stamped, stepMs: number): void {
  for (const { type, rows } of held) {
    const found = signals.get(keyOf(stream, type));
    if (found && rows.length > 0 && found.periodsMs.length < MAX_PERIODS) found.periodsMs.push(stepMs / rows.length);
  }
}

/** A signal as it is stored. */
interface LoggedSignal {
  key: string;
  channel: SignalChannel;
  stepsPerValue: number[];
  periodUs: number;
}

function loggedSignal(found: FoundSignal, turns: Map<string, number>, notes: string[]): LoggedSignal {
  const { type, stream, grids, periodsMs } = found;
  const { unit, dimensions, unitsPerValue, rates } = KINDS[type];
  const isCounts = type === 'ECG' && found.isWhole && !/mv/i.test(stream);
  if (isCounts) {
    notes.push(
      `ECG: the log names no unit. Its whole numbers were taken as counts of ${MILLIVOLTS_PER_COUNT} mV, as the maker states for this sensor.`,
    );
  }
  const perValue = isCounts ? unitsPerValue / MILLIVOLTS_PER_COUNT : unitsPerValue;
  const settled = grids.map((grid) => grid.finish(perValue));
  if (settled.some(({ isExact }) => !isExact)) {
    notes.push(`${stream} ${type}: values were rounded to about a billionth of the largest.`);
  }
  const low = type === 'TEMPERATURE' ? -KELVIN : 0;
  const medianMs = medianInPlace(Float64Array.from(periodsMs));
  const measuredHz = medianMs > 0 ? 1e3 / medianMs : 1;
  const nearest = rates.reduce(
    (best, rate) => (Math.abs(measuredHz - rate) < Math.abs(measuredHz - best) ? rate : best),
    Number.POSITIVE_INFINITY,
  );
  const turn = (turns.get(type) ?? 0) + 1;
  turns.set(type, turn);
  return {
    key: keyOf(stream, type),
    channel: {
      type: turn === 1 ? type : `${type}_${turn}`,
      dimensions,
      unit,
      nominalRateHz: Math.abs(measuredHz / nearest - 1) <= RATE_TOLERANCE ? nearest : Number(measuredHz.toPrecision(4)),
      scale: settled.map(({ rule }) => 1 / rule.divisor),
      offset: settled.map(() => low),
      sampleBits: settled.some(({ sampleBits }) => sampleBits === 32) ? 32 : 16,
      exact: settled.map(({ rule }) => ({ ...rule, low })),
    },
    stepsPerValue: settled.map(({ stepsPerValue }) => stepsPerValue),
    periodUs: medianMs > 0 ? medianMs * 1000 : 1e6,
  };
}

/** @throws INVALID_INPUT when the log does not say when it was recorded and no start is given */
export async function openMovesenseLog(path: string, sha256: string, options: ImportOptions): Promise<ImportSource> {
  const name = basename(path);
  const totalBytes = await fileSize(path);
  const scan = await scanLog(path, name, options.signal);
  const found = [...scan.signals.values()]
    .filter(({ samples }) => samples > 0)
    .sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  if (found.length === 0 && !scan.hasBeats) throw nothingIn(path, scan);
  const notes = scanNotes(name, scan);
  if (!scan.clock.isTied && options.defaultStartUs === undefined) {
    throw new OutpostError(
      'INVALID_INPUT',
      `${name} counts from when the sensor woke and does not say when it was recorded. Give its start time, then import it again.`,
    );
  }
  const turns = new Map<string, number>();
  const signals = found.map((one) => loggedSignal(one, turns, notes));
  const offsetsUs = scan.clock.offsetsUs(options.defaultStartUs, notes);
  const serial = serialIn(path);
  const facts = {
    source: { format: FORMAT, fileName: name, sha256 },
    device: { maker: 'Movesense' as const, ...(serial === undefined ? {} : { serial }) },
    syncPoints: scan.clock.syncPoints(offsetsUs),
  };
  const recordings: ImportedRecording[] = [];
  const pass = { path, name, offsetsUs, totalBytes, options };
  if (signals.length > 0) {
    const header = makeHeader({ ...facts, channels: signals.map(({ channel }) => channel) }, options);
    recordings.push(signalRecording(signals, header, pass));
  }
  if (scan.hasBeats) {
    const header = makeHeader({ ...facts, channels: [rrChannel(RR_STEP_SECONDS)] }, options);
    const beginUs = scan.clock.beginUs(offsetsUs) ?? options.defaultStartUs!;
    recordings.push(beatRecording(header, beginUs, pass));
  }
  recordings[0]!.notes.push(...notes);
  return {
    format: FORMAT,
    ...(scan.clock.isTied && { clock: { kind: 'UTC' as const } }),
    recordings,
    labels: [],
    close: async () => undefined,
  };
}

function nothingIn(path: string, { unknown, broken, isWhole }: Scan): OutpostError {
  if (unknown.size > 0) return unsupported(path, `it holds no known signal, but ${[...unknown].join(', ')}.`);
  if (broken > 0 || !isWhole) return damaged(path, 'it was cut off or changed, and no notification in it is whole.');
  return empty(path, 'its log has no notification.');
}

function scanNotes(name: string, { unknown, broken, late, isWhole }: Scan): string[] {
  const notes: string[] = [];
  if (!isWhole) notes.push(`${name} was cut off; what is whole was read.`);
  if (broken > 0) notes.push(`${name}: ${broken} notifications are damaged and were left out.`);
  if (late > 0) notes.push(`${name}: ${late} notifications are out of order or have no time, and were left out.`);
  if (unknown.size > 0) notes.push(`Not read from ${name}: ${[...unknown].join(', ')}.`);
  return notes;
}

interface Pass {
  path: string;
  name: string;
  offsetsUs: readonly number[];
  totalBytes: number;
  options: ImportOptions;
}

/** Writes the samples of one signal. */
class SignalWriter {
  readonly #signal: LoggedSignal;
  readonly #builder: TimedPageBuilder;
  readonly #gaps: GapMarks;
  #goodPeriodUs: number;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(signal: LoggedSignal, channel: number, marks: SignalMark[], restartsUs: ReadonlySet<number>) {
    this.#signal = signal;
    const { dimensions, sampleBits } = signal.channel;
    this.#builder = new TimedPageBuilder(channel, dimensions.length, sampleBits, signal.periodUs);
    this.#gaps = new GapMarks(marks, (stopUs) => (restartsUs.has(stopUs) ? 'SENSOR_RESTART' : 'LOST_BLOCK'));
    this.#goodPeriodUs = signal.periodUs;
  }

  /** Time of the last sample. */
  get lastUs(): number {
    return this.#lastUs;
  }

  /** @param stepUs to the next notification; null where none follows at once */
  *write(startUs: number, rows: readonly number[][], stepUs: number | null): Generator<SignalPage> {
    const periodUs = stepUs === null ? Number.POSITIVE_INFINITY : stepUs / rows.length;
    // Behind a stop the last good period counts.
    if (periodUs <= GAP_PERIODS * this.#signal.periodUs) this.#goodPeriodUs = periodUs;
    const times = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) times[i] = Math.round(startUs + i * this.#goodPeriodUs);
    const columns = this.#signal.stepsPerValue.map((steps, d) =>
      Int32Array.from(rows, (row) => Math.round(row[d]! * steps)),
    );
    if (rows.length > 0) this.#lastUs = times[rows.length - 1]!;
    yield* this.#seen(this.#builder.push(times, columns, rows.length));
  }

  flush(): Generator<SignalPage> {
    return this.#seen(this.#builder.flush());
  }

  *#seen(pages: Iterable<SignalPage>): Generator<SignalPage> {
    for (const page of pages) {
      this.#gaps.see(page);
      yield page;
    }
  }
}

function signalRecording(
  signals: readonly LoggedSignal[],
  header: ImportedRecording['header'],
  { path, name, offsetsUs, totalBytes, options }: Pass,
): ImportedRecording {
  const marks: SignalMark[] = [];
  let doneBytes = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    const restartsUs = new Set<number>();
    const writers = new Map(
      signals.map((signal, index) => [signal.key, new SignalWriter(signal, index, marks, restartsUs)]),
    );
    const pending = new Map<string, Stamped>();
    const write = function* (held: Stamped, next: Stamped | null): Generator<SignalPage> {
      const startUs = held.ms * 1000 + offsetsUs[held.era]!;
      const stepUs = next?.era === held.era ? (next.ms - held.ms) * 1000 : null;
      for (const { type, rows } of held.signals) {
        const writer = writers.get(keyOf(held.stream, type));
        if (!writer) continue;
        yield* writer.write(startUs, rows, stepUs);
        if (next && next.era !== held.era) restartsUs.add(writer.lastUs);
      }
    };
    const stamps = new Stamps();
    const count = (bytes: number): void => {
      doneBytes += bytes;
    };
    for await (const entries of logEntries(path, name, { broken: 0, isWhole: false }, options.signal, count)) {
      for (const entry of entries) {
        const stamped = entry.kind === 'SAMPLES' ? stamps.take(entry) : null;
        if (!stamped) continue;
        const held = pending.get(stamped.stream);
        if (held) yield* write(held, stamped);
        pending.set(stamped.stream, stamped);
      }
    }
    for (const held of pending.values()) yield* write(held, null);
    for (const writer of writers.values()) yield* writer.flush();
  }
  return { header, pages, labels: [], marks, notes: [], progress: () => ({ doneBytes, totalBytes }) };
}

/**
 * Beats between the notifications of the signals that were logged beside them; of a log of beats alone, or one that
 * lists them apart, their sum from its start.
 */
function beatRecording(
  header: ImportedRecording['header'],
  beginUs: number,
  { path, name, offsetsUs, totalBytes, options }: Pass,
): ImportedRecording {
  const marks: SignalMark[] = [];
  const notes: string[] = [];
  let doneBytes = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    const beats = new BeatPages(0, RR_STEP_SECONDS, marks);
    const stamps = new Stamps();
    let invalid = 0;
    /** Whether a notification placed any beat. */
    let isPlaced = false;
    let era = 0;
    /** Where the next interval begins when no notification places it. */
    let nextUs: number | null = null;
    const count = (bytes: number): void => {
      doneBytes += bytes;
    };
    for await (const entries of logEntries(path, name, { broken: 0, isWhole: false }, options.signal, count)) {
      for (const entry of entries) {
        if (entry.kind === 'SAMPLES') stamps.take(entry);
        if (entry.kind !== 'BEATS') continue;
        const latest = entry.isGrouped ? null : stamps.latest;
        isPlaced ||= latest !== null;
        const heardUs = latest ? latest.ms * 1000 + offsetsUs[latest.era]! : null;
        if (latest && latest.era !== era) {
          era = latest.era;
          nextUs = null;
          yield* beats.breakRun('SENSOR_RESTART');
        }
        for (const ms of entry.intervalsMs) {
          if (!isStorable(ms)) {
            invalid++;
            nextUs = null;
            yield* beats.breakRun('NO_CONTACT');
            continue;
          }
          const intervalUs = ms * 1000;
          if (heardUs !== null && nextUs !== null && Math.abs(nextUs + intervalUs - heardUs) > MOST_LEAD_US) {
            nextUs = null;
            yield* beats.breakRun('LOST_BLOCK');
          }
          nextUs ??= heardUs !== null ? heardUs - intervalUs : beginUs;
          if (beats.beginUs === null) beats.anchor(nextUs);
          yield* beats.add([ms]);
          nextUs = beats.beginUs!;
        }
      }
    }
    yield* beats.flush();
    if (invalid > 0) notes.push(`${invalid} intervals cannot be true and were left out.`);
    const how = isPlaced
      ? 'by the notifications around them, to within seconds'
      : 'by the sum of their intervals, from the start of the log';
    notes.push(`The log holds no times of beats: they were placed ${how}.`);
  }
  return { header, pages, labels: [], marks, notes, progress: () => ({ doneBytes, totalBytes }) };
}
