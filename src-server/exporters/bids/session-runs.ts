/**
 * Assigns the segments of a session to runs. A run is a time span in which at least one sensor records without a pause, so
 * overlapping segments share a run. Sensors differ by `tracksys` or `recording`; several segments of one sensor
 * within a run, which another sensor spans, differ by `acq`.
 */

export interface Placed<T> {
  segment: T;
  /** From 1. */
  run: number;
  /** `acq` label of all but the first segment of a sensor in a run. */
  part?: string;
}

export interface Run {
  run: number;
  firstUs: number;
  lastUs: number;
}

interface Labelled {
  label: string;
  firstUs: number;
  lastUs: number;
}

/** Numbers the runs of a session in order of time. */
export function placeRuns<T extends Labelled>(segments: readonly T[]): { placed: Placed<T>[]; runs: Run[] } {
  const runs: Run[] = [];
  const counts = new Map<string, number>();
  const sorted = [...segments].sort((a, b) => a.firstUs - b.firstUs || a.label.localeCompare(b.label));
  const placed = sorted.map((segment): Placed<T> => {
    let current = runs.at(-1);
    if (!current || segment.firstUs > current.lastUs) {
      current = { run: runs.length + 1, firstUs: segment.firstUs, lastUs: segment.lastUs };
      runs.push(current);
      counts.clear();
    }
    current.lastUs = Math.max(current.lastUs, segment.lastUs);
    const count = (counts.get(segment.label) ?? 0) + 1;
    counts.set(segment.label, count);
    return { segment, run: current.run, ...(count > 1 && { part: `part${count}` }) };
  });
  return { placed, runs };
}
