import type { SyncPoint } from '../types.ts';

/** A transfer may take so long; a smaller difference says nothing of the device's clock. */
const MIN_CLOCK_ERROR_MS = 5000;

/**
 * Clock readings in the site's time: a device whose own clock is off by more than a transfer takes had its readings off by
 * as much.
 */
export function inSiteTime(points: readonly SyncPoint[], clockTs: number | undefined, nowTs: number): SyncPoint[] {
  const offBy = clockTs === undefined ? 0 : nowTs - clockTs;
  if (Math.abs(offBy) < MIN_CLOCK_ERROR_MS) return [...points];
  return points.map(({ sensorUs, hostUs }) => ({ sensorUs, hostUs: hostUs + offBy * 1000 }));
}
