/** The detail strip: paper, traces, beats, quality and labels of the stretch in view, with calipers and one cursor. */
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { type TimeScale, toMs, toPx } from '../../shared/charts/scale.ts';
import { useWidth } from '../../shared/charts/use-width.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { preferences } from '../../shared/preferences.ts';
import { useSelected, useStore } from '../../shared/store.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import { elapsedText, remembered, tickTimes } from './axis.ts';
import { CaliperHandle } from './caliper-handle.tsx';
import { autoGain, CSS_PX_PER_MM, gridOf } from './grid.ts';
import type { LabelItem } from './labels.ts';
import { marchTimes, spanOf } from './measure.ts';
import type { ViewerModel } from './model.ts';
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
import { isElectric } from './samples.ts';
import { type Paint, usePainting } from './use-painting.ts';
import { centredOn, DEFAULT_MS, movedBy, zoomedTo } from './view.ts';
import styles from './viewer.module.css';

const AXIS_PX = 34;
const QUALITY_PX = 22;
const LABELS_PX = 22;
const MOTION_PX = 92;
const FONT = '11px system-ui, "Noto Sans CJK JP", sans-serif';
const AXIS_COLORS = ['axis-x', 'axis-y', 'axis-z'] as const;
/** Full scale of a motion lane above and below zero. */
const MOTION_RANGE: Record<string, number> = { ACCEL: 2, GYRO: 250 };

export function Detail({
  model,
  labels,
  timeZone,
  gapWords,
  onLabelStep,
  onGain,
}: {
  model: ViewerModel;
  labels: readonly LabelItem[];
  timeZone: string;
  /** Words of a break: its length and what is known of it. */
  gapWords: (startMs: number, stopMs: number) => string;
  onLabelStep: (direction: -1 | 1) => void;
  onGain: (direction: -1 | 1) => void;
}) {
  const { t, format } = useWords();
  const [frame, widthPx] = useWidth();
  const [electric, motion] = useMemo(() => {
    const { channels } = model.overview;
    return [channels.filter(({ type }) => isElectric(type)), channels.filter(({ type }) => !isElectric(type))];
  }, [model]);
  const { pxPerMm: chosenPxPerMm } = useStore(preferences);
  const pxPerMm = chosenPxPerMm ?? CSS_PX_PER_MM;
  const isLabelling = useSelected(model.state, (state) => state.isLabelling);
  // A low window keeps strips and detail on one screen.
  const ecgPx = electric.length === 0 ? 0 : window.innerHeight < 760 ? 200 : 260;
  const hasBeats = model.channel('ECG') !== undefined;
  const motionPx = electric.length > 0 ? MOTION_PX : 150;
  const heightPx =
    AXIS_PX + ecgPx * electric.length + (hasBeats ? QUALITY_PX : 0) + motion.length * motionPx + LABELS_PX;
  const clockOf = useMemo(
    () => ({
      precise: remembered((ms) => preciseClock(ms, timeZone).clock.slice(0, 10)),
      plain: remembered((ms) => preciseClock(ms, timeZone).clock.slice(0, 8)),
    }),
    [timeZone],
  );

  const paint = useCallback<Paint>(
    (context, width, height, colors) => {
      const { view, gain, calipers, isMarching, cursorMs } = model.state.get();
      const scale: TimeScale = { startMs: view.startMs, stopMs: view.startMs + view.lengthMs, widthPx: width };
      const span = { startMs: scale.startMs, stopMs: scale.stopMs };
      const isRaw = model.isRaw();
      const pieces = isRaw ? [] : model.envelope(span);
      const beats = hasBeats && isRaw ? model.beats(span) : { beats: [], quality: [] };
      let topPx = AXIS_PX;

      for (const channel of electric) {
        const parts = isRaw ? model.parts(channel.type, span).parts : [];
        const [low, high] = rangeOf(parts, span);
        const mmPerMv = gain === 'auto' ? autoGain(low, high, ecgPx, pxPerMm) : gain;
        const pxPerMv = mmPerMv * pxPerMm;
        const middleMv = gain === 'auto' ? (low + high) / 2 : 0;
        const place: LanePlace = {
          topPx,
          heightPx: ecgPx,
          zeroPx: topPx + ecgPx * (gain === 'auto' ? 0.5 : 0.58) + middleMv * pxPerMv,
          pxPerUnit: pxPerMv,
        };
        clip(context, place, width);
        drawPaper(context, scale, place, gridOf(width / view.lengthMs, pxPerMv), colors);
        if (isRaw) drawTrace(context, parts, 0, scale, place, colors('trace'));
        for (const piece of pieces) {
          const envelope = piece.find(({ type }) => type === channel.type);
          if (envelope) drawEnvelope(context, envelope, envelope.dimensions[0], 1000, scale, place, colors('envelope'));
        }
        for (const gap of channel.gaps) drawGap(context, gap, gapWords(gap.startTs, gap.stopTs), scale, place, colors);
        drawPulse(context, width / view.lengthMs, place, colors);
        drawBeats(context, beats.beats, scale, topPx + 8, colors);
        context.restore();
        laneName(
          context,
          channel.type === 'ECG' ? t('viewer.ecgMv') : `${channel.type} (mV)`,
          topPx + 12,
          width,
          colors,
        );
        topPx += ecgPx;
      }
      if (hasBeats) {
        for (const piece of beats.quality) drawQuality(context, piece, scale, topPx + 5, QUALITY_PX - 8, colors);
        topPx += QUALITY_PX;
      }
      for (const channel of motion) {
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
        for (const [d, name] of channel.dimensions.entries()) {
          const color = colors(AXIS_COLORS[d % AXIS_COLORS.length]);
          if (isRaw) drawTrace(context, parts, d, scale, place, color);
          else
            for (const piece of pieces) {
              const envelope = piece.find(({ type }) => type === channel.type);
              context.globalAlpha = 0.6;
              if (envelope) drawEnvelope(context, envelope, name, 1, scale, place, color);
              context.globalAlpha = 1;
            }
        }
        for (const gap of channel.gaps) drawGap(context, gap, '', scale, place, colors);
        context.restore();
        const names = channel.dimensions.map((name, d) => ({
          name,
          color: colors(AXIS_COLORS[d % AXIS_COLORS.length]),
        }));
        motionName(context, `${channel.type} (${channel.unit})`, `±${range}`, names, topPx + 12, width, colors);
        context.strokeStyle = colors('line');
        context.strokeRect(-1, topPx + 0.5, width + 2, 0);
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
      if (interval) {
        const left = Math.max(0, toPx(scale, interval.startMs));
        const right = Math.min(width, toPx(scale, interval.stopMs));
        if (right > left) {
          context.globalAlpha = 0.1;
          context.fillStyle = colors('caliper');
          context.fillRect(left, AXIS_PX, right - left, height - AXIS_PX);
          context.globalAlpha = 1;
        }
      }
      if (cursorMs !== null) drawVertical(context, cursorMs, scale, height, colors('text-faint'), [4, 3]);
    },
    [model, electric, motion, ecgPx, motionPx, hasBeats, pxPerMm, labels, clockOf, gapWords, t],
  );
  const canvas = usePainting(model, widthPx, heightPx, paint);

  const surface = useRef<HTMLDivElement>(null);
  useWheel(surface, model, widthPx);
  const drag = useRef<{ px: number; startMs: number; fromMs: number } | null>(null);
  const scaleNow = (): TimeScale => {
    const { view } = model.state.get();
    return { startMs: view.startMs, stopMs: view.startMs + view.lengthMs, widthPx };
  };
  const pxOf = (event: PointerEvent<HTMLElement>) => event.clientX - event.currentTarget.getBoundingClientRect().left;

  function onKeyDown(event: KeyboardEvent) {
    if (event.metaKey || event.altKey) return;
    const { view } = model.state.get();
    const move = (ms: number) => model.setView(movedBy(view, model.extent, ms));
    switch (event.key) {
      case 'ArrowLeft':
      case 'ArrowRight': {
        const direction = event.key === 'ArrowLeft' ? -1 : 1;
        if (event.ctrlKey) onLabelStep(direction);
        else move(direction * view.lengthMs * (event.shiftKey ? 1 : 0.1));
        break;
      }
      case 'ArrowUp':
      case 'ArrowDown':
        onGain(event.key === 'ArrowUp' ? 1 : -1);
        break;
      case 'PageUp':
        move(-view.lengthMs);
        break;
      case 'PageDown':
        move(view.lengthMs);
        break;
      case 'Home':
        model.setView({ ...view, startMs: model.extent.startMs });
        break;
      case 'End':
        model.setView({ ...view, startMs: model.extent.stopMs });
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  return (
    <div className={styles.detail} ref={frame} data-labelling={isLabelling || undefined} style={{ height: heightPx }}>
      <canvas ref={canvas} className={styles.canvas} style={{ width: widthPx, height: heightPx }} />
      <ViewSlider
        model={model}
        surface={surface}
        timeZone={timeZone}
        format={format.dateTime}
        label={t('viewer.detail')}
        help={t('viewer.detailHelp')}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const fromMs = toMs(scaleNow(), pxOf(event));
          drag.current = { px: pxOf(event), startMs: model.state.get().view.startMs, fromMs };
          if (model.state.get().isLabelling)
            model.set({ calipers: { startMs: fromMs, stopMs: null }, snappedTo: null });
        }}
        onPointerMove={(event) => {
          const px = pxOf(event);
          const from = drag.current;
          const { view, isLabelling: marks } = model.state.get();
          if (from && marks) {
            if (Math.abs(px - from.px) > 3) model.setCaliper('stopMs', toMs(scaleNow(), px), event.altKey);
          } else if (from) {
            model.setView({ ...view, startMs: from.startMs - ((px - from.px) / widthPx) * view.lengthMs });
          }
          model.set({ cursorMs: toMs(scaleNow(), Math.min(Math.max(px, 0), widthPx)) });
        }}
        onPointerEnd={() => {
          drag.current = null;
        }}
        onPointerLeave={() => {
          if (!drag.current) model.set({ cursorMs: null });
        }}
      />
      {widthPx > 0 && (
        <>
          <CaliperHandle model={model} end="startMs" widthPx={widthPx} timeZone={timeZone} />
          <CaliperHandle model={model} end="stopMs" widthPx={widthPx} timeZone={timeZone} />
        </>
      )}
    </div>
  );
}

/** The focusable surface of the strip: a slider whose value is the start of the view. */
function ViewSlider({
  model,
  surface,
  timeZone,
  format,
  label,
  help,
  onPointerEnd,
  ...events
}: {
  model: ViewerModel;
  surface: React.RefObject<HTMLDivElement | null>;
  timeZone: string;
  format: (ms: number, timeZone: string) => string;
  label: string;
  help: string;
  onKeyDown: (event: KeyboardEvent) => void;
  onPointerDown: (event: PointerEvent<HTMLDivElement>) => void;
  onPointerMove: (event: PointerEvent<HTMLDivElement>) => void;
  onPointerEnd: () => void;
  onPointerLeave: () => void;
}) {
  // The value is told per second of view start: at every frame of a drag nobody could hear it.
  const startSecond = useSelected(model.state, (state) => Math.round(state.view.startMs / 1000));
  return (
    <div
      ref={surface}
      role="slider"
      tabIndex={0}
      className={styles.surface}
      aria-label={label}
      aria-description={help}
      aria-valuemin={Math.round(model.extent.startMs / 1000)}
      aria-valuemax={Math.round(model.extent.stopMs / 1000)}
      aria-valuenow={startSecond}
      aria-valuetext={`${format(startSecond * 1000, timeZone)}, ${elapsedText(startSecond * 1000 - model.extent.startMs, 1000)}`}
      onPointerUp={onPointerEnd}
      onPointerCancel={onPointerEnd}
      {...events}
    />
  );
}

/** Turning the wheel moves; with Ctrl it zooms around the pointer. The browser must not scroll or zoom the page meanwhile. */
function useWheel(surface: React.RefObject<HTMLDivElement | null>, model: ViewerModel, widthPx: number) {
  useEffect(() => {
    const element = surface.current;
    if (!element || widthPx <= 0) return;
    const onWheel = (event: WheelEvent) => {
      const { view } = model.state.get();
      if (event.ctrlKey) {
        event.preventDefault();
        const around = view.startMs + (event.offsetX / widthPx) * view.lengthMs;
        model.setView(zoomedTo(view, model.extent, around, view.lengthMs * Math.exp(event.deltaY * 0.002)));
        return;
      }
      const px = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (px === 0) return;
      event.preventDefault();
      model.setView(movedBy(view, model.extent, (px / widthPx) * view.lengthMs));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [surface, model, widthPx]);
}

function clip(context: CanvasRenderingContext2D, place: LanePlace, widthPx: number): void {
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

type ColorOf = (name: 'surface' | 'text') => string;

/** A lane's name on a plate at its right end, so that no trace runs through it. */
function laneName(
  context: CanvasRenderingContext2D,
  name: string,
  yPx: number,
  widthPx: number,
  colors: ColorOf,
): void {
  context.font = `600 ${FONT}`;
  const width = context.measureText(name).width;
  context.fillStyle = colors('surface');
  context.globalAlpha = 0.85;
  context.fillRect(widthPx - width - 12, yPx - 9, width + 12, 18);
  context.globalAlpha = 1;
  context.fillStyle = colors('text');
  context.textBaseline = 'middle';
  context.fillText(name, widthPx - width - 6, yPx);
}

function motionName(
  context: CanvasRenderingContext2D,
  name: string,
  range: string,
  dimensions: readonly { name: string; color: string }[],
  yPx: number,
  widthPx: number,
  colors: ColorOf,
): void {
  context.font = `600 ${FONT}`;
  const width = context.measureText(`${name} ${range}`).width + dimensions.length * 18;
  laneName(context, ' '.repeat(1), yPx, widthPx, colors);
  context.fillStyle = colors('surface');
  context.globalAlpha = 0.85;
  context.fillRect(widthPx - width - 18, yPx - 9, width + 18, 18);
  context.globalAlpha = 1;
  context.fillStyle = colors('text');
  context.textBaseline = 'middle';
  let x = widthPx - width - 10;
  context.fillText(`${name} ${range}`, x, yPx);
  x += context.measureText(`${name} ${range}`).width + 8;
  for (const dimension of dimensions) {
    context.fillStyle = dimension.color;
    context.fillText(dimension.name, x, yPx);
    x += 16;
  }
}

function drawAxis(
  context: CanvasRenderingContext2D,
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
  context: CanvasRenderingContext2D,
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

/** Keys of the strip as commands of the page, for the list of keys and the palette. */
export function zoomCommands(model: ViewerModel) {
  const around = () => {
    const { view, cursorMs } = model.state.get();
    return cursorMs ?? view.startMs + view.lengthMs / 2;
  };
  const zoom = (lengthMs: (now: number) => number) => {
    const { view } = model.state.get();
    model.setView(zoomedTo(view, model.extent, around(), lengthMs(view.lengthMs)));
  };
  return {
    zoomIn: () => zoom((now) => now / 2),
    zoomOut: () => zoom((now) => now * 2),
    reset: () => zoom(() => DEFAULT_MS),
    show: (ms: number) => model.setView(centredOn(model.state.get().view, model.extent, ms)),
    around,
  };
}
