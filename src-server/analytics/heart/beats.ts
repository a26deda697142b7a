/** Describes detected beats: R-peak time to a fraction of a sample, height, quality, and kind by prematurity and QRS shape. */
import type { Detections } from './detect.ts';
import { placePeaks } from './peaks.ts';
import type { EcgBlock } from './segments.ts';
import { HEART_SETTINGS, type HeartSettings } from './settings.ts';
import { shapeCorrelations } from './shape.ts';

/** Beat kinds, the low bits of `BeatSeries.kinds`. Stored in features only. */
export const BEAT_NORMAL = 0;
/** Ventricular or supraventricular ectopic beat, or fusion beat: a beat that did not arise in the sinus node alone. */
export const BEAT_ECTOPIC = 1;
/** Unreliable detection: hardly stronger than the signal between beats. */
export const BEAT_ARTEFACT = 2;
export const BEAT_KIND_MASK = 0x03;
/** What the signal before the beats around shows of P waves; 0 where it is unknown: see p-waves.ts. */
export const BEAT_P_ABSENT = 0x04;
export const BEAT_P_UNSURE = 0x08;
export const BEAT_P_PRESENT = 0x0c;
export const BEAT_P_MASK = 0x0c;
/** Set on ectopic beats that arise in the ventricles, or above them: see ectopy.ts. */
export const BEAT_VENTRICULAR = 0x10;
export const BEAT_SUPRAVENTRICULAR = 0x20;
/**
 * Set while beats are classified: the complex shares less than half of its variance with the prevailing shape. Afterwards, set on
 * ventricular beats that nothing but such a shape shows.
 */
export const BEAT_FAR_SHAPE = 0x40;
const FAR_CORRELATION = Math.SQRT1_2;
/** Set on the first beat after a gap: no interval ends at this beat. */
export const BEAT_AFTER_GAP = 0x80;

/** Beats of one block. */
export interface BlockBeats {
  /** Sample positions of the R peaks, with a fraction. */
  positions: Float64Array;
  kinds: Uint8Array;
  /** Height of the QRS complex from its lowest to its highest point, counts. */
  heights: Float32Array;
  /** Signal-to-noise ratio of the complex against the signal between beats, as 0..100. */
  quality: Float32Array;
}

/** Signal-to-noise ratio of quality 0 (indistinguishable from noise) and of quality 100 (certain). */
const NOISE_RATIO = 1.6;
const CLEAR_RATIO = 5;
/** Ventricular beats are strong: a complex of unusual shape below this quality is rejected as an artefact. */
const DOUBTFUL_QUALITY = 30;
/** A beat is premature when its interval is below this part of a neighbouring one (20 % prematurity, as in Malik 1989). */
const PREMATURE_PART = 0.8;
const EDGE_SECONDS = 0.4;
const STUCK_EDGE_PART = 0.7;

/** Places the R peaks to a fraction of a sample and classifies beats as normal, ectopic or artefact. */
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
  placePeaks(block, found.positions, beats);
  for (let i = 0; i < n; i++) {
    const ratio = found.noise[i]! > 0 ? found.energies[i]! / found.noise[i]! : CLEAR_RATIO;
    beats.quality[i] = 100 * Math.min(1, Math.max(0, (ratio - NOISE_RATIO) / (CLEAR_RATIO - NOISE_RATIO)));
  }
  const correlation = shapeCorrelations(block, beats.positions);
  const premature = prematureBeats(beats.positions);
  const limit = correlationLimit(correlation, settings);
  const prematureLimit = correlationLimit(
    correlation.filter((_value, i) => premature[i] === 0),
    settings,
  );
  for (let i = 0; i < n; i++) {
    if (beats.quality[i] === 0) beats.kinds[i] = BEAT_ARTEFACT;
    else if (correlation[i]! < (premature[i] ? Math.max(limit, prematureLimit) : limit)) {
      const isDoubtful = beats.quality[i]! < DOUBTFUL_QUALITY || atStuckEdge(block, beats.positions[i]!);
      const far = correlation[i]! < FAR_CORRELATION ? BEAT_FAR_SHAPE : 0;
      beats.kinds[i] = isDoubtful ? BEAT_ARTEFACT : BEAT_ECTOPIC | far;
    }
  }
  return beats;
}

/** 1 for every beat whose interval is clearly shorter than the one before or after it. */
function prematureBeats(positions: Float64Array): Uint8Array {
  const premature = new Uint8Array(positions.length);
  for (let i = 1; i < positions.length; i++) {
    const own = positions[i]! - positions[i - 1]!;
    const before = i > 1 ? positions[i - 1]! - positions[i - 2]! : 0;
    const after = i + 1 < positions.length ? positions[i + 1]! - positions[i]! : 0;
    if (own < PREMATURE_PART * Math.max(before, after)) premature[i] = 1;
  }
  return premature;
}

/** Whether most of the 0.4 s before or after a position is stuck: a lead coming off or on makes a step, not a beat. */
function atStuckEdge({ stuck, count, rateHz }: EcgBlock, position: number): boolean {
  const reach = Math.round(EDGE_SECONDS * rateHz);
  const centre = Math.round(position);
  let before = 0;
  let after = 0;
  for (let k = 0; k < reach; k++) {
    if (centre - k >= 0) before += stuck[centre - k]!;
    if (centre + k < count) after += stuck[centre + k]!;
  }
  return Math.max(before, after) > STUCK_EDGE_PART * reach;
}

/**
 * Adaptive correlation threshold: noise lowers all correlations alike, so the limit lies six spreads below the median, the
 * spread being the distance from the median to the 90th percentile, which ectopic beats do not reach.
 */
function correlationLimit(correlation: Float32Array, { shapeCorrelation }: HeartSettings): number {
  const sorted = Float32Array.from(correlation).sort();
  const median = sorted[sorted.length >> 1]!;
  const best = sorted[Math.floor(0.9 * sorted.length)]!;
  return Math.max(0.5, Math.min(shapeCorrelation, median - 6 * (best - median)));
}
