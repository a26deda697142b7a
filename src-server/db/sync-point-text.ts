/**
 * The stored form of readings of two clocks: `[sensorUs, offsetUs, ...]`, where the offset is host time minus sensor time and each
 * reading after the first holds what both grew by. Both clocks run almost alike, so a reading takes a third of what it takes as an
 * object. Readings that are not whole microseconds, and rows of before schema 310, hold the objects.
 */
import type { SyncPoint } from '../study/recording.ts';

export function syncPointText(points: readonly SyncPoint[]): string {
  const numbers: number[] = [];
  let before = { sensorUs: 0, offsetUs: 0 };
  for (const { sensorUs, hostUs } of points) {
    const offsetUs = hostUs - sensorUs;
    numbers.push(sensorUs - before.sensorUs, offsetUs - before.offsetUs);
    before = { sensorUs, offsetUs };
  }
  const areExact = points.every((point) => Number.isSafeInteger(point.sensorUs) && Number.isSafeInteger(point.hostUs));
  return JSON.stringify(areExact && numbers.every(Number.isSafeInteger) ? numbers : points);
}

/** The readings that {@link syncPointText} was made of. */
export function parseSyncPoints(json: string): SyncPoint[] {
  const stored = JSON.parse(json) as number[] | SyncPoint[];
  if (!isNumbers(stored)) return stored;
  const points: SyncPoint[] = [];
  let [sensorUs, offsetUs] = [0, 0];
  for (let i = 0; i < stored.length; i += 2) {
    sensorUs += stored[i]!;
    offsetUs += stored[i + 1]!;
    points.push({ sensorUs, hostUs: sensorUs + offsetUs });
  }
  return points;
}

const isNumbers = (stored: number[] | SyncPoint[]): stored is number[] => typeof stored[0] === 'number';
