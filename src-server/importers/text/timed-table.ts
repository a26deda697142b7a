/**
 * Signals in a text table with one row per sample time: its channels, found in a first pass over the file, and their pages, in a
 * second. Two passes, because a signal file begins with its header.
 */
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import type { GapReason } from '../../vocabulary/coverage.ts';
import { BATCH_ROWS } from '../csv/csv-rows.ts';
import { convertRule } from '../csv/csv-signal.ts';
import { type DigitColumn, newDigitColumn } from '../csv/digits.ts';
import { ColumnQuantiser, fillCounts, type Quantisation } from '../csv/quantisation.ts';
import { throwIfAborted } from '../refusals.ts';
import { medianInPlace, TimedPageBuilder } from '../timed-pages.ts';
import { GapMarks } from './gap-marks.ts';
import { RowOrder } from './row-order.ts';
import { type TableBatch, TableReader, type TableShape } from './table-reader.ts';

const STEPS_FOR_RATE = 65_536;

/** Gives the rows of a table their times; one for each pass. */
export interface RowClock {
  /** Writes the times of rows `from` to `to` - 1 in microseconds; NaN for a row that cannot be placed. */
  place(batch: TableBatch, times: Float64Array, from: number, to: number): void;
  /** Called around rows that come again: what was placed since `save` is forgotten. */
  save(): void;
  restore(): void;
  /** Why nothing follows a time, where the clock knows more than the channel's `gapReason`. */
  reasonAt?(timeUs: number): GapReason | undefined;
}

export interface TableChannel {
  type: string;
  dimensions: string[];
  unit: string;
  /** Indices into `TableShape.numbers`, one per dimension, and the factor from the file's unit to `unit`. */
  columns: number[];
  factors: number[];
  /** Rates that this kind of device has; the nearest within `rateTolerance` becomes the nominal one. */
  rates?: readonly number[];
  /** 0 means that there is no value, as of a heart rate. */
  isZeroAbsent?: boolean;
  /** Why samples may be missing; null for values that are rare of themselves. */
  gapReason: GapReason | null;
  /** Ends a page where the step between samples changes permanently. */
  splitsAtNewStep?: boolean;
}

export interface TableSource {
  name: string;
  sizeBytes: number;
  shape: TableShape;
  /** The rows without the lines above them; called once per pass. */
  openRows(onBytes?: (bytes: number) => void): AsyncIterable<Uint8Array>;
  clock(): RowClock;
  channels: TableChannel[];
}

export interface ScannedTable {
  source: TableSource;
  channels: SignalChannel[];
  quantisations: Quantisation[][];
  rows: number;
  startUs: number;
  stopUs: number;
  /** Of damage, and of values that had to be rounded. */
  notes: string[];
}

const RATE_TOLERANCE = 0.03;

interface TimedRows {
  times: Float64Array;
  /** Rows to use, of the batch. */
  kept: Int32Array;
  count: number;
  batch: TableBatch;
}

/** One pass over the rows in order of time. */
class TablePass {
  readonly #source: TableSource;
  readonly reader: TableReader;
  readonly order = new RowOrder();
  readonly clock: RowClock;

  constructor(source: TableSource) {
    this.#source = source;
    this.clock = source.clock();
    this.reader = new TableReader(source.shape);
  }

  async *rows(signal: AbortSignal | undefined, onBytes?: (bytes: number) => void): AsyncGenerator<TimedRows> {
    const { clock } = this;
    const times = new Float64Array(BATCH_ROWS);
    const kept = new Int32Array(BATCH_ROWS);
    const timed = (batch: TableBatch): TimedRows => {
      const { rows, isEnd } = batch;
      const decided = isEnd ? rows : rows - 1;
      clock.place(batch, times, 0, decided);
      clock.save();
      clock.place(batch, times, decided, rows);
      clock.restore();
      return { times, kept, count: this.order.keep(times, rows, decided, kept), batch };
    };
    for await (const chunk of this.#source.openRows(onBytes)) {
      throwIfAborted(signal);
      for (const batch of this.reader.push(chunk)) yield timed(batch);
    }
    for (const batch of this.reader.end()) yield timed(batch);
  }
}

/** The rows of one channel, moved together: rows with an empty cell are not samples. */
class ChannelRows {
  readonly #channel: TableChannel;
  readonly columns: DigitColumn[];
  readonly times = new Float64Array(BATCH_ROWS);
  count = 0;

  constructor(channel: TableChannel) {
    this.#channel = channel;
    this.columns = channel.columns.map(() => newDigitColumn(BATCH_ROWS));
  }

  take({ times, kept, count, batch }: TimedRows): void {
    const absent = this.#channel.columns.map((column) => batch.absent[column]!);
    const from = this.#channel.columns.map((column) => batch.columns[column]!);
    const isZeroAbsent = this.#channel.isZeroAbsent === true;
    let taken = 0;
    for (let k = 0; k < count; k++) {
      const row = kept[k]!;
      let isWhole = true;
      for (const column of absent) if (column[row] === 1) isWhole = false;
      if (isZeroAbsent && from[0]!.high[row] === 0 && from[0]!.low[row] === 0) isWhole = false;
      if (!isWhole) continue;
      this.times[taken] = times[row]!;
      for (let d = 0; d < from.length; d++) {
        const { high, low, form } = from[d]!;
        const to = this.columns[d]!;
        to.high[taken] = high[row]!;
        to.low[taken] = low[row]!;
        to.form[taken] = form[row]!;
      }
      taken++;
    }
    this.count = taken;
  }
}

/** First pass: the channels, their scales and rates. Returns null when no row can be used. */
export async function scanTable(source: TableSource, signal?: AbortSignal): Promise<ScannedTable | null> {
  const pass = new TablePass(source);
  const scans = source.channels.map((channel) => ({
    rows: new ChannelRows(channel),
    quantisers: channel.columns.map(() => new ColumnQuantiser('OTHER')),
    steps: new Steps(),
  }));
  let rows = 0;
  let startUs = Number.NaN;
  let stopUs = Number.NaN;
  for await (const timed of pass.rows(signal)) {
    if (timed.count === 0) continue;
    if (rows === 0) startUs = timed.times[timed.kept[0]!]!;
    stopUs = timed.times[timed.kept[timed.count - 1]!]!;
    rows += timed.count;
    for (const scan of scans) {
      scan.rows.take(timed);
      if (scan.rows.count === 0) continue;
      scan.steps.add(scan.rows.times, scan.rows.count);
      scan.quantisers.forEach((quantiser, d) => {
        quantiser.scan(scan.rows.columns[d]!, scan.rows.count);
      });
    }
  }
  if (rows === 0) return null;
  const notes = damageNotes(source.name, pass);
  const quantisations = await settle(
    source,
    scans.map(({ quantisers }) => quantisers),
    signal,
  );
  const channels = source.channels.map((channel, c) => channelOf(channel, quantisations[c]!, scans[c]!.steps));
  quantisations.forEach((ofChannel, c) => {
    ofChannel.forEach((quantisation, d) => {
      if (quantisation.isOnGrid) return;
      const { type, dimensions, factors } = source.channels[c]!;
      const step = (scaleAndOffset(quantisation.rule).scale * factors[d]!).toPrecision(2);
      notes.push(
        `${source.name}: ${type} ${dimensions[d]} was rounded to steps of ${step} ${source.channels[c]!.unit}.`,
      );
    });
  });
  return { source, channels, quantisations, rows, startUs, stopUs, notes };
}

function damageNotes(name: string, { reader, order }: TablePass): string[] {
  const notes: string[] = [];
  if (reader.isCut) notes.push(`${name}: the last line has no end and may be cut, so it was left out.`);
  const { badRows } = reader;
  if (badRows > 0) notes.push(`${name}: ${badRows} ${badRows === 1 ? 'line is' : 'lines are'} damaged and left out.`);
  const { dropped } = order;
  if (dropped > 0) {
    notes.push(
      `${name}: ${dropped} ${dropped === 1 ? 'row has a time' : 'rows have times'} out of order and left out.`,
    );
  }
  return notes;
}

/** Distances between samples, for the rate. */
class Steps {
  readonly #steps = new Float64Array(STEPS_FOR_RATE);
  #count = 0;
  #last = Number.NaN;

  add(times: Float64Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const step = times[i]! - this.#last;
      if (this.#count < STEPS_FOR_RATE && step > 0) this.#steps[this.#count++] = step;
      this.#last = times[i]!;
    }
  }

  rateHz(rates: readonly number[] = []): number {
    const period = medianInPlace(this.#steps.slice(0, this.#count));
    if (period <= 0) return 1;
    const measured = 1e6 / period;
    const nearest = rates.reduce(
      (best, rate) => (Math.abs(measured - rate) < Math.abs(measured - best) ? rate : best),
      Number.POSITIVE_INFINITY,
    );
    return Math.abs(measured / nearest - 1) <= RATE_TOLERANCE ? nearest : Number(measured.toPrecision(4));
  }
}

function channelOf(channel: TableChannel, quantisations: Quantisation[], steps: Steps): SignalChannel {
  const rules = quantisations.map(({ rule }, d) => convertRule(rule, channel.factors[d]!));
  const plain = rules.map(scaleAndOffset);
  return {
    type: channel.type,
    dimensions: channel.dimensions,
    unit: channel.unit,
    nominalRateHz: steps.rateHz(channel.rates),
    scale: plain.map(({ scale }) => scale),
    offset: plain.map(({ offset }) => offset),
    sampleBits: quantisations.some(({ sampleBits }) => sampleBits === 32) ? 32 : 16,
    exact: rules,
  };
}

/** Scans again for columns whose first values suggested a wrong step. */
async function settle(
  source: TableSource,
  quantisers: ColumnQuantiser[][],
  signal: AbortSignal | undefined,
): Promise<Quantisation[][]> {
  const settled = quantisers.map((ofChannel) => ofChannel.map((quantiser) => quantiser.finish()));
  if (settled.every((ofChannel) => ofChannel.every((quantisation) => quantisation !== null))) {
    return settled as Quantisation[][];
  }
  const again = quantisers.map((ofChannel, c) =>
    ofChannel.map((quantiser, d) => (settled[c]![d] ? null : quantiser.retry())),
  );
  const rows = source.channels.map((channel) => new ChannelRows(channel));
  for await (const timed of new TablePass(source).rows(signal)) {
    rows.forEach((channelRows, c) => {
      channelRows.take(timed);
      if (channelRows.count === 0) return;
      again[c]!.forEach((quantiser, d) => {
        quantiser?.scan(channelRows.columns[d]!, channelRows.count);
      });
    });
  }
  return settled.map((ofChannel, c) =>
    ofChannel.map((quantisation, d) => quantisation ?? again[c]![d]!.finish() ?? quantisers[c]![d]!.fineScale()),
  );
}

/**
 * Second pass: the pages.
 *
 * @param firstChannel index of the table's first channel in the recording
 * @param shiftUs added to all times
 */
export async function* tablePages(
  scanned: ScannedTable,
  firstChannel: number,
  shiftUs: number,
  marks: SignalMark[],
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): AsyncGenerator<SignalPage> {
  const { source, channels, quantisations } = scanned;
  const pass = new TablePass(source);
  const gapsOf = (gapReason: GapReason | null): GapMarks | null =>
    gapReason && new GapMarks(marks, (stopUs) => pass.clock.reasonAt?.(stopUs - shiftUs) ?? gapReason);
  const parts = channels.map((channel, c) => ({
    rows: new ChannelRows(source.channels[c]!),
    counts: channel.dimensions.map(() => new Int32Array(BATCH_ROWS)),
    builder: new TimedPageBuilder(
      firstChannel + c,
      channel.dimensions.length,
      channel.sampleBits,
      1e6 / channel.nominalRateHz,
      undefined,
      source.channels[c]!.splitsAtNewStep,
    ),
    gaps: gapsOf(source.channels[c]!.gapReason),
  }));
  const seen = function* (pages: Iterable<SignalPage>, gaps: GapMarks | null): Generator<SignalPage> {
    for (const page of pages) {
      gaps?.see(page);
      yield page;
    }
  };
  for await (const timed of pass.rows(signal, onBytes)) {
    for (const [c, { rows, counts, builder, gaps }] of parts.entries()) {
      rows.take(timed);
      counts.forEach((column, d) => {
        fillCounts(rows.columns[d]!, rows.count, quantisations[c]![d]!.rule, column);
      });
      if (shiftUs !== 0) for (let i = 0; i < rows.count; i++) rows.times[i]! += shiftUs;
      yield* seen(builder.push(rows.times, counts, rows.count), gaps);
    }
  }
  for (const { builder, gaps } of parts) yield* seen(builder.flush(), gaps);
}
