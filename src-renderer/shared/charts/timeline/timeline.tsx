/**
 * Lanes over one elapsed time axis with local clock labels and one cursor. Canvases draw; everything that is read, focused
 * or announced is DOM: lane names and readings, axis labels, brackets, and the cursor as a slider.
 */
import { useEffect, useMemo, useState } from 'react';
import { createStore, type Store, useStore } from '../../store.ts';
import { clockChanges, type DayClock } from '../../time/local-day.ts';
import { Canvas } from '../canvas.tsx';
import type { Colors } from '../palette.ts';
import type { TimeScale } from '../scale.ts';
import { useWidth } from '../use-width.ts';
import { Brackets, ClockLabels, GridLines, Seams } from './axis.tsx';
import { Cursor } from './cursor.tsx';
import { axisOf } from './ticks.ts';
import styles from './timeline.module.css';
import type { Bracket, Lane, TimelineWords } from './types.ts';
import type { TimelineView } from './view.ts';

/** What the lane says at the cursor; without a cursor, the unit of its axis or its note. */
function Reading({ lane, cursor }: { lane: Lane; cursor: Store<number | null> }) {
  const ms = useStore(cursor);
  return <span className={styles.reading}>{ms === null ? (lane.axis?.unit ?? lane.note) : lane.read(ms)}</span>;
}

function LanePlot({ lane, scale }: { lane: Lane; scale: TimeScale }) {
  const draw = useMemo(
    () => (context: CanvasRenderingContext2D, _width: number, height: number, colors: Colors) =>
      lane.draw(context, scale, height, colors),
    [lane, scale],
  );
  return <Canvas draw={draw} widthPx={scale.widthPx} heightPx={lane.heightPx} />;
}

export function Timeline({
  label,
  lanes,
  brackets,
  whole,
  view,
  clock,
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
  clock: DayClock;
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
  const [plot, widthPx] = useWidth();
  const [own] = useState(() => createStore<number | null>(null));
  const cursor = given ?? own;
  const scale = useMemo((): TimeScale => ({ ...view, widthPx }), [view, widthPx]);
  const changes = useMemo(() => clockChanges(view.startMs, view.stopMs, clock), [view, clock]);
  const axis = useMemo(() => axisOf(scale, clock, changes), [scale, clock, changes]);
  const heightPx = lanes.reduce((sum, lane) => sum + lane.heightPx + 1, 0);
  const [topPx, setTopPx] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place of the axis follows from these
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
            {widthPx > 0 && <LanePlot lane={lane} scale={scale} />}
            {lane.empty && <span className={styles.empty}>{lane.empty}</span>}
          </div>
        </div>
      ))}
      <Seams changes={changes} scale={scale} heightPx={heightPx} words={words} />
      {widthPx > 0 && topPx > 0 && (
        <Cursor
          lanes={lanes}
          scale={scale}
          whole={whole}
          view={view}
          clock={clock}
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
