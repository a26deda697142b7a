import type { Detections } from './detect.ts';
import type { EcgBlock } from './segments.ts';
import { HEART_SETTINGS, type HeartSettings } from './settings.ts';

/** Beat kinds, the low bits of `BeatSeries.kinds`. Stored in features only. */
export const BEAT_NORMAL = 0;
/** Ventricular or supraventricular extra beat, fusion beat: a beat, but not one of the sinus node. */
export const BEAT_ECTOPIC = 1;
/** Not to be trusted: about as strong as what lies between the beats. */
export const BEAT_ARTEFACT = 2;
export const BEAT_KIND_MASK = 0x0f;
/** Set on the first beat after a break of the signal: no interval ends at this beat. */
export const BEAT_AFTER_GAP = 0x80;

/** Beats of one block. */
export interface BlockBeats {
  /** Sample positions of the R peaks, with a fraction. */
  positions: Float64Array;
  kinds: Uint8Array;
  /** Height of the QRS complex from its lowest to its highest point, counts. */
  heights: Float32Array;
  /** Strength of the beat against what lies between beats, 0..100. */
  quality: Float32Array;
}

/** Half of the window that holds a complex and in which its R peak is sought. */
const COMPLEX_SECONDS = 0.1;
const SEARCH_SECONDS = 0.08;
/** Signal to noise at which a complex is no longer told from noise, and at which it is beyond doubt. */
const NOISE_RATIO = 1.6;
const CLEAR_RATIO = 5;
/** A ventricular beat is strong. A complex of unusual shape that is little stronger than its surroundings is rejected. */
const DOUBTFUL_QUALITY = 30;
/** Complexes that are compared to find the usual shape. */
const SHAPE_SAMPLE = 64;
/** Complexes that correlate more than this are of one shape; the usual shape follows them with the weight of 16 beats. */
const ALIKE = 0.9;
const DRIFT = 1 / 16;
/** Share of 64 beats that one shape has where the lead has changed; every second one, as in bigeminy, is less. */
const LOCAL_SHARE = 0.75;
const LOCAL_MOVE = SHAPE_SAMPLE / 4;
/** A beat is early when its interval is below this part of a neighbouring one (the usual 20 % of prematurity, as in Malik 1989). */
const EARLY_PART = 0.8;
const NEIGHBOURS = 8;
const EDGE_SECONDS = 0.4;

/** Places the R peaks to a fraction of a sample, and tells normal, ectopic and false beats apart by interval and shape. */
export function describeBeats(
  block: EcgBlock,
  found: Detections,
  settings: HeartSettings = HEART_SETTINGS,
): BlockBeats {
  const n = found.positions.length;
  const beats: BlockBeats = {
    positions: new Float64Array(n),
    kinds: new Uint8Array(n),
    heights: new Float32Array(n),
    quality: new Float32Array(n),
  };
  if (n === 0) return beats;
  placePeaks(block, found, beats);
  for (let i = 0; i < n; i++) {
    const ratio = found.noise[i]! > 0 ? found.energies[i]! / found.noise[i]! : CLEAR_RATIO;
    beats.quality[i] = 100 * Math.min(1, Math.max(0, (ratio - NOISE_RATIO) / (CLEAR_RATIO - NOISE_RATIO)));
  }
  const correlation = shapeCorrelations(block, beats);
  const early = earlyBeats(beats.positions);
  const limit = correlationLimit(correlation, settings);
  const earlyLimit = correlationLimit(
    correlation.filter((_value, i) => early[i] === 0),
    settings,
  );
  for (let i = 0; i < n; i++) {
    if (beats.quality[i] === 0) beats.kinds[i] = BEAT_ARTEFACT;
    else if (correlation[i]! < (early[i] ? Math.max(limit, earlyLimit) : limit)) {
      const isDoubtful = beats.quality[i]! < DOUBTFUL_QUALITY || atStuckEdge(block, beats.positions[i]!);
      beats.kinds[i] = isDoubtful ? BEAT_ARTEFACT : BEAT_ECTOPIC;
    }
  }
  return beats;
}

/** 1 for every beat whose interval is clearly shorter than the one before or after it, as that of an extra beat is. */
function earlyBeats(positions: Float64Array): Uint8Array {
  const early = new Uint8Array(positions.length);
  for (let i = 1; i < positions.length; i++) {
    const own = positions[i]! - positions[i - 1]!;
    const before = i > 1 ? positions[i - 1]! - positions[i - 2]! : 0;
    const after = i + 1 < positions.length ? positions[i + 1]! - positions[i]! : 0;
    if (own < EARLY_PART * Math.max(before, after)) early[i] = 1;
  }
  return early;
}

/** Whether most of the 0.4 s before or after a position is stuck: the step as a lead comes off or on is no beat. */
function atStuckEdge({ stuck, count, rateHz }: EcgBlock, position: number): boolean {
  const reach = Math.round(EDGE_SECONDS * rateHz);
  const centre = Math.round(position);
  let before = 0;
  let after = 0;
  for (let k = 0; k < reach; k++) {
    if (centre - k >= 0) before += stuck[centre - k]!;
    if (centre + k < count) after += stuck[centre + k]!;
  }
  return Math.max(before, after) > 0.7 * reach;
}

/** The signal at a sample, smoothed over its neighbours by 1 2 1. */
function smoothAt({ samples, count }: EcgBlock, i: number): number {
  return 0.25 * samples[Math.max(0, i - 1)]! + 0.5 * samples[i]! + 0.25 * samples[Math.min(count - 1, i + 1)]!;
}

/** Position of the extreme near sample `k`, with a fraction, by a parabola through three points. */
function vertexAt(block: EcgBlock, k: number): number {
  const left = smoothAt(block, Math.max(0, k - 1));
  const right = smoothAt(block, Math.min(block.count - 1, k + 1));
  const curve = left - 2 * smoothAt(block, k) + right;
  const shift = curve === 0 ? 0 : (0.5 * (left - right)) / curve;
  return k + Math.max(-0.5, Math.min(0.5, shift));
}

/** Position of the extreme of the wanted side within 12 ms of sample `at`, with a fraction. */
function extremeNear(block: EcgBlock, at: number, upright: boolean): number {
  const reach = Math.max(1, Math.round(0.012 * block.rateHz));
  let best = at;
  let most = -Infinity;
  for (let k = Math.max(0, at - reach); k <= Math.min(block.count - 1, at + reach); k++) {
    const value = upright ? smoothAt(block, k) : -smoothAt(block, k);
    if (value > most) {
      most = value;
      best = k;
    }
  }
  return vertexAt(block, best);
}

/** R peak: the extreme of the complex on the side that dominates among the neighbours, by a parabola through three points. */
function placePeaks(block: EcgBlock, found: Detections, beats: BlockBeats): void {
  const { samples: x, count, rateHz } = block;
  const n = found.positions.length;
  const half = Math.max(2, Math.round(SEARCH_SECONDS * rateHz));
  const up = new Float32Array(n);
  const down = new Float32Array(n);
  const upAt = new Int32Array(n);
  const downAt = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const at = found.positions[i]!;
    const from = Math.max(1, at - half);
    const to = Math.min(count - 2, at + half);
    let sum = 0;
    let high = -Infinity;
    let low = Infinity;
    const wideFrom = Math.max(0, at - 2 * half);
    const wideTo = Math.min(count - 1, at + 2 * half);
    for (let k = wideFrom; k <= wideTo; k++) sum += x[k]!;
    const mean = sum / (wideTo - wideFrom + 1);
    upAt[i] = at;
    downAt[i] = at;
    for (let k = from; k <= to; k++) {
      // As `smoothAt` has it, away from the ends.
      const value = 0.25 * x[k - 1]! + 0.5 * x[k]! + 0.25 * x[k + 1]!;
      if (value > high) {
        high = value;
        upAt[i] = k;
      }
      if (value < low) {
        low = value;
        downAt[i] = k;
      }
    }
    up[i] = Math.max(0, high - mean);
    down[i] = Math.max(0, mean - low);
    beats.heights[i] = Math.max(0, high - low);
  }
  for (let i = 0; i < n; i++) {
    let upSum = 0;
    let downSum = 0;
    for (let k = Math.max(0, i - NEIGHBOURS); k <= Math.min(n - 1, i + NEIGHBOURS); k++) {
      upSum += up[k]!;
      downSum += down[k]!;
    }
    let positive = upSum >= downSum;
    if (positive ? down[i]! > 2 * up[i]! : up[i]! > 2 * down[i]!) positive = !positive;
    const k = positive ? upAt[i]! : downAt[i]!;
    beats.positions[i] = vertexAt(block, k);
    if (i > 0 && beats.positions[i]! <= beats.positions[i - 1]!) beats.positions[i] = beats.positions[i - 1]! + 1;
  }
}

/**
 * Correlation of each complex with the usual one: the mean of the largest group of alike complexes of the block, or what
 * that has become by then, since the shape drifts with posture and contact.
 */
function shapeCorrelations(block: EcgBlock, beats: BlockBeats): Float32Array {
  const n = beats.positions.length;
  const half = Math.max(2, Math.round(COMPLEX_SECONDS * block.rateHz));
  const reach = Math.round(SEARCH_SECONDS * block.rateHz);
  const length = 2 * half + 1;
  const { samples } = block;
  const shape = (centre: number, into: Float32Array): void => {
    let sum = 0;
    const first = centre - half;
    if (first >= 0 && first + length <= block.count) {
      for (let k = 0, at = first; k < length; k++, at++) {
        into[k] = samples[at]!;
        sum += samples[at]!;
      }
    } else {
      for (let k = 0; k < length; k++) {
        into[k] = samples[Math.min(block.count - 1, Math.max(0, first + k))]!;
        sum += into[k]!;
      }
    }
    const mean = sum / length;
    let squares = 0;
    for (let k = 0; k < length; k++) {
      into[k]! -= mean;
      squares += into[k]! * into[k]!;
    }
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let k = 0; k < length; k++) into[k]! *= scale;
  };
  const dot = (a: Float32Array, b: Float32Array): number => {
    let sum = 0;
    for (let k = 0; k < length; k++) sum += a[k]! * b[k]!;
    return sum;
  };
  /** The mean of the largest group of alike complexes among up to `most` of the `count` from `first`, and its size. */
  const usualShape = (
    first: number,
    count: number,
    most: number,
  ): { core: number; template: Float32Array; share: number } => {
    const taken = Math.min(most, count);
    const sampled: Float32Array[] = [];
    for (let s = 0; s < taken; s++) {
      const one = new Float32Array(length);
      shape(Math.round(beats.positions[first + Math.floor((s * count) / taken)]!), one);
      sampled.push(one);
    }
    const alike = new Int32Array(taken);
    for (let s = 0; s < taken; s++) {
      if (dot(sampled[s]!, sampled[s]!) > ALIKE) alike[s]!++;
      for (let other = s + 1; other < taken; other++) {
        if (dot(sampled[s]!, sampled[other]!) <= ALIKE) continue;
        alike[s]!++;
        alike[other]!++;
      }
    }
    const chosen = alike.indexOf(Math.max(...alike));
    const template = new Float32Array(length);
    for (const one of sampled) {
      if (dot(one, sampled[chosen]!) <= ALIKE) continue;
      for (let k = 0; k < length; k++) template[k]! += one[k]!;
    }
    const norm = Math.sqrt(dot(template, template));
    if (norm > 0) for (let k = 0; k < length; k++) template[k]! /= norm;
    return { core: first + Math.floor((chosen * count) / taken), template, share: alike[chosen]! / taken };
  };
  const { core, template } = usualShape(0, n, SHAPE_SAMPLE);
  const result = new Float32Array(n);
  const own = new Float32Array(length);
  const follow = (from: number, to: number, step: number): void => {
    const drifted = Float32Array.from(template);
    const upright = template[half]! > 0;
    for (let i = from; i !== to; i += step) {
      const centre = Math.round(beats.positions[i]!);
      shape(centre, own);
      let correlation = 0;
      let usualCorrelation = 0;
      for (let k = 0; k < length; k++) {
        correlation += own[k]! * drifted[k]!;
        usualCorrelation += own[k]! * template[k]!;
      }
      if (correlation <= ALIKE) {
        let best = centre;
        for (let shift = -reach; shift <= reach; shift++) {
          shape(centre + shift, own);
          const value = dot(own, drifted);
          if (value <= correlation) continue;
          correlation = value;
          best = centre + shift;
        }
        shape(best, own);
        usualCorrelation = dot(own, template);
        if (best !== centre && correlation > ALIKE) beats.positions[i] = extremeNear(block, best, upright);
      }
      result[i] = Math.max(usualCorrelation, correlation);
      if (correlation <= ALIKE) continue;
      let squares = 0;
      for (let k = 0; k < length; k++) {
        drifted[k]! += DRIFT * (own[k]! - drifted[k]!);
        squares += drifted[k]! * drifted[k]!;
      }
      const size = Math.sqrt(squares);
      if (size > 0) for (let k = 0; k < length; k++) drifted[k]! /= size;
    }
  };
  follow(core, n, 1);
  follow(core, -1, -1);
  // A shape that most beats have for longer than a run of extra beats lasts is the usual one there.
  for (let stop = SHAPE_SAMPLE; stop < n + LOCAL_MOVE; stop += LOCAL_MOVE) {
    const to = Math.min(stop, n);
    const from = to - SHAPE_SAMPLE;
    if (from < 0) break;
    let alike = 0;
    for (let i = from; i < to; i++) if (result[i]! > ALIKE) alike++;
    if (alike * 2 >= SHAPE_SAMPLE) continue;
    const local = usualShape(from, SHAPE_SAMPLE, SHAPE_SAMPLE);
    if (local.share < LOCAL_SHARE) continue;
    for (let i = from; i < to; i++) {
      shape(Math.round(beats.positions[i]!), own);
      result[i] = Math.max(result[i]!, dot(own, local.template));
    }
  }
  return result;
}

/**
 * A noisy lead lowers every correlation, so the limit follows the spread of the usual beats: from the median up to the best
 * tenth, where no ectopic beat is.
 */
function correlationLimit(correlation: Float32Array, { shapeCorrelation }: HeartSettings): number {
  const sorted = Float32Array.from(correlation).sort();
  const median = sorted[sorted.length >> 1]!;
  const best = sorted[Math.floor(0.9 * sorted.length)]!;
  return Math.max(0.5, Math.min(shapeCorrelation, median - 6 * (best - median)));
}
