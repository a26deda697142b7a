/** The channel and pages of one signal or list of values of Unisens. The counts are those of the file wherever it holds whole numbers. */
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { ExactValueRule, SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import { throwIfAborted } from '../refusals.ts';
import type { SetMember } from '../set-members.ts';
import { evenPage, TimedPageBuilder } from '../timed-pages.ts';
import { ValueGrid } from '../value-grid.ts';
import { type EntryPlan, planOf } from './entry-channels.ts';
import { DATA_TYPES, type RowBatch, type RowFaults, rowsOf } from './entry-rows.ts';
import type { UnisensEntry } from './unisens-header.ts';

const PAGE_SECONDS = 60;
/** A stamp beyond is damage: no recorder runs for years. */
const MAX_SECONDS = 10 * 365 * 86_400;

export interface ScannedEntry {
  member: SetMember;
  entry: UnisensEntry;
  plan: EntryPlan;
  channel: SignalChannel;
  /** Counts per value of the file, per dimension; count = (value - shift) * steps. */
  steps: number[];
  shift: number;
}

/** First pass: what is in the file decides the width of its counts. Null, with a note, when it has no samples. */
export async function scanEntry(
  member: SetMember,
  entry: UnisensEntry,
  notes: string[],
  signal: AbortSignal | undefined,
): Promise<ScannedEntry | null> {
  const plan = planOf(entry);
  const type = entry.format.kind === 'BIN' ? DATA_TYPES[entry.dataType] : undefined;
  const isCounted = type?.bits !== undefined;
  const grids = plan.dimensions.map(() => new ValueGrid());
  const faults: RowFaults = { broken: 0, isCut: false };
  let rows = 0;
  let lowest = Number.POSITIVE_INFINITY;
  const span = new StampSpan(entry);
  for await (const batch of rowsOf(member, entry, faults)) {
    throwIfAborted(signal);
    for (const [d, source] of plan.order.entries()) {
      const column = batch.columns[source]!;
      for (let row = 0; row < batch.rows; row++) {
        const value = column[row]!;
        if (value < lowest) lowest = value;
        if (!isCounted) grids[d]!.scan(value);
      }
    }
    rows += batch.rows;
    if (entry.kind === 'VALUES') span.take(batch);
  }
  const isEmpty = rows === 0 || lowest === Number.POSITIVE_INFINITY || (entry.kind === 'VALUES' && span.kept === 0);
  if (isEmpty) {
    notes.push(`${entry.id} was left out: it has no samples.`);
    return null;
  }
  if (faults.broken > 0) notes.push(`${entry.id}: ${faults.broken} rows are no rows of numbers and are gaps.`);
  if (faults.isCut) notes.push(`${entry.id} was cut off; what is whole was kept.`);
  if (span.dropped > 0) notes.push(`${entry.id}: ${span.dropped} values are not in order of time and were left out.`);
  if (plan.note) notes.push(plan.note);
  const shift = type?.lowest === 0 && type.bytes === 4 ? 2 ** 31 : 0;
  const zero = zeroOf(entry, lowest, notes);
  const found = grids.map((grid) => (isCounted ? null : grid.finish()));
  if (found.some((grid) => grid?.isExact === false)) {
    notes.push(`${entry.id}: values were rounded to about a billionth of the largest.`);
  }
  const exact = found.map((grid): ExactValueRule => {
    const steps = grid?.stepsPerValue ?? 1;
    const origin = (zero - shift) * steps;
    return { origin, divisor: steps, span: entry.lsbValue * plan.factor, low: plan.offset };
  });
  const plain = exact.map(scaleAndOffset);
  const is32 = type?.bits === 32 || found.some((grid) => grid?.sampleBits === 32);
  const channel: SignalChannel = {
    type: plan.type,
    dimensions: plan.dimensions,
    unit: plan.unit,
    nominalRateHz: entry.kind === 'VALUES' ? span.rateHz(plan.type) : entry.sampleRateHz,
    scale: plain.map(({ scale }) => scale),
    offset: plain.map(({ offset }) => offset),
    sampleBits: is32 ? 32 : 16,
    exact,
  };
  return { member, entry, plan, channel, steps: found.map((grid) => grid?.stepsPerValue ?? 1), shift };
}

/** The baseline, else the zero of the converter unless the samples show that it was taken off already. */
function zeroOf({ id, baseline, adcZero, adcResolution }: UnisensEntry, lowest: number, notes: string[]): number {
  if (baseline !== null) return baseline;
  if (adcZero === null) return 0;
  const isOfUnsigned =
    adcZero > 0 && (adcResolution === null ? isPowerOfTwo(adcZero) : adcZero === 2 ** (adcResolution - 1));
  if (!isOfUnsigned || lowest >= 0) return adcZero;
  notes.push(
    `${id}: the header states a converter with its zero at ${adcZero}, which gives no negative numbers, but the samples reach ${lowest}. They were taken as centred on 0.`,
  );
  return 0;
}

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));

/** Which values are kept, in both passes alike: those in order of time. */
class StampSpan {
  readonly #rateHz: number;
  kept = 0;
  dropped = 0;
  #first = 0;
  #last = Number.NEGATIVE_INFINITY;

  constructor({ sampleRateHz }: UnisensEntry) {
    this.#rateHz = sampleRateHz;
  }

  keeps(stamp: number): boolean {
    if (!(stamp > this.#last && Math.abs(stamp) <= MAX_SECONDS * this.#rateHz)) return false;
    if (this.kept++ === 0) this.#first = stamp;
    this.#last = stamp;
    return true;
  }

  take({ rows, stamps }: RowBatch): void {
    for (let row = 0; row < rows; row++) if (!this.keeps(stamps[row]!)) this.dropped++;
  }

  rateHz(type: string): number {
    if (type === 'RR' || this.kept < 2) return 1;
    return Number((((this.kept - 1) * this.#rateHz) / (this.#last - this.#first)).toPrecision(4));
  }
}

export async function* entryPages(
  scanned: ScannedEntry,
  index: number,
  startUs: number,
  marks: SignalMark[],
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): AsyncGenerator<SignalPage> {
  const { member, entry, plan, channel, steps, shift } = scanned;
  const counts = (batch: RowBatch, from: number, to: number): Int32Array[] =>
    plan.order.map((source, d) => {
      const column = batch.columns[source]!;
      const filled = new Int32Array(to - from);
      for (let i = 0; i < filled.length; i++) filled[i] = Math.round((column[from + i]! - shift) * steps[d]!);
      return filled;
    });
  const rows = rowsOf(member, entry, { broken: 0, isCut: false }, onBytes);
  if (entry.kind === 'VALUES') {
    yield* valuePages(rows, { index, startUs, entry, channel, counts, signal });
    return;
  }
  const periodUs = 1e6 / entry.sampleRateHz;
  const pageRows = Math.max(1, Math.floor(PAGE_SECONDS * entry.sampleRateHz));
  const timeOf = (row: number): number => Math.round(startUs + row * periodUs);
  let first = 0;
  let lastWhole = -1;
  for await (const batch of rows) {
    throwIfAborted(signal);
    for (const [from, to] of wholeRuns(batch)) {
      if (lastWhole >= 0 && first + from > lastWhole + 1) {
        marks.push({ channel: index, timeUs: timeOf(lastWhole), reason: 'LOST_BLOCK' });
      }
      for (let at = from; at < to; at += pageRows) {
        const stop = Math.min(to, at + pageRows);
        yield evenPage(index, timeOf(first + at), periodUs, counts(batch, at, stop), channel.sampleBits);
      }
      lastWhole = first + to - 1;
    }
    first += batch.rows;
  }
}

/** Runs of rows without a missing value, as [from, to). */
function* wholeRuns({ rows, columns }: RowBatch): Generator<[from: number, to: number]> {
  let from = 0;
  for (let row = 0; row <= rows; row++) {
    if (row < rows && !columns.some((column) => Number.isNaN(column[row]!))) continue;
    if (row > from) yield [from, row];
    from = row + 1;
  }
}

interface ValueParts {
  index: number;
  startUs: number;
  entry: UnisensEntry;
  channel: SignalChannel;
  counts(batch: RowBatch, from: number, to: number): Int32Array[];
  signal: AbortSignal | undefined;
}

async function* valuePages(rows: AsyncGenerator<RowBatch>, parts: ValueParts): AsyncGenerator<SignalPage> {
  const { index, startUs, entry, channel } = parts;
  const builder = new TimedPageBuilder(
    index,
    channel.dimensions.length,
    channel.sampleBits,
    1e6 / channel.nominalRateHz,
  );
  const span = new StampSpan(entry);
  for await (const batch of rows) {
    throwIfAborted(parts.signal);
    for (let row = 0; row < batch.rows; row++) {
      const stamp = batch.stamps[row]!;
      if (!span.keeps(stamp) || batch.columns.some((column) => Number.isNaN(column[row]!))) continue;
      const timeUs = Math.round(startUs + (stamp / entry.sampleRateHz) * 1e6);
      yield* builder.push(Float64Array.of(timeUs), parts.counts(batch, row, row + 1), 1);
    }
  }
  yield* builder.flush();
}
