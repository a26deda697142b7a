/**
 * What Bittium Faros recorders add to plain EDF: facts in the recording field, the button as a signal `Marker`, and the intervals
 * between beats as a signal `HRV`, which is zero where no beat fell.
 */
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import type { DeviceFacts } from '../recording-header.ts';
import { TimedPageBuilder } from '../timed-pages.ts';
import type { ImportedLabel } from '../types.ts';
import type { EdfSignalHeader } from './edf-header.ts';

export interface FarosFacts {
  device: DeviceFacts;
  utcOffsetMinutes: number | undefined;
}

const TYPE = /(?:^|[_\s])DEVTYPE=(Faros[A-Za-z0-9-]*)/i;
const MAX_OFFSET_MINUTES = 14 * 60;
/** Milliseconds to the seconds of intervals. */
const SECONDS_PER_MS = 1e-3;
const USUAL_INTERVAL_US = 1_000_000;
/** No heart beats outside these; EDF has no checksum, so a wrong byte shows only here. */
const SHORTEST_INTERVAL_MS = 200;
const LONGEST_INTERVAL_MS = 3000;

/** Facts of `... SW=3.5.1_HW=0G_SER=1621280_DEVTYPE=Faros180_TZ=+0200`; null for another recorder. */
export function farosFacts(recording: string): FarosFacts | null {
  const model = TYPE.exec(recording)?.[1];
  if (model === undefined) return null;
  const field = (name: string): string | undefined =>
    new RegExp(`(?:^|[_\\s])${name}=([^_\\s]+)`, 'i').exec(recording)?.[1];
  const zone = /^([+-])(\d\d):?(\d\d)$/.exec(field('TZ') ?? '');
  const minutes = zone ? Number(zone[2]) * 60 + Number(zone[3]) : Number.NaN;
  const isOffset = minutes <= MAX_OFFSET_MINUTES;
  return {
    device: { maker: 'Bittium', model, serial: field('SER'), firmware: field('SW') },
    utcOffsetMinutes: isOffset ? (zone![1] === '-' ? -minutes : minutes) : undefined,
  };
}

export interface FarosSignals {
  marker: EdfSignalHeader | undefined;
  beats: EdfSignalHeader | undefined;
}

/** The signals that become labels and intervals. */
export function farosSignals(signals: readonly EdfSignalHeader[]): FarosSignals {
  const usable = signals.filter(({ samplesPerRecord, digitalMinimum, digitalMaximum }) => {
    return samplesPerRecord > 0 && digitalMinimum < digitalMaximum;
  });
  return {
    marker: usable.find(({ label }) => /^marker$/i.test(label)),
    beats: usable.find(({ label, unit }) => /^hrv$/i.test(label) && unit.toLowerCase() === 'ms'),
  };
}

const perCountOf = (signal: EdfSignalHeader): number =>
  (signal.physicalMaximum - signal.physicalMinimum) / (signal.digitalMaximum - signal.digitalMinimum);

/** Physical value of a count. */
const physicalOf = (signal: EdfSignalHeader, count: number): number =>
  signal.physicalMinimum + (count - signal.digitalMinimum) * perCountOf(signal);

export function beatChannel(signal: EdfSignalHeader): SignalChannel {
  const perCount = perCountOf(signal) * SECONDS_PER_MS;
  return {
    type: 'RR',
    dimensions: ['rr'],
    unit: 's',
    nominalRateHz: 1,
    scale: [perCount],
    offset: [physicalOf(signal, 0) * SECONDS_PER_MS],
    sampleBits: 32,
  };
}

/** Samples of a signal, each with its time in whole microseconds. */
interface TimedCounts {
  counts: Int32Array;
  timesUs: Float64Array;
  periodUs: number;
}

/** Collects presses of the button and intervals, batch by batch. */
export class FarosEvents {
  readonly #signals: FarosSignals;
  readonly #builder: TimedPageBuilder;
  readonly #labels: ImportedLabel[];
  #pressed: ImportedLabel | null = null;
  /** Intervals that were left out because no heart has them. */
  implausible = 0;

  constructor(signals: FarosSignals, beatChannelIndex: number, labels: ImportedLabel[]) {
    this.#signals = signals;
    this.#builder = new TimedPageBuilder(beatChannelIndex, 1, 32, USUAL_INTERVAL_US);
    this.#labels = labels;
  }

  /** @param read the samples of a signal in this batch, and their times */
  *push(read: (signal: EdfSignalHeader) => TimedCounts): Generator<SignalPage> {
    const { marker, beats } = this.#signals;
    if (marker) this.#presses(marker, read(marker));
    if (!beats) return;
    const { counts, timesUs } = read(beats);
    const times: number[] = [];
    const values: number[] = [];
    counts.forEach((count, i) => {
      const intervalMs = physicalOf(beats, count);
      if (intervalMs <= 0) return;
      if (intervalMs < SHORTEST_INTERVAL_MS || intervalMs > LONGEST_INTERVAL_MS) {
        this.implausible++;
        return;
      }
      times.push(timesUs[i]!);
      values.push(count);
    });
    yield* this.#builder.push(Float64Array.from(times), [Int32Array.from(values)], times.length);
  }

  *end(): Generator<SignalPage> {
    yield* this.#builder.flush();
  }

  #presses(marker: EdfSignalHeader, { counts, timesUs, periodUs }: TimedCounts): void {
    counts.forEach((count, i) => {
      const timeUs = timesUs[i]!;
      // Nobody knows whether the button stayed down through a gap.
      if (this.#pressed && timeUs - this.#pressed.stopUs > periodUs / 2) this.#pressed = null;
      if (physicalOf(marker, count) <= 0) this.#pressed = null;
      else if (this.#pressed === null) {
        this.#pressed = { startUs: timeUs, stopUs: Math.round(timeUs + periodUs), displayName: 'Marker' };
        this.#labels.push(this.#pressed);
      } else this.#pressed.stopUs = Math.round(timeUs + periodUs);
    });
  }
}
