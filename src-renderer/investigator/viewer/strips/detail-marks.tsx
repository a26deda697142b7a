/** Overlay of the detail strip. */
import { useRef } from 'react';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import { spanOf } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import type { LanePlace } from '../drawing/paint.ts';
import { useFollowing } from '../drawing/use-painting.ts';
import styles from '../viewer.module.css';
import { placeMark } from './strip-marks.tsx';

/** Cursor and calipers as an overlay of the detail strip, so that they move without redrawing it. */
export function DetailMarks({
  model,
  widthPx,
  placeNow,
}: {
  model: ViewerModel;
  widthPx: number;
  /** Current position of the lead's lane; undefined without a lead. */
  placeNow: (() => LanePlace) | undefined;
}) {
  const shade = useRef<HTMLSpanElement>(null);
  const start = useRef<HTMLSpanElement>(null);
  const stop = useRef<HTMLSpanElement>(null);
  const cursor = useRef<HTMLSpanElement>(null);
  const selected = useRef<HTMLSpanElement>(null);
  const from = useRef<HTMLSpanElement>(null);
  const to = useRef<HTMLSpanElement>(null);
  useFollowing(model, () => {
    const { view, calipers, levels, cursorMs, mode, selectedUs } = model.state.get();
    const scale: TimeScale = { startMs: view.startMs, stopMs: view.startMs + view.lengthMs, widthPx };
    const line = (element: HTMLElement | null, ms: number | null) =>
      placeMark(element, ms === null || ms < scale.startMs || ms > scale.stopMs ? null : toPx(scale, ms));
    line(start.current, calipers.startMs);
    line(stop.current, calipers.stopMs);
    line(cursor.current, cursorMs);
    line(selected.current, mode === 'correct' && selectedUs !== null ? selectedUs / 1000 : null);
    const span = spanOf(calipers);
    const left = span ? Math.max(0, toPx(scale, span.startMs)) : 0;
    const right = span ? Math.min(widthPx, toPx(scale, span.stopMs)) : 0;
    placeMark(shade.current, span && right > left ? left : null, right - left);
    const place = placeNow && (levels.fromMv !== null || levels.toMv !== null) ? placeNow() : null;
    const level = (element: HTMLElement | null, mv: number | null) => {
      if (!element) return;
      const px = place && mv !== null ? place.zeroPx - mv * place.pxPerUnit : null;
      element.hidden = !place || px === null || px < place.topPx || px > place.topPx + place.heightPx;
      element.style.transform = px === null ? '' : `translateY(${Math.round(px)}px)`;
    };
    level(from.current, levels.fromMv);
    level(to.current, levels.toMv);
  });
  return (
    <div className={styles.detailMarks} aria-hidden="true">
      <span ref={shade} className={styles.shade} hidden />
      <span ref={start} className={styles.caliperLine} hidden />
      <span ref={stop} className={styles.caliperLine} hidden />
      <span ref={from} className={styles.levelLine} hidden />
      <span ref={to} className={styles.levelLine} hidden />
      <span ref={cursor} className={styles.cursorLine} hidden />
      <span ref={selected} className={styles.selectedLine} hidden />
    </div>
  );
}
