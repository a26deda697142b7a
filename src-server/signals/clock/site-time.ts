import type { SyncPoint } from '../types.ts';

/** A transfer may take this long; a smaller difference does not mean that the device's clock is wrong. */
const MIN_CLOCK_ERROR_MS = 5000;

/**
 * Returns clock readings in the site's time: if the device's own clock is off by more than a transfer takes, its readings are
 * shifted by the difference.
 */
export function inSiteTime(points: readonly SyncPoint[], clockTs: number | undefined, nowTs: number): SyncPoint[] {
  const offBy = clockTs === undefined ? 0 : nowTs - clockTs;
  if (Math.abs(offBy) < MIN_CLOCK_ERROR_MS) return [...points];
  return points.map(({ sensorUs, hostUs }) => ({ sensorUs, hostUs: hostUs + offBy * 1000 }));
}
