/** Removes mains hum from an ECG block with a notch filter, where there is enough of it to hide small complexes. */
import type { EcgBlock } from './segments.ts';

const MAINS_HZ = [50, 60];
/** Probes of this length, this many per block, are examined for hum. */
const PROBE_SECONDS = 2;
const PROBES = 11;
/** Hum above this part of the signal's peak-to-peak height hides small complexes; the band-pass copes with less. */
const DISTURBING_PART = 0.04;
/** Notch width: wide enough for the clock error of a sensor, narrow enough that its ringing stays below a QRS complex. */
const WIDTH_HZ = 3;

let scratch = new Float32Array(0);
let taper = new Float32Array(0);

/** Hann taper, cached for the next probe. */
function taperOf(length: number): Float32Array {
  if (taper.length !== length)
    taper = Float32Array.from({ length }, (_value, k) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (k + 0.5)) / length));
  return taper;
}

/** Returns the block without mains hum, or the block itself where hum is negligible; valid until the next call. */
export function withoutMains(block: EcgBlock): EcgBlock {
  const hz = mainsOf(block);
  if (hz === null) return block;
  const { samples: x, count, rateHz } = block;
  if (scratch.length < count) scratch = new Float32Array(x.length);
  // Second-order notch by the bilinear transform.
  const turn = (2 * Math.PI * hz) / rateHz;
  const width = Math.tan((Math.PI * WIDTH_HZ) / rateHz);
  const gain = 1 / (1 + width);
  const b1 = -2 * Math.cos(turn) * gain;
  const a2 = (1 - width) * gain;
  const base = x[0]!;
  let p1 = 0;
  let p2 = 0;
  // The filter is primed with the first whole periods: its start-up transient would pass a burst of hum.
  const again = wholePeriods(hz / rateHz, Math.min(count, Math.round(rateHz)));
  for (let i = -again; i < count; i++) {
    const v = x[i < 0 ? i + again : i]! - base;
    const y = gain * v + p1;
    p1 = b1 * v - b1 * y + p2;
    p2 = gain * v - a2 * y;
    if (i >= 0) scratch[i] = y;
  }
  return { ...block, samples: scratch };
}

/** The number of samples, from half of `most` to `most`, that is closest to a whole number of cycles. */
function wholePeriods(cyclesPerSample: number, most: number): number {
  let best = most;
  let least = 1;
  for (let n = most; n > most / 2; n--) {
    const off = Math.abs(n * cyclesPerSample - Math.round(n * cyclesPerSample));
    if (off < least - 1e-9) {
      least = off;
      best = n;
    }
  }
  return best;
}

/** The mains frequency whose hum disturbs most probes; null when none does. */
function mainsOf({ samples, count, rateHz }: EcgBlock): number | null {
  const length = Math.round(PROBE_SECONDS * rateHz);
  const probes = Math.min(PROBES, Math.floor(count / length));
  for (const hz of MAINS_HZ) {
    if (hz > 0.45 * rateHz) continue;
    let disturbed = 0;
    for (let p = 0; p < probes; p++) {
      const from = probes === 1 ? 0 : Math.floor((p * (count - length)) / (probes - 1));
      const { amplitude, height } = humOf(samples, from, length, hz / rateHz);
      if (amplitude > DISTURBING_PART * height) disturbed++;
    }
    if (disturbed * 2 > probes) return hz;
  }
  return null;
}

/** Amplitude of one frequency (in cycles per sample) in a probe under a Hann taper, and the probe's peak-to-peak height. */
function humOf(
  samples: Float32Array,
  from: number,
  length: number,
  cyclesPerSample: number,
): { amplitude: number; height: number } {
  const stepCos = Math.cos(2 * Math.PI * cyclesPerSample);
  const stepSin = Math.sin(2 * Math.PI * cyclesPerSample);
  const weights = taperOf(length);
  const base = samples[from]!;
  let cos = 1;
  let sin = 0;
  let inPhase = 0;
  let across = 0;
  let low = Infinity;
  let high = -Infinity;
  for (let k = 0; k < length; k++) {
    const value = samples[from + k]! - base;
    if (value < low) low = value;
    if (value > high) high = value;
    const tapered = value * weights[k]!;
    inPhase += tapered * cos;
    across += tapered * sin;
    const turned = cos * stepCos - sin * stepSin;
    sin = sin * stepCos + cos * stepSin;
    cos = turned;
  }
  return { amplitude: (4 * Math.hypot(inPhase, across)) / length, height: high - low };
}
