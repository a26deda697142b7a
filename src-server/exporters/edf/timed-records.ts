/**
 * Cuts a recording into EDF data records that preserve every count and the time of every sample.
 *
 * EDF knows one clock: records of one duration with a fixed number of samples each. A steady recording (every sample
 * within half a millisecond of that grid) becomes EDF+C. Any other becomes EDF+D: each record starts at the exact time
 * of its first sample, and a clock signal per channel holds the time of each sample after the record's start. Unused samples
 * of a record repeat the last value and are marked in the clock signal.
 */
import { type SignalFile, sampleTimesUs } from '../../signals/index.ts';
import type { SampleArray } from '../../signals/types.ts';
import { throwIfAborted } from '../export-options.ts';

/** Largest distance of a sample from the even grid in an EDF+C file. */
const STEADY_US = 500;
const RECORD_SECONDS = [1, 2, 4, 5, 8, 10, 16];
/** Tolerance of the record duration, so that a slow clock still fills a record. */
const SLOW_CLOCK = 1.02;

export interface SteadyPlan {
  startUs: number;
  /** End of the last sample. */
  endUs: number;
  recordDurationUs: number;
  samplesPerRecord: number[];
  recordCount: number;
}

interface Line {
  startUs: number;
  periodUs: number;
  count: number;
}

/** The even grid of a channel; null when a sample deviates from it. */
function steadyLine(file: SignalFile, channel: number, signal: AbortSignal | undefined): Line | null {
  const entries = file.pageIndex[channel]!;
  const count = file.sampleCounts[channel]!;
  const startUs = entries[0]!.firstUs;
  const periodUs =
    count > 1
      ? (entries[entries.length - 1]!.lastUs - startUs) / (count - 1)
      : 1e6 / file.header.channels[channel]!.nominalRateHz;
  let index = 0;
  for (const page of file.pages(channel)) {
    throwIfAborted(signal);
    for (const time of sampleTimesUs(page)) {
      if (Math.abs(time - (startUs + index * periodUs)) > STEADY_US) return null;
      index++;
    }
  }
  return { startUs, periodUs, count };
}

/** The even grid that holds the whole recording, or null when there is none. */
export function planSteady(file: SignalFile, channels: number[], signal?: AbortSignal): SteadyPlan | null {
  const lines: Line[] = [];
  for (const channel of channels) {
    const line = steadyLine(file, channel, signal);
    if (line === null) return null;
    lines.push(line);
  }
  const startUs = Math.min(...lines.map((line) => line.startUs));
  if (lines.some((line) => line.startUs - startUs > STEADY_US)) return null;
  const endUs = Math.max(...lines.map((line) => startUs + line.count * line.periodUs));
  for (const seconds of RECORD_SECONDS) {
    const samplesPerRecord = lines.map(({ periodUs }) => Math.round((seconds * 1e6) / periodUs));
    const recordDurationUs = Math.round(samplesPerRecord[0]! * lines[0]!.periodUs);
    const fits = lines.every(({ periodUs, count }, i) => {
      const gridPeriodUs = recordDurationUs / samplesPerRecord[i]!;
      const isEven = Math.abs(gridPeriodUs - periodUs) * count <= STEADY_US;
      return samplesPerRecord[i]! > 0 && isEven && Math.round((endUs - startUs) / gridPeriodUs) === count;
    });
    if (!fits || `${recordDurationUs / 1e6}`.length > 8) continue;
    return {
      startUs,
      endUs,
      recordDurationUs,
      samplesPerRecord,
      recordCount: Math.ceil(Math.max(...lines.map(({ count }, i) => count / samplesPerRecord[i]!))),
    };
  }
  return null;
}

/** Reads one channel sample by sample, with one page in memory. */
export class ChannelCursor {
  readonly #pages: Iterator<{ count: number; columns: SampleArray[]; times: Float64Array<ArrayBufferLike> }>;
  #times: Float64Array<ArrayBufferLike> = new Float64Array(0);
  #columns: SampleArray[] = [];
  #index = 0;
  /** Time of the next sample; infinite at the end. */
  nextUs = Number.POSITIVE_INFINITY;

  constructor(file: SignalFile, channel: number) {
    this.#pages = timedPages(file, channel);
    this.#settle();
  }

  #settle(): void {
    while (this.#index >= this.#times.length) {
      const next = this.#pages.next();
      if (next.done) {
        this.nextUs = Number.POSITIVE_INFINITY;
        return;
      }
      this.#times = next.value.times;
      this.#columns = next.value.columns;
      this.#index = 0;
    }
    this.nextUs = this.#times[this.#index]!;
  }

  /** Moves the next sample to row `row` of the target columns. */
  take(target: readonly Int32Array[], row: number): void {
    for (let d = 0; d < target.length; d++) target[d]![row] = this.#columns[d]![this.#index]!;
    this.#index++;
    if (this.#index < this.#times.length) this.nextUs = this.#times[this.#index]!;
    else this.#settle();
  }
}

function* timedPages(file: SignalFile, channel: number) {
  for (const page of file.pages(channel)) {
    yield { count: page.count, columns: page.columns, times: sampleTimesUs(page) };
  }
}

/** One record as cut: times and counts of its samples per channel, in buffers that the next record reuses. */
export interface CutRecord {
  onsetUs: number;
  counts: number[];
  times: Float64Array[];
  columns: Int32Array[][];
}

const ROOM = 1 << 16;

/** Records of about `seconds`, led by the fastest channel (`reference`, an index into `channels`). */
export function* cutRecords(
  file: SignalFile,
  channels: number[],
  reference: number,
  samplesPerRecord: number,
  periodUs: number,
): Generator<CutRecord> {
  const cursors = channels.map((channel) => new ChannelCursor(file, channel));
  const leader = cursors[reference]!;
  const room = Math.min(ROOM, samplesPerRecord * 2 + 16);
  const record: CutRecord = {
    onsetUs: 0,
    counts: channels.map(() => 0),
    times: channels.map(() => new Float64Array(room)),
    columns: channels.map((channel) => file.header.channels[channel]!.dimensions.map(() => new Int32Array(room))),
  };
  const take = (c: number): void => {
    const row = record.counts[c]!++;
    record.times[c]![row] = cursors[c]!.nextUs;
    cursors[c]!.take(record.columns[c]!, row);
  };
  const durationUs = samplesPerRecord * periodUs;
  for (;;) {
    const earliestUs = Math.min(...cursors.map(({ nextUs }) => nextUs));
    if (earliestUs === Number.POSITIVE_INFINITY) return;
    record.counts.fill(0);
    // Samples of other channels may land up to one record late; their clock signal holds the true time.
    const isLed = leader.nextUs < earliestUs + durationUs / 2;
    record.onsetUs = isLed ? leader.nextUs : earliestUs;
    let endUs = Math.min(record.onsetUs + durationUs, leader.nextUs);
    if (isLed) {
      const limitUs = record.onsetUs + durationUs * SLOW_CLOCK;
      while (record.counts[reference]! < samplesPerRecord && leader.nextUs < limitUs) take(reference);
      endUs = record.times[reference]![record.counts[reference]! - 1]! + periodUs / 2;
    }
    cursors.forEach((cursor, c) => {
      if (c === reference) return;
      while (cursor.nextUs < endUs && record.counts[c]! < room) take(c);
    });
    yield record;
  }
}
