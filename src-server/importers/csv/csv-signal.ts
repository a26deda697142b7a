/**
 * One data CSV of an MC10 export as a channel: what its header says, a first pass that checks every row and finds the
 * quantisation, and a second that gives pages. Two passes, because the header of a signal file is written first.
 */
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { damaged, empty, throwIfAborted, unsupported } from '../refusals.ts';
import { medianInPlace, TimedPageBuilder } from '../timed-pages.ts';
import { BATCH_ROWS, type CsvBatch, CsvRowReader, splitHeader } from './csv-rows.ts';
import { ColumnQuantiser, fillCounts, type Quantisation, type QuantityKind } from './quantisation.ts';

/** A member of a ZIP or a file of a folder; `open` can be called again for another pass. */
export interface CsvMember {
  /** Path inside the source, with `/`. */
  name: string;
  sizeBytes: number;
  /** `onBytes` hears how many bytes of `sizeBytes` were taken. */
  open(onBytes?: (bytes: number) => void): AsyncIterable<Uint8Array>;
}

interface CsvHeader {
  type: string;
  dimensions: string[];
  unit: string;
  kind: QuantityKind;
  isMilliseconds: boolean;
}

export interface ScannedCsv {
  member: CsvMember;
  header: CsvHeader;
  channel: SignalChannel;
  quantisations: Quantisation[];
  rows: number;
  startUs: number;
  stopUs: number;
  notes: string[];
}

const MOTION_UNITS: Record<string, { type: string; unit: string; kind: QuantityKind }> = {
  accel: { type: 'ACCEL', unit: 'g', kind: 'ACCEL' },
  gyro: { type: 'GYRO', unit: 'dps', kind: 'GYRO' },
};

/** Members that hold one electrode signal; `afe` and `elec` do not say which. */
const ELECTRODE_NAMES: Record<string, 'ECG' | 'EMG' | null> = { elec: null, afe: null, ecg: 'ECG', emg: 'EMG' };

const TIME_COLUMN = /^timestamp \((microseconds|us|µs|milliseconds|ms)\)$/i;
const SAMPLE_COLUMN = /^sample(?: (.+?))? \((.+)\)$/i;

/** Name of a member without folders, `.csv` and `.gz`, in lower case. */
export function memberStem(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.gz$/, '')
    .replace(/\.csv$/, '');
}

/** What a header line names, or null when it is not a data CSV of this family. */
function parseCsvHeader(line: string, stem: string, electrodeSignal: 'ECG' | 'EMG'): CsvHeader | null {
  const cells = line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const time = TIME_COLUMN.exec(cells[0]);
  if (!time) return null;
  const isMilliseconds = /^m(s|illi)/i.test(time[1]);
  const values = cells.slice(1);
  const motion = /^(accel|gyro) [xyz] \(/i.exec(values[0] ?? '');
  if (motion) {
    const { type, unit, kind } = MOTION_UNITS[motion[1].toLowerCase()];
    const axes = values.map((cell) => /^(?:accel|gyro) ([xyz]) \(/i.exec(cell)?.[1].toLowerCase());
    return axes.join('') === 'xyz' ? { type, dimensions: ['x', 'y', 'z'], unit, kind, isMilliseconds } : null;
  }
  const samples = values.map((cell) => SAMPLE_COLUMN.exec(cell));
  if (samples.length === 0 || samples.some((match) => match === null)) return null;
  const dimensions = samples.map((match, index) => match?.[1]?.toLowerCase() ?? (index === 0 ? 'v' : `v${index + 1}`));
  const unit = samples[0]?.[2] ?? 'V';
  const electrode = ELECTRODE_NAMES[stem];
  if (electrode === undefined) {
    const type = stem.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    return { type, dimensions, unit, kind: 'OTHER', isMilliseconds };
  }
  return { type: electrode ?? electrodeSignal, dimensions, unit, kind: 'ELECTRODE', isMilliseconds };
}

const GRID_RATES_HZ = [15.625, 31.25, 62.5, 125, 250, 500, 1000, 2000, 4000];

/** The rate a sensor was set to: the nearest of the portal's grid within 2.2 % (clocks run up to 2 % off), else as measured. */
function nominalRateHz(periodUs: number): number {
  const measured = 1e6 / periodUs;
  const nearest = GRID_RATES_HZ.find((rate) => Math.abs(measured / rate - 1) < 0.022);
  return nearest ?? Number(measured.toPrecision(4));
}

const STEPS_FOR_RATE = 65_536;

/** Watches times go up and remembers steps for the rate. */
class TimeCheck {
  readonly #path: string;
  readonly #mayRepeat: boolean;
  readonly #steps = new Float64Array(STEPS_FOR_RATE);
  #stepCount = 0;
  repeated = 0;
  firstRepeatedRow = 0;
  first = 0;
  last = Number.NEGATIVE_INFINITY;

  constructor(path: string, mayRepeat: boolean) {
    this.#path = path;
    this.#mayRepeat = mayRepeat;
  }

  check(times: Float64Array, rows: number, firstRow: number): void {
    for (let row = 0; row < rows; row++) {
      const step = times[row] - this.last;
      if (step <= 0) this.#notAscending(step, firstRow + row);
      else if (this.#stepCount < STEPS_FOR_RATE && step !== Number.POSITIVE_INFINITY) {
        this.#steps[this.#stepCount++] = step;
      }
      if (firstRow + row === 1) this.first = times[row];
      this.last = times[row];
    }
  }

  #notAscending(step: number, row: number): void {
    if (step < 0) throw damaged(this.#path, `the time of row ${row} is before that of the row above it.`);
    if (!this.#mayRepeat) throw damaged(this.#path, `row ${row} has the same time as the row above it.`);
    if (this.repeated++ === 0) this.firstRepeatedRow = row;
  }

  medianStep(): number {
    return medianInPlace(this.#steps.slice(0, this.#stepCount));
  }
}

/** First pass: every row is read and checked. */
export async function scanCsv(
  member: CsvMember,
  electrodeSignal: 'ECG' | 'EMG',
  signal: AbortSignal | undefined,
): Promise<ScannedCsv> {
  const { header: line, rest } = await splitHeader(member.name, member.open());
  const header = parseCsvHeader(line, memberStem(member.name), electrodeSignal);
  if (!header) {
    await rest.return(undefined);
    throw unsupported(
      member.name,
      `its first line is not a header that is known: it reads "${line.slice(0, 80)}". ` +
        'Expected is "Timestamp (microseconds)" or "Timestamp (ms)" and then columns such as "Accel X (g)".',
    );
  }
  const quantisers = header.dimensions.map(() => new ColumnQuantiser(header.kind));
  const times = new TimeCheck(member.name, header.isMilliseconds);
  const reader = new CsvRowReader(member.name, header.dimensions.length);
  let rows = 0;
  await eachBatch(reader, rest, signal, (batch) => {
    times.check(batch.times, batch.rows, batch.firstRow);
    for (let d = 0; d < quantisers.length; d++) quantisers[d].scan(batch.columns[d], batch.rows);
    rows += batch.rows;
  });
  if (rows === 0) throw empty(member.name, 'it has a header and no rows.');
  const unitUs = header.isMilliseconds ? 1000 : 1;
  if (times.last * unitUs > Number.MAX_SAFE_INTEGER) {
    throw damaged(member.name, 'its times are not epoch times in the unit that its header names.');
  }
  const notes: string[] = [];
  if (times.repeated > 0) {
    notes.push(
      `${member.name}: ${times.repeated} rows have the time of the row above, first row ${times.firstRepeatedRow}.`,
    );
  }
  if (reader.unterminated)
    notes.push(`${member.name}: the last row has no line end; the file may have been cut there.`);
  const quantisations = await settleQuantisation(member, quantisers, signal);
  quantisations.forEach((quantisation, d) => {
    if (quantisation.isOnGrid) return;
    const step = scaleAndOffset(quantisation.rule).scale.toPrecision(3);
    notes.push(`${member.name}: ${header.dimensions[d]} was kept to the nearest step of ${step} ${header.unit}.`);
  });
  const periodUs = times.medianStep() * unitUs;
  const plain = quantisations.map(({ rule }) => scaleAndOffset(rule));
  const channel: SignalChannel = {
    type: header.type,
    dimensions: header.dimensions,
    unit: header.unit,
    nominalRateHz: periodUs > 0 ? nominalRateHz(periodUs) : 1,
    scale: plain.map(({ scale }) => scale),
    offset: plain.map(({ offset }) => offset),
    sampleBits: quantisations.some(({ sampleBits }) => sampleBits === 32) ? 32 : 16,
    exact: quantisations.map(({ rule }) => rule),
  };
  return {
    member,
    header,
    channel,
    quantisations,
    rows,
    startUs: times.first * unitUs,
    stopUs: times.last * unitUs,
    notes,
  };
}

/** Scans again where the values of the beginning had misled about the step. */
async function settleQuantisation(
  member: CsvMember,
  quantisers: ColumnQuantiser[],
  signal: AbortSignal | undefined,
): Promise<Quantisation[]> {
  const settled = quantisers.map((quantiser) => quantiser.finish());
  if (settled.every((quantisation) => quantisation !== null)) return settled;
  const again = quantisers.map((quantiser) => quantiser.retry());
  const { rest } = await splitHeader(member.name, member.open());
  await eachBatch(new CsvRowReader(member.name, quantisers.length), rest, signal, (batch) => {
    for (let d = 0; d < again.length; d++) {
      if (settled[d] === null) again[d].scan(batch.columns[d], batch.rows);
    }
  });
  return settled.map((quantisation, d) => quantisation ?? again[d].finish() ?? quantisers[d].fineScale());
}

async function eachBatch(
  reader: CsvRowReader,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  take: (batch: CsvBatch) => void,
): Promise<void> {
  for await (const chunk of chunks) {
    throwIfAborted(signal);
    for (const batch of reader.push(chunk)) take(batch);
  }
  for (const batch of reader.end()) take(batch);
}

/** Second pass: pages of a scanned CSV. */
export async function* csvPages(
  scanned: ScannedCsv,
  channelIndex: number,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): AsyncGenerator<SignalPage> {
  const { header, channel, member, quantisations } = scanned;
  const { rest } = await splitHeader(member.name, member.open(onBytes));
  const reader = new CsvRowReader(member.name, header.dimensions.length);
  const builder = new TimedPageBuilder(
    channelIndex,
    header.dimensions.length,
    channel.sampleBits,
    1e6 / channel.nominalRateHz,
  );
  const counts = header.dimensions.map(() => new Int32Array(BATCH_ROWS));
  const pagesOf = function* (batch: CsvBatch): Generator<SignalPage> {
    for (let d = 0; d < counts.length; d++) fillCounts(batch.columns[d], batch.rows, quantisations[d].rule, counts[d]);
    if (header.isMilliseconds) for (let row = 0; row < batch.rows; row++) batch.times[row] *= 1000;
    yield* builder.push(batch.times, counts, batch.rows);
  };
  for await (const chunk of rest) {
    throwIfAborted(signal);
    for (const batch of reader.push(chunk)) yield* pagesOf(batch);
  }
  for (const batch of reader.end()) yield* pagesOf(batch);
  yield* builder.flush();
}
