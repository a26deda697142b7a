/**
 * Lanes over one elapsed time axis with local clock labels and one cursor. Canvases draw; everything that is read, focused
 * or announced is DOM: lane names and readings, axis labels, brackets, and the cursor as a slider.
 */
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useState } from 'react';
import { createStore, type Store, useStore } from '../store.ts';
import { clockReading, clockTicks, offsetChanges, tickStepHours } from '../time/local-day.ts';
import { Canvas } from './canvas.tsx';
import type { Colors } from './palette.ts';
import { type TimeScale, toMs, toPx } from './scale.ts';
import styles from './timeline.module.css';
import { useWidth } from './use-width.ts';
import { inside, type TimelineView, zoomed } from './view.ts';

export interface Lane {
  id: string;
  label: string;
  help?: string;
  heightPx: number;
  /** Ends of the value axis, as text. */
  axis?: { low: string; high: string };
  draw: (context: CanvasRenderingContext2D, scale: TimeScale, heightPx: number, colors: Colors) => void;
  /** What the lane says at an instant, in words with its unit. */
  read: (ms: number) => string;
}

export interface Bracket {
  id: string;
  startMs: number;
  stopMs: number;
  label: string;
}

export interface TimelineWords {
  cursor: string;
  cursorHelp: string;
  timeAxis: string;
  brackets: string;
  at: (reading: { clock: string; offset: string; date: string }) => string;
  date: (date: string) => string;
  tickDate: (date: string) => string;
  shift: (change: { shiftMs: number; before: string; after: string }) => string;
}

const TICK_GAP_PX = 66;
/** Ticks beside a clock change carry their offset too. */
const TICK_GAP_WITH_OFFSET_PX = 96;
const DRAG_PX = 6;
/** A tick this close to the right edge keeps its line and loses its label, which would be cut. */
const TICK_LABEL_PX = 36;

function Reading({ lane, cursor }: { lane: Lane; cursor: Store<number | null> }) {
  const ms = useStore(cursor);
  return <span className={styles.reading}>{ms === null ? '' : lane.read(ms)}</span>;
}

function LanePlot({ lane, scale }: { lane: Lane; scale: TimeScale }) {
  const draw = useMemo(
    () => (context: CanvasRenderingContext2D, _width: number, height: number, colors: Colors) =>
      lane.draw(context, scale, height, colors),
    [lane, scale],
  );
  return <Canvas draw={draw} widthPx={scale.widthPx} heightPx={lane.heightPx} />;
}

/** The focusable cursor: arrow keys move it, its value text reads every lane. */
function Cursor({
  lanes,
  scale,
  whole,
  view,
  timeZone,
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
  timeZone: string;
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
  const reading = clockReading(now, timeZone);
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
            {reading.clock} {scale.stopMs - scale.startMs > 0 && offsetText(view, timeZone, reading.offset)}
          </span>
        </span>
      )}
    </div>
  );
}

/** The offset matters on the cursor only where one clock reading can occur twice. */
function offsetText(view: TimelineView, timeZone: string, offset: string): string {
  return offsetChanges(view.startMs, view.stopMs, timeZone).length > 0 ? offset : '';
}

export function Timeline({
  label,
  lanes,
  brackets,
  whole,
  view,
  timeZone,
  words,
  stepMs,
  onView,
  onDay,
  cursor: given,
  onOpen,
}: {
  label: string;
  lanes: readonly Lane[];
  brackets: readonly Bracket[];
  /** What there is to see; `view` is the part that shows. */
  whole: TimelineView;
  view: TimelineView;
  timeZone: string;
  words: TimelineWords;
  /** One step of the cursor by keyboard. */
  stepMs: number;
  /** null shows the whole. */
  onView: (view: TimelineView | null) => void;
  onDay: (step: -1 | 1) => void;
  /** The cursor, where the page needs it too. */
  cursor?: Store<number | null>;
  /** Enter on the cursor. */
  onOpen?: (ms: number) => void;
}) {
  const [axis, widthPx] = useWidth();
  const [own] = useState(() => createStore<number | null>(null));
  const cursor = given ?? own;
  const scale = useMemo((): TimeScale => ({ ...view, widthPx }), [view, widthPx]);
  const changes = useMemo(() => offsetChanges(view.startMs, view.stopMs, timeZone), [view, timeZone]);
  const ticks = useMemo(
    () =>
      widthPx > 0
        ? clockTicks(
            view.startMs,
            view.stopMs,
            timeZone,
            tickStepHours(
              view.stopMs - view.startMs,
              widthPx,
              changes.length > 0 ? TICK_GAP_WITH_OFFSET_PX : TICK_GAP_PX,
            ),
          )
        : [],
    [view, timeZone, widthPx, changes],
  );
  const heightPx = lanes.reduce((sum, lane) => sum + lane.heightPx + 1, 0);
  const [topPx, setTopPx] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place of the axis follows from these
  useEffect(() => {
    const element = axis.current;
    if (element) setTopPx(element.offsetTop + element.offsetHeight);
  }, [axis, widthPx, brackets.length]);
  useEffect(() => {
    const ms = cursor.get();
    if (ms !== null && (ms < whole.startMs || ms >= whole.stopMs)) cursor.set(null);
  }, [cursor, whole]);

  return (
    <figure className={styles.timeline} data-has-seam={changes.length > 0 || undefined} aria-label={label}>
      {brackets.map((bracket, index) => {
        const left = Math.max(0, toPx(scale, bracket.startMs));
        const right = Math.min(widthPx, toPx(scale, bracket.stopMs));
        return (
          <div key={bracket.id} style={{ display: 'contents' }}>
            <span className={styles.bracketLabel}>{index === 0 ? words.brackets : ''}</span>
            <div className={styles.brackets}>
              {right - left > 4 && (
                <div className={styles.bracket} style={{ left, width: right - left }} title={bracket.label}>
                  {bracket.label}
                </div>
              )}
            </div>
          </div>
        );
      })}
      <span className={styles.axisLabel}>{words.timeAxis}</span>
      <div className={styles.axis} ref={axis}>
        {ticks
          .filter((tick) => toPx(scale, tick.ms) <= widthPx - TICK_LABEL_PX)
          .map((tick) => (
            <span
              key={tick.ms}
              className={styles.tick}
              data-midnight={tick.isMidnight || undefined}
              style={{ left: toPx(scale, tick.ms) }}
            >
              {tick.isMidnight ? words.tickDate(tick.date) : tick.clock} {tick.offset && <small>{tick.offset}</small>}
            </span>
          ))}
      </div>
      <div className={styles.grid} style={{ height: heightPx, marginBottom: -heightPx, gridColumn: 3 }}>
        {ticks.map((tick) => (
          <span
            key={tick.ms}
            className={styles.gridLine}
            data-midnight={tick.isMidnight || undefined}
            style={{ left: toPx(scale, tick.ms) }}
          />
        ))}
      </div>
      {lanes.map((lane) => (
        <div key={lane.id} style={{ display: 'contents' }}>
          <div className={styles.label} style={{ gridColumn: 1 }} title={lane.help}>
            <span className={styles.name}>{lane.label}</span>
            <Reading lane={lane} cursor={cursor} />
          </div>
          <div className={styles.gutter}>
            {lane.axis && (
              <>
                <span data-end="high">{lane.axis.high}</span>
                <span data-end="low">{lane.axis.low}</span>
              </>
            )}
          </div>
          <div className={styles.plot} style={{ height: lane.heightPx + 1 }}>
            {widthPx > 0 && <LanePlot lane={lane} scale={scale} />}
          </div>
        </div>
      ))}
      <div className={styles.grid} style={{ height: heightPx, marginTop: -heightPx }}>
        {changes.map((change) => (
          <span key={change.atMs} className={styles.seam} style={{ left: toPx(scale, change.atMs) }}>
            <span>{words.shift(change)}</span>
          </span>
        ))}
      </div>
      {widthPx > 0 && topPx > 0 && (
        <Cursor
          lanes={lanes}
          scale={scale}
          whole={whole}
          view={view}
          timeZone={timeZone}
          words={words}
          stepMs={stepMs}
          cursor={cursor}
          onView={onView}
          onDay={onDay}
          onOpen={onOpen}
          heightPx={heightPx}
          topPx={topPx}
        />
      )}
    </figure>
  );
}
