/**
 * Loaded with `--import` into a process whose event loop is measured. On SIGUSR2 it writes the delays since the previous
 * signal to the file LOOP_DELAY_FILE, as JSON with a sequence number `turn`, and resets the histogram.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export interface LoopDelay {
  turn: number;
  samples: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** The histogram records the whole time between ticks, so the resolution is subtracted. */
const RESOLUTION_MS = 1;

const file = process.env.LOOP_DELAY_FILE;
if (isMainThread && file) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let turn = 0;
  const inMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on('SIGUSR2', () => {
    turn++;
    const delay: LoopDelay = {
      turn,
      samples: histogram.count,
      p50Ms: inMs(histogram.percentile(50)),
      p99Ms: inMs(histogram.percentile(99)),
      maxMs: inMs(histogram.max),
    };
    writeFileSync(`${file}.partial`, JSON.stringify(delay));
    renameSync(`${file}.partial`, file);
    histogram.reset();
  });
}
