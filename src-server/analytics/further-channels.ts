/**
 * Intraday channels beyond the nine of the interface, derived from second columns, five minutes and epochs like those, in bins on the same
 * grid. They are given on request only: an answer without a request for them has the nine.
 */
import { binStartMs } from './channels.ts';
import { EPOCH_CHANNEL_TYPES, EPOCH_CHANNEL_UNITS, EpochBin } from './epochs/channels.ts';
import { FIVE_MINUTES_MS } from './hrv/five-minutes.ts';
import { RHYTHM_CHANNEL_TYPES, RHYTHM_CHANNEL_UNITS, RhythmBins } from './rhythm/channels.ts';
import type { FiveMinuteColumn, SecondColumns } from './types.ts';

/** The further channels in the order of answers, with their units. */
export const FURTHER_CHANNEL_UNITS = {
  sdnn: 'milliseconds',
  pnn50: 'percent',
  lf_power: 'milliseconds_squared',
  hf_power: 'milliseconds_squared',
  total_power: 'milliseconds_squared',
  sd1: 'milliseconds',
  sd2: 'milliseconds',
  sample_entropy: 'nats',
  ...EPOCH_CHANNEL_UNITS,
  ...RHYTHM_CHANNEL_UNITS,
} as const;

export type FurtherChannelType = keyof typeof FURTHER_CHANNEL_UNITS;
export const FURTHER_CHANNEL_TYPES = Object.keys(FURTHER_CHANNEL_UNITS) as FurtherChannelType[];

/** Channels whose value is that of the five minutes in which a bin begins. */
const OF_FIVE_MINUTES = {
  sdnn: 'sdnnMs',
  pnn50: 'pnn50Percent',
  lf_power: 'lfMs2',
  hf_power: 'hfMs2',
  total_power: 'totalMs2',
  sd1: 'sd1Ms',
  sd2: 'sd2Ms',
  sample_entropy: 'sampleEntropy',
} as const satisfies Partial<Record<FurtherChannelType, FiveMinuteColumn>>;

export interface FurtherBins {
  times: number[];
  values: Record<FurtherChannelType, (number | string | null)[]>;
}

const to3 = (value: number): number => Math.round(value * 1000) / 1000;

/**
 * Returns the further channels of every bin that starts from `fromMs` (rounded down to the grid) to `toMs`, both included.
 *
 * @param windows ascending and disjoint
 */
export function binFurtherChannels(
  windows: readonly SecondColumns[],
  intervalMs: number,
  fromMs: number,
  toMs: number,
): FurtherBins {
  const times: number[] = [];
  const values = Object.fromEntries(
    FURTHER_CHANNEL_TYPES.map((type) => [type, []]),
  ) as unknown as FurtherBins['values'];
  const epochs = new EpochBin(intervalMs);
  const rhythm = new RhythmBins(intervalMs);
  for (let start = binStartMs(fromMs, intervalMs); start <= toMs; start += intervalMs) {
    times.push(start);
    epochs.addSpan(windows, start);
    const row = fiveMinutesAt(windows, start);
    for (const [type, column] of Object.entries(OF_FIVE_MINUTES)) {
      const value = row ? row.of[column][row.i]! : Number.NaN;
      values[type as keyof typeof OF_FIVE_MINUTES].push(Number.isNaN(value) ? null : to3(value));
    }
    rhythm.addSpan(windows, start);
  }
  for (const type of EPOCH_CHANNEL_TYPES) values[type] = epochs.values[type];
  for (const type of RHYTHM_CHANNEL_TYPES) values[type] = rhythm.values[type];
  return { times, values };
}

/** The five minutes in which a time lies. */
function fiveMinutesAt(windows: readonly SecondColumns[], timeMs: number) {
  for (const { fiveMinutes: of } of windows) {
    if (!of) continue;
    const i = Math.floor((timeMs - of.startMs) / FIVE_MINUTES_MS);
    if (i >= 0 && i < of.nnCount.length) return { of, i };
  }
  return undefined;
}
