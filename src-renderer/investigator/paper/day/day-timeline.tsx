/** The timeline of a day on paper: the lanes of the desk as vectors, below an axis of the local clock. */

import { useMemo } from 'react';
import type { Draw } from '../../../shared/charts/canvas.tsx';
import { drawNotYet } from '../../../shared/charts/draw.ts';
import { CANVAS_FACES } from '../../../shared/charts/fonts.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import { type Axis, axisOf } from '../../../shared/charts/timeline/ticks.ts';
import type { Bracket, Lane } from '../../../shared/charts/timeline/types.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { type ClockChange, clockChanges, type DayClock } from '../../../shared/time/local-day.ts';
import { Picture } from '../drawing/picture.tsx';
import { PX_PER_MM } from '../papers.ts';
import styles from './day.module.css';

const AXIS_PX = 30;
const BRACKET_PX = 17;
/** Returns what stands above the lanes. */
export const headPx = (brackets: readonly Bracket[]): number => AXIS_PX + brackets.length * BRACKET_PX;

/** The vertical lines of the axis behind a lane, and a broken line where the clock changes. */
function drawLane(lane: Lane, scale: TimeScale, axis: Axis, changes: readonly ClockChange[], untilMs: number): Draw {
  return (context, widthPx, heightPx, colors) => {
    context.fillStyle = colors('line-soft');
    for (const { ms } of axis.lines) context.fillRect(toPx(scale, ms), 0, 0.5, heightPx);
    drawNotYet(context, untilMs, scale, heightPx, colors);
    lane.draw(context, scale, heightPx, colors);
    context.fillStyle = colors('text');
    for (const { atMs } of changes)
      for (let top = 0; top < heightPx; top += 6) context.fillRect(toPx(scale, atMs), top, 0.8, 3);
    context.fillStyle = colors('line-strong');
    context.fillRect(0, heightPx - 0.5, widthPx, 0.5);
  };
}

/** Two brackets in two rows: the night and the day overlap in the morning. */
function drawBrackets(brackets: readonly Bracket[], scale: TimeScale): Draw {
  return (context, _widthPx, _heightPx, colors) => {
    context.font = `10px ${CANVAS_FACES}`;
    for (const [row, { startMs, stopMs, label }] of brackets.entries()) {
      const [left, right] = [toPx(scale, startMs), toPx(scale, stopMs)];
      const top = row * BRACKET_PX;
      context.fillStyle = colors('line-strong');
      context.fillRect(left, top + BRACKET_PX - 3, right - left, 1);
      context.fillRect(left, top + 4, 1, BRACKET_PX - 6);
      context.fillRect(right - 1, top + 4, 1, BRACKET_PX - 6);
      context.fillStyle = colors('text');
      context.fillText(label, left + 5, top + 7);
    }
  };
}

function drawAxis(axis: Axis, scale: TimeScale, dateText: (date: string) => string): Draw {
  return (context, _widthPx, heightPx, colors) => {
    context.font = `10px ${CANVAS_FACES}`;
    context.fillStyle = colors('text-muted');
    for (const { ms, clock, offset, endsHere } of axis.jumps) {
      const text = `${clock} ${offset}`;
      const left = toPx(scale, ms);
      context.fillText(text, endsHere ? left - context.measureText(text).width - 2 : left + 2, 7);
    }
    context.fillStyle = colors('text');
    for (const { ms, clock, date } of axis.labels) {
      context.fillText(date === undefined ? clock : dateText(date), toPx(scale, ms) + 2.5, heightPx - 8);
    }
    for (const { ms } of axis.lines) context.fillRect(toPx(scale, ms), heightPx - 5, 0.8, 5);
  };
}

export function DayTimeline({
  label,
  lanes,
  brackets,
  window,
  untilMs,
  widthMm,
  clock,
}: {
  label: string;
  lanes: readonly { lane: Lane; heightPx: number }[];
  brackets: readonly Bracket[];
  window: { startMs: number; stopMs: number };
  /** Where the future begins. */
  untilMs: number;
  /** Of the axis, in true size. */
  widthMm: number;
  clock: DayClock;
}) {
  const { format } = useWords();
  const { scale, axis, changes } = useMemo(() => {
    const scale: TimeScale = { ...window, widthPx: widthMm * PX_PER_MM };
    const changes = clockChanges(window.startMs, window.stopMs, clock);
    return { scale, axis: axisOf(scale, clock, changes), changes };
  }, [window, widthMm, clock]);
  const bracketsPx = brackets.length * BRACKET_PX;
  const draws = useMemo(
    () => ({
      lanes: lanes.map(({ lane }) => drawLane(lane, scale, axis, changes, untilMs)),
      brackets: drawBrackets(brackets, scale),
      axis: drawAxis(axis, scale, format.dayOfMonth),
    }),
    [lanes, brackets, scale, axis, changes, untilMs, format],
  );
  return (
    <section className={styles.timeline} aria-label={label}>
      <div className={styles.lane}>
        <span />
        <Picture draw={draws.brackets} widthPx={scale.widthPx} heightPx={bracketsPx} />
      </div>
      <div className={styles.lane}>
        <span />
        <Picture draw={draws.axis} widthPx={scale.widthPx} heightPx={AXIS_PX} />
      </div>
      {lanes.map(({ lane, heightPx }, index) => (
        <div key={lane.id} className={styles.lane}>
          <div className={styles.name}>
            <strong>{lane.label}</strong>
            <small>{lane.axis?.unit ?? lane.note}</small>
            {lane.axis && (
              <span className={styles.ends}>
                <span>{lane.axis.high}</span>
                <span>{lane.axis.low}</span>
              </span>
            )}
          </div>
          <div className={styles.plot}>
            <Picture draw={draws.lanes[index]!} widthPx={scale.widthPx} heightPx={heightPx} />
            {lane.empty && <span className={styles.empty}>{lane.empty}</span>}
          </div>
        </div>
      ))}
    </section>
  );
}
