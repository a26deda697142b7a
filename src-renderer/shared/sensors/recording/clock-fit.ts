/**
 * Readings of a device's clock beside the clock of this phone or computer, from arrivals. A frame arrives after its stamp, by a delay that
 * jitters up to a second but has a floor: the lower edge of (arrival - stamp) over ten minutes is the offset of the two clocks.
 */
import type { SyncPoint } from '../../../../src-server/signals/types.ts';

export interface ClockReading {
  sensorUs: number;
  hostUs: number;
}

/** The site merges pairs that are less than ten minutes apart (upload.md, section 8). */
const SPACING_US = 600_000_000;

/** Returns one pair at the start, about one every ten minutes, one at the end; a single one for less than ten minutes. */
export function syncPointsOf(readings: readonly ClockReading[], startUs: number, stopUs: number): SyncPoint[] {
  if (readings.length === 0) return [];
  const sorted = [...readings].sort((a, b) => a.sensorUs - b.sensorUs);
  const spans = Math.floor((stopUs - startUs) / SPACING_US);
  if (spans === 0) return [pairAt((startUs + stopUs) / 2, sorted)];
  return Array.from({ length: spans + 1 }, (_, i) => {
    const atUs = startUs + ((stopUs - startUs) * i) / spans;
    // Ten minutes around it, at the ends the ten minutes inside.
    const fromUs = Math.max(startUs, Math.min(atUs - SPACING_US / 2, stopUs - SPACING_US));
    const near = sorted.filter(({ sensorUs }) => sensorUs >= fromUs && sensorUs <= fromUs + SPACING_US);
    return pairAt(atUs, near.length > 0 ? near : sorted);
  });
}

function pairAt(atUs: number, readings: readonly ClockReading[]): SyncPoint {
  const sensorUs = Math.round(atUs);
  return { sensorUs, hostUs: Math.round(sensorUs + lowerEdgeAt(atUs, readings)) };
}

/** The line below all points that lies closest to them: the edge of their lower hull under their middle. */
function lowerEdgeAt(atUs: number, readings: readonly ClockReading[]): number {
  const hull: { x: number; y: number }[] = [];
  for (const { sensorUs, hostUs } of readings) {
    const point = { x: sensorUs, y: hostUs - sensorUs };
    for (;;) {
      const [a, b] = hull.slice(-2);
      if (!a || !b || (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) > 0) break;
      hull.pop();
    }
    const last = hull.at(-1);
    if (last && last.x === point.x) last.y = Math.min(last.y, point.y);
    else hull.push(point);
  }
  const middle = readings.reduce((sum, { sensorUs }) => sum + sensorUs / readings.length, 0);
  const right = Math.max(
    1,
    hull.findIndex(({ x }) => x >= middle),
  );
  const [a, b] = [hull[right - 1], hull[right]];
  if (!a) return 0;
  // Too short to tell drift from jitter: take the floor as it is.
  if (!b || b.x - a.x < SPACING_US / 20) return Math.min(...hull.map(({ y }) => y));
  return a.y + ((b.y - a.y) / (b.x - a.x)) * (atUs - a.x);
}
