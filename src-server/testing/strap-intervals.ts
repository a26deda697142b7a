/** RR intervals as a heart-rate strap sends them, from the true times of beats. */
import type { SignalChunk, SignalInput } from '../analytics/types.ts';

export interface StrapOptions {
  /** Default RR. */
  type?: 'RR' | 'PPI';
  /** Step of the device, seconds: 1/1024 of the Heart Rate Service by default. */
  stepSeconds?: number;
  /** Whether the notification of a second is lost; its beats are then missing. */
  isLost?: (second: number) => boolean;
  /** Beats that the strap counts twice: a second one a third into the interval. */
  isDouble?: (beat: number) => boolean;
  /** Beats that the strap does not see. */
  isMissed?: (beat: number) => boolean;
  /** Default MEDIAL_CHEST. */
  location?: string;
  /** The mark at its last beat. */
  endReason?: 'SENSOR_RESTART';
  /** Beats of a page at most. */
  pageBeats?: number;
}

/** Beats of one page: consecutive, each with the count of its interval. */
interface Chain {
  timesUs: number[];
  counts: number[];
}

/**
 * Returns the intervals as pages of the recording format: a page ends at each gap, and the times of its beats are the running sum
 * of its intervals. The device rounds the times of the beats to its step, so that rounding does not add up.
 */
export function strapIntervals(beatsUs: ArrayLike<number>, options: StrapOptions = {}): SignalInput {
  const { type = 'RR', stepSeconds = 1 / 1024, location = 'MEDIAL_CHEST', pageBeats = 80 } = options;
  const stepUs = stepSeconds * 1e6;
  const seen: number[] = [];
  for (let i = 0; i < beatsUs.length; i++) {
    const beatUs = beatsUs[i]!;
    if (options.isDouble?.(i) && i > 0) seen.push(beatUs - (2 / 3) * (beatUs - beatsUs[i - 1]!));
    if (!options.isMissed?.(i)) seen.push(beatUs);
  }
  const chains: Chain[] = [];
  let chain: Chain | null = null;
  for (let i = 1; i < seen.length; i++) {
    if (options.isLost?.(Math.floor(seen[i]! / 1e6))) {
      chain = null;
      continue;
    }
    const count = Math.round(seen[i]! / stepUs) - Math.round(seen[i - 1]! / stepUs);
    if (chain && chain.timesUs.length >= pageBeats) {
      const lastUs: number = chain.timesUs.at(-1)!;
      chain = { timesUs: [Math.round(lastUs + count * stepUs)], counts: [count] };
      chains.push(chain);
    } else if (chain) {
      chain.timesUs.push(Math.round(chain.timesUs.at(-1)! + count * stepUs));
      chain.counts.push(count);
    } else {
      chain = { timesUs: [Math.round(seen[i]!)], counts: [count] };
      chains.push(chain);
    }
  }
  return {
    type,
    location,
    scale: type === 'PPI' ? [stepSeconds, 0.001] : [stepSeconds],
    offset: type === 'PPI' ? [0, 0] : [0],
    nominalRateHz: 1,
    chunks: chains.map((one) => pageOf(one, stepUs, type === 'PPI')),
  };
}

function pageOf({ timesUs, counts }: Chain, stepUs: number, hasError: boolean): SignalChunk {
  const count = counts.length;
  const startUs = timesUs[0]!;
  const periodUs = count > 1 ? (timesUs[count - 1]! - startUs) / (count - 1) : counts[0]! * stepUs;
  return {
    startUs,
    periodUs,
    count,
    columns: [Int16Array.from(counts), ...(hasError ? [new Int16Array(count).fill(5)] : [])],
    timeResidualsUs: Int32Array.from(timesUs, (us, i) => us - Math.floor(startUs + i * periodUs + 0.5)),
  };
}
