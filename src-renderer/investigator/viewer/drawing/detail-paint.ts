/** Draws the detail strip: lanes from top to bottom, below one time axis. */
import { holdsIntervals } from '../../../../src-server/vocabulary/channels.ts';
import type { SpanCorrectionKind } from '../../../../src-server/vocabulary/corrections.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import type { Applied } from '../corrections/overlay.ts';
import type { LabelItem } from '../data/labels.ts';
import { marchTimes, spanOf } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import { elapsedText, tickTimes } from './axis.ts';
import { drawCodes, drawEdits, drawExcluded, drawOriginals, EDIT_ROW_PX, editRows } from './corrections.ts';
import { Ground } from './ground.ts';
import {
  drawElectric,
  drawMotion,
  electricGround,
  electricPlace,
  FONT,
  type Frame,
  type LaneWords,
  motionGround,
  type SignalLane,
} from './lanes.ts';
import { drawBeats, drawQuality, drawVertical } from './paint.ts';
import { drawTachogram, tachogramGround } from './tachogram.ts';
import type { Paint } from './use-painting.ts';

const AXIS_PX = 34;
/** Room for the names of the two axis rows at the right end, and for the name of a mode beside them. */
const LABEL_PX = 118;
const MODE_PX = 90;
const QUALITY_PX = 22;
const LABELS_PX = 22;
/** Beats as they were detected, below the corrected ones. */
const ORIGINALS_PX = 20;

export interface DetailPicture {
  model: ViewerModel;
  /** From top to bottom; electric channels first. */
  lanes: readonly SignalLane[];
  pxPerMm: number;
  showsMagnitude: boolean;
  /** Undefined where the lane of labels is hidden. */
  labels: readonly LabelItem[] | undefined;
  clockOf: { precise: (ms: number) => string; plain: (ms: number) => string };
  words: LaneWords;
  /** Sleep and wear that people corrected, and their names. */
  edits: readonly Applied[];
  editName: (kind: SpanCorrectionKind) => string;
}

const isEcg = ({ channel }: SignalLane) => channel.type === 'ECG';

/** Where the lanes begin: below the axis and the bands of what people corrected. */
export const lanesTop = ({ edits }: Pick<DetailPicture, 'edits'>): number =>
  AXIS_PX + EDIT_ROW_PX * editRows(edits).length;

/** Height of the strip with all its lanes. */
export function detailHeight({ lanes, labels, edits }: Pick<DetailPicture, 'edits' | 'labels' | 'lanes'>): number {
  const signalsPx = lanes.reduce((sum, lane) => sum + lane.heightPx, 0);
  return lanesTop({ edits }) + signalsPx + lanes.filter(isEcg).length * QUALITY_PX + (labels ? LABELS_PX : 0);
}

/** Where each lane begins: electric ones first, below the axis, each ECG with its quality. */
function topsOf(
  electric: readonly SignalLane[],
  motion: readonly SignalLane[],
  firstPx: number,
): Map<SignalLane, number> {
  let topPx = firstPx;
  return new Map(
    [...electric, ...motion].map((lane) => {
      const own = topPx;
      topPx += lane.heightPx + (lane.isElectric && isEcg(lane) ? QUALITY_PX : 0);
      return [lane, own] as const;
    }),
  );
}

export function detailPaint(picture: DetailPicture): Paint {
  const { model, lanes, labels, clockOf, pxPerMm, showsMagnitude, words, edits, editName } = picture;
  const rows = editRows(edits);
  const ground = new Ground();
  const electric = lanes.filter(({ isElectric }) => isElectric);
  const motion = lanes.filter(({ isElectric }) => !isElectric);
  const tops = topsOf(electric, motion, lanesTop(picture));
  return (context, width, height, colors, ratio) => {
    const state = model.state.get();
    const { view, calipers, isMarching } = state;
    const scale: TimeScale = { startMs: view.startMs, stopMs: view.startMs + view.lengthMs, widthPx: width };
    const isRaw = model.isRaw();
    const frame: Frame = {
      ...{ context, scale, view: scale, colors, ratio, model, state, isRaw, pxPerMm, showsMagnitude, words },
    };
    const gains = electric.map((lane) => electricPlace(model, lane, 0, pxPerMm)).map((one) => [one.zeroPx, one.gain]);
    const key = [view.lengthMs, state.rangeG, state.filter, isRaw, model.arrivals.get(), ...gains.flat()].join(' ');
    ground.draw(context, scale, { heightPx: height, ratio, key, colors }, (partContext, part) => {
      const partFrame = { ...frame, context: partContext, scale: part };
      for (const lane of electric) electricGround(partFrame, lane, tops.get(lane)!);
      for (const lane of motion)
        (holdsIntervals(lane.channel) ? tachogramGround : motionGround)(partFrame, lane, tops.get(lane)!);
    });
    for (const lane of electric) {
      const topPx = tops.get(lane)!;
      drawElectric(frame, lane, topPx);
      if (!isEcg(lane) || !isRaw) continue;
      const { beats, quality, gone, excluded } = lane.sensor.beats(scale);
      for (const span of excluded) drawExcluded(context, span, scale, topPx, lane.heightPx, colors);
      drawOriginals(context, beats, gone, scale, topPx + ORIGINALS_PX, colors);
      drawBeats(context, beats, scale, topPx + 8, colors);
      drawCodes(context, beats, scale, topPx + 8, colors);
      for (const chunk of quality)
        drawQuality(context, chunk, scale, topPx + lane.heightPx + 5, QUALITY_PX - 8, colors);
    }
    for (const lane of motion)
      (holdsIntervals(lane.channel) ? drawTachogram : drawMotion)(frame, lane, tops.get(lane)!);
    if (labels) drawLabels(frame, labels, detailHeight({ lanes, labels: undefined, edits }));
    for (const [i, row] of rows.entries())
      drawEdits(context, row, editName, scale, AXIS_PX + i * EDIT_ROW_PX + 1, EDIT_ROW_PX - 2, colors);
    drawAxis(frame, model.extent.startMs, clockOf);
    const interval = spanOf(calipers);
    if (!isMarching || !interval) return;
    for (const ms of marchTimes(interval, scale.startMs, scale.stopMs))
      drawVertical(context, ms, scale, height, colors('caliper'), [2, 4]);
  };
}

function drawAxis(
  { context, scale, colors, state }: Frame,
  originMs: number,
  clockOf: { precise: (ms: number) => string; plain: (ms: number) => string },
): void {
  const { stepMs, times } = tickTimes(scale, scale.widthPx, 92);
  context.font = FONT;
  context.textBaseline = 'middle';
  context.fillStyle = colors('line');
  context.fillRect(0, AXIS_PX - 1, scale.widthPx, 1);
  for (const ms of times) context.fillRect(Math.round(toPx(scale, ms)), AXIS_PX - 5, 1, 5);
  for (const ms of times) {
    const x = Math.round(toPx(scale, ms)) + 3;
    if (x > scale.widthPx - (state.mode === 'view' ? LABEL_PX : LABEL_PX + MODE_PX)) continue;
    context.fillStyle = colors('text-muted');
    context.fillText(stepMs < 1000 ? clockOf.precise(ms) : clockOf.plain(ms), x, 9);
    context.fillStyle = colors('text-faint');
    context.fillText(elapsedText(ms - originMs, stepMs), x, 23);
  }
}

function drawLabels({ context, scale, colors }: Frame, labels: readonly LabelItem[], topPx: number): void {
  context.font = `600 ${FONT}`;
  context.textBaseline = 'middle';
  for (const { startMs, stopMs, name, kind } of labels) {
    if (stopMs < scale.startMs || startMs > scale.stopMs) continue;
    const left = Math.max(0, toPx(scale, startMs));
    const width = Math.max(3, Math.min(scale.widthPx, toPx(scale, stopMs)) - left);
    context.fillStyle = colors(kind === 'label' ? 'label' : 'task');
    context.beginPath();
    context.roundRect(left, topPx + 2, width, LABELS_PX - 5, 3);
    context.fill();
    if (context.measureText(name).width + 10 > width) continue;
    context.fillStyle = colors('surface');
    context.fillText(name, left + 5, topPx + 2 + (LABELS_PX - 5) / 2);
  }
}
