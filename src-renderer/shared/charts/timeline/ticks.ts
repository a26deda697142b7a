/** What stands on the time axis: ticks of the local clock, and both readings wherever the clock jumps. Pure. */
import { type ClockChange, clockTicks, type DayClock, type Tick, tickStepHours } from '../../time/local-day.ts';
import { type TimeScale, toPx } from '../scale.ts';

export interface AxisLabel {
  ms: number;
  /** Local clock; the label of a midnight says its date instead. */
  clock: string;
  date?: string;
  /** Offset from UTC, where one clock reading can stand for two instants. */
  offset?: string;
  /** The label ends at its instant instead of beginning there. */
  endsHere?: boolean;
}

export interface Axis {
  /** Where lines cross the lanes. */
  lines: Tick[];
  labels: AxisLabel[];
  /** Both readings of every jump of the clock: a row of their own, over the other labels. */
  jumps: AxisLabel[];
}

const TICK_GAP_PX = 66;
const CLOCK_PX = 38;
const DATE_PX = 56;

const widthOf = (label: AxisLabel) => (label.date ? DATE_PX : CLOCK_PX);

/** A clock that goes back shows an hour twice: this far from the change its first showing begins. */
const firstShowingMs = ({ atMs, shiftMs, zones }: ClockChange) => (!zones && shiftMs < 0 ? atMs + shiftMs : atMs);

/** Lines and labels of an axis of `scale.widthPx`. Labels that the right edge would cut are left out. */
export function axisOf(scale: TimeScale, clock: DayClock, changes: readonly ClockChange[]): Axis {
  if (scale.widthPx <= 0) return { lines: [], labels: [], jumps: [] };
  const stepHours = tickStepHours(scale.stopMs - scale.startMs, scale.widthPx, TICK_GAP_PX);
  const lines = clockTicks(scale.startMs, scale.stopMs, clock, stepHours);
  const jumps = changes.flatMap((change): AxisLabel[] => {
    const first = firstShowingMs(change);
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
    // A date that stands before its neighbour is not pushed out by it, where a jump brings two ticks together.
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

/** The stretch of elapsed time in which the clock shows the same readings twice, for changes of one zone. */
export function shownTwice(changes: readonly ClockChange[]): { startMs: number; stopMs: number }[] {
  return changes
    .filter(({ shiftMs, zones }) => !zones && shiftMs < 0)
    .map(({ atMs, shiftMs }) => ({ startMs: atMs + shiftMs, stopMs: atMs - shiftMs }));
}
