/**
 * Draws the lane of a channel of beat intervals: one point per beat at the height of the interval that it ends, joined only where
 * one interval follows another. Beats that variability leaves out are hollow.
 */
import type { Beat } from '../../../../src-server/api/contract/index.ts';
import { toPx } from '../../../shared/charts/scale.ts';
import { intervalRange, usedIntervals } from '../data/intervals.ts';
import { type ChannelSamples, FOLLOWS_MS } from '../data/samples.ts';
import { clip, drawGaps, drawWaiting, FONT, type Frame, laneName, type SignalLane } from './lanes.ts';
import { drawEnvelope, type LanePlace } from './paint.ts';

const MS_PER_S = 1000;
const POINT_PX = 2.5;
/** Points closer than this on average are drawn as a line alone. */
const LEAST_SPACING_PX = 5;

function tachogramPlace(
  { channel, heightPx }: SignalLane,
  topPx: number,
): LanePlace & { lowMs: number; highMs: number } {
  const { lowMs, highMs } = intervalRange(channel);
  const pxPerUnit = heightPx / (highMs - lowMs);
  return { topPx, heightPx, zeroPx: topPx + heightPx + lowMs * pxPerUnit, pxPerUnit, lowMs, highMs };
}

/** Distance of the lines of a lane: 50, 100, 200 or 500 ms. */
const stepMs = (rangeMs: number): number => [50, 100, 200].find((step) => rangeMs / step <= 6) ?? 500;

/** What of the lane moves with the view. */
export function tachogramGround(frame: Frame, lane: SignalLane, topPx: number): void {
  const { context, scale, view, colors, isRaw, model } = frame;
  const { sensor, channel } = lane;
  const place = tachogramPlace(lane, topPx);
  clip(context, place, scale.widthPx);
  context.fillStyle = colors('line-soft');
  const step = stepMs(place.highMs - place.lowMs);
  for (let ms = Math.ceil(place.lowMs / step) * step; ms <= place.highMs; ms += step)
    context.fillRect(0, Math.round(place.zeroPx - ms * place.pxPerUnit), scale.widthPx, 1);
  if (isRaw) drawIntervals(frame, model.runs(sensor, channel.type, view), sensor.beats(view).beats, place);
  else {
    for (const chunk of sensor.envelope(view)) {
      const envelope = chunk.find(({ type }) => type === channel.type);
      const name = envelope?.dimensions[0] ?? '';
      if (envelope) drawEnvelope(context, envelope, name, MS_PER_S, scale, place, colors('envelope'));
    }
  }
  context.restore();
}

/** What stands over the ground of the lane. */
export function drawTachogram(frame: Frame, lane: SignalLane, topPx: number): void {
  const { context, scale, colors, isRaw } = frame;
  const place = tachogramPlace(lane, topPx);
  clip(context, place, scale.widthPx);
  if (isRaw) drawWaiting(frame, lane, place);
  drawGaps(frame, lane, place);
  context.font = FONT;
  context.textBaseline = 'middle';
  context.fillStyle = colors('text-faint');
  const step = stepMs(place.highMs - place.lowMs);
  for (let ms = Math.ceil(place.lowMs / step) * step; ms <= place.highMs; ms += step) {
    const y = place.zeroPx - ms * place.pxPerUnit - 7;
    if (y > topPx + 8 && y < topPx + lane.heightPx - 6) context.fillText(String(ms), 4, y);
  }
  context.restore();
  laneName(frame, lane.name, '', [], topPx + 12);
  context.fillStyle = colors('line');
  context.fillRect(0, topPx, scale.widthPx, 1);
}

function drawIntervals(
  { context, scale, colors }: Frame,
  runs: readonly ChannelSamples[],
  beats: readonly Beat[],
  place: LanePlace,
): void {
  const isUsed = usedIntervals(beats);
  const yOf = (ms: number): number => place.zeroPx - ms * place.pxPerUnit;
  context.strokeStyle = colors('trace');
  context.lineWidth = 1;
  context.beginPath();
  let endMs = Number.NEGATIVE_INFINITY;
  const points: { x: number; y: number; isUsed: boolean }[] = [];
  for (const { timesMs, values } of runs) {
    const [column] = values;
    for (const [i, ms] of timesMs.entries()) {
      const value = column?.[i] ?? Number.NaN;
      const x = toPx(scale, ms);
      // Joined where the interval begins at the beat before, also over the seam of two segments.
      const follows = Math.abs(ms - value - endMs) <= FOLLOWS_MS;
      endMs = ms;
      if (x < -200 || x > scale.widthPx + 200) continue;
      if (follows) context.lineTo(x, yOf(value));
      else context.moveTo(x, yOf(value));
      points.push({ x, y: yOf(value), isUsed: isUsed(ms) });
    }
  }
  context.stroke();
  const spanPx = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0);
  const showsUsed = spanPx / Math.max(1, points.length) >= LEAST_SPACING_PX;
  for (const point of points) {
    if (point.isUsed && !showsUsed) continue;
    context.beginPath();
    context.arc(point.x, point.y, point.isUsed ? POINT_PX : POINT_PX + 1, 0, 2 * Math.PI);
    context.fillStyle = colors(point.isUsed ? 'trace' : 'surface');
    context.fill();
    if (!point.isUsed) context.stroke();
  }
}
