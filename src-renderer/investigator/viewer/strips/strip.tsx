/** A narrow strip above the detail: the envelope of a longer stretch, with the detail's window on it to drag. */
import { type KeyboardEvent, type PointerEvent, useCallback, useRef } from 'react';
import type { Band } from '../../../shared/charts/bands.ts';
import { drawBands } from '../../../shared/charts/draw.ts';
import { type TimeScale, toMs, toPx } from '../../../shared/charts/scale.ts';
import { useWidth } from '../../../shared/charts/use-width.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { useSelected } from '../../../shared/store.ts';
import { useIsLowWindow } from '../../../shared/window-size.ts';
import type { Activity } from '../../days/lanes/day-data.ts';
import { ACTIVITY_STYLES } from '../../days/lanes/lane-styles.ts';
import type { LabelItem } from '../data/labels.ts';
import type { ViewerModel } from '../data/model.ts';
import { tickTimes } from '../drawing/axis.ts';
import { drawEnvelope, drawGap } from '../drawing/paint.ts';
import { type Paint, usePainting } from '../drawing/use-painting.ts';
import type { GapWords } from '../use-gap-words.ts';
import { CONTEXT_MS, type DetailView, type Extent, movedBy, placed } from '../view.ts';
import styles from '../viewer.module.css';
import { StripMarks } from './strip-marks.tsx';

const AXIS_PX = 16;
/** Of a strip in a low window, so that the detail below has room. */
const LOW_STRIP_PX = 40;
const EDGE_PX = 8;
const ACTIVITY_PX = 12;
/** Room of the strip's name at its right end, and of the clock before it. */
const NAME_PX = 160;
const FONT = '10px system-ui, "Noto Sans CJK JP", sans-serif';

const NO_ACTIVITY: readonly Band<Activity | 'unknown'>[] = [];

/** What the strip shows: the whole recording, or ten minutes around the detail. */
export function stripWindow(kind: 'whole' | 'context', view: DetailView, extent: Extent): Extent {
  if (kind === 'whole') return extent;
  const lengthMs = Math.min(Math.max(CONTEXT_MS, view.lengthMs * 4), extent.stopMs - extent.startMs);
  const middleMs = view.startMs + view.lengthMs / 2;
  // Moves in steps of a quarter, so that the strip stays still while the detail pans within it.
  const quarter = lengthMs / 4;
  const placedMs = Math.round((middleMs - lengthMs / 2) / quarter) * quarter;
  const { startMs } = placed({ startMs: placedMs, lengthMs }, extent);
  return { startMs, stopMs: startMs + lengthMs };
}

export function Strip({
  model,
  kind,
  labels,
  activity = NO_ACTIVITY,
  clock,
  gapWords,
}: {
  model: ViewerModel;
  kind: 'whole' | 'context';
  labels: readonly LabelItem[];
  /** What the person did meanwhile, as a band below the envelope. */
  activity?: readonly Band<Activity | 'unknown'>[];
  clock: (ms: number) => string;
  gapWords: GapWords;
}) {
  const { t } = useWords();
  const [frame, widthPx] = useWidth();
  const bandPx = activity.length > 0 ? ACTIVITY_PX : 0;
  const isLow = useIsLowWindow();
  const heightPx = (isLow ? LOW_STRIP_PX : kind === 'whole' ? 58 : 66) + bandPx;
  const channel = model.sensor.lead ?? model.sensor.channels[0];
  const paint = useCallback<Paint>(
    (context, width, height, colors) => {
      const window = stripWindow(kind, model.state.get().view, model.extent);
      const scale: TimeScale = { ...window, widthPx: width };
      const place = bandPlace(channel, AXIS_PX, height - AXIS_PX - bandPx);
      const pieces = kind === 'whole' ? [model.overview.channels] : model.sensor.envelope(window);
      for (const piece of pieces) {
        const envelope = piece.find(({ type }) => type === channel?.type);
        if (envelope) drawEnvelope(context, envelope, envelope.dimensions[0], 1, scale, place, colors('envelope'));
      }
      for (const gap of channel?.gaps ?? [])
        drawGap(context, gap, gapWords.gap(model.sensor, gap.startTs, gap.stopTs), scale, place, colors);
      for (const { startMs, stopMs, kind: what } of labels) {
        const left = toPx(scale, startMs);
        context.fillStyle = colors(what === 'label' ? 'label' : 'task');
        context.fillRect(left, height - 4, Math.max(2, toPx(scale, stopMs) - left), 4);
      }
      if (bandPx > 0) {
        context.save();
        context.translate(0, height - bandPx - 4);
        drawBands(
          context,
          activity,
          (value) => ({ ...ACTIVITY_STYLES[value], level: 1, label: '' }),
          scale,
          bandPx,
          colors,
        );
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
    [model, kind, channel, labels, activity, bandPx, clock, gapWords],
  );
  const windowNow = useCallback(() => stripWindow(kind, model.state.get().view, model.extent), [model, kind]);
  const canvas = usePainting(model, widthPx, heightPx, paint, () => {
    if (kind === 'whole') return 0;
    const { startMs, stopMs } = windowNow();
    return `${startMs} ${stopMs} ${model.arrivals.get()}`;
  });
  const drag = useRef<{ mode: 'move' | 'start' | 'stop'; window: Extent; offsetMs: number } | null>(null);
  const startSecond = useSelected(model.state, (state) => Math.round(state.view.startMs / 1000));
  const name = t(kind === 'whole' ? 'viewer.whole' : 'viewer.context');

  function msOf(event: PointerEvent<HTMLElement>, window: Extent): number {
    const px = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return toMs({ ...window, widthPx }, Math.min(Math.max(px, 0), widthPx));
  }

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const { view } = model.state.get();
    const window = stripWindow(kind, view, model.extent);
    const ms = msOf(event, window);
    const edgeMs = (EDGE_PX / widthPx) * (window.stopMs - window.startMs);
    const stopMs = view.startMs + view.lengthMs;
    // A window narrower than its edges can only be moved.
    const hasEdges = view.lengthMs > 3 * edgeMs;
    if (hasEdges && Math.abs(ms - view.startMs) < edgeMs) drag.current = { mode: 'start', window, offsetMs: 0 };
    else if (hasEdges && Math.abs(ms - stopMs) < edgeMs) drag.current = { mode: 'stop', window, offsetMs: 0 };
    else {
      const isInside = ms >= view.startMs && ms <= stopMs;
      drag.current = { mode: 'move', window, offsetMs: isInside ? ms - view.startMs : view.lengthMs / 2 };
      if (!isInside) model.setView({ ...view, startMs: ms - view.lengthMs / 2 });
    }
  }

  function onPointerMove(event: PointerEvent<HTMLElement>) {
    const from = drag.current;
    if (!from) return;
    const ms = msOf(event, from.window);
    const { view } = model.state.get();
    const stopMs = view.startMs + view.lengthMs;
    if (from.mode === 'move') model.setView({ ...view, startMs: ms - from.offsetMs });
    else if (from.mode === 'start')
      model.setView({ startMs: Math.min(ms, stopMs - 500), lengthMs: stopMs - Math.min(ms, stopMs - 500) });
    else model.setView({ startMs: view.startMs, lengthMs: Math.max(500, ms - view.startMs) });
  }

  function onKeyDown(event: KeyboardEvent) {
    const { view } = model.state.get();
    const window = stripWindow(kind, view, model.extent);
    const step = (window.stopMs - window.startMs) / (event.shiftKey ? 10 : 100);
    if (event.key === 'ArrowLeft') model.setView(movedBy(view, model.extent, -step));
    else if (event.key === 'ArrowRight') model.setView(movedBy(view, model.extent, step));
    else if (event.key === 'Home') model.setView({ ...view, startMs: model.extent.startMs });
    else if (event.key === 'End') model.setView({ ...view, startMs: model.extent.stopMs });
    else return;
    event.preventDefault();
  }

  const end = () => {
    drag.current = null;
  };
  return (
    <div className={styles.strip}>
      <span className={styles.stripName}>{name}</span>
      <div className={styles.stripPlot} ref={frame} style={{ height: heightPx }}>
        <canvas ref={canvas} className={styles.canvas} />
        <StripMarks model={model} windowNow={windowNow} widthPx={widthPx} />
        <div
          role="slider"
          tabIndex={0}
          className={styles.surface}
          aria-label={t('viewer.windowOn', { strip: name })}
          aria-valuemin={Math.round(model.extent.startMs / 1000)}
          aria-valuemax={Math.round(model.extent.stopMs / 1000)}
          aria-valuenow={startSecond}
          aria-valuetext={clock(startSecond * 1000)}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={end}
          onPointerCancel={end}
          onKeyDown={onKeyDown}
        />
      </div>
    </div>
  );
}

/** A scale that fits the channel's whole range into a band. */
function bandPlace(
  channel:
    | { minima: Record<string, (number | null)[]>; maxima: Record<string, (number | null)[]>; dimensions: string[] }
    | undefined,
  topPx: number,
  heightPx: number,
) {
  const name = channel?.dimensions[0] ?? '';
  const lows = (channel?.minima[name] ?? []).filter((value) => value !== null).sort((a, b) => a - b);
  const highs = (channel?.maxima[name] ?? []).filter((value) => value !== null).sort((a, b) => a - b);
  // A few wild bins must not flatten the rest.
  const low = lows[Math.floor(lows.length * 0.02)] ?? -1;
  const high = highs[Math.ceil(highs.length * 0.98) - 1] ?? 1;
  const span = Math.max(high - low, 1e-9) * 1.15;
  const pxPerUnit = heightPx / span;
  return { topPx, heightPx, zeroPx: topPx + heightPx / 2 + ((high + low) / 2) * pxPerUnit, pxPerUnit };
}
