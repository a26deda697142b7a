/** Overlay of the strips above the detail. */
import { useRef } from 'react';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import type { ViewerModel } from '../data/model.ts';
import { useFollowing } from '../drawing/use-painting.ts';
import type { Extent } from '../view.ts';
import styles from '../viewer.module.css';

/** Positions an element in steps of half a pixel, writing only what has changed; `null` hides it. */
export function placeMark(element: HTMLElement | null, leftPx: number | null, widthPx?: number): void {
  if (!element) return;
  const transform = leftPx === null ? '' : `translateX(${Math.round(leftPx * 2) / 2}px)`;
  const width = widthPx === undefined ? '' : `${Math.round(Math.max(0, widthPx) * 2) / 2}px`;
  if (element.hidden !== (leftPx === null)) element.hidden = leftPx === null;
  if (element.style.transform !== transform) element.style.transform = transform;
  if (element.style.width !== width) element.style.width = width;
}

/** The detail's window, calipers and cursor as an overlay of a strip, so that they move without redrawing it. */
export function StripMarks({
  model,
  windowNow,
  widthPx,
}: {
  model: ViewerModel;
  /** Returns the window that the strip currently shows. */
  windowNow: () => Extent;
  widthPx: number;
}) {
  const before = useRef<HTMLSpanElement>(null);
  const frame = useRef<HTMLSpanElement>(null);
  const after = useRef<HTMLSpanElement>(null);
  const start = useRef<HTMLSpanElement>(null);
  const stop = useRef<HTMLSpanElement>(null);
  const cursor = useRef<HTMLSpanElement>(null);
  useFollowing(model, () => {
    const { view, calipers, cursorMs } = model.state.get();
    const scale: TimeScale = { ...windowNow(), widthPx };
    const left = toPx(scale, view.startMs);
    const right = Math.max(left + 2, toPx(scale, view.startMs + view.lengthMs));
    placeMark(before.current, 0, left);
    placeMark(frame.current, left, right - left);
    placeMark(after.current, right, widthPx - right);
    const line = (element: HTMLElement | null, ms: number | null) =>
      placeMark(element, ms === null || ms < scale.startMs || ms > scale.stopMs ? null : toPx(scale, ms));
    line(start.current, calipers.startMs);
    line(stop.current, calipers.stopMs);
    line(cursor.current, cursorMs);
  });
  return (
    <div className={styles.stripMarks} aria-hidden="true">
      <span ref={before} className={styles.outside} />
      <span ref={after} className={styles.outside} />
      <span ref={frame} className={styles.window} />
      <span ref={start} className={styles.caliperLine} />
      <span ref={stop} className={styles.caliperLine} />
      <span ref={cursor} className={styles.cursorLine} />
    </div>
  );
}
