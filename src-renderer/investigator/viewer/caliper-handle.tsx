import type { KeyboardEvent } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useSelected } from '../../shared/store.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import type { ViewerModel } from './data/model.ts';
import styles from './viewer.module.css';

/** One sample at 250 Hz, and ten of them. */
const STEP_MS = 4;
const LARGE_STEP_MS = 40;

/** A caliper's grip above the strip: dragged, or moved by arrow keys. With Alt it snaps. */
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
  const view = useSelected(model.state, (state) => state.view);
  if (ms === null) return null;
  const px = ((ms - view.startMs) / view.lengthMs) * widthPx;
  if (px < -1 || px > widthPx + 1) return null;
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
      role="slider"
      tabIndex={0}
      className={styles.caliper}
      data-end={end}
      style={{ transform: `translateX(${px}px)` }}
      aria-label={name}
      aria-valuemin={Math.round(model.extent.startMs)}
      aria-valuemax={Math.round(model.extent.stopMs)}
      aria-valuenow={Math.round(ms)}
      aria-valuetext={preciseClock(ms, timeZone).clock}
      title={name}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const frame = event.currentTarget.parentElement?.getBoundingClientRect();
        if (!frame) return;
        const now = model.state.get().view;
        const at = now.startMs + ((event.clientX - frame.left) / widthPx) * now.lengthMs;
        model.setCaliper(end, at, event.altKey);
      }}
    />
  );
}
