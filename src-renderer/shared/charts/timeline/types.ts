/** What a page passes to a timeline: lanes, brackets, texts, and what the cursor controls. */
import type { ClockChange, DayClock } from '../../time/local-day.ts';
import type { Colors } from '../palette.ts';
import type { TimeScale } from '../scale.ts';
import type { Surface } from '../surface.ts';
import type { TimelineView } from './view.ts';

export interface Lane {
  id: string;
  label: string;
  help?: string;
  /** For lanes without an axis: where the lane has values at all. Shown below its name while there is no cursor. */
  note?: string;
  heightPx: number;
  /** Shown in a lane that has nothing to draw. */
  empty?: string;
  /** Ends of the value axis, as text, in this unit. */
  axis?: { low: string; high: string; unit: string };
  draw: (context: Surface, scale: TimeScale, heightPx: number, colors: Colors) => void;
  /** The value of the lane at an instant, in words with its unit. */
  read: (ms: number) => string;
}

export interface Bracket {
  id: string;
  startMs: number;
  stopMs: number;
  label: string;
}

/** What shows and what the cursor can do. */
export interface TimelineControls {
  /** All there is to see; `view` is the part that shows. */
  whole: TimelineView;
  view: TimelineView;
  clock: DayClock;
  words: TimelineWords;
  /** One step of the cursor by keyboard. */
  stepMs: number;
  /** null shows the whole. */
  onView: (view: TimelineView | null) => void;
  onDay: (step: -1 | 1) => void;
  /** Enter on the cursor. */
  onOpen?: (ms: number) => void;
}

export interface TimelineWords {
  cursor: string;
  cursorHelp: string;
  timeAxis: string;
  brackets: string;
  notYet: string;
  at: (reading: { clock: string; offset: string; date: string }) => string;
  date: (date: string) => string;
  tickDate: (date: string) => string;
  shift: (change: ClockChange) => string;
}
