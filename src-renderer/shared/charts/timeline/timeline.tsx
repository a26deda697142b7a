/**
 * Lanes over one axis of elapsed time, with local clock labels and one cursor. Canvases only draw; everything that is read,
 * focused or announced is DOM: lane names and readings, axis labels, brackets, and the cursor as a slider.
 */
import { useEffect, useMemo, useState } from 'react';
import { type Store, useStore } from '../../store.ts';
import { clockChanges } from '../../time/local-day.ts';
import { Canvas } from '../canvas.tsx';
import { drawNotYet } from '../draw.ts';
import type { Colors } from '../palette.ts';
import type { TimeScale } from '../scale.ts';
import type { Surface } from '../surface.ts';
import { useWidth } from '../use-width.ts';
import { Brackets, ClockLabels, GridLines, NotYet, Seams } from './axis.tsx';
import { Cursor } from './cursor.tsx';
import { axisOf } from './ticks.ts';
import styles from './timeline.module.css';
import type { Bracket, Lane, TimelineControls } from './types.ts';

/** The value of the lane at the cursor; without a cursor, the unit of its axis or its note. */
function Reading({ lane, cursor }: { lane: Lane; cursor: Store<number | null> }) {
  const ms = useStore(cursor);
  return <span className={styles.reading}>{ms === null ? (lane.axis?.unit ?? lane.note) : lane.read(ms)}</span>;
}

function LanePlot({ lane, scale, untilMs }: { lane: Lane; scale: TimeScale; untilMs: number }) {
  const draw = useMemo(
    () => (context: Surface, _width: number, height: number, colors: Colors) => {
      drawNotYet(context, untilMs, scale, height, colors);
      lane.draw(context, scale, height, colors);
    },
    [lane, scale, untilMs],
  );
  return <Canvas draw={draw} widthPx={scale.widthPx} heightPx={lane.heightPx} />;
}

export function Timeline({
  label,
  lanes,
  brackets,
  untilMs,
  cursor,
  controls,
}: {
  label: string;
  lanes: readonly Lane[];
  brackets: readonly Bracket[];
  /** Where the future begins, which is shaded; the end of the window or later where there is none. */
  untilMs: number;
  /** Instant of the cursor, shared with the page; null without one. */
  cursor: Store<number | null>;
  controls: TimelineControls;
}) {
  const { whole, view, clock, words } = controls;
  const [plot, widthPx] = useWidth();
  const scale = useMemo((): TimeScale => ({ ...view, widthPx }), [view, widthPx]);
  const changes = useMemo(() => clockChanges(view.startMs, view.stopMs, clock), [view, clock]);
  const axis = useMemo(() => axisOf(scale, clock, changes), [scale, clock, changes]);
  const heightPx = lanes.reduce((sum, lane) => sum + lane.heightPx + 1, 0);
  const [topPx, setTopPx] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these determine the position of the axis
  useEffect(() => {
    const element = plot.current;
    if (element) setTopPx(element.offsetTop + element.offsetHeight);
  }, [plot, widthPx, brackets.length, changes.length]);
  useEffect(() => {
    const ms = cursor.get();
    if (ms !== null && (ms < whole.startMs || ms >= whole.stopMs)) cursor.set(null);
  }, [cursor, whole]);

  return (
    <figure className={styles.timeline} data-has-seam={changes.length > 0 || undefined} aria-label={label}>
      <Brackets brackets={brackets} scale={scale} title={words.brackets} />
      <ClockLabels axis={axis} changes={changes} scale={scale} words={words} plot={plot} />
      <GridLines axis={axis} scale={scale} heightPx={heightPx} />
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
          <div className={styles.plot} data-lane={lane.id} style={{ height: lane.heightPx + 1 }}>
            {widthPx > 0 && <LanePlot lane={lane} scale={scale} untilMs={untilMs} />}
            {lane.empty && <span className={styles.empty}>{lane.empty}</span>}
          </div>
        </div>
      ))}
      <NotYet untilMs={untilMs} scale={scale} heightPx={heightPx} label={words.notYet} />
      <Seams changes={changes} scale={scale} heightPx={heightPx} words={words} />
      {widthPx > 0 && topPx > 0 && (
        <Cursor lanes={lanes} scale={scale} cursor={cursor} controls={controls} heightPx={heightPx} topPx={topPx} />
      )}
    </figure>
  );
}
