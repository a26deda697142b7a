/** The cursor of a timeline: a slider that keys and the pointer move, and whose value text reads every lane. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { type Store, useStore } from '../../store.ts';
import { clockChanges, clockReading, type DayClock } from '../../time/local-day.ts';
import { type TimeScale, toMs, toPx } from '../scale.ts';
import styles from './timeline.module.css';
import type { Lane, TimelineControls } from './types.ts';
import { inside, type TimelineView, zoomed } from './view.ts';

/** A shorter drag is a click. */
const MIN_DRAG_PX = 6;
/** Room that the time beside the cursor needs on its right. */
const TIME_PX = 80;

/** Moves the cursor to an instant; the view follows where the instant lies outside it. */
function useMoveTo(cursor: Store<number | null>, { whole, view, onView }: TimelineControls): (ms: number) => void {
  return (ms) => {
    const target = Math.min(Math.max(ms, whole.startMs), whole.stopMs - 1);
    cursor.set(target);
    const lengthMs = view.stopMs - view.startMs;
    if (target < view.startMs || target >= view.stopMs) {
      onView(inside({ startMs: target - lengthMs / 2, stopMs: target + lengthMs / 2 }, whole));
    }
  };
}

/** Arrow keys, Home and End move; Page Up and Page Down change the day; +, - and 0 zoom; Enter opens; Escape hides. */
function useCursorKeys(
  cursor: Store<number | null>,
  controls: TimelineControls,
  moveTo: (ms: number) => void,
): (event: KeyboardEvent) => void {
  const { whole, view, stepMs, onView, onDay, onOpen } = controls;
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ms = cursor.get();
    const now = ms ?? view.startMs;
    const step = event.shiftKey ? HOUR_MS : stepMs;
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
  };
}

interface Drag {
  fromPx: number;
  toPx: number;
}

/** The cursor follows the pointer; dragging with the mouse zooms to the dragged range. */
function useCursorPointer(
  cursor: Store<number | null>,
  scale: TimeScale,
  { whole, view, onView, onOpen }: TimelineControls,
) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const isSelecting = drag !== null && Math.abs(drag.toPx - drag.fromPx) > MIN_DRAG_PX;
  const pxOf = (event: PointerEvent<HTMLElement>) =>
    Math.min(Math.max(event.clientX - event.currentTarget.getBoundingClientRect().left, 0), scale.widthPx);
  return {
    selection: isSelecting
      ? { left: Math.min(drag.fromPx, drag.toPx), width: Math.abs(drag.toPx - drag.fromPx) }
      : undefined,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0 || event.pointerType === 'touch') return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ fromPx: pxOf(event), toPx: pxOf(event) });
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const px = pxOf(event);
        cursor.set(Math.min(toMs(scale, px), view.stopMs - 1));
        if (drag) setDrag({ ...drag, toPx: px });
      },
      onPointerUp: () => {
        if (isSelecting) {
          const startMs = toMs(scale, Math.min(drag.fromPx, drag.toPx));
          const stopMs = toMs(scale, Math.max(drag.fromPx, drag.toPx));
          onView(zoomed({ startMs, stopMs }, whole, (startMs + stopMs) / 2, 1));
        }
        setDrag(null);
      },
      onPointerCancel: () => setDrag(null),
      onDoubleClick: () => onView(null),
      onPointerLeave: (event: PointerEvent<HTMLElement>) => {
        // Where the page acts on the cursor it stays, so that the user can reach the button.
        if (!drag && !onOpen && document.activeElement !== event.currentTarget) cursor.set(null);
      },
    },
  };
}

export function Cursor({
  lanes,
  scale,
  cursor,
  controls,
  heightPx,
  topPx,
}: {
  lanes: readonly Lane[];
  scale: TimeScale;
  cursor: Store<number | null>;
  controls: TimelineControls;
  heightPx: number;
  topPx: number;
}) {
  const { whole, view, clock, words } = controls;
  const ms = useStore(cursor);
  const moveTo = useMoveTo(cursor, controls);
  const onKeyDown = useCursorKeys(cursor, controls, moveTo);
  const { selection, handlers } = useCursorPointer(cursor, scale, controls);
  const now = ms ?? view.startMs;
  const reading = clockReading(now, clock);
  const text = words.at({ ...reading, date: words.date(reading.date) });
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
      {...handlers}
    >
      {selection && <span className={styles.selection} style={selection} />}
      {ms !== null && ms >= view.startMs && ms <= view.stopMs && (
        <span className={styles.cursorLine} style={{ transform: `translateX(${toPx(scale, ms)}px)` }}>
          <span
            className={styles.cursorTime}
            style={{ transform: `translateX(${toPx(scale, ms) > scale.widthPx - TIME_PX ? '-100%' : '0'})` }}
          >
            {reading.clock} {offsetText(view, clock, reading.offset)}
          </span>
        </span>
      )}
    </div>
  );
}

/** The offset from UTC, but only where the clock changes in view and one reading can occur twice. */
function offsetText(view: TimelineView, clock: DayClock, offset: string): string {
  return clockChanges(view.startMs, view.stopMs, clock).length > 0 ? offset : '';
}
