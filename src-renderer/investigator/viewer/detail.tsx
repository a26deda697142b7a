/** The detail strip: paper, traces, beats, quality and labels of the stretch in view, with calipers and one cursor. */
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef } from 'react';
import { type TimeScale, toMs } from '../../shared/charts/scale.ts';
import { useWidth } from '../../shared/charts/use-width.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { preferences } from '../../shared/preferences.ts';
import { useSelected, useStore } from '../../shared/store.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import { CaliperHandle } from './caliper-handle.tsx';
import type { LabelItem } from './data/labels.ts';
import type { ViewerModel } from './data/model.ts';
import { isElectric } from './data/samples.ts';
import { elapsedText, remembered } from './drawing/axis.ts';
import { detailHeight, detailPaint } from './drawing/detail-paint.ts';
import { CSS_PX_PER_MM } from './drawing/grid.ts';
import { usePainting } from './drawing/use-painting.ts';
import { movedBy, zoomedTo } from './view.ts';
import styles from './viewer.module.css';

const MOTION_PX = 92;
/** Without an ECG above it, motion gets more room. */
const MOTION_ALONE_PX = 150;

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
  const electricPx = electric.length === 0 ? 0 : window.innerHeight < 760 ? 200 : 260;
  const motionPx = electric.length > 0 ? MOTION_PX : MOTION_ALONE_PX;
  const heightPx = detailHeight({ electric, motion, electricPx, motionPx });
  const clockOf = useMemo(
    () => ({
      precise: remembered((ms) => preciseClock(ms, timeZone).clock.slice(0, 10)),
      plain: remembered((ms) => preciseClock(ms, timeZone).clock.slice(0, 8)),
    }),
    [timeZone],
  );

  const paint = useMemo(
    () =>
      detailPaint({
        model,
        electric,
        motion,
        electricPx,
        motionPx,
        pxPerMm,
        labels,
        clockOf,
        gapWords,
        nameOf: ({ type, unit }) =>
          type === 'ECG' ? t('viewer.ecgMv') : `${type} (${isElectric(type) ? 'mV' : unit})`,
      }),
    [model, electric, motion, electricPx, motionPx, pxPerMm, labels, clockOf, gapWords, t],
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
