/** Drawing primitives of the strips: paper, traces, envelopes, gaps, beats, signal quality. Coordinates are CSS pixels. */

import type { Beat, OverviewChannel } from '../../../../src-server/api/contract/index.ts';
import { CANVAS_FACES } from '../../../shared/charts/fonts.ts';
import type { Colors } from '../../../shared/charts/palette.ts';
import { categoryFill } from '../../../shared/charts/pattern.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import { firstAtOrAfter } from '../data/measure.ts';
import type { ChannelSamples } from '../data/samples.ts';
import { qualityOf } from '../data/summary.ts';
import type { Grid } from './grid.ts';

/** Position of a lane on the canvas and its vertical scale. */
export interface LanePlace {
  topPx: number;
  heightPx: number;
  /** y of the value 0, and pixels per unit; larger values are higher up. */
  zeroPx: number;
  pxPerUnit: number;
}

const yOf = (place: LanePlace, value: number) => place.zeroPx - value * place.pxPerUnit;

/** With more samples per pixel than this, each column draws only its lowest and highest value. */
const MAX_SAMPLES_PER_PX = 2;

/** Draws grid lines on whole device pixels, so that none is blurred or off by more than half a device pixel. */
function drawLines(
  context: CanvasRenderingContext2D,
  scale: TimeScale,
  place: LanePlace,
  stepMs: number,
  stepValue: number,
  ratio: number,
): void {
  const thick = Math.max(1, Math.floor(ratio));
  const at = (px: number) => Math.round(px * ratio - thick / 2) / ratio;
  const bottom = place.topPx + place.heightPx;
  const thickPx = thick / ratio;
  for (let k = Math.ceil(scale.startMs / stepMs); k * stepMs <= scale.stopMs; k++)
    context.fillRect(at(toPx(scale, k * stepMs)), place.topPx, thickPx, place.heightPx);
  const low = Math.ceil((place.zeroPx - bottom) / place.pxPerUnit / stepValue);
  const high = Math.floor((place.zeroPx - place.topPx) / place.pxPerUnit / stepValue);
  for (let k = low; k <= high; k++) context.fillRect(0, at(yOf(place, k * stepValue)), scale.widthPx, thickPx);
}

export function drawPaper(
  context: CanvasRenderingContext2D,
  scale: TimeScale,
  place: LanePlace,
  grid: Grid,
  colors: Colors,
  ratio: number,
): void {
  context.fillStyle = colors('paper-fine');
  drawLines(context, scale, place, grid.fineMs, grid.fineMv, ratio);
  context.fillStyle = colors('paper-bold');
  drawLines(context, scale, place, grid.boldMs, grid.boldMv, ratio);
}

/** Lowest and highest value that a lane has room for. */
function rangeOfPlace({ topPx, heightPx, zeroPx, pxPerUnit }: LanePlace): [number, number] {
  const high = (zeroPx - topPx) / pxPerUnit;
  return [high - heightPx / pxPerUnit, high];
}

/** Share of the samples in view that a lane has no room for; 0 without samples. */
export function shareOutside(runs: readonly ChannelSamples[], scale: TimeScale, place: LanePlace): number {
  const [low, high] = rangeOfPlace(place);
  let [outside, all] = [0, 0];
  for (const { timesMs, values } of runs) {
    const from = firstAtOrAfter(timesMs, scale.startMs);
    const to = firstAtOrAfter(timesMs, scale.stopMs);
    for (const column of values) {
      all += to - from;
      for (let i = from; i < to; i++) if (column[i]! < low || column[i]! > high) outside++;
    }
  }
  return all === 0 ? 0 : outside / all;
}

/** Share of the bins of envelopes in view that lie outside of a lane as a whole; 0 without bins. `factor` makes values those of the lane. */
export function shareOfBinsOutside(
  envelopes: readonly Pick<OverviewChannel, 'startTs' | 'binMs' | 'minima' | 'maxima'>[],
  name: string,
  factor: number,
  scale: TimeScale,
  place: LanePlace,
): number {
  const [low, high] = rangeOfPlace(place);
  let [outside, all] = [0, 0];
  for (const { startTs, binMs, minima, maxima } of envelopes) {
    const [lows, highs] = [minima[name] ?? [], maxima[name] ?? []];
    const from = Math.max(0, Math.floor((scale.startMs - startTs) / binMs));
    const to = Math.min(highs.length, Math.ceil((scale.stopMs - startTs) / binMs));
    for (let bin = from; bin < to; bin++) {
      const [lowest, highest] = [lows[bin] ?? null, highs[bin] ?? null];
      if (lowest === null || highest === null) continue;
      all++;
      if (lowest * factor > high || highest * factor < low) outside++;
    }
  }
  return all === 0 ? 0 : outside / all;
}

/** Marks the edges of a lane where samples exceed it, so that clipping is always visible. */
export function drawClipping(
  context: CanvasRenderingContext2D,
  runs: readonly ChannelSamples[],
  scale: TimeScale,
  place: LanePlace,
  color: string,
): void {
  const [low, high] = rangeOfPlace(place);
  const bottomPx = place.topPx + place.heightPx - 3;
  context.fillStyle = color;
  for (const { timesMs, values } of runs) {
    const from = firstAtOrAfter(timesMs, scale.startMs);
    const to = firstAtOrAfter(timesMs, scale.stopMs);
    for (const column of values) {
      let drawnPx = Number.NEGATIVE_INFINITY;
      for (let i = from; i < to; i++) {
        const value = column[i]!;
        if (value >= low && value <= high) continue;
        const x = Math.round(toPx(scale, timesMs[i]!)) - 1;
        if (x === drawnPx) continue;
        drawnPx = x;
        context.fillRect(x, value > high ? place.topPx : bottomPx, 3, 3);
      }
    }
  }
}

/** Shades a span whose samples have yet to arrive. A gap in the signal is hatched instead. */
export function drawPending(
  context: CanvasRenderingContext2D,
  { startMs, stopMs }: { startMs: number; stopMs: number },
  words: string,
  scale: TimeScale,
  place: LanePlace,
  colors: Colors,
): void {
  const left = Math.max(0, toPx(scale, startMs));
  const right = Math.min(scale.widthPx, toPx(scale, stopMs));
  if (right <= left) return;
  context.fillStyle = colors('line-soft');
  context.globalAlpha = 0.7;
  context.fillRect(left, place.topPx, right - left, place.heightPx);
  context.globalAlpha = 1;
  context.font = `11px ${CANVAS_FACES}`;
  if (context.measureText(words).width + 16 > right - left) return;
  context.textBaseline = 'middle';
  context.fillStyle = colors('text-muted');
  context.fillText(words, left + 8, place.topPx + place.heightPx / 2);
}

/** Draws one dimension of runs, with nothing between two of them. */
export function drawTrace(
  context: CanvasRenderingContext2D,
  runs: readonly ChannelSamples[],
  dimension: number,
  scale: TimeScale,
  place: LanePlace,
  color: string,
): void {
  context.strokeStyle = color;
  context.lineWidth = 1.3;
  // Round joins would double the cost of a trace, and cannot be seen at this width; mitres would lengthen its peaks.
  context.lineJoin = 'bevel';
  context.beginPath();
  let end: { ms: number; periodMs: number } | null = null;
  for (const { timesMs, values, periodMs } of runs) {
    const column = values[dimension]!;
    const from = Math.max(0, firstAtOrAfter(timesMs, scale.startMs) - 1);
    const to = Math.min(timesMs.length, firstAtOrAfter(timesMs, scale.stopMs) + 1);
    if (to <= from) continue;
    // The seam between two segments, which are fetched separately, is not a gap.
    const follows = end !== null && timesMs[from]! - end.ms <= 1.8 * end.periodMs;
    const perPx = (to - from) / Math.max(1, toPx(scale, timesMs[to - 1]!) - toPx(scale, timesMs[from]!));
    if (perPx > MAX_SAMPLES_PER_PX) strokeColumns(context, timesMs, column, from, to, scale, place, follows);
    else {
      for (let i = from; i < to; i++) {
        const x = toPx(scale, timesMs[i]!);
        const y = yOf(place, column[i]!);
        if (i === from && !follows) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
    }
    end = { ms: timesMs[to - 1]!, periodMs };
  }
  context.stroke();
}

function strokeColumns(
  context: CanvasRenderingContext2D,
  timesMs: Float64Array,
  column: Float32Array,
  from: number,
  to: number,
  scale: TimeScale,
  place: LanePlace,
  follows: boolean,
): void {
  let isFirst = !follows;
  let i = from;
  while (i < to) {
    const px = Math.floor(toPx(scale, timesMs[i]!));
    const first = column[i]!;
    let low = first;
    let high = first;
    let last = first;
    // The same rounding as above: otherwise a sample on a pixel edge would belong to no column, and the loop would not end.
    for (; i < to && Math.floor(toPx(scale, timesMs[i]!)) === px; i++) {
      last = column[i]!;
      if (last < low) low = last;
      if (last > high) high = last;
    }
    const x = px + 0.5;
    if (isFirst) context.moveTo(x, yOf(place, first));
    else context.lineTo(x, yOf(place, first));
    context.lineTo(x, yOf(place, low));
    context.lineTo(x, yOf(place, high));
    context.lineTo(x, yOf(place, last));
    isFirst = false;
  }
}

/** Draws minimum to maximum of each bin; skips bins without samples. */
export function drawEnvelope(
  context: CanvasRenderingContext2D,
  channel: OverviewChannel,
  dimension: string,
  factor: number,
  scale: TimeScale,
  place: LanePlace,
  color: string,
): void {
  const { startTs, binMs, sampleCounts } = channel;
  const minima = channel.minima[dimension] ?? [];
  const maxima = channel.maxima[dimension] ?? [];
  const from = Math.max(0, Math.floor((scale.startMs - startTs) / binMs));
  const to = Math.min(sampleCounts.length, Math.ceil((scale.stopMs - startTs) / binMs));
  context.fillStyle = color;
  for (let bin = from; bin < to; bin++) {
    const low = minima[bin] ?? null;
    const high = maxima[bin] ?? null;
    if (low === null || high === null) continue;
    const x = toPx(scale, startTs + bin * binMs);
    const width = Math.max(0.75, toPx(scale, startTs + (bin + 1) * binMs) - x);
    const top = yOf(place, high * factor);
    context.fillRect(x, top, width, Math.max(1, yOf(place, low * factor) - top));
  }
}

/** Marks the edges of a lane where bins exceed its scale, as {@link drawClipping} does for samples. */
export function drawEnvelopeClipping(
  context: CanvasRenderingContext2D,
  { startTs, binMs, minima, maxima, dimensions }: OverviewChannel,
  range: number,
  scale: TimeScale,
  place: LanePlace,
  color: string,
): void {
  const from = Math.max(0, Math.floor((scale.startMs - startTs) / binMs));
  const to = Math.ceil((scale.stopMs - startTs) / binMs);
  context.fillStyle = color;
  for (const name of dimensions) {
    const [lows, highs] = [minima[name] ?? [], maxima[name] ?? []];
    for (let bin = from; bin < Math.min(to, highs.length); bin++) {
      const x = Math.round(toPx(scale, startTs + bin * binMs)) - 1;
      if ((highs[bin] ?? 0) > range) context.fillRect(x, place.topPx, 3, 3);
      if ((lows[bin] ?? 0) < -range) context.fillRect(x, place.topPx + place.heightPx - 3, 3, 3);
    }
  }
}

/** Hatches a gap in the signal and labels it with the longest of `wordings` that fits. */
export function drawGap(
  context: CanvasRenderingContext2D,
  gap: { startTs: number; stopTs: number },
  wordings: readonly string[],
  scale: TimeScale,
  place: LanePlace,
  colors: Colors,
): void {
  const left = Math.max(0, toPx(scale, gap.startTs));
  const right = Math.min(scale.widthPx, toPx(scale, gap.stopTs));
  if (right < 0 || left > scale.widthPx || right <= left) return;
  context.fillStyle = colors('surface');
  context.fillRect(left, place.topPx, right - left, place.heightPx);
  context.fillStyle = categoryFill(context, 'gap', colors);
  context.fillRect(left, place.topPx, Math.max(2, right - left), place.heightPx);
  context.font = `600 11px ${CANVAS_FACES}`;
  const words = wordings.find((wording) => context.measureText(wording).width + 12 <= right - left);
  if (words === undefined) return;
  const width = context.measureText(words).width + 12;
  const middle = place.topPx + place.heightPx / 2;
  const x = left + (right - left - width) / 2;
  context.fillStyle = colors('surface');
  context.beginPath();
  context.roundRect(x, middle - 9, width, 18, 3);
  context.fill();
  context.fillStyle = colors('text');
  context.textBaseline = 'middle';
  context.fillText(words, x + 6, middle + 0.5);
}

/** Marks beats along the top of their lane: filled where used, hollow where excluded from a metric, crossed where doubtful. */
export function drawBeats(
  context: CanvasRenderingContext2D,
  beats: readonly Beat[],
  scale: TimeScale,
  yPx: number,
  colors: Colors,
): void {
  context.lineWidth = 1.4;
  for (const { timeUs, use } of beats) {
    const x = toPx(scale, timeUs / 1000);
    if (x < -4 || x > scale.widthPx + 4) continue;
    context.strokeStyle = colors('trace');
    context.fillStyle = colors('trace');
    context.beginPath();
    if (use === 'DOUBTFUL') {
      context.moveTo(x - 3, yPx - 3);
      context.lineTo(x + 3, yPx + 3);
      context.moveTo(x + 3, yPx - 3);
      context.lineTo(x - 3, yPx + 3);
      context.stroke();
    } else {
      context.moveTo(x - 4, yPx - 3.5);
      context.lineTo(x + 4, yPx - 3.5);
      context.lineTo(x, yPx + 3.5);
      context.closePath();
      if (use === 'USED') context.fill();
      else context.stroke();
    }
  }
}

/** Share of the lane's height that each quality fills, so that it can be read without colour. */
const QUALITY_STYLES = {
  good: { height: 1, color: 'quality-good', isHatched: false },
  noisy: { height: 0.6, color: 'quality-noisy', isHatched: false },
  unreadable: { height: 0.3, color: 'quality-unreadable', isHatched: false },
  noContact: { height: 1, color: 'line-strong', isHatched: true },
} as const;

export function drawQuality(
  context: CanvasRenderingContext2D,
  quality: { startTs: number; values: readonly (number | null)[] },
  scale: TimeScale,
  topPx: number,
  heightPx: number,
  colors: Colors,
): void {
  const { startTs, values } = quality;
  const from = Math.max(0, Math.floor((scale.startMs - startTs) / 1000));
  const to = Math.min(values.length, Math.ceil((scale.stopMs - startTs) / 1000));
  for (let second = from; second < to; second++) {
    const value = values[second] ?? null;
    if (value === null) continue;
    const style = QUALITY_STYLES[qualityOf(value)];
    const x = toPx(scale, startTs + second * 1000);
    const width = toPx(scale, startTs + (second + 1) * 1000) - x;
    const height = heightPx * style.height;
    context.fillStyle = style.isHatched ? categoryFill(context, 'not-worn', colors) : colors(style.color);
    context.fillRect(x, topPx + heightPx - height, Math.max(1, width - (width > 4 ? 1 : 0)), height);
  }
}

/** Draws the calibration pulse at the left edge: 1 mV high, 200 ms wide. */
export function drawPulse(context: CanvasRenderingContext2D, pxPerMs: number, place: LanePlace, colors: Colors): void {
  const width = 200 * pxPerMs;
  const height = place.pxPerUnit;
  if (width < 6 || width > 160 || height > place.heightPx) return;
  const bottom = Math.min(place.topPx + place.heightPx - 8, place.zeroPx + height / 2);
  context.strokeStyle = colors('accent');
  context.lineWidth = 1.6;
  context.beginPath();
  context.moveTo(4, bottom);
  context.lineTo(4 + width * 0.25, bottom);
  context.lineTo(4 + width * 0.25, bottom - height);
  context.lineTo(4 + width * 1.25, bottom - height);
  context.lineTo(4 + width * 1.25, bottom);
  context.lineTo(4 + width * 1.5, bottom);
  context.stroke();
}

export function drawVertical(
  context: CanvasRenderingContext2D,
  ms: number,
  scale: TimeScale,
  heightPx: number,
  color: string,
  dash: number[],
): void {
  const x = Math.round(toPx(scale, ms)) + 0.5;
  if (x < 0 || x > scale.widthPx) return;
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, heightPx);
  context.stroke();
  context.setLineDash([]);
}
