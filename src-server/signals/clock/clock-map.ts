/**
 * Maps a sensor's clock to the host's. A sensor's crystal drifts (tens of ppm) and its clock may be set wrong; each contact gives a
 * pair of readings, and time is interpolated between pairs. The map is piecewise linear, strictly increasing, and robust against
 * pairs that were read while one of the clocks was wrong.
 */
import type { SyncPoint } from '../types.ts';

/** Piecewise linear, through `knots`; beyond them with slope `outerSlope`. */
export interface ClockMap {
  /** Ascending and strictly rising in both members; at least one. */
  knots: SyncPoint[];
  /** Host time per sensor time outside the knots. */
  outerSlope: number;
}

export interface ClockCorrection extends ClockMap {
  /** Number of pairs discarded because they do not fit the others. */
  leftOut: number;
}

/** Ten times what a poor crystal does; more is a clock that was set. */
const MAX_DRIFT = 0.001;
/** A pair is read over a radio link: its two readings may be this far apart. */
const MAX_READING_LAG_US = 2_000_000;
/** Pairs closer together are merged: between them the latency of reading would look like drift. */
const GROUP_US = 600_000_000;
/** Drift is extrapolated beyond the outermost pairs only if they are at least this far apart. */
const MIN_DRIFT_SPAN_US = 3_600_000_000;
/**
 * Mean drift that a crystal can have, with a margin for heat. Readings that say more are off by their lag, or lie: beyond them, a
 * recording would move by more than any reading says. Then only their median counts.
 */
const MAX_MEAN_DRIFT = 0.0002;
/** Limit of pairs; two weeks with one in ten minutes make 2016. */
const MAX_PAIRS = 4096;
/** The clocks of site and device may differ by this much without either being wrong. */
const MAX_AHEAD_US = 900_000_000;

const offsetOf = (point: SyncPoint): number => point.hostUs - point.sensorUs;

/** True if both pairs are consistent with two clocks that kept running in between. */
function agree(a: SyncPoint, b: SyncPoint): boolean {
  const elapsed = b.sensorUs - a.sensorUs;
  return Math.abs(offsetOf(b) - offsetOf(a)) <= MAX_READING_LAG_US + MAX_DRIFT * elapsed;
}

/** Consecutive readings that are consistent with one clock. */
interface Track {
  points: SyncPoint[];
  /** Offset of the last of them. */
  offset: number;
  /** How many of them came from the device that delivered the recording. */
  delivered: number;
  /** Sum of their absolute offsets. */
  moved: number;
}

/**
 * Sorts pairs into tracks that agree from each pair to the next: each goes to the track whose last offset is nearest to its
 * own, or begins one. Tracks are kept by offset, so a pair is compared with its two neighbours only: n log n comparisons.
 *
 * @param points ascending in sensor time
 */
function tracksOf(points: readonly SyncPoint[], delivered: ReadonlySet<SyncPoint>): Track[] {
  const tracks: Track[] = [];
  for (const point of points) {
    const offset = offsetOf(point);
    let low = 0;
    let high = tracks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tracks[middle]!.offset < offset) low = middle + 1;
      else high = middle;
    }
    const nearest = [low - 1, low]
      .filter((at) => at in tracks && agree(tracks[at]!.points[tracks[at]!.points.length - 1]!, point))
      .sort((a, b) => Math.abs(tracks[a]!.offset - offset) - Math.abs(tracks[b]!.offset - offset))
      .at(0);
    const track = nearest === undefined ? { points: [], offset, delivered: 0, moved: 0 } : tracks[nearest]!;
    track.points.push(point);
    track.delivered += delivered.has(point) ? 1 : 0;
    track.moved += Math.abs(offset);
    track.offset = offset;
    // The pair lies between its neighbours, so the order is preserved.
    if (nearest === undefined) tracks.splice(low, 0, track);
  }
  return tracks;
}

/** Prefers the track of the device that sent the recording, then the longest, then the one that moves times least. */
function byEvidence(a: Track, b: Track): number {
  return (
    b.delivered - a.delivered ||
    b.points.length - a.points.length ||
    a.moved / a.points.length - b.moved / b.points.length
  );
}

/** Thins to {@link MAX_PAIRS} pairs, evenly spread. */
function thinned(points: readonly SyncPoint[]): readonly SyncPoint[] {
  if (points.length <= MAX_PAIRS) return points;
  return Array.from({ length: MAX_PAIRS }, (_, i) => points[Math.floor((i * points.length) / MAX_PAIRS)]!);
}

/** One knot for pairs read close together: their middle, moved by their median offset. */
function grouped(points: readonly SyncPoint[]): SyncPoint[] {
  const knots: SyncPoint[] = [];
  for (let i = 0; i < points.length; ) {
    let end = i + 1;
    while (end < points.length && points[end]!.sensorUs - points[i]!.sensorUs < GROUP_US) end++;
    const group = points.slice(i, end);
    const offsets = group.map(offsetOf).sort((a, b) => a - b);
    const sensorUs = Math.round((group[0]!.sensorUs + group[group.length - 1]!.sensorUs) / 2);
    const median = (offsets[(offsets.length - 1) >> 1]! + offsets[offsets.length >> 1]!) / 2;
    const before = knots.at(-1);
    // Groups may begin back to back; their middles must not, or the lag of reading would look like drift.
    if (!before || sensorUs - before.sensorUs >= GROUP_US) {
      knots.push({ sensorUs, hostUs: Math.round(sensorUs + median) });
    }
    i = end;
  }
  return knots;
}

/** Evidence besides the pairs that came with the recording. */
export interface ClockEvidence {
  /** Pairs that were reported apart from the recording. Pairs that came with it outweigh them. */
  reported?: readonly SyncPoint[];
  /** The recording's last sensor time, and the host time at which it was here: it had ended by then. */
  arrival?: SyncPoint;
}

/**
 * Returns the correction from pairs of clock readings, or null without a plausible one: a correction by which the recording would
 * end after its arrival is rejected. Deterministic, and independent of the order of pairs.
 *
 * @param points pairs that the device which delivered the recording has read
 */
export function correctClock(points: readonly SyncPoint[], evidence: ClockEvidence = {}): ClockCorrection | null {
  const { reported = [], arrival } = evidence;
  const known = new Map<string, SyncPoint>();
  const delivered = new Set<SyncPoint>();
  for (const [i, point] of [...points, ...reported].entries()) {
    const { sensorUs, hostUs } = point;
    if (!Number.isSafeInteger(sensorUs) || !Number.isSafeInteger(hostUs)) continue;
    const key = `${sensorUs} ${hostUs}`;
    if (known.has(key)) continue;
    known.set(key, point);
    if (i < points.length) delivered.add(point);
  }
  const ascending = thinned([...known.values()].sort((a, b) => a.sensorUs - b.sensorUs || a.hostUs - b.hostUs));
  for (const track of tracksOf(ascending, delivered).sort(byEvidence)) {
    const map = boundedMap(grouped(track.points));
    if (arrival && hostTimeUs(map, arrival.sensorUs) > arrival.hostUs + MAX_AHEAD_US) continue;
    return { ...map, leftOut: known.size - track.points.length };
  }
  return null;
}

/** The map through knots, or their median offset alone where their mean drift is none of a crystal. */
function boundedMap(knots: SyncPoint[]): ClockMap {
  const map = mapThrough(knots);
  if (Math.abs(map.outerSlope - 1) <= MAX_MEAN_DRIFT) return map;
  const byOffset = [...knots].sort((a, b) => offsetOf(a) - offsetOf(b));
  return mapThrough([byOffset[(byOffset.length - 1) >> 1]!]);
}

/** Restores the map from the knots of a stored correction. */
export function mapThrough(knots: SyncPoint[]): ClockMap {
  const first = knots[0]!;
  const last = knots[knots.length - 1]!;
  const span = last.sensorUs - first.sensorUs;
  return { knots, outerSlope: span >= MIN_DRIFT_SPAN_US ? (last.hostUs - first.hostUs) / span : 1 };
}

/** Returns the host time of a sensor time, in epoch microseconds, not rounded. */
export function hostTimeUs(map: ClockMap, sensorUs: number): number {
  const { knots, outerSlope } = map;
  const first = knots[0]!;
  if (sensorUs <= first.sensorUs) return first.hostUs + (sensorUs - first.sensorUs) * outerSlope;
  const last = knots[knots.length - 1]!;
  if (sensorUs >= last.sensorUs) return last.hostUs + (sensorUs - last.sensorUs) * outerSlope;
  let low = 0;
  let high = knots.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (knots[middle]!.sensorUs <= sensorUs) low = middle;
    else high = middle;
  }
  const a = knots[low]!;
  const b = knots[high]!;
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
