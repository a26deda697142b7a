/**
 * Beat intervals as Polar Sensor Logger writes them: each with a time of the phone, which jitters by up to a second. Beats are placed by
 * the running sum of their intervals, anchored at the first; where the sum leaves the phone's times, beats were lost.
 */
import type { SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import { BeatPages, isStorable, ppiChannel, rrChannel } from '../beats/beat-pages.ts';
import { BATCH_ROWS } from '../csv/csv-rows.ts';
import { approximateValue } from '../csv/digits.ts';
import { throwIfAborted } from '../refusals.ts';
import { RowOrder } from '../text/row-order.ts';
import { type TableBatch, TableReader, type TableShape } from '../text/table-reader.ts';
import type { TextFile } from '../text/text-file.ts';
import { type Joint, joinIntervals, SAME_US, type StampedInterval, usualBatch } from './interval-joints.ts';
import type { PolarColumns } from './polar-columns.ts';

const STEP_SECONDS = 0.001;
const MAX_LEAD_US = 2_000_000;
/** Without a row for this long, beats were lost (recording-format.md, section 11). */
const SILENCE_US = { RR: 3_000_000, PPI: 15_000_000 } as const;
/** Batches whose distance from the phone's times places rows behind a hole. */
const LEADS = 15;

/** What the time of a row is: when its interval began, or when it arrived (at its end or later). */
type StampOf = 'BEGIN' | 'ARRIVAL';

interface IntervalRow extends StampedInterval {
  isValid: boolean;
}

export interface PolarIntervals {
  file: TextFile;
  type: 'RR' | 'PPI';
  channel: SignalChannel;
  startLocalUs: number;
  pages(
    marks: SignalMark[],
    notes: string[],
    shiftUs: number,
    signal: AbortSignal | undefined,
    onBytes: (bytes: number) => void,
  ): AsyncGenerator<SignalPage>;
}

/** Opens a file of intervals; null when it has no rows. */
export async function openIntervals(file: TextFile, columns: PolarColumns): Promise<PolarIntervals | null> {
  const { type } = columns.interval!;
  let first: IntervalRow[] = [];
  for await (const rows of new IntervalRows(file, columns, false).groups(undefined)) {
    first = rows;
    break;
  }
  if (first.length === 0) return null;
  const stampOf = type === 'PPI' ? stampOfRows(first) : 'ARRIVAL';
  const batchRows = stampOf === 'BEGIN' ? usualBatch(first) : undefined;
  return {
    file,
    type,
    channel: type === 'PPI' ? ppiChannel() : rrChannel(STEP_SECONDS),
    startLocalUs: first[0]!.phoneUs,
    pages: (marks, notes, shiftUs, signal, onBytes) =>
      intervalPages(new IntervalRows(file, columns, batchRows !== undefined), {
        type,
        stampOf,
        batchRows,
        marks,
        notes,
        shiftUs,
        signal,
        onBytes,
      }),
  };
}

/** Most rows of a batch follow each other: then each time is where its interval began. */
function stampOfRows(rows: readonly IntervalRow[]): StampOf {
  let begins = 0;
  for (let i = 1; i < rows.length; i++) {
    const before = rows[i - 1]!;
    if (Math.abs(rows[i]!.phoneUs - before.phoneUs - before.counts[0]! * 1000) <= SAME_US) begins++;
  }
  return begins * 2 > rows.length - 1 ? 'BEGIN' : 'ARRIVAL';
}

/** The rows of a file in order, up to a batch at a time. */
class IntervalRows {
  readonly #file: TextFile;
  readonly #columns: PolarColumns;
  readonly #placesByInterval: boolean;
  readonly reader: TableReader;
  /** Each batch has a start of its own, up to seconds before the end of the last. */
  readonly order: RowOrder;

  /** @param placesByInterval a row with a wrong time is kept, with NaN for it */
  constructor(file: TextFile, columns: PolarColumns, placesByInterval: boolean) {
    this.#file = file;
    this.#columns = columns;
    this.#placesByInterval = placesByInterval;
    this.order = new RowOrder(SILENCE_US[columns.interval!.type]);
    const { separator, interval, error, blocker, contact, contactSupported, width } = columns;
    const places = [interval!.place, error, blocker, contact, contactSupported].filter((place) => place !== null);
    const shape: TableShape = {
      separator,
      decimal: 46,
      width,
      leastWidth: interval!.place + 1,
      numbers: places,
      clock: 0,
      keepsUntimed: true,
    };
    this.reader = new TableReader(shape);
  }

  async *groups(signal: AbortSignal | undefined, onBytes?: (bytes: number) => void): AsyncGenerator<IntervalRow[]> {
    const kept = new Int32Array(BATCH_ROWS);
    const take = (batch: TableBatch): IntervalRow[] => {
      const decided = batch.isEnd ? batch.rows : batch.rows - 1;
      const count = this.order.keep(batch.clockUs, batch.rows, decided, kept);
      const rows: IntervalRow[] = [];
      let last = -1;
      for (let k = 0; k < count; k++) {
        const row = kept[k]!;
        const badRows = last < 0 ? 0 : batch.badRowsBefore[row]! - batch.badRowsBefore[last]!;
        const between = row - last - 1;
        // A lone row without a time that can be is still a beat; several may be of another place.
        if (this.#placesByInterval && last >= 0 && between === 1 && badRows === 0) {
          rows.push({ ...this.#row(batch, last + 1), phoneUs: Number.NaN });
          rows.push(this.#row(batch, row));
          this.order.dropped--;
        } else rows.push({ ...this.#row(batch, row), lostRows: badRows + between });
        last = row;
      }
      return rows;
    };
    for await (const chunk of this.#file.rows(onBytes)) {
      throwIfAborted(signal);
      for (const batch of this.reader.push(chunk)) yield take(batch);
    }
    for (const batch of this.reader.end()) yield take(batch);
  }

  #row(batch: TableBatch, row: number): IntervalRow {
    const { interval, error, blocker, contact, contactSupported } = this.#columns;
    let column = 0;
    const next = (place: number | null): number => {
      if (place === null) return Number.NaN;
      const { high, low, form } = batch.columns[column]!;
      const isAbsent = batch.absent[column++]![row] === 1;
      return isAbsent ? Number.NaN : approximateValue(high[row]!, low[row]!, form[row]!);
    };
    const ms = Math.round(next(interval!.place));
    const errorMs = Math.round(next(error));
    const isBlocked = next(blocker) === 1;
    const hasContact = next(contact) !== 0;
    const knowsContact = next(contactSupported) === 1;
    const isValid = isStorable(ms) && !isBlocked && (hasContact || !knowsContact);
    const counts = interval!.type === 'PPI' ? [ms, isStorable(errorMs) ? errorMs : 0] : [ms];
    return { phoneUs: batch.clockUs[row]!, counts, lostRows: 0, isValid };
  }
}

interface PageOptions {
  type: 'RR' | 'PPI';
  stampOf: StampOf;
  /** Rows of a batch of the sensor, where stamps can be checked by intervals. */
  batchRows: number | undefined;
  marks: SignalMark[];
  notes: string[];
  shiftUs: number;
  signal: AbortSignal | undefined;
  onBytes: (bytes: number) => void;
}

async function* intervalPages(rows: IntervalRows, options: PageOptions): AsyncGenerator<SignalPage> {
  const beats = new BeatPages(0, STEP_SECONDS, options.marks);
  const placer = new IntervalPlacer(beats, options);
  let arrived: IntervalRow[] = [];
  let contradicted = 0;
  let retimed = 0;
  for await (const batch of rows.groups(options.signal, options.onBytes)) {
    if (options.batchRows !== undefined) {
      const found = joinIntervals(batch, options.batchRows);
      contradicted += found.contradicted;
      retimed += found.retimed;
      for (const { row, joint } of found.joined) yield* placer.takeJoined(row, joint);
      continue;
    }
    for (const row of batch) {
      if (arrived.length > 0 && arrived[0]!.phoneUs !== row.phoneUs) {
        yield* placer.take(arrived);
        arrived = [];
      }
      arrived.push(row);
    }
  }
  if (arrived.length > 0) yield* placer.take(arrived);
  yield* beats.flush();
  const { badRows, isCut } = rows.reader;
  const lost = badRows + rows.order.dropped;
  if (lost > 0) options.notes.push(`${options.type}: ${lost} rows are damaged or out of order and left out.`);
  if (retimed > 0) {
    const what = retimed === 1 ? 'The time of 1 interval is' : `The times of ${retimed} intervals are`;
    options.notes.push(`${options.type}: ${what} damaged; placed behind the interval before.`);
  }
  if (contradicted > 0) {
    const what = contradicted === 1 ? '1 interval contradicts' : `${contradicted} intervals contradict`;
    options.notes.push(`${options.type}: ${what} the times beside it; left out.`);
  }
  if (isCut) options.notes.push(`${options.type}: the last line has no end and may be cut, so it was left out.`);
  if (placer.invalid > 0) {
    options.notes.push(`${options.type}: ${placer.invalid} intervals that the sensor marks as invalid were left out.`);
  }
}

class IntervalPlacer {
  readonly #beats: BeatPages;
  readonly #stampOf: StampOf;
  readonly #silenceUs: number;
  readonly #shiftUs: number;
  #heardUs: number | null = null;
  /** Where the next interval begins, also behind invalid ones. */
  #beginUs: number | null = null;
  /** How far beats lie from the phone's times, of the last batches: each time jitters by up to a second. */
  #leads: number[] = [];
  invalid = 0;

  constructor(beats: BeatPages, { type, stampOf, shiftUs }: PageOptions) {
    this.#beats = beats;
    this.#stampOf = stampOf;
    this.#silenceUs = SILENCE_US[type];
    this.#shiftUs = shiftUs;
  }

  /** A row whose place beside the one before is known. */
  *takeJoined(row: IntervalRow, joint: Joint): Generator<SignalPage> {
    const beginUs = this.#beginUs;
    if (joint.kind !== 'FOLLOWS' && beginUs !== null) {
      yield* this.#lose();
      const stampUs = row.phoneUs + this.#shiftUs;
      this.#beginUs = joint.kind === 'HOLE' ? beginUs + joint.holeUs : stampUs + this.#usualLeadUs();
    }
    yield* this.take([row]);
  }

  #usualLeadUs(): number {
    const leads = [...this.#leads].sort((a, b) => a - b);
    return leads[leads.length >> 1] ?? 0;
  }

  #keepLead(leadUs: number): void {
    // The rows of a batch have the same.
    if (Math.abs(leadUs - (this.#leads.at(-1) ?? Number.NaN)) <= SAME_US) return;
    this.#leads.push(leadUs);
    if (this.#leads.length > LEADS) this.#leads.shift();
  }

  /** Rows of one time. */
  *take(rows: readonly IntervalRow[]): Generator<SignalPage> {
    const atUs = rows[0]!.phoneUs + this.#shiftUs;
    const totalUs = rows.reduce((sum, { counts }) => sum + (counts[0]! > 0 ? counts[0]! * 1000 : 0), 0);
    const beginsUs = this.#stampOf === 'BEGIN' ? atUs : atUs - totalUs;
    if (this.#heardUs !== null && atUs - this.#heardUs > this.#silenceUs) yield* this.#lose();
    this.#heardUs = atUs;
    if (this.#beginUs !== null && Math.abs(beginsUs - this.#beginUs) > MAX_LEAD_US) yield* this.#lose();
    this.#beginUs ??= beginsUs;
    this.#keepLead(this.#beginUs - beginsUs);
    for (const { counts, isValid } of rows) {
      if (!isValid) {
        this.invalid++;
        yield* this.#beats.breakRun('NO_CONTACT');
        if (counts[0]! > 0) this.#beginUs += counts[0]! * 1000;
        continue;
      }
      if (this.#beats.beginUs === null) this.#beats.anchor(this.#beginUs);
      yield* this.#beats.add(counts);
      this.#beginUs = this.#beats.beginUs!;
    }
  }

  *#lose(): Generator<SignalPage> {
    yield* this.#beats.breakRun('LOST_BLOCK');
    this.#beginUs = null;
  }
}
