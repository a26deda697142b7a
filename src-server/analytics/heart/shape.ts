/**
 * Template matching of QRS shapes: the correlation of each complex with the prevailing one of its block. Complexes that fit
 * after a small shift are re-aligned to the template.
 */
import { extremeNear, SEARCH_SECONDS } from './peaks.ts';
import type { EcgBlock } from './segments.ts';

/** Half of the window that is compared. */
const COMPLEX_SECONDS = 0.1;
/** Complexes compared to find the prevailing shape. */
const SHAPE_SAMPLE = 64;
/** Complexes that correlate more than this have the same shape. */
const ALIKE = 0.9;
/** Weight of a new complex in the running template: an exponential mean over 16 beats. */
const DRIFT = 1 / 16;
/** Share of 64 beats from which a local shape means that the lead has changed; every second beat, as in bigeminy, is less. */
const LOCAL_SHARE = 0.75;
const LOCAL_MOVE = SHAPE_SAMPLE / 4;

/** The prevailing shape of some beats. */
interface Template {
  /** Mean of the complexes of that shape, of norm 1. */
  values: Float32Array;
  /** Index of the beat that most others resemble. */
  core: number;
  /** Part of the compared complexes that resemble it. */
  share: number;
}

/**
 * Correlates each complex with the template: the mean of the largest group of alike complexes of the block, which is then
 * tracked beat by beat in both directions, since the shape drifts with posture and electrode contact.
 *
 * @param positions R peaks in samples; those of re-aligned complexes are moved
 */
export function shapeCorrelations(block: EcgBlock, positions: Float64Array): Float32Array {
  const matcher = new ShapeMatcher(block, positions);
  const n = positions.length;
  const template = matcher.prevailingShape(0, n, SHAPE_SAMPLE);
  matcher.track(template, n, 1);
  matcher.track(template, -1, -1);
  matcher.acceptLocalShapes();
  return matcher.correlations;
}

class ShapeMatcher {
  readonly correlations: Float32Array;
  readonly #block: EcgBlock;
  readonly #positions: Float64Array;
  /** Samples of a complex on either side of its peak, and in all. */
  readonly #half: number;
  readonly #length: number;
  /** The complex at hand. */
  readonly #own: Float32Array;

  constructor(block: EcgBlock, positions: Float64Array) {
    this.#block = block;
    this.#positions = positions;
    this.#half = Math.max(2, Math.round(COMPLEX_SECONDS * block.rateHz));
    this.#length = 2 * this.#half + 1;
    this.#own = new Float32Array(this.#length);
    this.correlations = new Float32Array(positions.length);
  }

  /** Finds the largest group of alike complexes among at most `most` of the `count` beats from `first`. */
  prevailingShape(first: number, count: number, most: number): Template {
    const taken = Math.min(most, count);
    const sampled = Array.from({ length: taken }, (_value, s) => {
      const complex = new Float32Array(this.#length);
      this.#extract(Math.round(this.#positions[first + Math.floor((s * count) / taken)]!), complex);
      return complex;
    });
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
    const values = new Float32Array(this.#length);
    for (const complex of sampled) {
      if (dot(complex, sampled[chosen]!) <= ALIKE) continue;
      for (let k = 0; k < values.length; k++) values[k]! += complex[k]!;
    }
    const norm = Math.sqrt(dot(values, values));
    if (norm > 0) for (let k = 0; k < values.length; k++) values[k]! /= norm;
    return { values, core: first + Math.floor((chosen * count) / taken), share: alike[chosen]! / taken };
  }

  /** Correlates the beats from the core of a template to `stop`, exclusive, with the template as it drifts. */
  track({ values: template, core }: Template, stop: number, step: 1 | -1): void {
    const own = this.#own;
    const drifted = Float32Array.from(template);
    for (let i = core; i !== stop; i += step) {
      this.#extract(Math.round(this.#positions[i]!), own);
      let correlation = 0;
      let initialCorrelation = 0;
      for (let k = 0; k < own.length; k++) {
        correlation += own[k]! * drifted[k]!;
        initialCorrelation += own[k]! * template[k]!;
      }
      if (correlation <= ALIKE) {
        correlation = this.#realign(i, correlation, template, drifted);
        initialCorrelation = dot(own, template);
      }
      this.correlations[i] = Math.max(initialCorrelation, correlation);
      if (correlation > ALIKE) follow(drifted, own);
    }
  }

  /** Raises the correlations of 64 beats in a row whose shape prevails for longer than a run of ectopic beats lasts. */
  acceptLocalShapes(): void {
    const result = this.correlations;
    const n = result.length;
    for (let stop = SHAPE_SAMPLE; stop < n + LOCAL_MOVE; stop += LOCAL_MOVE) {
      const to = Math.min(stop, n);
      const from = to - SHAPE_SAMPLE;
      if (from < 0) break;
      let alike = 0;
      for (let i = from; i < to; i++) if (result[i]! > ALIKE) alike++;
      if (alike * 2 >= SHAPE_SAMPLE) continue;
      const local = this.prevailingShape(from, SHAPE_SAMPLE, SHAPE_SAMPLE);
      if (local.share < LOCAL_SHARE) continue;
      for (let i = from; i < to; i++) {
        this.#extract(Math.round(this.#positions[i]!), this.#own);
        result[i] = Math.max(result[i]!, dot(this.#own, local.values));
      }
    }
  }

  /**
   * Shifts a complex to its best correlation with the drifted template, which is returned; `#own` then holds the shifted
   * complex. Its R peak moves there when the two are alike.
   */
  #realign(i: number, correlation: number, template: Float32Array, drifted: Float32Array): number {
    const own = this.#own;
    const reach = Math.round(SEARCH_SECONDS * this.#block.rateHz);
    const centre = Math.round(this.#positions[i]!);
    let best = centre;
    let highest = correlation;
    for (let shift = -reach; shift <= reach; shift++) {
      this.#extract(centre + shift, own);
      const value = dot(own, drifted);
      if (value <= highest) continue;
      highest = value;
      best = centre + shift;
    }
    this.#extract(best, own);
    if (best !== centre && highest > ALIKE)
      this.#positions[i] = extremeNear(this.#block, best, template[this.#half]! > 0);
    return highest;
  }

  /** Copies the complex around a sample, with mean 0 and norm 1; samples beyond the block repeat its ends. */
  #extract(centre: number, into: Float32Array): void {
    const { samples, count } = this.#block;
    const length = into.length;
    let sum = 0;
    const first = centre - this.#half;
    if (first >= 0 && first + length <= count) {
      for (let k = 0, at = first; k < length; k++, at++) {
        into[k] = samples[at]!;
        sum += samples[at]!;
      }
    } else {
      for (let k = 0; k < length; k++) {
        into[k] = samples[Math.min(count - 1, Math.max(0, first + k))]!;
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
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}

/** Moves a running template towards a complex and restores its norm. */
function follow(drifted: Float32Array, complex: Float32Array): void {
  let squares = 0;
  for (let k = 0; k < drifted.length; k++) {
    drifted[k]! += DRIFT * (complex[k]! - drifted[k]!);
    squares += drifted[k]! * drifted[k]!;
  }
  const size = Math.sqrt(squares);
  if (size > 0) for (let k = 0; k < drifted.length; k++) drifted[k]! /= size;
}
