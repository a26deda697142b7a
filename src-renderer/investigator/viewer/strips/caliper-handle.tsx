/** Handles of the calipers, moved with arrow keys or by dragging: two instants above the strip, two levels at its left. */
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { useSelected } from '../../../shared/store.ts';
import { preciseClock } from '../../../shared/time/local-day.ts';
import type { ViewerModel } from '../data/model.ts';
import type { LanePlace } from '../drawing/paint.ts';
import { useFollowing } from '../drawing/use-painting.ts';
import styles from '../viewer.module.css';

/** One sample at 250 Hz, and ten of them. */
const STEP_MS = 4;
const LARGE_STEP_MS = 40;
const STEP_MV = 0.01;
const LARGE_STEP_MV = 0.1;

const capture = (event: PointerEvent<HTMLElement>) => event.currentTarget.setPointerCapture(event.pointerId);

/** Position of the pointer within the strip while it drags a handle; undefined while it does not. */
function dragPosition(event: PointerEvent<HTMLElement>): { x: number; y: number } | undefined {
  if (!event.currentTarget.hasPointerCapture(event.pointerId)) return undefined;
  const strip = event.currentTarget.offsetParent;
  if (!strip) return undefined;
  const frame = strip.getBoundingClientRect();
  return { x: event.clientX - frame.left - strip.clientLeft, y: event.clientY - frame.top - strip.clientTop };
}

/** Handle of a caliper in time. Dragging with Alt snaps it. */
export function CaliperHandle({
  model,
  end,
  widthPx,
  timeZone,
}: {
  model: ViewerModel;
  end: 'startMs' | 'stopMs';
  widthPx: number;
  timeZone: string;
}) {
  const { t } = useWords();
  const ms = useSelected(model.state, (state) => state.calipers[end]);
  const handle = useRef<HTMLSpanElement>(null);
  useFollowing(model, () => {
    const { view, calipers } = model.state.get();
    const caliperMs = calipers[end];
    if (!handle.current || caliperMs === null) return;
    const px = ((caliperMs - view.startMs) / view.lengthMs) * widthPx;
    handle.current.hidden = px < -1 || px > widthPx + 1;
    handle.current.style.transform = `translateX(${px}px)`;
  });
  if (ms === null) return null;
  const name = t(end === 'startMs' ? 'viewer.caliperStart' : 'viewer.caliperStop');

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    event.stopPropagation();
    const step = (event.shiftKey ? LARGE_STEP_MS : STEP_MS) * (event.key === 'ArrowLeft' ? -1 : 1);
    model.setCaliper(end, (model.state.get().calipers[end] ?? 0) + step);
  }

  return (
    <span
      ref={handle}
      role="slider"
      tabIndex={0}
      className={styles.caliper}
      data-end={end}
      aria-label={name}
      aria-valuemin={Math.round(model.extent.startMs)}
      aria-valuemax={Math.round(model.extent.stopMs)}
      aria-valuenow={Math.round(ms)}
      aria-valuetext={preciseClock(ms, timeZone).clock}
      title={name}
      onKeyDown={onKeyDown}
      onPointerDown={capture}
      onPointerMove={(event) => {
        const position = dragPosition(event);
        const { view } = model.state.get();
        if (position) model.setCaliper(end, view.startMs + (position.x / widthPx) * view.lengthMs, event.altKey);
      }}
    />
  );
}

/** Handle of a horizontal caliper. */
export function LevelHandle({
  model,
  end,
  placeNow,
}: {
  model: ViewerModel;
  end: 'fromMv' | 'toMv';
  /** Current position of the lead's lane. */
  placeNow: () => LanePlace;
}) {
  const { t, format } = useWords();
  const mv = useSelected(model.state, (state) => state.levels[end]);
  const handle = useRef<HTMLSpanElement>(null);
  useFollowing(model, () => {
    const levelMv = model.state.get().levels[end];
    if (!handle.current || levelMv === null) return;
    const { zeroPx, pxPerUnit, topPx, heightPx } = placeNow();
    const px = zeroPx - levelMv * pxPerUnit;
    handle.current.hidden = px < topPx || px > topPx + heightPx;
    handle.current.style.transform = `translateY(${px}px)`;
  });
  if (mv === null) return null;
  const name = t(end === 'fromMv' ? 'viewer.levelFrom' : 'viewer.levelTo');

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    event.stopPropagation();
    const step = (event.shiftKey ? LARGE_STEP_MV : STEP_MV) * (event.key === 'ArrowDown' ? -1 : 1);
    model.setLevel(end, Math.round(((model.state.get().levels[end] ?? 0) + step) * 100) / 100);
  }

  return (
    <span
      ref={handle}
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      className={styles.level}
      aria-label={name}
      aria-valuemin={-1000}
      aria-valuemax={1000}
      aria-valuenow={mv}
      aria-valuetext={t('viewer.mv', { value: format.number(mv, 2) })}
      title={name}
      onKeyDown={onKeyDown}
      onPointerDown={capture}
      onPointerMove={(event) => {
        const position = dragPosition(event);
        const { zeroPx, pxPerUnit } = placeNow();
        if (position) model.setLevel(end, (zeroPx - position.y) / pxPerUnit);
      }}
    />
  );
}
