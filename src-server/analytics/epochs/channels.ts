/** The intraday channels that epochs of acceleration add, binned from their seconds. */
import { COUNT_SLEEP, type SecondColumns } from '../types.ts';
import { INTENSITIES } from './cut-points.ts';

/** Null without a wrist, waist or lower back sensor. */
export const EPOCH_CHANNEL_UNITS = {
  enmo: 'milli_g',
  mad: 'milli_g',
  counts_x: 'activity_counts',
  counts_y: 'activity_counts',
  counts_z: 'activity_counts',
  counts_vm3: 'activity_counts',
  intensity: '',
  sleep_sadeh: '',
  sleep_cole_kripke: '',
} as const;

export type EpochChannelType = keyof typeof EPOCH_CHANNEL_UNITS;
export const EPOCH_CHANNEL_TYPES = Object.keys(EPOCH_CHANNEL_UNITS) as EpochChannelType[];

type CodeChannel = 'intensity' | 'sleep_cole_kripke' | 'sleep_sadeh';
type EpochBins = Record<Exclude<EpochChannelType, CodeChannel>, (number | null)[]> &
  Record<CodeChannel, (string | null)[]>;

const to3 = (value: number): number => Math.round(value * 1000) / 1000;

/** Bins of epochs, one after the other. */
export class EpochBin {
  readonly values: EpochBins = {
    enmo: [],
    mad: [],
    counts_x: [],
    counts_y: [],
    counts_z: [],
    counts_vm3: [],
    intensity: [],
    sleep_sadeh: [],
    sleep_cole_kripke: [],
  };
  readonly #seconds: number;
  #enmo = 0;
  #mad = 0;
  #known = 0;
  #x = 0;
  #y = 0;
  #z = 0;
  #countSeconds = 0;
  readonly #intensities = new Uint32Array(INTENSITIES.length);
  readonly #sadeh = new Uint32Array(COUNT_SLEEP.length);
  readonly #coleKripke = new Uint32Array(COUNT_SLEEP.length);

  constructor(intervalMs: number) {
    this.#seconds = Math.max(1, Math.round(intervalMs / 1000));
  }

  /** Adds the bin that starts at a time. */
  addSpan(windows: readonly SecondColumns[], startMs: number): void {
    this.#clear();
    for (const window of windows) {
      const from = Math.max(0, Math.floor((startMs - window.startMs) / 1000));
      const to = Math.min(window.count, Math.ceil((startMs - window.startMs) / 1000) + this.#seconds);
      if (to > from) this.#add(window, from, to);
    }
    this.#write();
  }

  #clear(): void {
    this.#enmo = 0;
    this.#mad = 0;
    this.#known = 0;
    this.#x = 0;
    this.#y = 0;
    this.#z = 0;
    this.#countSeconds = 0;
    for (const codes of [this.#intensities, this.#sadeh, this.#coleKripke]) codes.fill(0);
  }

  #add({ epochs }: SecondColumns, from: number, to: number): void {
    if (!epochs) return;
    for (let i = from; i < to; i++) {
      if (!Number.isNaN(epochs.enmo[i])) {
        this.#enmo += epochs.enmo[i]!;
        this.#mad += epochs.mad[i]!;
        this.#known++;
      }
      if (!Number.isNaN(epochs.countsX[i])) {
        this.#x += epochs.countsX[i]!;
        this.#y += epochs.countsY[i]!;
        this.#z += epochs.countsZ[i]!;
        this.#countSeconds++;
      }
      this.#intensities[epochs.intensity[i]!]!++;
      this.#sadeh[epochs.sadeh[i]!]!++;
      this.#coleKripke[epochs.coleKripke[i]!]!++;
    }
  }

  #write(): void {
    const { values } = this;
    const half = this.#seconds / 2;
    const isKnown = this.#known > 0 && this.#known >= half;
    values.enmo.push(isKnown ? to3(this.#enmo / this.#known) : null);
    values.mad.push(isKnown ? to3(this.#mad / this.#known) : null);
    const counted = (value: number): number | null => (this.#countSeconds > 0 ? value : null);
    values.counts_x.push(counted(this.#x));
    values.counts_y.push(counted(this.#y));
    values.counts_z.push(counted(this.#z));
    values.counts_vm3.push(counted(to3(Math.hypot(this.#x, this.#y, this.#z))));
    values.intensity.push(longest(this.#intensities, INTENSITIES, half));
    values.sleep_sadeh.push(longest(this.#sadeh, COUNT_SLEEP, half));
    values.sleep_cole_kripke.push(longest(this.#coleKripke, COUNT_SLEEP, half));
  }
}

/** The state that lasts longest, of two with equal time the earlier one; null where less than half of the bin is known. */
function longest(seconds: Uint32Array, names: readonly (string | null)[], halfSeconds: number): string | null {
  let known = 0;
  let best = 0;
  for (let code = 1; code < seconds.length; code++) {
    known += seconds[code]!;
    if (seconds[code]! > (best === 0 ? 0 : seconds[best]!)) best = code;
  }
  return known > 0 && known >= halfSeconds ? names[best]! : null;
}
