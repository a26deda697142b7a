/**
 * The even grid of file formats without a time for each sample. EDF has one clock: data records of one duration, with a fixed number of samples of
 * each signal. Sample k of a signal lies at start + k * duration / samplesPerRecord, independent of the sensor's clock, so
 * clock drift does not accumulate over a long recording.
 *
 * The record duration is chosen so that every signal's rate in the header is its measured one. The header has eight
 * characters for it and EDFlib takes multiples of 10 us, so the rate is rounded: by at most 5 ppm for a single signal at
 * a second per record, and by a few ppm for several signals with different clocks. The rounding shifts no sample in time; it
 * only makes the grid slightly denser or sparser than the sensor's own.
 */
import { DAY_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import type { SignalFile } from '../../signals/index.ts';

/** Pages further apart than this have a gap between them; time stamps jitter by up to 1.2 periods without one. */
const GAP_PERIODS = 1.5;
/** EDFlib: "the duration must be a multiple of 10 microseconds". */
const DURATION_STEP_US = 10;
const SHORTEST_RECORD_US = 1e6;
const LONGEST_RECORD_US = 10e6;
/** Longest record, for signals slower than one sample in ten seconds. */
const LONGEST_SLOW_RECORD_US = 60e6;
/** Once the rate is this close, a longer record is not chosen for a still closer one. */
const CLOSE_ENOUGH = 1e-6;
/** Limits of a continuous file: this many times the samples of the recording, or the number below if that is more. */
const MOST_FILLING = 20;
const FREE_FILLING_SAMPLES = 2e8;

/** Samples without a gap between them, and the grid places that they cover. Stops are exclusive. */
export interface Run {
  firstSample: number;
  stopSample: number;
  firstPlace: number;
  stopPlace: number;
}

export interface GridChannel {
  /** Index in the signal file. */
  channel: number;
  samplesPerRecord: number;
  /** Of the grid. */
  periodUs: number;
  runs: Run[];
}

export interface UniformGrid {
  startUs: number;
  recordDurationUs: number;
  recordCount: number;
  channels: GridChannel[];
}

/** Mean period within pages; pages have no gap inside. */
function measuredPeriodUs(file: SignalFile, channel: number): number {
  let spanUs = 0;
  let steps = 0;
  for (const { firstUs, lastUs, count } of file.pageIndex[channel]!) {
    spanUs += lastUs - firstUs;
    steps += count - 1;
  }
  return steps > 0 && spanUs > 0 ? spanUs / steps : 1e6 / file.header.channels[channel]!.nominalRateHz;
}

/** The record duration that expresses all periods best, in whole steps of 10 us. */
export function recordDurationUs(periodsUs: readonly number[]): number {
  const fastest = Math.min(...periodsUs);
  const slowest = Math.max(...periodsUs);
  const longest = slowest > LONGEST_RECORD_US ? Math.min(LONGEST_SLOW_RECORD_US, slowest) : LONGEST_RECORD_US;
  const first = Math.max(1, Math.round(Math.min(longest, Math.max(SHORTEST_RECORD_US, slowest)) / fastest));
  let best = { durationUs: 0, error: Number.POSITIVE_INFINITY };
  for (let count = first; count * fastest <= longest || count === first; count++) {
    const durationUs = Math.max(1, Math.round((count * fastest) / DURATION_STEP_US)) * DURATION_STEP_US;
    const error = periodsUs.reduce((most, periodUs) => {
      const samples = Math.max(1, Math.round(durationUs / periodUs));
      return periodUs > durationUs ? most : Math.max(most, Math.abs(durationUs / samples / periodUs - 1));
    }, 0);
    if (error < best.error) best = { durationUs, error };
    if (error <= CLOSE_ENOUGH) break;
  }
  return best.durationUs;
}

function runsOf(
  file: SignalFile,
  channel: number,
  periodUs: number,
): { firstUs: number; lastUs: number; count: number }[] {
  const runs: { firstUs: number; lastUs: number; count: number }[] = [];
  for (const { firstUs, lastUs, count } of file.pageIndex[channel]!) {
    const before = runs.at(-1);
    if (before && firstUs - before.lastUs <= GAP_PERIODS * periodUs) {
      before.lastUs = lastUs;
      before.count += count;
    } else runs.push({ firstUs, lastUs, count });
  }
  return runs;
}

/**
 * Plans the grid from the file's index alone. It is in phase with the first sample of the fastest channel, so evenly spaced
 * samples are kept unchanged.
 * @throws UNSUPPORTED_FORMAT when a continuous file would be nearly all padding
 */
export function planGrid(file: SignalFile, channels: readonly number[], isDiscontinuous: boolean): UniformGrid {
  const periods = channels.map((channel) => measuredPeriodUs(file, channel));
  const durationUs = recordDurationUs(periods);
  const perRecord = periods.map((periodUs) => Math.max(1, Math.round(durationUs / periodUs)));
  const gridPeriods = perRecord.map((count) => durationUs / count);
  const leader = gridPeriods.indexOf(Math.min(...gridPeriods));
  const firsts = channels.map((channel) => file.pageIndex[channel]![0]!.firstUs);
  const earliestUs = Math.min(...firsts);
  const lead = Math.ceil((firsts[leader]! - earliestUs) / gridPeriods[leader]!);
  const startUs = Math.round(firsts[leader]! - lead * gridPeriods[leader]!);
  let endUs = startUs;
  const planned = channels.map((channel, c): GridChannel => {
    const periodUs = gridPeriods[c]!;
    let sample = 0;
    let place = 0;
    const runs = runsOf(file, channel, periods[c]!).map(({ firstUs, lastUs, count }): Run => {
      const firstPlace = Math.max(place, Math.ceil((firstUs - startUs) / periodUs - 0.5));
      const stopPlace = Math.max(firstPlace, Math.floor((lastUs - startUs) / periodUs + 0.5) + 1);
      const run = { firstSample: sample, stopSample: sample + count, firstPlace, stopPlace };
      sample += count;
      place = stopPlace;
      return run;
    });
    endUs = Math.max(endUs, startUs + place * periodUs);
    return { channel, samplesPerRecord: perRecord[c]!, periodUs, runs };
  });
  const recordCount = Math.max(1, Math.ceil((endUs - startUs) / durationUs - 1e-9));
  const grid = { startUs, recordDurationUs: durationUs, recordCount, channels: planned };
  if (!isDiscontinuous) refuseFilling(file, grid);
  return grid;
}

function refuseFilling(file: SignalFile, { recordCount, recordDurationUs: durationUs, channels }: UniformGrid): void {
  const places = channels.reduce((sum, { samplesPerRecord }) => sum + samplesPerRecord * recordCount, 0);
  const samples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
  if (places <= Math.max(FREE_FILLING_SAMPLES, samples * MOST_FILLING)) return;
  const days = Math.round((recordCount * durationUs) / (DAY_MS * 1000));
  throw new OutpostError(
    'UNSUPPORTED_FORMAT',
    `The recording spans ${days} days, nearly all of them without samples, so a continuous file would be almost all padding. Export it as EDF+D.`,
  );
}

/** Grid places of a channel without samples, up to the end of the last record. Stops are exclusive. */
export function* gapsOf({ recordCount }: UniformGrid, { runs, samplesPerRecord }: GridChannel) {
  let place = 0;
  for (const { firstPlace, stopPlace } of runs) {
    if (firstPlace > place) yield { firstPlace: place, stopPlace: firstPlace };
    place = stopPlace;
  }
  const end = recordCount * samplesPerRecord;
  if (end > place) yield { firstPlace: place, stopPlace: end };
}

/** For each record, 1 when it has a sample of any channel. */
export function recordsWithSamples({ recordCount, channels }: UniformGrid): Uint8Array {
  const present = new Uint8Array(recordCount);
  for (const { runs, samplesPerRecord } of channels) {
    for (const { firstPlace, stopPlace } of runs) {
      if (stopPlace === firstPlace) continue;
      present.fill(1, Math.floor(firstPlace / samplesPerRecord), Math.ceil(stopPlace / samplesPerRecord));
    }
  }
  return present;
}
