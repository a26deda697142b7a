/** The picture of the detail strip: lanes from top to bottom, then axis, calipers and cursor over all of them. */
import type { OverviewChannel } from '../../../../src-server/api/contract/index.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import type { LabelItem } from '../data/labels.ts';
import { marchTimes, spanOf } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import { elapsedText, tickTimes } from './axis.ts';
import { autoGain, gridOf } from './grid.ts';
import {
  drawBeats,
  drawEnvelope,
  drawGap,
  drawPaper,
  drawPulse,
  drawQuality,
  drawTrace,
  drawVertical,
  type LanePlace,
} from './paint.ts';
import type { Paint } from './use-painting.ts';

const AXIS_PX = 34;
const QUALITY_PX = 22;
const LABELS_PX = 22;
const FONT = '11px system-ui, "Noto Sans CJK JP", sans-serif';
const AXIS_COLORS = ['axis-x', 'axis-y', 'axis-z'] as const;
/** Full scale of a motion lane above and below zero. */
const MOTION_RANGE: Record<string, number> = { ACCEL: 2, GYRO: 250 };

export interface DetailPicture {
  model: ViewerModel;
  electric: readonly OverviewChannel[];
  motion: readonly OverviewChannel[];
  /** Height of each lane of the two kinds. */
  electricPx: number;
  motionPx: number;
  pxPerMm: number;
  labels: readonly LabelItem[];
  clockOf: { precise: (ms: number) => string; plain: (ms: number) => string };
  /** Words of a break: its length and what is known of it. */
  gapWords: (startMs: number, stopMs: number) => string;
  /** A lane's name with its unit. */
  nameOf: (channel: OverviewChannel) => string;
}

export const hasBeats = (channels: readonly OverviewChannel[]) => channels.some(({ type }) => type === 'ECG');

/** Height of the whole picture. */
export function detailHeight({
  electric,
  motion,
  electricPx,
  motionPx,
}: Pick<DetailPicture, 'electric' | 'motion' | 'electricPx' | 'motionPx'>): number {
  const beatsPx = hasBeats(electric) ? QUALITY_PX : 0;
  return AXIS_PX + electric.length * electricPx + beatsPx + motion.length * motionPx + LABELS_PX;
}

type Context = CanvasRenderingContext2D;

/** One moment of drawing: what shows, and what of it has arrived. */
interface Frame {
  context: Context;
  scale: TimeScale;
  colors: Parameters<Paint>[3];
  span: { startMs: number; stopMs: number };
  isRaw: boolean;
  pieces: OverviewChannel[][];
}

export function detailPaint(picture: DetailPicture): Paint {
  const { model, electric, motion, electricPx, motionPx, labels, clockOf } = picture;
  return (context, width, height, colors) => {
    const { view, calipers, isMarching, cursorMs } = model.state.get();
    const scale: TimeScale = { startMs: view.startMs, stopMs: view.startMs + view.lengthMs, widthPx: width };
    const span = { startMs: scale.startMs, stopMs: scale.stopMs };
    const isRaw = model.isRaw();
    const frame: Frame = { context, scale, colors, span, isRaw, pieces: isRaw ? [] : model.envelope(span) };
    const beats = hasBeats(electric) && isRaw ? model.beats(span) : { beats: [], quality: [] };
    let topPx = AXIS_PX;
    for (const channel of electric) {
      drawElectric(frame, picture, channel, topPx);
      if (channel.type === 'ECG') drawBeats(context, beats.beats, scale, topPx + 8, colors);
      topPx += electricPx;
    }
    if (hasBeats(electric)) {
      for (const piece of beats.quality) drawQuality(context, piece, scale, topPx + 5, QUALITY_PX - 8, colors);
      topPx += QUALITY_PX;
    }
    for (const channel of motion) {
      drawMotion(frame, picture, channel, topPx);
      topPx += motionPx;
    }
    drawLabels(context, labels, scale, topPx, colors('label'), colors('surface'), colors('task'));
    drawAxis(context, scale, view.lengthMs, model.extent.startMs, clockOf, colors('text-muted'), colors('line'));
    const interval = spanOf(calipers);
    if (isMarching && interval)
      for (const ms of marchTimes(interval, scale.startMs, scale.stopMs))
        drawVertical(context, ms, scale, height, colors('caliper'), [2, 4]);
    for (const ms of [calipers.startMs, calipers.stopMs])
      if (ms !== null) drawVertical(context, ms, scale, height, colors('caliper'), []);
    if (interval) shade(frame, interval, height);
    if (cursorMs !== null) drawVertical(context, cursorMs, scale, height, colors('text-faint'), [4, 3]);
  };
}

function drawElectric(frame: Frame, picture: DetailPicture, channel: OverviewChannel, topPx: number): void {
  const { context, scale, colors, span, isRaw, pieces } = frame;
  const { model, electricPx, pxPerMm, gapWords, nameOf } = picture;
  const { gain } = model.state.get();
  const parts = isRaw ? model.parts(channel.type, span).parts : [];
  const [low, high] = rangeOf(parts, span);
  const pxPerMv = (gain === 'auto' ? autoGain(low, high, electricPx, pxPerMm) : gain) * pxPerMm;
  const middleMv = gain === 'auto' ? (low + high) / 2 : 0;
  const place: LanePlace = {
    topPx,
    heightPx: electricPx,
    zeroPx: topPx + electricPx * (gain === 'auto' ? 0.5 : 0.58) + middleMv * pxPerMv,
    pxPerUnit: pxPerMv,
  };
  const pxPerMs = scale.widthPx / (scale.stopMs - scale.startMs);
  clip(context, place, scale.widthPx);
  drawPaper(context, scale, place, gridOf(pxPerMs, pxPerMv), colors);
  if (isRaw) drawTrace(context, parts, 0, scale, place, colors('trace'));
  for (const piece of pieces) {
    const envelope = piece.find(({ type }) => type === channel.type);
    if (envelope) drawEnvelope(context, envelope, envelope.dimensions[0], 1000, scale, place, colors('envelope'));
  }
  for (const gap of channel.gaps) drawGap(context, gap, gapWords(gap.startTs, gap.stopTs), scale, place, colors);
  drawPulse(context, pxPerMs, place, colors);
  context.restore();
  laneName(context, nameOf(channel), '', [], topPx + 12, scale.widthPx, colors);
}

function drawMotion(frame: Frame, picture: DetailPicture, channel: OverviewChannel, topPx: number): void {
  const { context, scale, colors, span, isRaw, pieces } = frame;
  const { model, motionPx, nameOf } = picture;
  const width = scale.widthPx;
  const range = MOTION_RANGE[channel.type] ?? peakOf(channel);
  const place: LanePlace = {
    topPx,
    heightPx: motionPx,
    zeroPx: topPx + motionPx / 2,
    pxPerUnit: motionPx / 2 / range,
  };
  clip(context, place, width);
  context.strokeStyle = colors('line-soft');
  context.beginPath();
  for (const level of [-0.5, 0, 0.5]) {
    const y = Math.round(place.zeroPx - level * range * place.pxPerUnit) + 0.5;
    context.moveTo(0, y);
    context.lineTo(width, y);
  }
  context.stroke();
  const parts = isRaw ? model.parts(channel.type, span).parts : [];
  const named = channel.dimensions.map((name, d) => ({ name, color: colors(AXIS_COLORS[d % AXIS_COLORS.length]) }));
  for (const [d, { name, color }] of named.entries()) {
    if (isRaw) {
      drawTrace(context, parts, d, scale, place, color);
      continue;
    }
    context.globalAlpha = 0.6;
    for (const piece of pieces) {
      const envelope = piece.find(({ type }) => type === channel.type);
      if (envelope) drawEnvelope(context, envelope, name, 1, scale, place, color);
    }
    context.globalAlpha = 1;
  }
  for (const gap of channel.gaps) drawGap(context, gap, '', scale, place, colors);
  context.restore();
  laneName(context, nameOf(channel), `±${range}`, named, topPx + 12, width, colors);
  context.strokeStyle = colors('line');
  context.strokeRect(-1, topPx + 0.5, width + 2, 0);
}

function shade(
  { context, scale, colors }: Frame,
  interval: { startMs: number; stopMs: number },
  heightPx: number,
): void {
  const left = Math.max(0, toPx(scale, interval.startMs));
  const right = Math.min(scale.widthPx, toPx(scale, interval.stopMs));
  if (right <= left) return;
  context.globalAlpha = 0.1;
  context.fillStyle = colors('caliper');
  context.fillRect(left, AXIS_PX, right - left, heightPx - AXIS_PX);
  context.globalAlpha = 1;
}

function clip(context: Context, place: LanePlace, widthPx: number): void {
  context.save();
  context.beginPath();
  context.rect(0, place.topPx, widthPx, place.heightPx);
  context.clip();
}

/** Lowest and highest value of the samples in view; a millivolt around zero where there are none. */
function rangeOf(
  parts: readonly { timesMs: Float64Array; values: Float32Array[] }[],
  window: { startMs: number; stopMs: number },
) {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { timesMs, values } of parts)
    for (let i = 0; i < timesMs.length; i++) {
      if (timesMs[i] < window.startMs || timesMs[i] > window.stopMs) continue;
      if (values[0][i] < low) low = values[0][i];
      if (values[0][i] > high) high = values[0][i];
    }
  return low <= high ? [low, high] : [-0.5, 0.5];
}

/** Full scale of a channel of an unknown kind: its greatest value. */
function peakOf(channel: {
  minima: Record<string, (number | null)[]>;
  maxima: Record<string, (number | null)[]>;
}): number {
  let peak = 1e-9;
  for (const values of [...Object.values(channel.minima), ...Object.values(channel.maxima)])
    for (const value of values) if (value !== null && Math.abs(value) > peak) peak = Math.abs(value);
  return Number(peak.toPrecision(2));
}

/** A lane's name, range and dimensions on a plate at its right end, so that no trace runs through them. */
function laneName(
  context: Context,
  name: string,
  range: string,
  dimensions: readonly { name: string; color: string }[],
  yPx: number,
  widthPx: number,
  colors: (name: 'surface' | 'text') => string,
): void {
  context.font = `600 ${FONT}`;
  context.textBaseline = 'middle';
  const text = [name, range].filter(Boolean).join(' ');
  const textPx = context.measureText(text).width;
  const width = textPx + dimensions.length * 16 + 16;
  context.fillStyle = colors('surface');
  context.globalAlpha = 0.85;
  context.fillRect(widthPx - width, yPx - 9, width, 18);
  context.globalAlpha = 1;
  context.fillStyle = colors('text');
  let x = widthPx - width + 8;
  context.fillText(text, x, yPx);
  x += textPx + 8;
  for (const dimension of dimensions) {
    context.fillStyle = dimension.color;
    context.fillText(dimension.name, x, yPx);
    x += 16;
  }
}

function drawAxis(
  context: Context,
  scale: TimeScale,
  lengthMs: number,
  originMs: number,
  clockOf: { precise: (ms: number) => string; plain: (ms: number) => string },
  textColor: string,
  lineColor: string,
): void {
  const { stepMs, times } = tickTimes(scale, scale.widthPx, 92);
  context.font = FONT;
  context.textBaseline = 'middle';
  context.strokeStyle = lineColor;
  context.fillStyle = textColor;
  context.beginPath();
  for (const ms of times) {
    const x = Math.round(toPx(scale, ms)) + 0.5;
    context.moveTo(x, AXIS_PX - 5);
    context.lineTo(x, AXIS_PX);
    if (x > scale.widthPx - 60) continue;
    context.fillText(stepMs < 1000 ? clockOf.precise(ms) : clockOf.plain(ms), x + 3, 9);
    context.globalAlpha = 0.8;
    context.fillText(elapsedText(ms - originMs, Math.min(stepMs, lengthMs)), x + 3, 23);
    context.globalAlpha = 1;
  }
  context.moveTo(0, AXIS_PX - 0.5);
  context.lineTo(scale.widthPx, AXIS_PX - 0.5);
  context.stroke();
}

function drawLabels(
  context: Context,
  labels: readonly LabelItem[],
  scale: TimeScale,
  topPx: number,
  labelColor: string,
  ground: string,
  taskColor: string,
): void {
  context.font = `600 ${FONT}`;
  context.textBaseline = 'middle';
  for (const { startMs, stopMs, name, kind } of labels) {
    if (stopMs < scale.startMs || startMs > scale.stopMs) continue;
    const left = Math.max(0, toPx(scale, startMs));
    const width = Math.max(3, Math.min(scale.widthPx, toPx(scale, stopMs)) - left);
    context.fillStyle = kind === 'label' ? labelColor : taskColor;
    context.beginPath();
    context.roundRect(left, topPx + 2, width, LABELS_PX - 5, 3);
    context.fill();
    if (context.measureText(name).width + 10 > width) continue;
    context.fillStyle = ground;
    context.fillText(name, left + 5, topPx + 2 + (LABELS_PX - 5) / 2);
  }
}
