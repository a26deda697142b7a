/** Pages of imported beat intervals, as the recording format lays them down (section 11): a page ends where beats are missing. */
import type { SignalChannel, SignalPage } from '../signals/types.ts';

/** Steps of the file's own text, which is finer than the millisecond of live sensors. */
const STEPS_PER_SECOND = 1e6;
/** An interval that reaches back to within this of the beat before follows it. */
export const FOLLOWS_US = 5000;
export const MAX_PAGE_BEATS = 120;

/** One beat and the interval that it ends. */
export interface Beat {
  timeUs: number;
  intervalUs: number;
}

/** Pulse intervals of an optical sensor: variability of them is pulse-rate variability, and is named so wherever it is shown. */
export function pulseIntervalChannel(): SignalChannel {
  return {
    type: 'PPI',
    dimensions: ['ppi', 'error'],
    unit: 's',
    nominalRateHz: 1,
    scale: [1 / STEPS_PER_SECOND, 0.001],
    offset: [0, 0],
    sampleBits: 32,
    exact: [STEPS_PER_SECOND, 1000].map((divisor) => ({ origin: 0, divisor, span: 1, low: 0 })),
  };
}

/** RR intervals as a file states them, to the microsecond. */
export function rrIntervalChannel(): SignalChannel {
  return {
    type: 'RR',
    dimensions: ['rr'],
    unit: 's',
    nominalRateHz: 1,
    scale: [1 / STEPS_PER_SECOND],
    offset: [0],
    sampleBits: 32,
    exact: [{ origin: 0, divisor: STEPS_PER_SECOND, span: 1, low: 0 }],
  };
}

/** Splits beats in order of time into chains without a missing beat. */
export function chainsOf(beats: readonly Beat[]): Beat[][] {
  const chains: Beat[][] = [];
  for (const beat of beats) {
    const last = chains.at(-1)?.at(-1);
    if (last && Math.abs(beat.timeUs - beat.intervalUs - last.timeUs) <= FOLLOWS_US) chains.at(-1)!.push(beat);
    else chains.push([beat]);
  }
  return chains;
}

export function* intervalPages(channel: number, beats: readonly Beat[]): Generator<SignalPage> {
  for (const chain of chainsOf(beats)) {
    for (let from = 0; from < chain.length; from += MAX_PAGE_BEATS) {
      const beats = chain.slice(from, from + MAX_PAGE_BEATS);
      const page = beatPage(channel, beats);
      yield { ...page, columns: [...page.columns, new Int32Array(beats.length)] };
    }
  }
}

/** A page of beats without a missing one, with their intervals alone. */
export function beatPage(channel: number, beats: readonly Beat[]): SignalPage {
  const count = beats.length;
  const startUs = beats[0]!.timeUs;
  const periodUs = count > 1 ? (beats[count - 1]!.timeUs - startUs) / (count - 1) : beats[0]!.intervalUs;
  const residuals = Int32Array.from(beats, ({ timeUs }, i) => timeUs - Math.round(startUs + i * periodUs));
  const columns = [Int32Array.from(beats, ({ intervalUs }) => intervalUs)];
  const page: SignalPage = { channel, startUs, periodUs, count, columns };
  return residuals.some((residual) => residual !== 0) ? { ...page, timeResidualsUs: residuals } : page;
}
