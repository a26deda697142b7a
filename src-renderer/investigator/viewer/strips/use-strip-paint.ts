/** Draws a strip above the detail: envelope, gaps, labels, the band of activities, and clock times. */

import { useCallback } from 'react';
import type { OverviewChannel } from '../../../../src-server/api/contract/index.ts';
import type { Band } from '../../../shared/charts/bands.ts';
import { drawBands } from '../../../shared/charts/draw.ts';
import { CANVAS_FACES } from '../../../shared/charts/fonts.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import type { Activity } from '../../days/lanes/day-data.ts';
import { ACTIVITY_STYLES } from '../../days/lanes/lane-styles.ts';
import type { Applied } from '../corrections/overlay.ts';
import type { LabelItem } from '../data/labels.ts';
import type { ViewerModel } from '../data/model.ts';
import { tickTimes } from '../drawing/axis.ts';
import { drawEdits, editRows } from '../drawing/corrections.ts';
import { drawEnvelope, drawGap, type LanePlace } from '../drawing/paint.ts';
import type { Paint } from '../drawing/use-painting.ts';
import type { GapWords } from '../use-gap-words.ts';
import { type StripKind, stripWindow } from './strip-window.ts';

const AXIS_PX = 16;
const EDIT_PX = 4;
/** Room for the name of the strip at its right end, and for the clock time before it. */
const NAME_PX = 160;
const FONT = `10px ${CANVAS_FACES}`;

export interface StripContent {
  model: ViewerModel;
  kind: StripKind;
  labels: readonly LabelItem[];
  /** Sleep and wear that people corrected: bars below the clock times. */
  edits: readonly Applied[];
  /** Activities as a band below the envelope; empty without one. */
  activity: readonly Band<Activity | 'unknown'>[];
  activityPx: number;
  clock: (ms: number) => string;
  gapWords: GapWords;
}

export function useStripPaint({
  model,
  kind,
  labels,
  edits,
  activity,
  activityPx,
  clock,
  gapWords,
}: StripContent): Paint {
  const channel = model.sensor.lead ?? model.sensor.channels[0];
  return useCallback<Paint>(
    (context, width, height, colors) => {
      const window = stripWindow(kind, model.state.get().view, model.extent);
      const scale: TimeScale = { ...window, widthPx: width };
      const place = envelopePlace(channel, AXIS_PX, height - AXIS_PX - activityPx);
      const chunks = kind === 'whole' ? [model.overview.channels] : model.sensor.envelope(window);
      for (const chunk of chunks) {
        const envelope = chunk.find(({ type }) => type === channel?.type);
        if (envelope)
          drawEnvelope(context, envelope, envelope.dimensions[0] ?? '', 1, scale, place, colors('envelope'));
      }
      for (const gap of channel?.gaps ?? [])
        drawGap(context, gap, gapWords.gap(model.sensor, gap.startTs, gap.stopTs), scale, place, colors);
      for (const [i, row] of editRows(edits).entries())
        drawEdits(context, row, () => '', scale, AXIS_PX + i * (EDIT_PX + 1), EDIT_PX, colors);
      for (const { startMs, stopMs, kind: labelKind } of labels) {
        const left = toPx(scale, startMs);
        context.fillStyle = colors(labelKind === 'label' ? 'label' : 'task');
        context.fillRect(left, height - 4, Math.max(2, toPx(scale, stopMs) - left), 4);
      }
      if (activityPx > 0) {
        context.save();
        context.translate(0, height - activityPx - 4);
        const styleOf = (value: Activity | 'unknown') => ({ ...ACTIVITY_STYLES[value], level: 1, label: '' });
        drawBands(context, activity, styleOf, scale, activityPx, colors);
        context.restore();
      }
      context.font = FONT;
      context.textBaseline = 'middle';
      context.fillStyle = colors('text-muted');
      for (const ms of tickTimes(window, width, 84).times) {
        const x = toPx(scale, ms);
        if (x < width - NAME_PX) context.fillText(clock(ms), x + 3, AXIS_PX / 2);
        context.fillRect(Math.round(x), 4, 1, AXIS_PX - 4);
      }
    },
    [model, kind, channel, labels, edits, activity, activityPx, clock, gapWords],
  );
}

/** A vertical scale that fits the range of a channel into the strip. */
function envelopePlace(
  channel: Pick<OverviewChannel, 'minima' | 'maxima' | 'dimensions'> | undefined,
  topPx: number,
  heightPx: number,
): LanePlace {
  const name = channel?.dimensions[0] ?? '';
  const lows = (channel?.minima[name] ?? []).filter((value) => value !== null).sort((a, b) => a - b);
  const highs = (channel?.maxima[name] ?? []).filter((value) => value !== null).sort((a, b) => a - b);
  // Percentiles, so that a few outliers do not flatten the rest.
  const low = lows[Math.floor(lows.length * 0.02)] ?? -1;
  const high = highs[Math.ceil(highs.length * 0.98) - 1] ?? 1;
  const span = Math.max(high - low, 1e-9) * 1.15;
  const pxPerUnit = heightPx / span;
  return { topPx, heightPx, zeroPx: topPx + heightPx / 2 + ((high + low) / 2) * pxPerUnit, pxPerUnit };
}
