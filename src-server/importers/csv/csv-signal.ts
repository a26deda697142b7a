/**
 * Reads one data CSV of an MC10 export as a channel: parses its header, checks every row and finds the quantisation in a first
 * pass, and yields pages in a second. Two passes, because a signal file begins with its header.
 */
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { ExactValueRule, SignalChannel, SignalPage } from '../../signals/types.ts';
import { damaged, empty, throwIfAborted, unsupported } from '../refusals.ts';
import { medianInPlace, TimedPageBuilder } from '../timed-pages.ts';
import {
  isBeyondClocks,
  type Quantity,
  requirePlausibleTime,
  type TimeUnit,
  timeUnit,
  unitFactor,
  unknownTimeUnit,
  unknownUnit,
} from '../units.ts';
import { BATCH_ROWS, type CsvBatch, splitHeader } from './csv-rows.ts';
import { ColumnQuantiser, fillCounts, type Quantisation, type QuantityKind } from './quantisation.ts';
import { SalvagedRows } from './salvaged-rows.ts';

/** A ZIP member or a file of a folder; `open` can be called once per pass. */
export interface CsvMember {
  /** Path inside the source, with `/`. */
  name: string;
  sizeBytes: number;
  /** @param onBytes receives the number of bytes of `sizeBytes` consumed */
  open(onBytes?: (bytes: number) => void): AsyncIterable<Uint8Array>;
}

interface CsvHeader {
  type: string;
  dimensions: string[];
  /** Unit of the stored values. */
  unit: string;
  /** Unit of each column in the file, and the factor to `unit`. */
  columns: { unit: string; factor: number }[];
  kind: QuantityKind;
  timeUnit: TimeUnit;
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

const MOTIONS: Record<string, { type: string; unit: string; quantity: Quantity; kind: QuantityKind }> = {
  accel: { type: 'ACCEL', unit: 'g', quantity: 'ACCELERATION', kind: 'ACCEL' },
  gyro: { type: 'GYRO', unit: 'dps', quantity: 'ROTATION', kind: 'GYRO' },
};

/** Members with an electrode signal; `afe` and `elec` leave its type open. */
const ELECTRODE_NAMES: Record<string, 'ECG' | 'EMG' | null> = { elec: null, afe: null, ecg: 'ECG', emg: 'EMG' };

const TIME_COLUMN = /^timestamp \((.+)\)$/i;
const MOTION_COLUMN = /^(accel|gyro) ([xyz]) \((.+)\)$/i;
const SAMPLE_COLUMN = /^sample(?: (.+?))? \((.+)\)$/i;

/** Name of a member without folders, `.csv` and `.gz`, in lower case. */
export function memberStem(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.gz$/, '')
    .replace(/\.csv$/, '');
}

/**
 * Parses a header line; null when it is not that of an MC10 data CSV.
 *
 * @throws UNIT_UNKNOWN when a known column is in an unknown unit
 */
function parseCsvHeader(line: string, name: string, electrodeSignal: 'ECG' | 'EMG'): CsvHeader | null {
  const cells = line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const timeCell = cells[0]!;
  const timeUnitName = TIME_COLUMN.exec(timeCell)?.[1];
  if (timeUnitName === undefined) return null;
  const values = cells.slice(1);
  const form = motionColumns(values, name) ?? sampleColumns(values, name, electrodeSignal);
  if (!form) return null;
  const unit = timeUnit(timeUnitName);
  if (!unit) throw unknownTimeUnit(name, timeCell, timeUnitName);
  return { ...form, timeUnit: unit };
}

type ColumnForm = Omit<CsvHeader, 'timeUnit'>;

function motionColumns(cells: string[], name: string): ColumnForm | null {
  const matches = cells.map((cell) => MOTION_COLUMN.exec(cell));
  const kinds = new Set(matches.map((match) => match?.[1]?.toLowerCase()));
  const axes = matches.map((match) => match?.[2]?.toLowerCase()).join('');
  const motion = MOTIONS[[...kinds][0] ?? ''];
  if (kinds.size !== 1 || axes !== 'xyz' || motion === undefined) return null;
  const { type, unit, quantity, kind } = motion;
  const columns = matches.map((match, i) => convertedColumn(name, cells[i]!, match?.[3] ?? '', quantity));
  return { type, dimensions: ['x', 'y', 'z'], unit, columns, kind: kindOf(kind, columns) };
}

function sampleColumns(cells: string[], name: string, electrodeSignal: 'ECG' | 'EMG'): ColumnForm | null {
  const samples = cells.map((cell) => SAMPLE_COLUMN.exec(cell));
  if (samples.length === 0 || samples.some((match) => match === null)) return null;
  const dimensions = samples.map((match, index) => match?.[1]?.toLowerCase() ?? (index === 0 ? 'v' : `v${index + 1}`));
  const units = samples.map((match) => match?.[2] ?? '');
  const stem = memberStem(name);
  const electrode = ELECTRODE_NAMES[stem];
  if (electrode === undefined) {
    // Other quantities are stored unconverted; one channel has one unit.
    if (new Set(units).size > 1) throw unsupported(name, `its columns are in different units: ${units.join(', ')}.`);
    const type = stem.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    return { type, dimensions, unit: units[0]!, columns: units.map((unit) => ({ unit, factor: 1 })), kind: 'OTHER' };
  }
  const columns = units.map((unit, i) => convertedColumn(name, cells[i]!, unit, 'VOLTAGE'));
  return {
    type: electrode ?? electrodeSignal,
    dimensions,
    unit: 'V',
    columns,
    kind: kindOf('ELECTRODE', columns),
  };
}

function convertedColumn(
  name: string,
  column: string,
  unit: string,
  quantity: Quantity,
): { unit: string; factor: number } {
  const factor = unitFactor(quantity, unit);
  if (factor === undefined) throw unknownUnit(name, column, unit, quantity);
  return { unit, factor };
}

/** The vendor's quantisation grids are in the stored units; values in other units have other grids. */
function kindOf(kind: QuantityKind, columns: CsvHeader['columns']): QuantityKind {
  return columns.every(({ factor }) => factor === 1) ? kind : 'OTHER';
}

/**
 * Converts a rule to another unit. A decimal grid stays one exact division, so that 981 mg reads 0.981 g; last-place corrections
 * are dropped, because they apply to the text in the original unit.
 */
export function convertRule({ lastPlaces, ...rule }: ExactValueRule, factor: number): ExactValueRule {
  if (factor === 1) return lastPlaces === undefined ? rule : { ...rule, lastPlaces };
  if (rule.low !== 0 || rule.span !== 1) return { ...rule, span: rule.span * factor, low: rule.low * factor };
  const divisor = rule.divisor / factor;
  const whole = Math.round(divisor);
  return { ...rule, divisor: Math.abs(divisor / whole - 1) < 1e-12 ? whole : divisor };
}

const GRID_RATES_HZ = [15.625, 31.25, 62.5, 125, 250, 500, 1000, 2000, 4000];

/** The nominal rate: the nearest of the portal's rates within 2.2 % (clocks are up to 2 % off), else the measured one. */
function nominalRateHz(periodUs: number): number {
  const measured = 1e6 / periodUs;
  const nearest = GRID_RATES_HZ.find((rate) => Math.abs(measured / rate - 1) < 0.022);
  return nearest ?? Number(measured.toPrecision(4));
}

/** Time stamps in microseconds or finer are unique per sample; coarser ones repeat at high rates. */
const mayRepeat = (unit: TimeUnit): boolean => unit.kind === 'ISO 8601' || unit.power > 0;

const STEPS_FOR_RATE = 65_536;

const rowsOf = (name: string, valueColumns: number, unit: TimeUnit): SalvagedRows =>
  new SalvagedRows(name, valueColumns, unit, mayRepeat(unit));

/** Counts repeated times, and collects steps for the rate. Rows out of order are left out before. */
class TimeCheck {
  readonly #steps = new Float64Array(STEPS_FOR_RATE);
  #stepCount = 0;
  repeated = 0;
  firstRepeatedRow = 0;
  first = Number.NaN;
  last = Number.NEGATIVE_INFINITY;

  check(times: Float64Array, rows: number, firstRow: number): void {
    for (let row = 0; row < rows; row++) {
      const step = times[row]! - this.last;
      if (step === 0) {
        if (this.repeated++ === 0) this.firstRepeatedRow = firstRow + row;
      } else if (this.#stepCount < STEPS_FOR_RATE && step !== Number.POSITIVE_INFINITY) {
        this.#steps[this.#stepCount++] = step;
      }
      if (Number.isNaN(this.first)) this.first = times[row]!;
      this.last = times[row]!;
    }
  }

  medianStep(): number {
    return medianInPlace(this.#steps.slice(0, this.#stepCount));
  }
}

/** First pass: reads and checks every row. */
export async function scanCsv(
  member: CsvMember,
  electrodeSignal: 'ECG' | 'EMG',
  signal: AbortSignal | undefined,
): Promise<ScannedCsv> {
  const { header: line, rest } = await splitHeader(member.name, member.open());
  const header = parseCsvHeader(line, member.name, electrodeSignal);
  if (!header) {
    await rest.return(undefined);
    throw unsupported(
      member.name,
      `its first line is not a header that is known: it reads "${line.slice(0, 80)}". ` +
        'Expected is "Timestamp (microseconds)" or "Timestamp (ms)" and then columns such as "Accel X (g)", each with its unit.',
    );
  }
  const quantisers = header.dimensions.map(() => new ColumnQuantiser(header.kind));
  const times = new TimeCheck();
  const reader = rowsOf(member.name, header.dimensions.length, header.timeUnit);
  let rows = 0;
  await eachBatch(reader, rest, signal, (batch) => {
    if (rows === 0 && batch.rows > 0) requirePlausibleTime(member.name, batch.times[0]!, header.timeUnit);
    times.check(batch.times, batch.rows, batch.firstRow);
    for (let d = 0; d < quantisers.length; d++) quantisers[d]!.scan(batch.columns[d]!, batch.rows);
    rows += batch.rows;
  });
  const refusal = reader.refusal();
  if (refusal) throw refusal;
  if (rows === 0) throw empty(member.name, 'it has a header and no rows.');
  if (isBeyondClocks(times.last)) throw damaged(member.name, 'its last time is after the year 2099.');
  const notes: string[] = [];
  const converted = new Set(header.columns.filter(({ factor }) => factor !== 1).map(({ unit }) => unit));
  if (converted.size > 0) {
    notes.push(`${member.name}: values in ${[...converted].join(', ')} were converted to ${header.unit}.`);
  }
  if (reader.leftOut > 0) {
    notes.push(
      `${member.name}: ${reader.leftOut} rows that cannot be read or whose time is out of order were left out; the first: ${reader.firstFault}.`,
    );
  }
  if (times.repeated > 0) {
    notes.push(
      `${member.name}: ${times.repeated} rows have the time of the row above, first row ${times.firstRepeatedRow}.`,
    );
  }
  if (reader.unterminated)
    notes.push(`${member.name}: the last row has no line end; the file may have been cut there.`);
  const quantisations = await settleQuantisation(member, header.timeUnit, quantisers, signal);
  quantisations.forEach((quantisation, d) => {
    if (quantisation.isOnGrid) return;
    const step = scaleAndOffset(quantisation.rule).scale.toPrecision(3);
    notes.push(
      `${member.name}: ${header.dimensions[d]} was rounded to the nearest step of ${step} ${header.columns[d]!.unit}.`,
    );
  });
  const periodUs = times.medianStep();
  const rules = quantisations.map(({ rule }, d) => convertRule(rule, header.columns[d]!.factor));
  const plain = rules.map(scaleAndOffset);
  const channel: SignalChannel = {
    type: header.type,
    dimensions: header.dimensions,
    unit: header.unit,
    nominalRateHz: periodUs > 0 ? nominalRateHz(periodUs) : 1,
    scale: plain.map(({ scale }) => scale),
    offset: plain.map(({ offset }) => offset),
    sampleBits: quantisations.some(({ sampleBits }) => sampleBits === 32) ? 32 : 16,
    exact: rules,
  };
  return {
    member,
    header,
    channel,
    quantisations,
    rows,
    startUs: times.first,
    stopUs: times.last,
    notes,
  };
}

/** Scans again when the first values suggested a wrong step. */
async function settleQuantisation(
  member: CsvMember,
  unit: TimeUnit,
  quantisers: ColumnQuantiser[],
  signal: AbortSignal | undefined,
): Promise<Quantisation[]> {
  const settled = quantisers.map((quantiser) => quantiser.finish());
  if (settled.every((quantisation) => quantisation !== null)) return settled;
  const again = quantisers.map((quantiser) => quantiser.retry());
  const { rest } = await splitHeader(member.name, member.open());
  await eachBatch(rowsOf(member.name, quantisers.length, unit), rest, signal, (batch) => {
    for (let d = 0; d < again.length; d++) {
      if (settled[d] === null) again[d]!.scan(batch.columns[d]!, batch.rows);
    }
  });
  return settled.map((quantisation, d) => quantisation ?? again[d]!.finish() ?? quantisers[d]!.fineScale());
}

async function eachBatch(
  reader: SalvagedRows,
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

/** Second pass: yields the pages of a scanned CSV. */
export async function* csvPages(
  scanned: ScannedCsv,
  channelIndex: number,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): AsyncGenerator<SignalPage> {
  const { header, channel, member, quantisations } = scanned;
  const { rest } = await splitHeader(member.name, member.open(onBytes));
  const reader = rowsOf(member.name, header.dimensions.length, header.timeUnit);
  const builder = new TimedPageBuilder(
    channelIndex,
    header.dimensions.length,
    channel.sampleBits,
    1e6 / channel.nominalRateHz,
  );
  const counts = header.dimensions.map(() => new Int32Array(BATCH_ROWS));
  const pagesOf = function* (batch: CsvBatch): Generator<SignalPage> {
    for (let d = 0; d < counts.length; d++)
      fillCounts(batch.columns[d]!, batch.rows, quantisations[d]!.rule, counts[d]!);
    yield* builder.push(batch.times, counts, batch.rows);
  };
  for await (const chunk of rest) {
    throwIfAborted(signal);
    for (const batch of reader.push(chunk)) yield* pagesOf(batch);
  }
  for (const batch of reader.end()) yield* pagesOf(batch);
  yield* builder.flush();
}
