/** How far a subject's data has come, per sensor and local day. Pure. */
import { PATH_STATES } from '../../vocabulary/coverage.ts';
import type { DayWindow } from '../day-windows.ts';
import { clip, holesIn, lengthMs, type TimeSpan, union } from './spans.ts';

export type PathState = (typeof PATH_STATES)[number];

/** One recording, in any state. */
export interface PathItem {
  recordingId: string;
  /** Serial of the sensor; for an imported recording, its address. */
  sensorId: string;
  state: PathState;
  startTs: number;
  /** Time of the last sample. */
  stopTs: number;
  sizeBytes: number;
  receivedBytes?: number;
  /** Code of why it waits, was refused or rejected. */
  code?: string;
  message?: string;
  /** The device that holds or sends it, and when it last reported so. */
  deviceId?: string;
  reportedTs?: number;
  location?: string;
  uploadId?: string;
  /** REFUSED: by the site's rules. REJECTED: by a person. */
  refusedBy?: 'SITE' | 'STAFF';
  /** The sensor's clock was not set, so the times are wrong. */
  hasWrongClock?: boolean;
  /** Spans without samples inside a stored recording, ascending, without overlap. */
  breaks?: readonly TimeSpan[];
  /** Where the ECG of a stored recording has samples, ascending, without overlap; absent on one without an ECG channel. */
  ecg?: readonly TimeSpan[];
  /** The file of a stored recording is gone or damaged. */
  fileProblem?: 'MISSING' | 'DAMAGED';
}

export interface StateTotal {
  state: PathState;
  recordings: number;
  /** Time covered by recordings; overlapping ones count once. */
  seconds: number;
  sizeBytes: number;
  /** How much has arrived, while receiving. */
  receivedBytes?: number;
  /** Spans of the day that it covers, ascending, without overlap. */
  spans: TimeSpan[];
}

export interface SensorDay {
  sensorId: string;
  location?: string;
  /** The subject held the sensor at some time of the day. */
  isAssigned: boolean;
  states: StateTotal[];
}

export interface CoverageDay extends DayWindow {
  sensors: SensorDay[];
}

/** A span in which the subject held a sensor. */
export interface Holding extends TimeSpan {
  sensorId: string;
}

export function spanOf(item: Pick<PathItem, 'startTs' | 'stopTs'>): TimeSpan {
  return { startMs: item.startTs, stopMs: Math.max(item.stopTs, item.startTs) + 1 };
}

/** The spans of a recording that hold data: all of it but its breaks. */
export function spansOf(item: Pick<PathItem, 'startTs' | 'stopTs' | 'breaks'>): TimeSpan[] {
  return holesIn(item.breaks ?? [], spanOf(item));
}

/** Returns a recording's bytes in a window, shared out by time; the shares of all windows add up to the whole. */
function bytesWithin(bytes: number, whole: TimeSpan, part: TimeSpan): number {
  const until = (ms: number) => Math.round((bytes * (ms - whole.startMs)) / (whole.stopMs - whole.startMs));
  return until(part.stopMs) - until(part.startMs);
}

function totalsOf(items: readonly PathItem[], day: TimeSpan): StateTotal[] {
  return PATH_STATES.flatMap((state) => {
    const own = items.filter((item) => item.state === state);
    if (own.length === 0) return [];
    let [sizeBytes, receivedBytes] = [0, 0];
    for (const item of own) {
      const whole = spanOf(item);
      const part = clip(whole, day) as TimeSpan;
      sizeBytes += bytesWithin(item.sizeBytes, whole, part);
      receivedBytes += bytesWithin(item.receivedBytes ?? 0, whole, part);
    }
    const spans = union(own.flatMap(spansOf), day);
    const seconds = Math.round(lengthMs(spans) / 1000);
    const received = state === 'RECEIVING' && { receivedBytes };
    return [{ state, recordings: own.length, seconds, sizeBytes, ...received, spans }];
  });
}

/**
 * Returns every day with every sensor that the subject held or that recorded on it, by sensor. A recording over midnight is part of
 * both days; its bytes are shared out by time.
 */
export function coverageDays(
  days: readonly DayWindow[],
  items: readonly PathItem[],
  holdings: readonly Holding[],
): CoverageDay[] {
  const placed = items.filter(({ hasWrongClock }) => !hasWrongClock);
  const locations = new Map(
    placed.flatMap(({ sensorId, location }) => (location === undefined ? [] : [[sensorId, location] as const])),
  );
  return days.map((day) => {
    const ofDay = placed.filter((item) => clip(spanOf(item), day));
    const held = new Set(holdings.filter((holding) => clip(holding, day)).map(({ sensorId }) => sensorId));
    const sensorIds = [...new Set([...held, ...ofDay.map(({ sensorId }) => sensorId)])].sort();
    return {
      ...day,
      sensors: sensorIds.map((sensorId) => {
        const own = ofDay.filter((item) => item.sensorId === sensorId);
        const location = own.find((item) => item.location)?.location ?? locations.get(sensorId);
        return {
          sensorId,
          ...(location !== undefined && { location }),
          isAssigned: held.has(sensorId),
          states: totalsOf(own, day),
        };
      }),
    };
  });
}
