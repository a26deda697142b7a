/** Places R peaks: polarity by majority of the neighbouring complexes, position by parabolic interpolation. */
import type { EcgBlock } from './segments.ts';

/** Half of the window in which the R peak of a complex is searched. */
export const SEARCH_SECONDS = 0.08;
/** Complexes on either side that vote on the polarity. */
const NEIGHBOURS = 8;

/** The signal at a sample under the smoothing kernel (1 2 1) / 4. */
function smoothAt({ samples, count }: EcgBlock, i: number): number {
  return 0.25 * samples[Math.max(0, i - 1)]! + 0.5 * samples[i]! + 0.25 * samples[Math.min(count - 1, i + 1)]!;
}

/** Sub-sample position of the extreme near sample `k`, by parabolic interpolation through three points. */
function vertexAt(block: EcgBlock, k: number): number {
  const left = smoothAt(block, Math.max(0, k - 1));
  const right = smoothAt(block, Math.min(block.count - 1, k + 1));
  const curve = left - 2 * smoothAt(block, k) + right;
  const shift = curve === 0 ? 0 : (0.5 * (left - right)) / curve;
  return k + Math.max(-0.5, Math.min(0.5, shift));
}

/** Sub-sample position of the highest (upright) or lowest point within 12 ms of sample `at`. */
export function extremeNear(block: EcgBlock, at: number, upright: boolean): number {
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

/**
 * Writes R-peak positions and QRS heights of detected complexes. The R peak is the extreme of the polarity that dominates among
 * the neighbouring complexes.
 *
 * @param found sample positions of the detections
 */
export function placePeaks(
  block: EcgBlock,
  found: Int32Array,
  into: { positions: Float64Array; heights: Float32Array },
): void {
  const { samples: x, count, rateHz } = block;
  const n = found.length;
  const half = Math.max(2, Math.round(SEARCH_SECONDS * rateHz));
  const up = new Float32Array(n);
  const down = new Float32Array(n);
  const upAt = new Int32Array(n);
  const downAt = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const at = found[i]!;
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
      // `smoothAt` inlined: these samples lie away from the ends.
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
    into.heights[i] = Math.max(0, high - low);
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
    into.positions[i] = vertexAt(block, k);
    if (i > 0 && into.positions[i]! <= into.positions[i - 1]!) into.positions[i] = into.positions[i - 1]! + 1;
  }
}
