/** Ticks and labels of the time axis: the local clock, and both readings at every clock change. Pure. */
import { type ClockChange, clockTicks, type DayClock, type Tick, tickStepHours } from '../../time/local-day.ts';
import { type TimeScale, toPx } from '../scale.ts';

export interface AxisLabel {
  ms: number;
  /** Local clock. A label with a `date`, at midnight, shows the date instead. */
  clock: string;
  date?: string;
  /** Offset from UTC, where one clock reading can mean two instants. */
  offset?: string;
  /** The label ends at its instant instead of beginning there. */
  endsHere?: boolean;
}

export interface Axis {
  /** Vertical lines across the lanes. */
  lines: Tick[];
  labels: AxisLabel[];
  /** Both readings at every clock change, in a row above the other labels. */
  jumps: AxisLabel[];
}

const TICK_GAP_PX = 66;
const CLOCK_PX = 38;
const DATE_PX = 56;

const widthOf = (label: AxisLabel) => (label.date ? DATE_PX : CLOCK_PX);

/** Start of the hour that a clock going back shows twice; the instant of the change otherwise. */
const repeatedFromMs = ({ atMs, shiftMs, zones }: ClockChange) => (!zones && shiftMs < 0 ? atMs + shiftMs : atMs);

/** Returns the lines and labels of an axis. Labels that would cross the right edge or another label are left out. */
export function axisOf(scale: TimeScale, clock: DayClock, changes: readonly ClockChange[]): Axis {
  if (scale.widthPx <= 0) return { lines: [], labels: [], jumps: [] };
  const stepHours = tickStepHours(scale.stopMs - scale.startMs, scale.widthPx, TICK_GAP_PX);
  const lines = clockTicks(scale.startMs, scale.stopMs, clock, stepHours);
  const jumps = changes.flatMap((change): AxisLabel[] => {
    const first = repeatedFromMs(change);
    return [
      {
        ms: first,
        clock: first === change.atMs ? change.clockBefore : change.clockAfter,
        offset: change.before,
        endsHere: true,
      },
      { ms: change.atMs, clock: change.clockAfter, offset: change.after },
    ];
  });
  const taken: { from: number; to: number }[] = [];
  const labels = lines
    .map(({ ms, clock: reading, date, isMidnight }): AxisLabel => ({ ms, clock: reading, ...(isMidnight && { date }) }))
    // Dates are placed first, so that a tick next to a clock change does not displace one.
    .sort((a, b) => Number(b.date !== undefined) - Number(a.date !== undefined) || a.ms - b.ms)
    .filter((label) => {
      const from = toPx(scale, label.ms);
      const to = from + widthOf(label);
      if (to > scale.widthPx || taken.some((other) => from < other.to && to > other.from)) return false;
      taken.push({ from, to });
      return true;
    });
  return { lines, labels: labels.sort((a, b) => a.ms - b.ms), jumps };
}

/** Returns the spans of elapsed time in which the clock shows the same readings twice, for changes within one zone. */
export function shownTwice(changes: readonly ClockChange[]): { startMs: number; stopMs: number }[] {
  return changes
    .filter(({ shiftMs, zones }) => !zones && shiftMs < 0)
    .map(({ atMs, shiftMs }) => ({ startMs: atMs + shiftMs, stopMs: atMs - shiftMs }));
}
