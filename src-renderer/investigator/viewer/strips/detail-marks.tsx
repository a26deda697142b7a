/** Overlay of the detail strip. */
import { useRef } from 'react';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import { type Interval, intervalOf, spanOf } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import type { LanePlace } from '../drawing/paint.ts';
import { useFollowing } from '../drawing/use-painting.ts';
import styles from '../viewer.module.css';
import { placeMark } from './strip-marks.tsx';

const nothing = () => undefined;

/** Cursor and calipers as an overlay of the detail strip, so that they move without redrawing it. */
export function DetailMarks({
  model,
  widthPx,
  placeNow,
  intervalText,
}: {
  model: ViewerModel;
  widthPx: number;
  /** Current position of the lead's lane; undefined without a lead. */
  placeNow: (() => LanePlace) | undefined;
  /** Length and rate of the interval between the calipers, in words. */
  intervalText: (interval: Interval) => string;
}) {
  const shade = useRef<HTMLSpanElement>(null);
  const between = useRef<HTMLSpanElement>(null);
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
    const interval = span && right > left ? intervalOf(calipers, nothing) : null;
    if (between.current && interval) between.current.textContent = intervalText(interval);
    const textPx = between.current?.offsetWidth ?? 0;
    // In the middle of the interval, even where it is narrower than its text, but never outside the strip.
    const middlePx = Math.min(Math.max(0, (left + right - textPx) / 2), Math.max(0, widthPx - textPx));
    placeMark(between.current, interval ? middlePx : null);
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
      <span ref={between} className={styles.between} data-testid="between-calipers" hidden />
      <span ref={from} className={styles.levelLine} hidden />
      <span ref={to} className={styles.levelLine} hidden />
      <span ref={cursor} className={styles.cursorLine} hidden />
      <span ref={selected} className={styles.selectedLine} hidden />
    </div>
  );
}
