/** The cursor of a timeline: moved by mouse and by keys, it reads every lane. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { type Store, useStore } from '../../store.ts';
import { clockChanges, clockReading, type DayClock } from '../../time/local-day.ts';
import { type TimeScale, toMs, toPx } from '../scale.ts';
import styles from './timeline.module.css';
import type { Lane, TimelineWords } from './types.ts';
import { inside, type TimelineView, zoomed } from './view.ts';

const DRAG_PX = 6;

/** The focusable cursor: arrow keys move it, its value text reads every lane. */
export function Cursor({
  lanes,
  scale,
  whole,
  view,
  clock,
  words,
  stepMs,
  cursor,
  onView,
  onDay,
  onOpen,
  heightPx,
  topPx,
}: {
  lanes: readonly Lane[];
  scale: TimeScale;
  whole: TimelineView;
  view: TimelineView;
  clock: DayClock;
  words: TimelineWords;
  stepMs: number;
  cursor: Store<number | null>;
  onView: (view: TimelineView | null) => void;
  onDay: (step: -1 | 1) => void;
  onOpen?: (ms: number) => void;
  heightPx: number;
  topPx: number;
}) {
  const ms = useStore(cursor);
  const [drag, setDrag] = useState<{ fromPx: number; toPx: number } | null>(null);
  const now = ms ?? view.startMs;
  const reading = clockReading(now, clock);
  const text = words.at({ ...reading, date: words.date(reading.date) });

  function moveTo(next: number) {
    const kept = Math.min(Math.max(next, whole.startMs), whole.stopMs - 1);
    cursor.set(kept);
    const length = view.stopMs - view.startMs;
    if (kept < view.startMs || kept >= view.stopMs) {
      onView(inside({ startMs: kept - length / 2, stopMs: kept + length / 2 }, whole));
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 60 * 60_000 : stepMs;
    switch (event.key) {
      case 'ArrowLeft':
        moveTo(now - step);
        break;
      case 'ArrowRight':
        moveTo(now + step);
        break;
      case 'Home':
        moveTo(whole.startMs);
        break;
      case 'End':
        moveTo(whole.stopMs);
        break;
      case 'PageUp':
        onDay(-1);
        break;
      case 'PageDown':
        onDay(1);
        break;
      case '+':
        onView(zoomed(view, whole, now, 0.5));
        break;
      case '-':
        onView(zoomed(view, whole, now, 2));
        break;
      case '0':
        onView(null);
        break;
      case 'Enter':
        if (ms !== null) onOpen?.(ms);
        break;
      case 'Escape':
        cursor.set(null);
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  const pxOf = (event: PointerEvent<HTMLElement>) =>
    Math.min(Math.max(event.clientX - event.currentTarget.getBoundingClientRect().left, 0), scale.widthPx);

  return (
    <div
      role="slider"
      tabIndex={0}
      className={styles.cursor}
      style={{ top: topPx, height: heightPx, width: scale.widthPx, insetInlineEnd: 'var(--space-3)' }}
      aria-label={words.cursor}
      aria-description={words.cursorHelp}
      aria-orientation="horizontal"
      aria-valuemin={whole.startMs}
      aria-valuemax={whole.stopMs}
      aria-valuenow={Math.round(now)}
      aria-valuetext={ms === null ? text : [text, ...lanes.map((lane) => `${lane.label}: ${lane.read(ms)}`)].join('. ')}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (ms === null && event.currentTarget.matches(':focus-visible')) moveTo(view.startMs);
      }}
      onPointerDown={(event) => {
        if (event.button !== 0 || event.pointerType === 'touch') return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ fromPx: pxOf(event), toPx: pxOf(event) });
      }}
      onPointerMove={(event) => {
        const px = pxOf(event);
        cursor.set(Math.min(toMs(scale, px), view.stopMs - 1));
        if (drag) setDrag({ ...drag, toPx: px });
      }}
      onPointerUp={() => {
        if (drag && Math.abs(drag.toPx - drag.fromPx) > DRAG_PX) {
          const [left, right] = [drag.fromPx, drag.toPx].sort((a, b) => a - b).map((px) => toMs(scale, px));
          onView(zoomed({ startMs: left, stopMs: right }, whole, (left + right) / 2, 1));
        }
        setDrag(null);
      }}
      onPointerCancel={() => setDrag(null)}
      onDoubleClick={() => onView(null)}
      onPointerLeave={(event) => {
        // Where the page acts on the cursor it stays, so that one can reach the button.
        if (!drag && !onOpen && document.activeElement !== event.currentTarget) cursor.set(null);
      }}
    >
      {drag && Math.abs(drag.toPx - drag.fromPx) > DRAG_PX && (
        <span
          className={styles.selection}
          style={{ left: Math.min(drag.fromPx, drag.toPx), width: Math.abs(drag.toPx - drag.fromPx) }}
        />
      )}
      {ms !== null && ms >= view.startMs && ms <= view.stopMs && (
        <span className={styles.cursorLine} style={{ transform: `translateX(${toPx(scale, ms)}px)` }}>
          <span
            className={styles.cursorTime}
            style={{ transform: `translateX(${toPx(scale, ms) > scale.widthPx - 80 ? '-100%' : '0'})` }}
          >
            {reading.clock} {offsetText(view, clock, reading.offset)}
          </span>
        </span>
      )}
    </div>
  );
}

/** The offset matters on the cursor only where one clock reading can occur twice. */
function offsetText(view: TimelineView, clock: DayClock, offset: string): string {
  return clockChanges(view.startMs, view.stopMs, clock).length > 0 ? offset : '';
}
