/**
 * From a sensor's clock to the host's. A sensor's crystal drifts (tens of ppm) and its clock may have been set wrong; each
 * contact gives a pair of readings, and between pairs time runs evenly. The map is piecewise linear, strictly rising, and
 * not misled by a pair that was read while one of the clocks was wrong.
 */
import type { SyncPoint } from '../types.ts';

/** Piecewise linear, through `knots`; beyond them it goes on with `outerSlope`. */
export interface ClockMap {
  /** Ascending and strictly rising in both members; at least one. */
  knots: SyncPoint[];
  /** Host time per sensor time outside the knots. */
  outerSlope: number;
}

export interface ClockCorrection extends ClockMap {
  /** Pairs that do not fit the others and were left out. */
  leftOut: number;
}

/** Ten times what a poor crystal does; more is a clock that was set anew. */
const MAX_DRIFT = 0.001;
/** A pair is read over a radio: the two readings may be this far apart. */
const MAX_READING_LAG_US = 2_000_000;
/** Pairs closer together are one: between them the lag of reading would look like drift. */
const GROUP_US = 600_000_000;
/** Drift is carried beyond the outermost pairs only when they are far enough apart to know it. */
const MIN_DRIFT_SPAN_US = 3_600_000_000;

const offsetOf = (point: SyncPoint): number => point.hostUs - point.sensorUs;

/** True when both can be readings of one pair of clocks that ran on in between. */
function agree(a: SyncPoint, b: SyncPoint): boolean {
  const elapsed = b.sensorUs - a.sensorUs;
  return Math.abs(offsetOf(b) - offsetOf(a)) <= MAX_READING_LAG_US + MAX_DRIFT * elapsed;
}

/**
 * The longest run of pairs that fit each other; of two as long the one that moves times less, as clocks are mostly right.
 * `points` ascend in sensor time.
 */
function largestFitting(points: readonly SyncPoint[]): SyncPoint[] {
  const runs: { length: number; moved: number; before: number }[] = [];
  let best = -1;
  for (const [i, point] of points.entries()) {
    const run = { length: 1, moved: Math.abs(offsetOf(point)), before: -1 };
    for (let j = 0; j < i; j++) {
      const { length, moved } = runs[j];
      if (!agree(points[j], point)) continue;
      const total = moved + Math.abs(offsetOf(point));
      if (length + 1 > run.length || (length + 1 === run.length && total < run.moved)) {
        Object.assign(run, { length: length + 1, moved: total, before: j });
      }
    }
    runs.push(run);
    const top = runs[best];
    if (!top || run.length > top.length || (run.length === top.length && run.moved < top.moved)) best = i;
  }
  const chosen: SyncPoint[] = [];
  for (let i = best; i >= 0; i = runs[i].before) chosen.unshift(points[i]);
  return chosen;
}

/** One knot for pairs read close together: their middle, moved by their median offset. */
function grouped(points: readonly SyncPoint[]): SyncPoint[] {
  const knots: SyncPoint[] = [];
  for (let i = 0; i < points.length; ) {
    let end = i + 1;
    while (end < points.length && points[end].sensorUs - points[i].sensorUs < GROUP_US) end++;
    const group = points.slice(i, end);
    const offsets = group.map(offsetOf).sort((a, b) => a - b);
    const sensorUs = Math.round((group[0].sensorUs + group[group.length - 1].sensorUs) / 2);
    const median = (offsets[(offsets.length - 1) >> 1] + offsets[offsets.length >> 1]) / 2;
    const before = knots.at(-1);
    // Groups may begin back to back; their middles must not, or the lag of reading would look like drift.
    if (!before || sensorUs - before.sensorUs >= GROUP_US) {
      knots.push({ sensorUs, hostUs: Math.round(sensorUs + median) });
    }
    i = end;
  }
  return knots;
}

/**
 * The correction that pairs of clock readings give; null when there are none. Order does not matter, and the same pairs
 * give the same correction.
 */
export function correctClock(points: readonly SyncPoint[]): ClockCorrection | null {
  const known = new Map(
    points
      .filter(({ sensorUs, hostUs }) => Number.isSafeInteger(sensorUs) && Number.isSafeInteger(hostUs))
      .map((point) => [`${point.sensorUs} ${point.hostUs}`, point]),
  );
  const ascending = [...known.values()].sort((a, b) => a.sensorUs - b.sensorUs || a.hostUs - b.hostUs);
  if (ascending.length === 0) return null;
  const chosen = largestFitting(ascending);
  const knots = grouped(chosen);
  const first = knots[0];
  const last = knots[knots.length - 1];
  const span = last.sensorUs - first.sensorUs;
  const outerSlope = span >= MIN_DRIFT_SPAN_US ? (last.hostUs - first.hostUs) / span : 1;
  return { knots, outerSlope, leftOut: ascending.length - chosen.length };
}

/** Host time of a sensor time; epoch microseconds, not rounded. */
export function hostTimeUs(map: ClockMap, sensorUs: number): number {
  const { knots, outerSlope } = map;
  const first = knots[0];
  if (sensorUs <= first.sensorUs) return first.hostUs + (sensorUs - first.sensorUs) * outerSlope;
  const last = knots[knots.length - 1];
  if (sensorUs >= last.sensorUs) return last.hostUs + (sensorUs - last.sensorUs) * outerSlope;
  let low = 0;
  let high = knots.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (knots[middle].sensorUs <= sensorUs) low = middle;
    else high = middle;
  }
  const a = knots[low];
  const b = knots[high];
  return a.hostUs + ((sensorUs - a.sensorUs) * (b.hostUs - a.hostUs)) / (b.sensorUs - a.sensorUs);
}

/** Evenly spaced samples: a page, or its entry in the index. */
interface EvenlySpaced {
  startUs: number;
  periodUs: number;
  count: number;
}

/**
 * Start and period of a page in host time. A page stays evenly spaced; where a knot falls inside it, its ends are exact and
 * its middle is off by at most a quarter of its length times the change of drift (60 s and 100 ppm: 1.5 ms).
 */
export function correctedSpacing(map: ClockMap, page: EvenlySpaced): { startUs: number; periodUs: number } {
  const startUs = hostTimeUs(map, page.startUs);
  const steps = Math.max(1, page.count - 1);
  const stopUs = hostTimeUs(map, page.startUs + steps * page.periodUs);
  return { startUs, periodUs: (stopUs - startUs) / steps };
}
