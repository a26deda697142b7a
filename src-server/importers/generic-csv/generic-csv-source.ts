/**
 * Reads any delimited text by a mapping that a person made. Two passes, as for MC10 files: the first checks every row and finds the
 * quantisation, the second yields pages.
 */
import { basename } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { OutpostError } from '../../errors.ts';
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { type CsvMapping, mappingFaults } from '../../vocabulary/csv-mapping.ts';
import { BATCH_ROWS } from '../csv/csv-rows.ts';
import { convertRule } from '../csv/csv-signal.ts';
import { ColumnQuantiser, fillCounts, type Quantisation } from '../csv/quantisation.ts';
import { startAtOffset, startOfWallClock } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty, throwIfAborted } from '../refusals.ts';
import { fileSize, sourceHash } from '../source-bytes.ts';
import { TimedPageBuilder } from '../timed-pages.ts';
import type { ImportedRecording, ImportOptions, ImportSource, SourceClock } from '../types.ts';
import { isBeyondClocks, requirePlausibleTime, type TimeUnit } from '../units.ts';
import { BeatTimes } from './beat-times.ts';
import { type ChannelPlan, channelPlans } from './channel-plans.ts';
import { type ChannelRows, MappedRows } from './mapped-rows.ts';
import { rowFaultText } from './row-faults.ts';
import { SampleSteps } from './sample-steps.ts';
import { StampSpreader } from './spread-stamps.ts';
import { textChunks } from './text-chunks.ts';

export const CSV_BY_MAPPING = 'CSV by mapping';

/** Above this share of rows that cannot be read, the mapping is wrong or the file is: nothing is imported. */
const MOST_UNREADABLE = 0.05;
/** A unit line under the header and a cut row must not refuse a short file. */
const FREE_UNREADABLE_ROWS = 3;

interface ScannedChannel {
  plan: ChannelPlan;
  channel: SignalChannel;
  quantisations: Quantisation[];
  isCoarse: boolean;
}

/** @throws INVALID_INPUT for a mapping that cannot be used, or when a start is needed; FILE_DAMAGED, FILE_EMPTY, UNIT_UNKNOWN, TIME_IMPLAUSIBLE, CANCELLED */
export async function openGenericCsv(path: string, mapping: CsvMapping, options: ImportOptions): Promise<ImportSource> {
  const [fault] = mappingFaults(mapping);
  if (fault) {
    throw new OutpostError('INVALID_INPUT', `The mapping of columns cannot be used: ${fault.path} (${fault.fault}).`);
  }
  const totalBytes = await fileSize(path);
  const scan = await scanRows(path, mapping, options);
  const notes: string[] = [];
  requireReadable(path, scan.reader, notes);
  const { shiftUs, clock } = placementOf(path, mapping, scan.reader, options, notes);
  requirePlausible(path, mapping, scan, shiftUs);
  const channels = await settle(path, mapping, options, scan, notes);
  if (channels.length === 0) throw empty(path, 'no mapped column has a value.');
  const header = makeHeader(
    {
      channels: channels.map(({ channel }) => channel),
      source: {
        format: CSV_BY_MAPPING,
        fileName: basename(path),
        sha256: options.withoutHash ? '' : await sourceHash([path], options.signal),
      },
    },
    options,
  );
  let doneBytes = 0;
  const recording: ImportedRecording = {
    header,
    pages: () =>
      pagesOf(path, mapping, channels, shiftUs, options, (bytes) => {
        doneBytes += bytes;
      }),
    labels: [],
    marks: [],
    notes,
    ...(scan.reader.clockChanges.length > 0 && { followsClockChanges: true as const }),
    progress: () => ({ doneBytes, totalBytes }),
  };
  return {
    format: CSV_BY_MAPPING,
    recordings: [recording],
    labels: [],
    ...(clock && { clock }),
    close: async () => undefined,
  };
}

const zoneOf = ({ timeZone }: ImportOptions): { timeZone?: string } => (timeZone === undefined ? {} : { timeZone });

interface Scan {
  reader: MappedRows;
  plans: ChannelPlan[];
  quantisers: ColumnQuantiser[][];
  steps: SampleSteps[];
}

async function eachBatch(
  path: string,
  reader: MappedRows,
  options: ImportOptions,
  take: (batch: ChannelRows[]) => void,
): Promise<void> {
  for await (const chunk of textChunks(path)) {
    throwIfAborted(options.signal);
    for (const batch of reader.push(chunk)) take(batch);
  }
  for (const batch of reader.end()) take(batch);
}

async function scanRows(path: string, mapping: CsvMapping, options: ImportOptions): Promise<Scan> {
  const reader = new MappedRows(path, mapping, zoneOf(options));
  const plans = channelPlans(path, mapping);
  const quantisers = plans.map(({ dimensions }) => dimensions.map(() => new ColumnQuantiser('OTHER')));
  const steps = plans.map(() => new SampleSteps());
  await eachBatch(path, reader, options, (batch) => {
    for (const [c, { rows, times, columns }] of batch.entries()) {
      steps[c]!.add(times, rows);
      for (const [d, quantiser] of quantisers[c]!.entries()) quantiser.scan(columns[d]!, rows);
    }
  });
  return { reader, plans, quantisers, steps };
}

/** Refuses a file most of which the mapping does not fit, and notes what is left out of any other. */
function requireReadable(path: string, reader: MappedRows, notes: string[]): void {
  const { rows, unreadable, missingCells, faults, isCut } = reader;
  if (rows === 0) throw empty(path, 'it has no rows below its header.');
  const first = faults[0] ? ` ${rowFaultText(faults[0])}` : '';
  if (unreadable >= rows || unreadable > Math.max(FREE_UNREADABLE_ROWS, rows * MOST_UNREADABLE)) {
    throw damaged(path, `${unreadable} of ${rows} rows do not fit the mapping; at most 5 % may.${first}`);
  }
  if (unreadable > 0) {
    notes.push(`${unreadable} of ${rows} rows could not be read and are left as gaps.${first}`);
  }
  if (missingCells > 0) notes.push(`${missingCells} cells have no value and are left as gaps.`);
  if (isCut) notes.push('The last line is not a whole row; the file may have been cut there.');
}

/** What turns times by the file's clock into epoch microseconds, and which clock that is. */
function placementOf(
  path: string,
  { time }: CsvMapping,
  { firstUs, offsetMinutes, hasOtherOffsets, clockChanges }: MappedRows,
  options: ImportOptions,
  notes: string[],
): { shiftUs: number; clock?: SourceClock } {
  if (time.kind === 'UNIX') return { shiftUs: 0, clock: { kind: 'UTC' } };
  if (time.kind === 'DATE_TIME') {
    if (hasOtherOffsets) notes.push('The UTC offset changes within the file; each row was placed by its own.');
    if (offsetMinutes === 0 && !hasOtherOffsets) return { shiftUs: 0, clock: { kind: 'UTC' } };
    const start = wallTimeOf(firstUs + (offsetMinutes ?? 0) * 60e6);
    if (start === null) return { shiftUs: 0 };
    if (typeof offsetMinutes === 'number') return { shiftUs: 0, clock: startAtOffset(start, offsetMinutes).clock };
    const { startUs, clock } = startOfWallClock(start, options, notes);
    notes.push(...clockChanges);
    return { shiftUs: startUs - firstUs, clock };
  }
  const startUs = options.defaultStartUs;
  if (startUs === undefined) {
    throw new OutpostError(
      'INVALID_INPUT',
      `${basename(path)} does not say when it was recorded. Give its start time, then import it again.`,
    );
  }
  return { shiftUs: time.kind === 'ELAPSED' ? startUs : startUs - firstUs };
}

function wallTimeOf(wallUs: number): Temporal.PlainDateTime | null {
  try {
    return Temporal.Instant.fromEpochMilliseconds(Math.floor(wallUs / 1000))
      .toZonedDateTimeISO('UTC')
      .toPlainDateTime()
      .add({ microseconds: ((wallUs % 1000) + 1000) % 1000 });
  } catch {
    // Beyond what a date can hold; the check of plausible times names the year.
    return null;
  }
}

const TIME_POWERS = { s: 6, ms: 3, us: 0, ns: -3 };

function requirePlausible(path: string, { time }: CsvMapping, { reader, steps }: Scan, shiftUs: number): void {
  const unit: TimeUnit =
    time.kind === 'UNIX' ? { kind: 'number', power: TIME_POWERS[time.unit] } : { kind: 'ISO 8601' };
  requirePlausibleTime(path, reader.firstUs + shiftUs, unit);
  const lastUs = Math.max(...steps.map(({ lastUs: last }) => last)) + shiftUs;
  if (isBeyondClocks(lastUs)) throw damaged(path, 'its last time is after the year 2099.');
}

/** Channels that have samples, each with its quantisation; values on no grid of the first pass are scanned again. */
async function settle(
  path: string,
  mapping: CsvMapping,
  options: ImportOptions,
  { plans, quantisers, steps }: Scan,
  notes: string[],
): Promise<ScannedChannel[]> {
  const settled = quantisers.map((ofChannel, c) =>
    ofChannel.map((quantiser) => (steps[c]!.rows === 0 ? null : quantiser.finish())),
  );
  const isOpen = settled.some((ofChannel, c) => steps[c]!.rows > 0 && ofChannel.includes(null));
  const again = quantisers.map((ofChannel) => ofChannel.map((quantiser) => (isOpen ? quantiser.retry() : quantiser)));
  if (isOpen) {
    await eachBatch(path, new MappedRows(path, mapping, zoneOf(options)), options, (batch) => {
      for (const [c, { rows, columns }] of batch.entries()) {
        for (const [d, quantiser] of again[c]!.entries())
          if (settled[c]![d] === null) quantiser.scan(columns[d]!, rows);
      }
    });
  }
  const found: ScannedChannel[] = [];
  for (const [c, plan] of plans.entries()) {
    if (steps[c]!.rows === 0) {
      notes.push(`${plan.type} has no value in the whole file and was left out.`);
      continue;
    }
    const quantisations = settled[c]!.map((one, d) => one ?? again[c]![d]!.finish() ?? quantisers[c]![d]!.fineScale());
    found.push(scannedChannel(path, plan, quantisations, steps[c]!, notes));
  }
  return found;
}

function scannedChannel(
  path: string,
  plan: ChannelPlan,
  quantisations: Quantisation[],
  steps: SampleSteps,
  notes: string[],
): ScannedChannel {
  const periodUs = steps.medianUs();
  if (periodUs === 0 && steps.rows > 1 && !plan.isBeats) throw damaged(path, 'all its rows have the same time.');
  for (const [d, { isOnGrid, rule }] of quantisations.entries()) {
    if (isOnGrid) continue;
    const step = scaleAndOffset(rule).scale.toPrecision(3);
    notes.push(`${plan.type} ${plan.dimensions[d]} was rounded to the nearest step of ${step} ${plan.fileUnit}.`);
  }
  if (plan.factor !== 1 || plan.offset !== 0)
    notes.push(`${plan.type}: values in ${plan.fileUnit} were converted to ${plan.unit}.`);
  if (steps.isCoarse && !plan.isBeats) {
    notes.push(`${plan.type}: rows that share a time were spread evenly up to the next time.`);
  }
  const rules = quantisations.map(({ rule }) => {
    const converted = convertRule(rule, plan.factor);
    return plan.offset === 0 ? converted : { ...converted, low: converted.low + plan.offset };
  });
  const plain = rules.map(scaleAndOffset);
  const channel: SignalChannel = {
    type: plan.type,
    dimensions: plan.dimensions,
    unit: plan.unit,
    nominalRateHz: periodUs > 0 && !plan.isBeats ? Number((1e6 / periodUs).toPrecision(4)) : 1,
    scale: plain.map(({ scale }) => scale),
    offset: plain.map(({ offset }) => offset),
    sampleBits: quantisations.some(({ sampleBits }) => sampleBits === 32) ? 32 : 16,
    exact: rules,
  };
  return { plan, channel, quantisations, isCoarse: steps.isCoarse };
}

async function* pagesOf(
  path: string,
  mapping: CsvMapping,
  channels: ScannedChannel[],
  shiftUs: number,
  options: ImportOptions,
  onBytes: (bytes: number) => void,
): AsyncGenerator<SignalPage> {
  const writers = channels.map((channel, index) => new ChannelWriter(path, channel, index, shiftUs));
  const reader = new MappedRows(path, mapping, zoneOf(options));
  const pagesOfBatch = function* (batch: ChannelRows[]): Generator<SignalPage> {
    for (const writer of writers) yield* writer.take(batch[writer.planIndex]!);
  };
  for await (const chunk of textChunks(path, onBytes)) {
    throwIfAborted(options.signal);
    for (const batch of reader.push(chunk)) yield* pagesOfBatch(batch);
  }
  for (const batch of reader.end()) yield* pagesOfBatch(batch);
  for (const writer of writers) yield* writer.end();
}

/** Pages of one channel. */
class ChannelWriter {
  readonly planIndex: number;
  readonly #path: string;
  readonly #quantisations: Quantisation[];
  readonly #counts: Int32Array[];
  readonly #builder: TimedPageBuilder;
  readonly #shiftUs: number;
  readonly #spreader: StampSpreader | null;
  readonly #beats: BeatTimes | null;
  #pages: SignalPage[] = [];

  constructor(
    path: string,
    { plan, channel, quantisations, isCoarse }: ScannedChannel,
    index: number,
    shiftUs: number,
  ) {
    this.planIndex = plan.index;
    this.#path = path;
    this.#quantisations = quantisations;
    this.#counts = plan.dimensions.map(() => new Int32Array(BATCH_ROWS));
    const dimensions = plan.dimensions.length;
    this.#builder = new TimedPageBuilder(index, dimensions, channel.sampleBits, 1e6 / channel.nominalRateHz);
    this.#shiftUs = shiftUs;
    this.#beats = plan.isBeats ? new BeatTimes(channel.scale[0]!, channel.offset[0]!) : null;
    this.#spreader = isCoarse && !plan.isBeats ? new StampSpreader(dimensions, this.#push) : null;
  }

  #push = (times: Float64Array, counts: Int32Array[], rows: number): void => {
    for (const page of this.#builder.push(times, counts, rows)) this.#pages.push(page);
  };

  *take({ times, columns, rows }: ChannelRows): Generator<SignalPage> {
    for (const [d, { rule }] of this.#quantisations.entries()) fillCounts(columns[d]!, rows, rule, this.#counts[d]!);
    const shifted = new Float64Array(rows);
    for (let row = 0; row < rows; row++) shifted[row] = Math.round(times[row]! + this.#shiftUs);
    this.#beats?.place(shifted, this.#counts[0]!, rows);
    if (!this.#spreader) this.#push(shifted, this.#counts, rows);
    else if (!this.#spreader.push(shifted, this.#counts, rows))
      throw damaged(this.#path, 'more than a million rows in a row have the same time.');
    yield* this.#taken();
  }

  *end(): Generator<SignalPage> {
    this.#spreader?.end();
    for (const page of this.#builder.flush()) this.#pages.push(page);
    yield* this.#taken();
  }

  *#taken(): Generator<SignalPage> {
    const pages = this.#pages;
    this.#pages = [];
    yield* pages;
  }
}
