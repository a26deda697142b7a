/**
 * Plausibility check of the values of every import: a wrong unit shows in their magnitude. The values are not changed; a note
 * asks a person to check the unit.
 */
import { scaleAndOffset } from '../signals/exact-values.ts';
import type { SignalChannel, SignalPage } from '../signals/types.ts';
import { foreignChannelType } from '../vocabulary/channels.ts';
import type { ImportedRecording } from './types.ts';

const SAMPLES_PER_PAGE = 16;
const MAX_SAMPLES = 4096;
/** A body rests most of a day, and then reads gravity: 1 g, 9.8 for m/s^2 under "g", 1000 for mg, 0.001 for g under "mg". */
const USUAL_G = { least: 0.003, most: 4 };
/** Surface electrodes yield millivolts; amplifiers of body sensors saturate at about 0.2 V. */
const MOST_VOLTS = 0.5;

/** Adds notes for channels with implausible values, once all pages are read. */
export function withPlausibilityNotes(recording: ImportedRecording): ImportedRecording {
  const checks = recording.header.channels.map((channel) => new ChannelCheck(channel));
  return {
    ...recording,
    async *pages() {
      for await (const page of recording.pages()) {
        checks[page.channel]!.look(page);
        yield page;
      }
      for (const check of checks) {
        const note = check.note();
        if (note !== null) recording.notes.push(note);
      }
    },
  };
}

class ChannelCheck {
  readonly #channel: SignalChannel;
  readonly #scales: { scale: number; offset: number }[];
  readonly #kind: 'motion' | 'electrode' | null;
  #sizes: number[] = [];

  constructor(channel: SignalChannel) {
    const { type, dimensions, unit, exact } = channel;
    this.#channel = channel;
    this.#scales = dimensions.map((_, d) =>
      exact ? scaleAndOffset(exact[d]!) : { scale: channel.scale[d]!, offset: channel.offset[d]! },
    );
    const isMotion = type.startsWith('ACCEL') && dimensions.length === 3 && unit === 'g';
    this.#kind = isMotion ? 'motion' : unit === 'V' && foreignChannelType(type) === undefined ? 'electrode' : null;
  }

  look(page: SignalPage): void {
    if (this.#kind === null || this.#sizes.length >= MAX_SAMPLES) return;
    const step = Math.max(1, Math.floor(page.count / SAMPLES_PER_PAGE));
    for (let i = 0; i < page.count; i += step) {
      const values = this.#scales.map(({ scale, offset }, d) => page.columns[d]![i]! * scale + offset);
      this.#sizes.push(this.#kind === 'motion' ? Math.hypot(...values) : values[0]!);
    }
  }

  note(): string | null {
    if (this.#sizes.length < 2) return null;
    const sorted = Float64Array.from(this.#sizes).sort();
    const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))]!;
    const { type } = this.#channel;
    if (this.#kind === 'motion') {
      const median = at(0.5);
      if (median === 0 || (median >= USUAL_G.least && median <= USUAL_G.most)) return null;
      return `${type} reads ${median.toPrecision(3)} g most of the time, where a sensor at rest reads 1 g. Check the unit in the file.`;
    }
    // The spread, because electrodes and amplifiers may have an offset.
    const spread = at(0.95) - at(0.05);
    if (spread <= MOST_VOLTS) return null;
    return `${type} spans ${spread.toPrecision(3)} V, where the heart and muscles make millivolts. Check the unit in the file.`;
  }
}
