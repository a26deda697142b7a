/** The detail strip: paper, traces, beats, quality and labels of the stretch in view, with calipers and one cursor. */

import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef } from 'react';
import { MINUTE_MS } from '../../../../src-server/durations.ts';
import { type TimeScale, toMs } from '../../../shared/charts/scale.ts';
import { useWidth } from '../../../shared/charts/use-width.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { useSelected } from '../../../shared/store.ts';
import { preciseClock } from '../../../shared/time/local-day.ts';
import type { LabelItem } from '../data/labels.ts';
import type { ViewerModel } from '../data/model.ts';
import { elapsedText, remembered } from '../drawing/axis.ts';
import { AXIS_PX, detailHeight, detailPaint } from '../drawing/detail-paint.ts';
import { electricPlace, type LaneWords, type SignalLane } from '../drawing/lanes.ts';
import { usePxPerMm } from '../drawing/screen-size.ts';
import { usePainting } from '../drawing/use-painting.ts';
import { movedBy, zoomedTo } from '../view.ts';
import styles from '../viewer.module.css';
import { CaliperHandle, LevelHandle } from './caliper-handle.tsx';
import { DetailMarks } from './detail-marks.tsx';

/** A drag this high sets levels as well as times. */
const LEVEL_DRAG_PX = 12;

export function Detail({
  model,
  lanes,
  labels,
  showsMagnitude,
  timeZone,
  words,
  summaryId,
  onLabelStep,
  onGain,
}: {
  model: ViewerModel;
  lanes: readonly SignalLane[];
  /** Undefined: their lane is hidden. */
  labels: readonly LabelItem[] | undefined;
  showsMagnitude: boolean;
  timeZone: string;
  words: LaneWords;
  /** Of the sentence on what the view holds. */
  summaryId: string;
  onLabelStep: (direction: -1 | 1) => void;
  onGain: (direction: -1 | 1) => void;
}) {
  const { t, format } = useWords();
  const [frame, widthPx] = useWidth();
  const { pxPerMm } = usePxPerMm();
  const mode = useSelected(model.state, (state) => state.mode);
  const heightPx = detailHeight({ lanes, labels });
  const clockOf = useMemo(
    () => ({
      precise: remembered((ms) => preciseClock(ms, timeZone).clock.slice(0, 10)),
      plain: remembered((ms) => preciseClock(ms, timeZone).clock.slice(0, 8)),
    }),
    [timeZone],
  );
  const paint = useMemo(
    () => detailPaint({ model, lanes, pxPerMm, showsMagnitude, labels, clockOf, words }),
    [model, lanes, pxPerMm, showsMagnitude, labels, clockOf, words],
  );
  const canvas = usePainting(model, widthPx, heightPx, paint, () => {
    const { view, gain, rangeG, filter, mode: now, isMarching, calipers } = model.state.get();
    const march = isMarching ? `${calipers.startMs} ${calipers.stopMs}` : '';
    return `${view.startMs} ${view.lengthMs} ${gain} ${rangeG} ${filter} ${now} ${march} ${model.arrivals.get()}`;
  });
  // The lead's lane is the first one.
  const lead = lanes.find(({ isElectric }) => isElectric);
  const placeNow = lead && (() => electricPlace(model, lead, AXIS_PX, pxPerMm));

  const surface = useRef<HTMLDivElement>(null);
  useWheel(surface, model, widthPx);
  const drag = useRef<{ px: number; py: number; startMs: number; fromMs: number; marks: boolean } | null>(null);
  const scaleNow = (): TimeScale => {
    const { view } = model.state.get();
    return { startMs: view.startMs, stopMs: view.startMs + view.lengthMs, widthPx };
  };
  const pxOf = (event: PointerEvent<HTMLElement>) => event.clientX - event.currentTarget.getBoundingClientRect().left;
  const pyOf = (event: PointerEvent<HTMLElement>) => event.clientY - event.currentTarget.getBoundingClientRect().top;
  const mvAt = (py: number): number | null => {
    const place = placeNow?.();
    if (!place || py < place.topPx || py > place.topPx + place.heightPx) return null;
    return (place.zeroPx - py) / place.pxPerUnit;
  };

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
    <div className={styles.detail} ref={frame} data-mode={mode} style={{ height: heightPx }}>
      <canvas ref={canvas} className={styles.canvas} />
      {mode !== 'view' && (
        <span className={styles.modeTag} aria-hidden="true">
          {t(mode === 'label' ? 'viewer.labelling' : 'viewer.measuring')}
        </span>
      )}
      <AxisNames model={model} timeZone={timeZone} />
      <DetailMarks model={model} widthPx={widthPx} placeNow={placeNow} />
      <ViewSlider
        model={model}
        surface={surface}
        timeZone={timeZone}
        format={format.dateTime}
        label={t('viewer.detail')}
        help={t('viewer.detailHelp')}
        summaryId={summaryId}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const fromMs = toMs(scaleNow(), pxOf(event));
          const { view, mode: now } = model.state.get();
          // Shift measures in any mode.
          const marks = now !== 'view' || event.shiftKey;
          drag.current = { px: pxOf(event), py: pyOf(event), startMs: view.startMs, fromMs, marks };
          if (!marks) return;
          model.clearCalipers();
          model.setCaliper('startMs', fromMs, event.altKey);
        }}
        onPointerMove={(event) => {
          const [px, py] = [pxOf(event), pyOf(event)];
          const from = drag.current;
          const { view, mode: now } = model.state.get();
          if (from?.marks) {
            if (Math.abs(px - from.px) > 3) model.setCaliper('stopMs', toMs(scaleNow(), px), event.altKey);
            const [fromMv, toMv] = [mvAt(from.py), mvAt(py)];
            if (now !== 'label' && fromMv !== null && toMv !== null && Math.abs(py - from.py) > LEVEL_DRAG_PX)
              model.set({ levels: { fromMv, toMv } });
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
          {placeNow && <LevelHandle model={model} end="fromMv" placeNow={placeNow} />}
          {placeNow && <LevelHandle model={model} end="toMv" placeNow={placeNow} />}
        </>
      )}
    </div>
  );
}

/** What the two rows of the time axis are: the zone of the clock, and the time since the start. */
function AxisNames({ model, timeZone }: { model: ViewerModel; timeZone: string }) {
  const { t, format } = useWords();
  const zoneAt = useMemo(() => remembered((minute) => format.zone(minute * MINUTE_MS, timeZone)), [format, timeZone]);
  const zones = useSelected(model.state, ({ view }) => {
    const ends = [view.startMs, view.startMs + view.lengthMs].map((ms) => zoneAt(Math.floor(ms / MINUTE_MS)));
    return [...new Set(ends)].join(' → ');
  });
  return (
    <span className={styles.axisNames} aria-hidden="true">
      <span>{zones}</span>
      <span>{t('viewer.tableElapsed')}</span>
    </span>
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
  summaryId,
  onPointerEnd,
  ...events
}: {
  model: ViewerModel;
  surface: React.RefObject<HTMLDivElement | null>;
  timeZone: string;
  format: (ms: number, timeZone: string) => string;
  label: string;
  help: string;
  summaryId: string;
  onKeyDown: (event: KeyboardEvent) => void;
  onPointerDown: (event: PointerEvent<HTMLDivElement>) => void;
  onPointerMove: (event: PointerEvent<HTMLDivElement>) => void;
  onPointerEnd: () => void;
  onPointerLeave: () => void;
}) {
  // The value is told per second of view start: at every frame of a drag nobody could hear it.
  const startSecond = useSelected(model.state, (state) => Math.round(state.view.startMs / 1000));
  useSelected(model.arrivals, model.isWaiting);
  const isWaiting = useSelected(model.state, model.isWaiting);
  return (
    <div
      ref={surface}
      aria-busy={isWaiting}
      role="slider"
      tabIndex={0}
      className={styles.surface}
      aria-label={label}
      aria-description={help}
      aria-details={summaryId}
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
