/** Draws one lane of the detail strip: an electric channel on millimetre paper, or motion on a plain background. */

import type { OverviewChannel } from '../../../../src-server/api/contract/index.ts';
import { CANVAS_FACES } from '../../../shared/charts/fonts.ts';
import type { TimeScale } from '../../../shared/charts/scale.ts';
import type { ViewerModel, ViewerState } from '../data/model.ts';
import type { ChannelSamples } from '../data/samples.ts';
import type { Sensor } from '../data/sensor.ts';
import { autoGain, gridOf, speedOf } from './grid.ts';
import {
  drawClipping,
  drawEnvelope,
  drawEnvelopeClipping,
  drawGap,
  drawPaper,
  drawPending,
  drawPulse,
  drawTrace,
  type LanePlace,
  shareOfBinsOutside,
  shareOutside,
} from './paint.ts';
import type { Paint } from './use-painting.ts';

/** Colour of the n-th dimension; a fourth one starts over. */
const axisColor = (dimension: number) => (['axis-x', 'axis-y', 'axis-z'] as const)[dimension % 3]!;
/** Full scale of rotation lanes above and below zero, degrees per second. */
const ROTATION_RANGE = 250;
/** Position of zero in an electric lane, from its top, as a share of its height: R peaks need more room above. */
const ZERO_SHARE = 0.58;
export const FONT = `11px ${CANVAS_FACES}`;

export interface SignalLane {
  /** The same in every recording, so that the choice of lanes can be stored. */
  id: string;
  sensor: Sensor;
  channel: OverviewChannel;
  /** Name with the unit. */
  name: string;
  isElectric: boolean;
  heightPx: number;
}

export interface LaneWords {
  loading: string;
  failed: string;
  magnitude: string;
  /** For a lane whose trace lies outside of it for the most part. */
  outOfRange: string;
  /** Paper speed and gain as printed on the strip; the speed is undefined where it is not a standard one. */
  scale: (mmPerS: number | undefined, mmPerMv: number, isAuto: boolean) => string;
  /** Cause and length of a gap, from the longest wording to the shortest. */
  gap: (sensor: Sensor, startMs: number, stopMs: number) => readonly string[];
  /** For a span whose samples are missing in the file, from the longest wording to the shortest. */
  lost: (startMs: number, stopMs: number) => readonly string[];
}

const MV_PER_V = 1000;
/** Share of the samples in view beyond which a lane says that its signal is out of range. */
const MOSTLY = 0.5;

/** What drawing one frame needs. */
export interface Frame {
  context: CanvasRenderingContext2D;
  /** What is drawn: the view, or a part of it. */
  scale: TimeScale;
  view: TimeScale;
  colors: Parameters<Paint>[3];
  ratio: number;
  model: ViewerModel;
  state: ViewerState;
  isRaw: boolean;
  pxPerMm: number;
  showsMagnitude: boolean;
  words: LaneWords;
}

type Context = CanvasRenderingContext2D;

/** Vertical scale of an electric lane; `gain` is in mm/mV. */
export function electricPlace(
  model: ViewerModel,
  lane: Pick<SignalLane, 'sensor' | 'channel' | 'heightPx'>,
  topPx: number,
  pxPerMm: number,
): LanePlace & { gain: number } {
  const { gain } = model.state.get();
  const { heightPx } = lane;
  if (gain !== 'auto')
    return { topPx, heightPx, zeroPx: topPx + heightPx * ZERO_SHARE, pxPerUnit: gain * pxPerMm, gain };
  const [low, high] = rangeOf(model.isRaw() ? model.runs(lane.sensor, lane.channel.type, model.span) : [], model.span);
  const fitted = autoGain(low, high, heightPx, pxPerMm);
  const pxPerUnit = fitted * pxPerMm;
  return { topPx, heightPx, zeroPx: topPx + heightPx / 2 + ((low + high) / 2) * pxPerUnit, pxPerUnit, gain: fitted };
}

/** What of an electric lane moves with the view: paper and trace. */
export function electricGround(frame: Frame, lane: SignalLane, topPx: number): void {
  const { context, scale, view, colors, ratio, isRaw, model, pxPerMm } = frame;
  const { sensor, channel } = lane;
  const place = electricPlace(model, lane, topPx, pxPerMm);
  clip(context, place, scale.widthPx);
  drawPaper(context, scale, place, gridOf(pxPerMsOf(view), place.pxPerUnit), colors, ratio);
  if (isRaw) {
    const runs = model.runs(sensor, channel.type, view);
    drawTrace(context, runs, 0, scale, place, colors('trace'));
    drawClipping(context, runs, scale, place, colors('fault'));
  } else {
    for (const chunk of sensor.envelope(view)) {
      const envelope = chunk.find(({ type }) => type === channel.type);
      if (envelope)
        drawEnvelope(context, envelope, envelope.dimensions[0] ?? '', MV_PER_V, scale, place, colors('envelope'));
    }
  }
  context.restore();
}

/** What stands over the ground of an electric lane. */
export function drawElectric(frame: Frame, lane: SignalLane, topPx: number): void {
  const { context, scale, colors, isRaw, model, words, pxPerMm } = frame;
  const { channel } = lane;
  const place = electricPlace(model, lane, topPx, pxPerMm);
  clip(context, place, scale.widthPx);
  if (isRaw) drawWaiting(frame, lane, place);
  drawGaps(frame, lane, place);
  const startsInGap = channel.gaps.some(({ startTs, stopTs }) => startTs <= scale.startMs && stopTs > scale.startMs);
  if (!startsInGap) drawPulse(context, pxPerMsOf(scale), place, colors);
  const { standard } = speedOf(scale.widthPx, scale.stopMs - scale.startMs, pxPerMm);
  plate(frame, words.scale(standard, place.gain, frame.state.gain === 'auto'), 6, place);
  if (shareOutOfRange(frame, lane, place) > MOSTLY)
    plate(frame, words.outOfRange, (scale.widthPx - widthOf(context, words.outOfRange)) / 2, place);
  context.restore();
  // At the bottom, because the beat marks run along the top.
  laneName(frame, lane.name, '', [], topPx + lane.heightPx - 10);
}

/** Share of what an electric lane shows, samples or bins, that it has no room for. */
function shareOutOfRange({ scale, isRaw, model }: Frame, { sensor, channel }: SignalLane, place: LanePlace): number {
  if (isRaw) return shareOutside(model.runs(sensor, channel.type, scale), scale, place);
  const envelopes = sensor.envelope(scale).flatMap((chunk) => chunk.find(({ type }) => type === channel.type) ?? []);
  return shareOfBinsOutside(envelopes, channel.dimensions[0] ?? '', MV_PER_V, scale, place);
}

const pxPerMsOf = ({ startMs, stopMs, widthPx }: TimeScale) => widthPx / (stopMs - startMs);

function motionPlace(frame: Frame, { channel, heightPx }: SignalLane, topPx: number): LanePlace & { range: number } {
  const range = rangeOfMotion(channel, frame.state.rangeG);
  return { topPx, heightPx, zeroPx: topPx + heightPx / 2, pxPerUnit: heightPx / 2 / range, range };
}

/** The traces of a motion lane with their colours; the last may be the length of the vector. */
function motionNames({ colors, isRaw, showsMagnitude, words }: Frame, { channel }: SignalLane) {
  const named = channel.dimensions.map((name, d) => ({ name, color: colors(axisColor(d)) }));
  const withLength = isRaw && showsMagnitude && channel.dimensions.length > 1;
  return { named, length: withLength ? { name: words.magnitude, color: colors('text') } : undefined };
}

/** What of a motion lane moves with the view. */
export function motionGround(frame: Frame, lane: SignalLane, topPx: number): void {
  const { context, scale, view, colors, isRaw, model } = frame;
  const { sensor, channel, heightPx } = lane;
  const place = motionPlace(frame, lane, topPx);
  clip(context, place, scale.widthPx);
  context.fillStyle = colors('line-soft');
  for (const level of [-0.5, 0, 0.5])
    context.fillRect(0, Math.round(place.zeroPx - level * (heightPx / 2)), scale.widthPx, 1);
  const { named, length } = motionNames(frame, lane);
  if (isRaw) {
    const runs = model.runs(sensor, channel.type, view);
    for (const [d, { color }] of named.entries()) drawTrace(context, runs, d, scale, place, color);
    drawClipping(context, runs, scale, place, colors('fault'));
    if (length) drawTrace(context, runs.map(magnitudeOf), 0, scale, place, length.color);
  } else {
    context.globalAlpha = 0.6;
    const envelopes = sensor.envelope(view).flatMap((chunk) => chunk.find(({ type }) => type === channel.type) ?? []);
    for (const envelope of envelopes)
      for (const { name, color } of named) drawEnvelope(context, envelope, name, 1, scale, place, color);
    context.globalAlpha = 1;
    for (const envelope of envelopes)
      drawEnvelopeClipping(context, envelope, place.range, scale, place, colors('fault'));
  }
  context.restore();
}

/** What stands over the ground of a motion lane. */
export function drawMotion(frame: Frame, lane: SignalLane, topPx: number): void {
  const { context, scale, colors, isRaw } = frame;
  const place = motionPlace(frame, lane, topPx);
  clip(context, place, scale.widthPx);
  if (isRaw) drawWaiting(frame, lane, place);
  drawGaps(frame, lane, place);
  context.restore();
  const { named, length } = motionNames(frame, lane);
  laneName(frame, lane.name, `±${place.range}`, length ? [...named, length] : named, topPx + 12);
  context.fillStyle = colors('line');
  context.fillRect(0, topPx, scale.widthPx, 1);
}

const magnitudes = new WeakMap<ChannelSamples, ChannelSamples>();

/** Length of the vector as a channel of one dimension, computed once for each run. */
function magnitudeOf(run: ChannelSamples): ChannelSamples {
  let known = magnitudes.get(run);
  if (!known) {
    const { timesMs, values, periodMs } = run;
    const length = Float32Array.from(timesMs, (_, i) => Math.hypot(...values.map((column) => column[i]!)));
    known = { timesMs, values: [length], periodMs };
    magnitudes.set(run, known);
  }
  return known;
}

export function drawGaps(frame: Frame, { sensor, channel }: SignalLane, place: LanePlace): void {
  const { context, scale, colors, words, model, isRaw } = frame;
  for (const gap of channel.gaps) {
    if (gap.stopTs < scale.startMs || gap.startTs > scale.stopMs) continue;
    drawGap(context, gap, words.gap(sensor, gap.startTs, gap.stopTs), scale, place, colors);
  }
  for (const { startMs, stopMs } of isRaw ? model.lostSpans(sensor, channel, scale) : [])
    drawGap(context, { startTs: startMs, stopTs: stopMs }, words.lost(startMs, stopMs), scale, place, colors);
}

export function drawWaiting(
  { context, scale, colors, model, words }: Frame,
  { sensor }: SignalLane,
  place: LanePlace,
): void {
  for (const { startMs, stopMs } of sensor.samples.missing(scale, model.extent)) {
    const within = { startMs: Math.max(startMs, model.extent.startMs), stopMs: Math.min(stopMs, model.extent.stopMs) };
    drawPending(context, within, sensor.error ? words.failed : words.loading, scale, place, colors);
  }
}

export function clip(context: Context, place: LanePlace, widthPx: number): void {
  context.save();
  context.beginPath();
  context.rect(0, place.topPx, widthPx, place.heightPx);
  context.clip();
}

/** Full scale above and below zero: the chosen one for acceleration, the peak value for a channel of an unknown type. */
function rangeOfMotion(channel: OverviewChannel, rangeG: number): number {
  if (channel.type === 'ACCEL') return rangeG;
  return channel.type === 'GYRO' ? ROTATION_RANGE : peakOf(channel);
}

/** Lowest and highest value of the samples in view; half a millivolt on each side of zero without samples. */
function rangeOf(runs: readonly ChannelSamples[], window: { startMs: number; stopMs: number }): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { timesMs, values } of runs)
    for (let i = 0; i < timesMs.length; i++) {
      if (timesMs[i]! < window.startMs || timesMs[i]! > window.stopMs) continue;
      if (values[0]![i]! < low) low = values[0]![i]!;
      if (values[0]![i]! > high) high = values[0]![i]!;
    }
  return low <= high ? [low, high] : [-0.5, 0.5];
}

function peakOf({ minima, maxima }: OverviewChannel): number {
  let peak = 1e-9;
  for (const values of [...Object.values(minima), ...Object.values(maxima)])
    for (const value of values) if (value !== null && Math.abs(value) > peak) peak = Math.abs(value);
  return Number(peak.toPrecision(2));
}

/** Text widths by font and text: measuring a text costs as much as drawing it. */
const widths = new Map<string, number>();

function widthOf(context: Context, text: string): number {
  const key = `${context.font} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 500) widths.clear();
    width = context.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** Prints a text on an opaque plate at the bottom of a lane. */
function plate({ context, colors }: Frame, text: string, xPx: number, place: LanePlace): void {
  context.font = FONT;
  context.textBaseline = 'middle';
  const width = widthOf(context, text);
  const y = place.topPx + place.heightPx - 10;
  context.fillStyle = colors('surface');
  context.globalAlpha = 0.85;
  context.fillRect(xPx - 4, y - 8, width + 8, 16);
  context.globalAlpha = 1;
  context.fillStyle = colors('text-muted');
  context.fillText(text, xPx, y);
}

/** Prints a lane's name, range and dimensions on an opaque plate at its right end, so that no trace crosses them. */
export function laneName(
  { context, scale: { widthPx }, colors }: Frame,
  name: string,
  range: string,
  dimensions: readonly { name: string; color: string }[],
  yPx: number,
): void {
  context.font = `600 ${FONT}`;
  context.textBaseline = 'middle';
  const text = [name, range].filter(Boolean).join(' ');
  const textPx = widthOf(context, text);
  const dimensionPx = dimensions.map((dimension) => widthOf(context, dimension.name) + 9);
  const width = textPx + dimensionPx.reduce((sum, px) => sum + px, 0) + 16;
  context.fillStyle = colors('surface');
  context.globalAlpha = 0.85;
  context.fillRect(widthPx - width, yPx - 9, width, 18);
  context.globalAlpha = 1;
  context.fillStyle = colors('text');
  let x = widthPx - width + 8;
  context.fillText(text, x, yPx);
  x += textPx + 8;
  for (const [i, dimension] of dimensions.entries()) {
    context.fillStyle = dimension.color;
    context.fillText(dimension.name, x, yPx);
    x += dimensionPx[i]!;
  }
}
