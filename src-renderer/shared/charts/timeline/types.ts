/** What a page gives to a timeline. */
import type { ClockChange } from '../../time/local-day.ts';
import type { Colors } from '../palette.ts';
import type { TimeScale } from '../scale.ts';

export interface Lane {
  id: string;
  label: string;
  help?: string;
  /** Where the lane says something at all, for lanes without an axis: stands under its name while there is no cursor. */
  note?: string;
  heightPx: number;
  /** Said in a lane that has nothing to draw. */
  empty?: string;
  /** Ends of the value axis, as text, in this unit. */
  axis?: { low: string; high: string; unit: string };
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
  shift: (change: ClockChange) => string;
}
