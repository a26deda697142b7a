/** Grips of the calipers, moved by arrow keys or by dragging: the two in time above the strip, the two levels at its left. */
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

/** Where the pointer is within the strip while it drags a grip; undefined when it does not. */
function dragged(event: PointerEvent<HTMLElement>): { x: number; y: number } | undefined {
  if (!event.currentTarget.hasPointerCapture(event.pointerId)) return undefined;
  const strip = event.currentTarget.offsetParent;
  if (!strip) return undefined;
  const frame = strip.getBoundingClientRect();
  return { x: event.clientX - frame.left - strip.clientLeft, y: event.clientY - frame.top - strip.clientTop };
}

/** A caliper in time. With Alt it snaps. */
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
  const grip = useRef<HTMLSpanElement>(null);
  useFollowing(model, () => {
    const { view, calipers } = model.state.get();
    const at = calipers[end];
    if (!grip.current || at === null) return;
    const px = ((at - view.startMs) / view.lengthMs) * widthPx;
    grip.current.hidden = px < -1 || px > widthPx + 1;
    grip.current.style.transform = `translateX(${px}px)`;
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
      ref={grip}
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
        const at = dragged(event);
        const { view } = model.state.get();
        if (at) model.setCaliper(end, view.startMs + (at.x / widthPx) * view.lengthMs, event.altKey);
      }}
    />
  );
}

/** A level of the horizontal pair. */
export function LevelHandle({
  model,
  end,
  placeNow,
}: {
  model: ViewerModel;
  end: 'fromMv' | 'toMv';
  /** Where the lead's lane is now. */
  placeNow: () => LanePlace;
}) {
  const { t, format } = useWords();
  const mv = useSelected(model.state, (state) => state.levels[end]);
  const grip = useRef<HTMLSpanElement>(null);
  useFollowing(model, () => {
    const at = model.state.get().levels[end];
    if (!grip.current || at === null) return;
    const { zeroPx, pxPerUnit, topPx, heightPx } = placeNow();
    const px = zeroPx - at * pxPerUnit;
    grip.current.hidden = px < topPx || px > topPx + heightPx;
    grip.current.style.transform = `translateY(${px}px)`;
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
      ref={grip}
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
        const at = dragged(event);
        const { zeroPx, pxPerUnit } = placeNow();
        if (at) model.setLevel(end, (zeroPx - at.y) / pxPerUnit);
      }}
    />
  );
}
