/** Acceleration of a simulated wrist, page by page: nights with few turns, days of light and brisk movement, a time off the wrist. */
import type { SignalChunk, SignalInput } from '../analytics/types.ts';

export interface SimulatedWristOptions {
  startMs: number;
  hours: number;
  rateHz?: number;
  /** Hours of the day, UTC. */
  bedHour?: number;
  riseHour?: number;
  /** Hours since the start: the device lies on a table. */
  off?: readonly [number, number];
  /** Hours since the start: the device recorded nothing. */
  gap?: readonly [number, number];
  /** The error of the sensor: recorded = true / gain - offset. */
  offsetG?: readonly [number, number, number];
  gain?: readonly [number, number, number];
  location?: string;
  seed?: number;
}

/** Counts per g of the simulated sensor. */
const SCALE = 2048;
const PAGE_SECONDS = 60;

/** A generator of numbers in [0, 1), the same on every machine (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** What the wearer does in one minute. */
type Minute = 'asleep' | 'sitting' | 'light' | 'walking' | 'off' | 'gap';

export class SimulatedWrist {
  readonly minutes: Minute[] = [];
  readonly input: SignalInput;
  readonly startUs: number;
  readonly stopUs: number;

  constructor(options: SimulatedWristOptions) {
    const {
      startMs,
      hours,
      rateHz = 100,
      bedHour = 23,
      riseHour = 7,
      off,
      gap,
      location = 'WRIST',
      seed = 7,
    } = options;
    const random = randomOf(seed);
    for (let minute = 0; minute < hours * 60; minute++) {
      const since = minute / 60;
      const hour = (startMs / 3_600_000 + since) % 24;
      const isNight = bedHour > riseHour ? hour >= bedHour || hour < riseHour : hour >= bedHour && hour < riseHour;
      const within = (span: readonly [number, number] | undefined) => span && since >= span[0] && since < span[1];
      const draw = random();
      if (within(gap)) this.minutes.push('gap');
      else if (within(off)) this.minutes.push('off');
      else if (isNight) this.minutes.push('asleep');
      else this.minutes.push(draw < 0.5 ? 'sitting' : draw < 0.85 ? 'light' : 'walking');
    }
    this.startUs = startMs * 1000;
    this.stopUs = (startMs + hours * 3_600_000) * 1000;
    const scale = [1 / SCALE, 1 / SCALE, 1 / SCALE];
    const chunks = { [Symbol.iterator]: () => this.#pages(options, rateHz, seed) };
    this.input = { type: 'ACCEL', location, scale, offset: [0, 0, 0], nominalRateHz: rateHz, chunks };
  }

  *#pages(
    { startMs, offsetG = [0, 0, 0], gain = [1, 1, 1] }: SimulatedWristOptions,
    rateHz: number,
    seed: number,
  ): Generator<SignalChunk> {
    const random = randomOf(seed + 1);
    const count = PAGE_SECONDS * rateHz;
    let up = [0, 0, 1];
    let held = 0;
    for (const [minute, state] of this.minutes.entries()) {
      // Asleep the wearer turns over about twice an hour; awake the arm points elsewhere every few minutes.
      if (held-- <= 0 && state !== 'off') {
        const z = 2 * random() - 1;
        const angle = 2 * Math.PI * random();
        const flat = Math.sqrt(1 - z * z);
        up = [flat * Math.cos(angle), flat * Math.sin(angle), z];
        held = state === 'asleep' ? 20 + 25 * random() : 1;
      }
      const columns = [new Int16Array(count), new Int16Array(count), new Int16Array(count)];
      const amplitude = { asleep: 0, off: 0, gap: 0, sitting: 0.01, light: 0.12, walking: 0.5 }[state];
      const noise = state === 'off' ? 0.002 : 0.004;
      const waver = state === 'asleep' || state === 'off' ? 0 : 0.6;
      for (let i = 0; i < count; i++) {
        const t = i / rateHz;
        const swing = amplitude * Math.sin(2 * Math.PI * 1.8 * t);
        const lean = waver * Math.sin((2 * Math.PI * t) / 23 + minute);
        for (let axis = 0; axis < 3; axis++) {
          const gravity = up[axis]! * Math.cos(lean) + up[(axis + 1) % 3]! * Math.sin(lean) * 0.5;
          const g = gravity + swing * up[axis]! + noise * (random() + random() + random() - 1.5);
          columns[axis]![i] = Math.round((g / gain[axis]! - offsetG[axis]!) * SCALE);
        }
      }
      if (state === 'gap') continue;
      yield { startUs: (startMs + 60_000 * minute) * 1000, periodUs: 1e6 / rateHz, count, columns };
    }
  }
}
