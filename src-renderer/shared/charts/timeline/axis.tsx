/** Everything around the lanes of a timeline: brackets, clock labels, grid lines, and seams at clock changes. */
import type { Ref } from 'react';
import type { ClockChange } from '../../time/local-day.ts';
import { type TimeScale, toPx } from '../scale.ts';
import { type Axis, type AxisLabel, shownTwice } from './ticks.ts';
import styles from './timeline.module.css';
import type { Bracket, TimelineWords } from './types.ts';

/** The name of the future stands in it only where it has this much room. */
const NOT_YET_LABEL_PX = 90;
/** Narrower brackets, as at the edge of the neighbouring window, are not drawn. */
const MIN_BRACKET_PX = 4;
/** Width of the label of a seam, which moves to the left side where the right has less room. */
const SEAM_LABEL_PX = 300;

export function Brackets({
  brackets,
  scale,
  title,
}: {
  brackets: readonly Bracket[];
  scale: TimeScale;
  title: string;
}) {
  return brackets.map((bracket, index) => {
    const left = Math.max(0, toPx(scale, bracket.startMs));
    const right = Math.min(scale.widthPx, toPx(scale, bracket.stopMs));
    return (
      <div key={bracket.id} style={{ display: 'contents' }}>
        <span className={styles.bracketLabel}>{index === 0 ? title : ''}</span>
        <div className={styles.brackets}>
          {right - left > MIN_BRACKET_PX && (
            <div
              className={styles.bracket}
              data-bracket={bracket.id}
              style={{ left, width: right - left }}
              title={bracket.label}
            >
              {bracket.label}
            </div>
          )}
        </div>
      </div>
    );
  });
}

function Labels({
  labels,
  scale,
  words,
  isJump,
}: {
  labels: readonly AxisLabel[];
  scale: TimeScale;
  words: TimelineWords;
  isJump?: boolean;
}) {
  return labels.map((label) => (
    <span
      key={`${label.ms} ${label.endsHere ?? ''}`}
      className={isJump ? styles.jump : styles.tick}
      data-midnight={label.date !== undefined || undefined}
      data-ends={label.endsHere}
      style={{ left: toPx(scale, label.ms) }}
    >
      {label.date === undefined ? label.clock : words.tickDate(label.date)}{' '}
      {label.offset && <small>{label.offset}</small>}
    </span>
  ));
}

export function ClockLabels({
  axis,
  changes,
  scale,
  words,
  plot,
}: {
  axis: Axis;
  changes: readonly ClockChange[];
  scale: TimeScale;
  words: TimelineWords;
  plot: Ref<HTMLDivElement>;
}) {
  return (
    <>
      <span className={styles.axisLabel} title={words.timeAxis}>
        {words.timeAxis}
      </span>
      <div className={styles.axis} ref={plot}>
        {shownTwice(changes).map(({ startMs, stopMs }) => (
          <span
            key={startMs}
            className={styles.twice}
            style={{ left: toPx(scale, startMs), width: toPx(scale, stopMs) - toPx(scale, startMs) }}
          />
        ))}
        <Labels labels={axis.labels} scale={scale} words={words} />
        <Labels labels={axis.jumps} scale={scale} words={words} isJump />
      </div>
    </>
  );
}

/** Vertical lines behind the lanes; their negative margin takes them out of the layout. */
export function GridLines({ axis, scale, heightPx }: { axis: Axis; scale: TimeScale; heightPx: number }) {
  return (
    <div className={styles.grid} style={{ height: heightPx, marginBottom: -heightPx, gridColumn: 3 }}>
      {axis.lines.map((tick) => (
        <span
          key={tick.ms}
          className={styles.gridLine}
          data-midnight={tick.isMidnight || undefined}
          style={{ left: toPx(scale, tick.ms) }}
        />
      ))}
    </div>
  );
}

/** Names the time that has not come yet, which the lanes shade. */
export function NotYet({
  untilMs,
  scale,
  heightPx,
  label,
}: {
  untilMs: number;
  scale: TimeScale;
  heightPx: number;
  label: string;
}) {
  const left = Math.max(0, toPx(scale, untilMs));
  if (untilMs >= scale.stopMs || scale.widthPx - left < NOT_YET_LABEL_PX) return null;
  return (
    <div className={styles.grid} style={{ height: heightPx, marginTop: -heightPx }}>
      <span className={styles.notYet} style={{ left }}>
        {label}
      </span>
    </div>
  );
}

/** Clock changes: a line across all lanes, with a label below it. */
export function Seams({
  changes,
  scale,
  heightPx,
  words,
}: {
  changes: readonly ClockChange[];
  scale: TimeScale;
  heightPx: number;
  words: TimelineWords;
}) {
  return (
    <div className={styles.grid} style={{ height: heightPx, marginTop: -heightPx }}>
      {changes.map((change) => {
        const left = toPx(scale, change.atMs);
        return (
          <span
            key={change.atMs}
            className={styles.seam}
            data-kind={change.zones ? 'zone' : 'clocks'}
            data-flip={left > scale.widthPx - SEAM_LABEL_PX || undefined}
            style={{ left }}
          >
            <span>{words.shift(change)}</span>
          </span>
        );
      })}
    </div>
  );
}
