/**
 * Which run each stretch of a session is part of. A run is a time without a pause in which at least one sensor recorded:
 * stretches that overlap share its number. Sensors differ by `tracksys` or `recording`; several stretches of one sensor
 * within a run, which another sensor spans, differ by `acq`.
 */

export interface Placed<T> {
  stretch: T;
  /** From 1. */
  run: number;
  /** `acq` label of all but the first stretch of a sensor in a run. */
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

/** Numbers the stretches of a session, in order of time. */
export function placeRuns<T extends Labelled>(stretches: readonly T[]): { placed: Placed<T>[]; runs: Run[] } {
  const runs: Run[] = [];
  const counts = new Map<string, number>();
  const sorted = [...stretches].sort((a, b) => a.firstUs - b.firstUs || a.label.localeCompare(b.label));
  const placed = sorted.map((stretch): Placed<T> => {
    let current = runs.at(-1);
    if (!current || stretch.firstUs > current.lastUs) {
      current = { run: runs.length + 1, firstUs: stretch.firstUs, lastUs: stretch.lastUs };
      runs.push(current);
      counts.clear();
    }
    current.lastUs = Math.max(current.lastUs, stretch.lastUs);
    const count = (counts.get(stretch.label) ?? 0) + 1;
    counts.set(stretch.label, count);
    return { stretch, run: current.run, ...(count > 1 && { part: `part${count}` }) };
  });
  return { placed, runs };
}
